// The stack of disentangle blocks on the CPU.
//
// This file is the structure of a training step: Pass<T>::forward() and ::backward() say which walks over tiles there
// are, Pass<T>::Walk what is done with one tile of one block. The kernels are in kernels/, the discriminator's part of
// a walk in tile_discriminator.h.
//
// Batch normalisation with a batch's own moments needs all rows before any can go on, so there is one walk per block
// and direction; without it, one walk takes a tile through all blocks.
#include "ops/cpu/disentangle_stack.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <functional>

#include "ops/cpu/edge_list.h"
#include "ops/cpu/graph_pieces.h"
#include "ops/cpu/large_tables.h"
#include "ops/cpu/packed_map.h"
#include "ops/cpu/scratch.h"
#include "ops/cpu/tile_discriminator.h"
#include "ops/cpu/tiles.h"
#include "ops/registration.h"

namespace factorgcn::cpu {
namespace {

// Of all tables of a tile; those of one step of a block, a good half, should fit the second-level cache.
constexpr std::int64_t kTileBytes = 1280 << 10;

/// Values of the whole batch, cut from one piece of memory.
template <class T>
class BatchMemory {
 public:
  /// Counts, or hands out once allocate() was called: the same calls are made twice.
  T* take(std::int64_t count) {
    T* piece = memory_.defined() ? memory_.data_ptr<T>() + used_ : nullptr;
    used_ += (count + kAlign - 1) / kAlign * kAlign;
    return piece;
  }
  void allocate(const at::TensorOptions& options) {
    memory_ = large_table({used_ + kAlign}, options);
    used_ = 0;
  }

 private:
  static constexpr std::int64_t kAlign = 64 / static_cast<std::int64_t>(sizeof(T));
  at::Tensor memory_;
  std::int64_t used_ = 0;
};

/// Count, means and sums of squared deviations of columns, merged in double precision.
struct Moments {
  double count = 0;
  std::vector<double> mean, squares;

  template <class M>
  void merge(double other_count, const M* other_mean, const M* other_squares, std::int64_t columns) {
    mean.resize(static_cast<std::size_t>(columns));
    squares.resize(mean.size());
    if (other_count == 0) {
      return;
    }
    const double total = count + other_count, share = other_count / total, spread = count * share;
    for (std::size_t c = 0; c < mean.size(); ++c) {
      const double difference = static_cast<double>(other_mean[c]) - mean[c];
      mean[c] += difference * share;
      squares[c] += static_cast<double>(other_squares[c]) + difference * difference * spread;
    }
    count = total;
  }
};

/// One block: its weights, ready for the kernels, and its values for the whole batch.
template <class T>
struct Block {
  std::int64_t in, width, factors;
  PackedMap<T> hidden, gates;
  std::unique_ptr<DiscriminatorMaps<T>> judge;
  bool normalised, own_moments;
  std::vector<T> gamma, beta, mean, inverse;  // inverse: 1 / sqrt(variance + eps)
  std::vector<T> factor, shift;               // z = x * factor + shift
  std::vector<T> a, b, c;                     // see BlockInputGradient

  T* raw = nullptr;         // [N, D]
  T* h = nullptr;           // [N, d]
  T* gate_table = nullptr;  // [N, 2 K]
  // Gradients of the discriminator's loss, up to the factor that backward() is given.
  T* judged_h = nullptr;         // [N, d]; null where the first convolution follows from raw
  T* judged_sums = nullptr;      // [N, K, m] before its tanh; null where it does not
  T* judged_gate_sum = nullptr;  // [N, K], likewise
  T* judged_gates = nullptr;     // [N, 2 K]

  explicit Block(const StackBlock& given)
      : in(given.weight.size(1)),
        width(given.weight.size(0)),
        factors(given.gate_weight.size(0) / 2),
        hidden(given.weight, given.bias),
        gates(given.gate_weight, given.gate_bias),
        normalised(given.gamma.defined()),
        own_moments(normalised && !given.mean.defined()) {
    if (given.judge.first_weight.defined()) {
      const DiscriminatorWeights& w = given.judge;
      judge.reset(new DiscriminatorMaps<T>{{w.first_weight, w.first_bias},
                                           {w.second_weight, w.second_bias},
                                           {w.classifier_weight, w.classifier_bias},
                                           given.judge_from_output});
    }
    const auto count = static_cast<std::size_t>(columns());
    mean.assign(count, T(0));
    factor.assign(count, T(1));
    shift.assign(count, T(0));
    if (normalised) {
      const T *gammas = given.gamma.data_ptr<T>(), *betas = given.beta.data_ptr<T>();
      gamma.assign(gammas, gammas + columns());
      beta.assign(betas, betas + columns());
      inverse.resize(count);
    }
  }

  std::int64_t columns() const { return width * factors; }

  void use_moments(const T* means, const T* variances, T eps) {
    for (std::int64_t i = 0; i < columns(); ++i) {
      mean[i] = means[i];
      inverse[i] = T(1) / std::sqrt(variances[i] + eps);
      factor[i] = gamma[i] * inverse[i];
      shift[i] = beta[i] - means[i] * factor[i];
    }
  }

  void take_memory(BatchMemory<T>& memory, std::int64_t nodes, bool gradients) {
    raw = memory.take(nodes * columns());
    h = memory.take(nodes * width);
    gate_table = memory.take(nodes * 2 * factors);
    if (judge != nullptr && gradients) {
      judged_gates = memory.take(nodes * 2 * factors);
      if (judge->from_output) {
        judged_sums = memory.take(nodes * factors * judge->narrow());
        judged_gate_sum = memory.take(nodes * factors);
      } else {
        judged_h = memory.take(nodes * width);
      }
    }
  }

  /// Bytes of a tile's node on the way through this block, about.
  std::int64_t node_bytes() const {
    const std::int64_t narrow = judge != nullptr ? judge->narrow() : 0;
    return static_cast<std::int64_t>(sizeof(T)) * (2 * in + 2 * columns() + 3 * width + factors * (8 + 4 * narrow));
  }
};

template <class T>
class Pass : public StackPass {
 public:
  Pass(const StackInputs& inputs, const StackOptions& options, bool gradients)
      : inputs_(inputs),
        options_(options),
        gradients_(gradients),
        kernel_(kernels().of<T>()),
        edge_list_(inputs.edges.num_edges()) {
    std::int64_t node_bytes = 1;
    for (const StackBlock& block : inputs_.blocks) {
      blocks_.emplace_back(block);
      node_bytes = std::max(node_bytes, blocks_.back().node_bytes());
      if (blocks_.back().judge != nullptr) {
        blocks_.back().judge->reserve(judge_sums_);
      }
    }
    const auto take_all = [&] {
      weight_ = options.norm != EdgeNorm::kNone ? memory_.take(nodes() + 1) : nullptr;
      size_scale_ = options.size_norm ? memory_.take(nodes() + 1) : nullptr;
      for (Block<T>& block : blocks_) {
        block.take_memory(memory_, nodes(), gradients);
      }
    };
    take_all();
    memory_.allocate(inputs_.x.options());
    take_all();
    offsets_ = inputs_.graph_offsets.template data_ptr<std::int64_t>();
    tiling_ = std::make_unique<Tiling>(offsets_, graphs(), std::max<std::int64_t>(1, kTileBytes / node_bytes));
  }

  StackResult forward();
  StackGradients backward(const std::vector<at::Tensor>& grad_ends, const at::Tensor& grad_loss, bool wants_x) override;

 private:
  class Walk;

  std::int64_t nodes() const { return inputs_.x.size(0); }
  std::int64_t graphs() const { return inputs_.graph_offsets.numel() - 1; }
  std::int64_t last() const { return static_cast<std::int64_t>(blocks_.size()) - 1; }
  Block<T>& block(std::int64_t index) { return blocks_[static_cast<std::size_t>(index)]; }
  bool judged() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Block<T>& block) { return block.judge != nullptr; });
  }
  at::Tensor new_tensor(at::IntArrayRef shape) const { return at::empty(shape, inputs_.x.options()); }
  T* end_values(std::int64_t index) {
    const auto at = options_.end == StackEnd::kLevelSums ? static_cast<std::size_t>(index) : 0;
    return ends_[at].template data_ptr<T>();
  }

  void prepare_ends();
  void merge_moments(std::int64_t index, std::vector<Moments>& of_blocks, StackResult& result);
  void finish_end_gradient(std::int64_t index, StackBlock& gradients);

  StackInputs inputs_;
  StackOptions options_;
  bool gradients_;
  const KernelSet<T>& kernel_;
  std::vector<Block<T>> blocks_;
  BatchMemory<T> memory_;
  T *weight_ = nullptr, *size_scale_ = nullptr;
  const std::int64_t* offsets_ = nullptr;
  EdgeList edge_list_;
  std::unique_ptr<Tiling> tiling_;
  PartialSums<T> judge_sums_;
  std::vector<at::Tensor> ends_;  // of the forward pass while it runs

  // While going back:
  std::vector<at::Tensor> grad_ends_;
  T loss_scale_ = 0;
  T* grad_z_ = nullptr;  // [N, D], before the activation of the block that is being gone through
  T* grad_x_ = nullptr;
  PartialSums<T> map_sums_;
  std::vector<std::vector<std::vector<double>>> end_sums_;  // [block of tiles][block]: sums, then centred sums
};

/// What is done with one tile of one block.
template <class T>
class Pass<T>::Walk {
 public:
  /// `fresh`: what earlier steps left in scratch memory is not needed any more.
  Walk(Pass& pass, std::int64_t index, const Tile& tile, bool fresh = true)
      : pass_(pass), block_(pass.block(index)), index_(index), tile_(tile), kernel_(pass.kernel_) {
    if (fresh) {
      scratch_.reset();
    }
  }

  // ---- forward -----------------------------------------------------------------------------------------------------

  /// Ends of the tile's edges, and weights of its nodes from degrees and sizes of graphs.
  void prepare_nodes() {
    const std::int64_t* degrees = pass_.inputs_.edges.in_offsets.template data_ptr<std::int64_t>();
    pass_.edge_list_.fill(tile_, degrees, pass_.inputs_.edges.out_offsets.template data_ptr<std::int64_t>());
    if (pass_.weight_ != nullptr) {
      for (std::int64_t node = tile_.node_begin; node < tile_.node_end; ++node) {
        const std::int64_t degree = std::max<std::int64_t>(1, degrees[node + 1] - degrees[node]);
        pass_.weight_[node] = static_cast<T>(1 / std::sqrt(static_cast<double>(degree)));
      }
    }
    if (pass_.size_scale_ != nullptr) {
      for (std::int64_t graph = tile_.graph_begin; graph < tile_.graph_end; ++graph) {
        const std::int64_t begin = pass_.offsets_[graph], size = pass_.offsets_[graph + 1] - begin;
        std::fill_n(pass_.size_scale_ + begin, size, static_cast<T>(1 / std::sqrt(static_cast<double>(size))));
      }
    }
  }

  /// h, the gate tables and raw; the discriminator's loss is returned.
  double forward(T* judge_sums) {
    const std::int64_t n = tile_.nodes(), d = block_.width, k = block_.factors, begin = tile_.node_begin;
    const T* x = input();
    if (index_ > 0 && pass_.options_.end == StackEnd::kLevelSums) {
      pool(x, index_ - 1);
    }
    DenseProblem<T> hidden = block_.hidden.problem();
    hidden.x = x;
    hidden.y = block_.h + begin * d;
    kernel_.dense_rows(hidden, 0, n);
    DenseProblem<T> gates = block_.gates.problem();
    gates.x = hidden.y;
    gates.y = block_.gate_table + begin * 2 * k;
    kernel_.dense_rows(gates, 0, n);

    TileEdges<T> edges = tile_edges();
    const bool going_back = judge_sums != nullptr;
    edges.in_gates = scratch_.take<T>(edges.edges() * k);
    edges.out_gates = block_.judge != nullptr && going_back ? scratch_.take<T>(edges.edges() * k) : nullptr;
    kernel_.tile_gates(edges);
    TileTable<T> table;
    table.width = d;
    table.x = hidden.y;
    table.out = block_.raw + begin * block_.columns();
    kernel_.tile_sum(edges, table);
    return block_.judge != nullptr ? judge(edges, judge_sums) : 0.0;
  }

  void gather_moments(Moments& moments) {
    if (tile_.nodes() == 0) {
      return;
    }
    T *mean = scratch_.take<T>(block_.columns()), *squares = scratch_.take<T>(block_.columns());
    kernel_.column_moments(end_problem(), tile_.node_begin, tile_.node_end, mean, squares);
    moments.merge(static_cast<double>(tile_.nodes()), mean, squares, block_.columns());
  }

  /// What is read of the last block.
  void write_end() {
    if (pass_.options_.end == StackEnd::kNodes) {
      BatchNormProblem<T> p = end_problem();
      p.y = pass_.end_values(index_);
      kernel_.batch_norm_rows(p, tile_.node_begin, tile_.node_end);
    } else {
      pool(activated(block_), index_);
    }
  }

  // ---- backward ----------------------------------------------------------------------------------------------------

  /// grad_z of this block from the gradient of what was read of it, and of its rows where a block follows.
  void end_gradient(const T* grad_rows, std::vector<double>& sums) {
    const std::int64_t columns = block_.columns(), begin = tile_.node_begin;
    const at::Tensor& grad_end = pass_.grad_ends_[static_cast<std::size_t>(index_)];
    BlockGradient<T> p;
    p.columns = columns;
    p.factor = block_.factor.data();
    p.shift = block_.shift.data();
    p.mean = block_.mean.data();
    p.slope = static_cast<T>(pass_.options_.slope);
    p.sum = scratch_.take<T>(2 * columns);
    p.centred_sum = p.sum + columns;
    std::fill_n(p.sum, 2 * columns, T(0));
    const auto run = [&](std::int64_t first, std::int64_t rows) {
      p.rows = rows;
      p.x = block_.raw + first * columns;
      p.row_scale = pass_.size_scale_ != nullptr ? pass_.size_scale_ + first : nullptr;
      p.grad_rows = grad_rows != nullptr ? grad_rows + (first - begin) * columns : nullptr;
      p.grad_z = pass_.grad_z_ + first * columns;
      kernel_.block_gradient(p);
    };
    if (grad_end.defined() && pass_.options_.end != StackEnd::kNodes) {
      for (std::int64_t graph = tile_.graph_begin; graph < tile_.graph_end; ++graph) {
        const std::int64_t first = pass_.offsets_[graph], rows = pass_.offsets_[graph + 1] - first;
        p.grad_shared = grad_end.data_ptr<T>() + graph * columns;
        p.shared_scale = pass_.options_.end == StackEnd::kMeans && rows > 0 ? T(1) / static_cast<T>(rows) : T(1);
        run(first, rows);
      }
    } else {
      if (grad_end.defined()) {
        grad_rows = grad_end.data_ptr<T>() + begin * columns;
      }
      run(begin, tile_.nodes());
    }
    for (std::int64_t c = 0; c < 2 * columns; ++c) {
      sums[static_cast<std::size_t>(c)] += p.sum[c];
    }
  }

  /// From grad_z of this block to the gradients of its maps and to its input's, which it returns (in scratch memory, or
  /// where the caller of the operation gets it).
  const T* backward(T* map_sums) {
    const std::int64_t n = tile_.nodes(), d = block_.width, k = block_.factors, begin = tile_.node_begin;
    T* const dense_scratch = scratch_.take<T>(kDenseTileRows * std::max(2 * k, d));
    const T* grad_raw = raw_gradient(dense_scratch);

    TileEdges<T> edges = tile_edges();
    edges.out_gates = scratch_.take<T>(edges.edges() * k);
    kernel_.tile_source_gates(edges);
    TileTable<T> table;
    table.width = d;
    table.x = block_.h + begin * d;
    table.grad_out = grad_raw;
    T* const grad_h = table.grad_x = scratch_.take<T>(n * d);
    T* const dots = scratch_.take<T>(edges.edges() * k);
    kernel_.tile_sum_backward(edges, table, false, dots);
    T* const grad_gates = scratch_.take<T>(n * 2 * k);
    kernel_.tile_gate_backward(edges, dots, judged_gate_sum(), grad_gates);
    const T loss_scale = pass_.loss_scale_;
    if (block_.judged_gates != nullptr) {
      kernel_.add_scaled(block_.judged_gates + begin * 2 * k, loss_scale, grad_gates, n * 2 * k);
    }

    DenseProblem<T> gates = block_.gates.problem();
    gates.x = table.x;
    gates.grad_y = grad_gates;
    T* const through_gates = gates.grad_x = scratch_.take<T>(n * d);
    block_.gates.backward_rows(gates, n, map_sums, dense_scratch);
    kernel_.add_scaled(through_gates, T(1), grad_h, n * d);
    if (block_.judged_h != nullptr) {
      kernel_.add_scaled(block_.judged_h + begin * d, loss_scale, grad_h, n * d);
    }

    DenseProblem<T> hidden = block_.hidden.problem();
    hidden.x = input();
    hidden.grad_y = grad_h;
    if (index_ > 0) {
      hidden.grad_x = scratch_.take<T>(n * block_.in);
    } else if (pass_.grad_x_ != nullptr) {
      hidden.grad_x = pass_.grad_x_ + begin * block_.in;
    }
    block_.hidden.backward_rows(hidden, n, map_sums, dense_scratch);
    return hidden.grad_x;
  }

 private:
  /// The tile's rows of this block's input.
  const T* input() {
    if (index_ > 0) {
      return activated(pass_.block(index_ - 1));
    }
    return pass_.inputs_.x.template data_ptr<T>() + tile_.node_begin * block_.in;
  }

  /// The tile's rows of a block's output.
  const T* activated(const Block<T>& block) {
    BatchNormProblem<T> p = end_problem(block);
    T* const values = scratch_.take<T>(tile_.nodes() * p.columns);
    p.x += tile_.node_begin * p.columns;
    p.row_scale = p.row_scale != nullptr ? p.row_scale + tile_.node_begin : nullptr;
    p.y = values;
    kernel_.batch_norm_rows(p, 0, tile_.nodes());
    return values;
  }

  BatchNormProblem<T> end_problem() { return end_problem(block_); }
  BatchNormProblem<T> end_problem(const Block<T>& block) {
    BatchNormProblem<T> p;
    p.columns = block.columns();
    p.x = block.raw;
    p.row_scale = pass_.size_scale_;
    p.factor = block.factor.data();
    p.shift = block.shift.data();
    p.slope = static_cast<T>(pass_.options_.slope);
    return p;
  }

  void pool(const T* values, std::int64_t index) {
    const std::int64_t columns = pass_.block(index).columns();
    kernel_.pool_graphs(values, pass_.offsets_ + tile_.graph_begin, tile_.graphs(), columns,
                        pass_.options_.end == StackEnd::kMeans, pass_.end_values(index) + tile_.graph_begin * columns);
  }

  TileEdges<T> tile_edges() {
    const Adjacency& lists = pass_.inputs_.edges;
    TileEdges<T> edges;
    edges.factors = block_.factors;
    edges.gate_scale = static_cast<T>(pass_.options_.gate_scale);
    edges.node_begin = tile_.node_begin;
    edges.node_end = tile_.node_end;
    edges.in_offsets = lists.in_offsets.template data_ptr<std::int64_t>();
    edges.in_sources = lists.in_sources.template data_ptr<std::int32_t>();
    edges.in_targets = pass_.edge_list_.in_targets();
    edges.out_offsets = lists.out_offsets.template data_ptr<std::int64_t>();
    edges.out_targets = lists.out_targets.template data_ptr<std::int32_t>();
    edges.out_sources = pass_.edge_list_.out_sources();
    edges.in_to_out = lists.in_to_out.template data_ptr<std::int64_t>();
    edges.left = block_.gate_table;
    edges.right = block_.gate_table + block_.factors;
    edges.gate_stride = 2 * block_.factors;
    edges.source_weight = pass_.weight_;
    edges.target_weight = pass_.options_.norm == EdgeNorm::kSymmetric ? pass_.weight_ : nullptr;
    return edges;
  }

  double judge(const TileEdges<T>& edges, T* judge_sums) {
    const std::int64_t begin = tile_.node_begin, k = block_.factors, d = block_.width;
    const bool from_output = block_.judge->from_output;
    T* const gate_sum = scratch_.take<T>(tile_.nodes() * k);
    kernel_.tile_gate_sums(edges, gate_sum);
    TileCase<T> judged;
    judged.tile = tile_;
    judged.edges = edges;
    judged.graph_offsets = pass_.offsets_;
    judged.graphs = pass_.graphs();
    judged.x = from_output ? block_.raw + begin * block_.columns() : block_.h + begin * d;
    judged.gate_sum = gate_sum;
    judged.block_sums = judge_sums;
    if (judge_sums == nullptr) {
      return TileJudge<T>(*block_.judge, judged, scratch_).run().loss;
    }
    if (from_output) {
      judged.grad_sums = block_.judged_sums + begin * k * block_.judge->narrow();
    } else {
      judged.grad_x = block_.judged_h + begin * d;
    }
    const TileJudgement<T> judgement = TileJudge<T>(*block_.judge, judged, scratch_).run();
    weigh_rows(edges, k, judgement.grad_gate_sum);
    kernel_.tile_gate_backward(edges, judgement.dots, judgement.grad_gate_sum, block_.judged_gates + begin * 2 * k);
    if (from_output) {
      weigh_rows(edges, k, judgement.grad_gate_sum_first);
      std::copy_n(judgement.grad_gate_sum_first, tile_.nodes() * k, block_.judged_gate_sum + begin * k);
    }
    return judgement.loss;
  }

  /// The gradient of raw, times the targets' weights: through the block's end and from the discriminator.
  const T* raw_gradient(T* dense_scratch) {
    const std::int64_t n = tile_.nodes(), begin = tile_.node_begin, columns = block_.columns();
    BlockInputGradient<T> p;
    p.rows = n;
    p.columns = columns;
    p.x = block_.raw + begin * columns;
    p.row_scale = pass_.size_scale_ != nullptr ? pass_.size_scale_ + begin : nullptr;
    p.target_weight = pass_.options_.norm == EdgeNorm::kSymmetric ? pass_.weight_ + begin : nullptr;
    p.a = block_.a.data();
    p.b = block_.b.empty() ? nullptr : block_.b.data();
    p.c = block_.c.data();
    p.grad_z = pass_.grad_z_ + begin * columns;
    if (block_.judged_sums != nullptr && pass_.loss_scale_ != 0) {
      DenseProblem<T> first = block_.judge->first.problem();
      first.grad_y = block_.judged_sums + begin * block_.factors * first.out;
      T* const extra = first.grad_x = scratch_.take<T>(n * columns);
      block_.judge->first.backward_rows(first, n * block_.factors, nullptr, dense_scratch);
      p.extra = extra;
      p.extra_scale = pass_.loss_scale_;
    }
    p.grad_x = scratch_.take<T>(n * columns);
    kernel_.block_input_gradient(p);
    return p.grad_x;
  }

  /// What the discriminator's first convolution adds to the gradient of the gate sums, or null.
  const T* judged_gate_sum() {
    if (block_.judged_gate_sum == nullptr) {
      return nullptr;
    }
    const std::int64_t count = tile_.nodes() * block_.factors;
    T* const scaled = scratch_.take<T>(count);
    const T* from = block_.judged_gate_sum + tile_.node_begin * block_.factors;
    std::transform(from, from + count, scaled, [&](T value) { return value * pass_.loss_scale_; });
    return scaled;
  }

  Pass& pass_;
  Block<T>& block_;
  std::int64_t index_;
  const Tile& tile_;
  const KernelSet<T>& kernel_;
  Scratch& scratch_ = thread_scratch();
};

template <class T>
void Pass<T>::prepare_ends() {
  ends_.clear();
  if (options_.end == StackEnd::kNodes) {
    ends_.push_back(new_tensor({nodes(), block(last()).columns()}));
    return;
  }
  for (std::int64_t index = options_.end == StackEnd::kMeans ? last() : 0; index <= last(); ++index) {
    ends_.push_back(new_tensor({graphs(), block(index).columns()}));
  }
}

template <class T>
void Pass<T>::merge_moments(std::int64_t index, std::vector<Moments>& of_blocks, StackResult& result) {
  Block<T>& own = block(index);
  const std::int64_t columns = own.columns();
  Moments all;
  for (const Moments& moments : of_blocks) {
    if (moments.count > 0) {
      all.merge(moments.count, moments.mean.data(), moments.squares.data(), columns);
    }
  }
  at::Tensor mean = new_tensor({columns}), variance = new_tensor({columns});
  for (std::int64_t c = 0; c < columns; ++c) {
    mean.data_ptr<T>()[c] = static_cast<T>(all.mean[static_cast<std::size_t>(c)]);
    variance.data_ptr<T>()[c] = static_cast<T>(all.squares[static_cast<std::size_t>(c)] / all.count);
  }
  own.use_moments(mean.data_ptr<T>(), variance.data_ptr<T>(), static_cast<T>(options_.eps));
  result.means.push_back(mean);
  result.variances.push_back(variance);
}

template <class T>
StackResult Pass<T>::forward() {
  StackResult result;
  const auto count = static_cast<std::size_t>(tiling_->blocks());
  std::vector<double> losses(count);
  prepare_ends();
  const bool going_back = gradients_ && judged();
  if (going_back) {
    judge_sums_.prepare(tiling_->blocks());
  }
  const auto start_judging = [&](std::int64_t part) {
    if (going_back) {
      judge_sums_.start(part);
    }
  };
  const auto forward_block = [&](std::int64_t index, std::int64_t part, const Tile& tile) {
    Walk walk(*this, index, tile);
    if (index == 0) {
      walk.prepare_nodes();
    }
    const double loss = walk.forward(going_back ? judge_sums_.of(part) : nullptr);
    if (block(index).judge != nullptr) {
      losses[static_cast<std::size_t>(part)] += loss / static_cast<double>(graphs() * block(index).factors);
    }
  };
  const auto nothing = [](std::int64_t) {};
  if (block(0).own_moments) {
    for (std::int64_t index = 0; index <= last(); ++index) {
      std::vector<Moments> moments(count);
      tiling_->walk([&](std::int64_t part) { index == 0 ? start_judging(part) : nothing(part); },
                    [&](std::int64_t part, const Tile& tile) {
                      forward_block(index, part, tile);
                      Walk(*this, index, tile).gather_moments(moments[static_cast<std::size_t>(part)]);
                    });
      merge_moments(index, moments, result);
    }
    tiling_->walk(nothing, [&](std::int64_t, const Tile& tile) { Walk(*this, last(), tile).write_end(); });
  } else {
    for (std::int64_t index = 0; index <= last(); ++index) {
      const StackBlock& given = inputs_.blocks[static_cast<std::size_t>(index)];
      if (given.gamma.defined()) {
        block(index).use_moments(given.mean.template data_ptr<T>(), given.variance.template data_ptr<T>(),
                                 static_cast<T>(options_.eps));
      }
    }
    tiling_->walk(start_judging, [&](std::int64_t part, const Tile& tile) {
      for (std::int64_t index = 0; index <= last(); ++index) {
        forward_block(index, part, tile);
      }
      Walk(*this, last(), tile).write_end();
    });
  }
  if (going_back) {
    judge_sums_.add_up();
  }
  if (judged()) {
    double loss = 0;
    for (const double part : losses) {
      loss += part;
    }
    result.loss = new_tensor({});
    *result.loss.template data_ptr<T>() = static_cast<T>(loss);
  }
  result.ends.swap(ends_);
  return result;
}

/// The sums that end_gradient() gathered: gradients of gamma and beta, and what raw_gradient() needs of them.
template <class T>
void Pass<T>::finish_end_gradient(std::int64_t index, StackBlock& gradients) {
  Block<T>& own = block(index);
  own.a = own.factor;
  if (!own.normalised) {
    return;
  }
  const auto columns = static_cast<std::size_t>(own.columns());
  std::vector<double> sums(2 * columns);
  for (const auto& part : end_sums_) {
    const std::vector<double>& of_part = part[static_cast<std::size_t>(index)];
    std::transform(sums.begin(), sums.end(), of_part.begin(), sums.begin(), std::plus<>());
  }
  gradients.gamma = new_tensor({own.columns()});
  gradients.beta = new_tensor({own.columns()});
  own.b.resize(columns);
  own.c.resize(columns);
  const auto rows = static_cast<double>(nodes());
  for (std::size_t c = 0; c < columns; ++c) {
    const double inverse = own.inverse[c], hat_sum = sums[columns + c] * inverse;
    gradients.beta.template data_ptr<T>()[c] = static_cast<T>(sums[c]);
    gradients.gamma.template data_ptr<T>()[c] = static_cast<T>(hat_sum);
    // factor * (grad_z - mean of grad_z - x_hat * mean of (grad_z * x_hat)), x_hat = (x - mean) * inverse
    const double slope = own.factor[c] * inverse * hat_sum / rows;
    own.c[c] = static_cast<T>(slope);
    own.b[c] = static_cast<T>(slope * own.mean[c] - own.factor[c] * sums[c] / rows);
  }
  if (!own.own_moments) {
    own.b.clear();
  }
}

template <class T>
StackGradients Pass<T>::backward(const std::vector<at::Tensor>& grad_ends, const at::Tensor& grad_loss, bool wants_x) {
  StackGradients gradients;
  gradients.blocks.resize(blocks_.size());
  // One per block, wherever ends were read.
  grad_ends_.assign(blocks_.size(), at::Tensor());
  for (std::size_t end = 0; end < grad_ends.size(); ++end) {
    grad_ends_[blocks_.size() - grad_ends.size() + end] =
        grad_ends[end].defined() ? grad_ends[end].contiguous() : at::Tensor();
  }
  loss_scale_ = grad_loss.defined() ? static_cast<T>(grad_loss.item<double>()) : T(0);
  gradients.x = wants_x ? new_tensor(inputs_.x.sizes()) : at::Tensor();
  grad_x_ = wants_x ? gradients.x.template data_ptr<T>() : nullptr;
  std::int64_t columns = 0;
  map_sums_ = PartialSums<T>();
  for (Block<T>& own : blocks_) {
    columns = std::max(columns, own.columns());
    map_sums_.add(own.hidden);
    map_sums_.add(own.gates);
  }
  map_sums_.prepare(tiling_->blocks());
  const at::Tensor grad_z = large_table({nodes() * columns + 1}, inputs_.x.options());
  grad_z_ = grad_z.data_ptr<T>();
  end_sums_.assign(static_cast<std::size_t>(tiling_->blocks()), {});
  const auto start = [&](std::int64_t part) {
    map_sums_.start(part);
    auto& sums = end_sums_[static_cast<std::size_t>(part)];
    for (const Block<T>& own : blocks_) {
      sums.emplace_back(static_cast<std::size_t>(2 * own.columns()));
    }
  };
  const auto sums_of = [&](std::int64_t part, std::int64_t index) -> std::vector<double>& {
    return end_sums_[static_cast<std::size_t>(part)][static_cast<std::size_t>(index)];
  };
  const auto backward_block = [&](std::int64_t index, std::int64_t part, const Tile& tile) {
    const T* grad_rows = Walk(*this, index, tile).backward(map_sums_.of(part));
    if (index > 0) {
      // grad_rows lies in scratch memory.
      Walk(*this, index - 1, tile, false).end_gradient(grad_rows, sums_of(part, index - 1));
    }
  };
  const auto finish = [&](std::int64_t index) {
    finish_end_gradient(index, gradients.blocks[static_cast<std::size_t>(index)]);
  };
  const auto last_end = [&](std::int64_t part, const Tile& tile) {
    Walk(*this, last(), tile).end_gradient(nullptr, sums_of(part, last()));
  };
  if (block(0).own_moments) {
    tiling_->walk(start, last_end);
    for (std::int64_t index = last(); index >= 0; --index) {
      finish(index);
      tiling_->walk([](std::int64_t) {},
                    [&](std::int64_t part, const Tile& tile) { backward_block(index, part, tile); });
    }
  } else {
    for (Block<T>& own : blocks_) {
      own.a = own.factor;
    }
    tiling_->walk(start, [&](std::int64_t part, const Tile& tile) {
      last_end(part, tile);
      for (std::int64_t index = last(); index >= 0; --index) {
        backward_block(index, part, tile);
      }
    });
    for (std::int64_t index = last(); index >= 0; --index) {
      finish(index);
    }
  }
  map_sums_.add_up();
  for (std::size_t index = 0; index < blocks_.size(); ++index) {
    const StackBlock& given = inputs_.blocks[index];
    StackBlock& own = gradients.blocks[index];
    const auto fill = [&](PartialSums<T>& sums, const PackedMap<T>& map, T scale, const at::Tensor& weight,
                          at::Tensor& grad_weight, at::Tensor& grad_bias) {
      grad_weight = new_tensor(weight.sizes());
      grad_bias = new_tensor({map.out});
      sums.gradients(map, scale, grad_weight, grad_bias);
    };
    fill(map_sums_, blocks_[index].hidden, T(1), given.weight, own.weight, own.bias);
    fill(map_sums_, blocks_[index].gates, T(1), given.gate_weight, own.gate_weight, own.gate_bias);
    if (blocks_[index].judge != nullptr && grad_loss.defined()) {
      const DiscriminatorMaps<T>& judge = *blocks_[index].judge;
      fill(judge_sums_, judge.first, loss_scale_, given.judge.first_weight, own.judge.first_weight,
           own.judge.first_bias);
      fill(judge_sums_, judge.second, loss_scale_, given.judge.second_weight, own.judge.second_weight,
           own.judge.second_bias);
      fill(judge_sums_, judge.classifier, loss_scale_, given.judge.classifier_weight, own.judge.classifier_weight,
           own.judge.classifier_bias);
    }
  }
  return gradients;
}

// ---- checks --------------------------------------------------------------------------------------------------------

void check(const char* name, std::size_t block, at::Tensor& tensor, at::IntArrayRef shape, const at::Tensor& like) {
  require(tensor.defined() && tensor.sizes() == shape && tensor.scalar_type() == like.scalar_type() &&
              tensor.device().is_cpu(),
          "disentangle_stack: ", name, " of block ", block + 1, " has shape ", tensor.sizes(), ", expected ", shape,
          " of type ", like.scalar_type());
  tensor = tensor.contiguous();
}

void check_list(const char* name, const at::Tensor& tensor, at::ScalarType type, std::int64_t length) {
  require(tensor.defined() && tensor.dim() == 1 && tensor.scalar_type() == type && tensor.is_contiguous() &&
              tensor.numel() == length,
          "disentangle_stack: ", name, " must be a contiguous list of ", length, " ", type,
          "; build it with build_adjacency");
}

/// All shapes, with contiguous tensors in place of others.
StackInputs checked(const StackInputs& given) {
  StackInputs inputs = given;
  require(inputs.x.defined() && inputs.x.dim() == 2 && inputs.x.device().is_cpu(),
          "disentangle_stack: x must have shape [nodes, columns] on the cpu");
  inputs.x = inputs.x.contiguous();
  const std::int64_t nodes = inputs.x.size(0), edges = inputs.edges.num_edges();
  check_list("in_offsets", inputs.edges.in_offsets, at::kLong, nodes + 1);
  check_list("in_sources", inputs.edges.in_sources, at::kInt, edges);
  check_list("out_offsets", inputs.edges.out_offsets, at::kLong, nodes + 1);
  check_list("out_targets", inputs.edges.out_targets, at::kInt, edges);
  check_list("in_to_out", inputs.edges.in_to_out, at::kLong, edges);
  require(check_graph_offsets("disentangle_stack", inputs.graph_offsets, nodes) >= 1,
          "disentangle_stack: there are no graphs");
  require(!inputs.blocks.empty(), "disentangle_stack: there are no blocks");
  std::int64_t in = inputs.x.size(1);
  for (std::size_t i = 0; i < inputs.blocks.size(); ++i) {
    StackBlock& block = inputs.blocks[i];
    require(block.weight.defined() && block.weight.dim() == 2 && block.gate_weight.defined() &&
                block.gate_weight.dim() == 2 && block.gate_weight.size(0) >= 2 && block.gate_weight.size(0) % 2 == 0,
            "disentangle_stack: weight and gate_weight of block ", i + 1, " must be matrices, the latter of 2 K rows");
    const std::int64_t d = block.weight.size(0), k = block.gate_weight.size(0) / 2;
    require(k <= kMaxFactors, "disentangle_stack: ", k, " factors; at most ", kMaxFactors, " are supported");
    check("weight", i, block.weight, {d, in}, inputs.x);
    check("bias", i, block.bias, {d}, inputs.x);
    check("gate_weight", i, block.gate_weight, {2 * k, d}, inputs.x);
    check("gate_bias", i, block.gate_bias, {2 * k}, inputs.x);
    DiscriminatorWeights& judge = block.judge;
    if (judge.first_weight.defined()) {
      const std::int64_t m = judge.first_weight.size(0);
      check("first_weight", i, judge.first_weight, {m, d}, inputs.x);
      check("first_bias", i, judge.first_bias, {m}, inputs.x);
      check("second_weight", i, judge.second_weight, {d, m}, inputs.x);
      check("second_bias", i, judge.second_bias, {d}, inputs.x);
      check("classifier_weight", i, judge.classifier_weight, {k, d}, inputs.x);
      check("classifier_bias", i, judge.classifier_bias, {k}, inputs.x);
    }
    require(block.gamma.defined() == inputs.blocks[0].gamma.defined() &&
                block.mean.defined() == inputs.blocks[0].mean.defined(),
            "disentangle_stack: either all blocks have batch normalisation with given moments, or all with their own, "
            "or none has any");
    if (block.gamma.defined()) {
      check("gamma", i, block.gamma, {k * d}, inputs.x);
      check("beta", i, block.beta, {k * d}, inputs.x);
      require(block.mean.defined() || nodes > 1,
              "batch_norm: training needs at least 2 rows to estimate a variance, got ", nodes);
    }
    if (block.mean.defined()) {
      check("mean", i, block.mean, {k * d}, inputs.x);
      check("variance", i, block.variance, {k * d}, inputs.x);
    }
    in = k * d;
  }
  return inputs;
}

}  // namespace

StackForward disentangle_stack_forward(const StackInputs& given, const StackOptions& options, bool gradients) {
  const StackInputs inputs = checked(given);
  StackForward forward;
  with_floating(inputs.x, "disentangle_stack", [&](auto scalar) {
    auto pass = std::make_unique<Pass<decltype(scalar)>>(inputs, options, gradients);
    forward.result = pass->forward();
    forward.pass = std::move(pass);
  });
  return forward;
}

}  // namespace factorgcn::cpu
