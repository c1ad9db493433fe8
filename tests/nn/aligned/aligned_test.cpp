// The aligned model against its dense twin in values and gradients, and what it promises whatever its weights are.
#include "nn/aligned/aligned.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <map>
#include <string>
#include <vector>

#include "factorgcn/base/parallel.h"
#include "factorgcn/nn/registry.h"
#include "nn/aligned/dense_aligned.h"
#include "nn/aligned/random_parts.h"
#include "nn/aligned/split_losses.h"
#include "nn/aligned/swap.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using aligned::Aligned;
using aligned::AlignedOptions;
using testing::DenseAligned;
using testing::DenseWeights;

AlignedOptions small_options() {
  AlignedOptions options;
  options.labels = 3;
  options.hidden = 6;
  options.judge_hidden = 5;
  options.context_blocks = 2;
  options.reader_blocks = 2;
  options.edge_weights = true;
  return options;
}

struct DenseTotal {
  at::Tensor logits, value, to_learn;  ///< to_learn: whose gradients are the step's
};

/// A whole lesson, `size` of the mechanisms' strengths.
DenseTotal dense_lesson(const Aligned& model, const AlignedOptions& options, const GraphBatch& batch,
                        const at::Tensor& labels, double size, std::uint64_t seed) {
  const DenseWeights weights{model};
  const at::Tensor u = testing::dense_multiplicity(batch, options.edge_weights);
  const at::Tensor links = testing::dense_multiplicity(batch, false).gt(0).to(at::kDouble);
  const DenseAligned dense(u, links, batch.graph_offsets, options);
  const at::Tensor c = dense.coefficients(weights), y = labels.to(at::kDouble);
  // Everything is symmetric: sums over both directions and twice the pairs.
  const at::Tensor pairs = links.sum() / 2;
  const aligned::LossWeights& by = options.weights;
  DenseTotal total;
  total.logits = dense.logits(weights, c);
  at::Tensor sum =
      ((c.sum(0) - u).square() * links).sum() / 2 / pairs * by.cover + (c * (1 - c)).sum() / 2 / pairs * by.entropy;
  at::Tensor present = at::zeros({}, u.options());
  for (std::int64_t g = 0; g < dense.graphs; ++g) {
    const at::Tensor rows = dense.rows_of(g);
    const at::Tensor own_links = links.index_select(0, rows).index_select(1, rows).sum();
    for (std::int64_t k = 0; k < dense.factors; ++k) {
      const at::Tensor size_of_factor = c[k].index_select(0, rows).index_select(1, rows).sum();
      if (y[g][k].item<double>() > 0) {
        present = present + (options.share_floor / y[g].sum() - size_of_factor / own_links.clamp_min(1)).relu();
      } else {
        sum = sum + size_of_factor / 2 / pairs * by.empty;
      }
    }
  }
  sum = sum + present / y.sum() * by.share;
  total.value = total.to_learn = sum;
  if (size <= 0) {
    return total;
  }
  const at::Tensor known = dense.adversary(weights, c.detach(), y);
  total.to_learn = total.to_learn + known - size * by.adversary * dense.adversary({model, true}, c, y);
  total.value = total.value + known;
  const auto pieces = aligned::present_pieces(labels);
  const at::Tensor log_names = dense.names(weights, c, y, pieces);
  at::Tensor namer = at::zeros({}, u.options());
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    namer = namer - log_names[static_cast<std::int64_t>(p)][pieces[p].factor] / static_cast<double>(pieces.size());
  }
  const auto names = aligned::name_parts(pieces, log_names.detach().to(at::kFloat).contiguous(), dense.graphs);
  const auto sure = [](const at::Tensor& x) { return x.clamp(1e-4, 1 - 1e-4); };
  at::Tensor exchange = at::zeros({}, u.options());
  for (std::int64_t g = 0; g < dense.graphs; ++g) {
    const at::Tensor rows = dense.rows_of(g);
    const auto own = [&](const at::Tensor& matrix) { return matrix.index_select(0, rows).index_select(1, rows); };
    if (names.turned[g].item<bool>()) {
      for (std::int64_t k = 0; k < dense.factors; ++k) {
        const at::Tensor wanted = own(c[names.names[g][k].item<std::int64_t>()]).detach();
        const at::Tensor loss = at::binary_cross_entropy(sure(own(c[k])), wanted, {}, at::Reduction::None);
        exchange = exchange + (loss * own(links)).sum() / 2 / pairs;
      }
    }
  }
  // New graphs are made of what the model's own pairs hold, in their order.
  const aligned::BatchPairs found = aligned::pairs_of(batch, options.edge_weights);
  const at::Tensor dense_held = dense.held(c, y);
  at::Tensor held = at::zeros({found.graphs.num_pairs(), dense.factors}, at::TensorOptions().dtype(at::kBool));
  for (std::int64_t pair = 0; pair < found.graphs.num_pairs(); ++pair) {
    const auto i = found.graphs.left[pair].item<std::int64_t>(), j = found.graphs.right[pair].item<std::int64_t>();
    for (std::int64_t k = 0; k < dense.factors; ++k) {
      held[pair][k] = dense_held[k][i][j].item<double>() > 0;
    }
  }
  const aligned::NewGraphs made = aligned::exchange_parts(found.graphs, held, names.names, labels, seed);
  const std::int64_t nodes = made.graphs.num_nodes();
  at::Tensor new_u = at::zeros({nodes, nodes}, u.options()),
             parts = at::zeros({dense.factors, nodes, nodes}, u.options());
  for (std::int64_t pair = 0; pair < made.graphs.num_pairs(); ++pair) {
    const auto i = made.graphs.left[pair].item<std::int64_t>(), j = made.graphs.right[pair].item<std::int64_t>();
    new_u[i][j] = new_u[j][i] = made.graphs.multiplicity[pair].item<double>();
    for (std::int64_t k = 0; k < dense.factors; ++k) {
      parts[k][i][j] = parts[k][j][i] = made.parts[pair][k].item<double>();
    }
  }
  const at::Tensor new_links = new_u.gt(0).to(at::kDouble);
  const DenseAligned anew(new_u, new_links, made.graphs.graph_offsets, options);
  const at::Tensor loss =
      at::binary_cross_entropy(sure(anew.coefficients(weights)), parts, {}, at::Reduction::None) * new_links;
  const at::Tensor more = namer + loss.sum() / new_links.sum() * size * by.swap + exchange * by.namer;
  total.value = total.value + more;
  total.to_learn = total.to_learn + more;
  return total;
}

void expect_lesson_equals_twin(const AlignedOptions& options, double progress, double size, std::uint64_t seed) {
  RandomStream random(seed, "test/aligned");
  const GraphBatch batch = testing::random_part_graphs(9, random);
  const at::Tensor labels = testing::random_labels(9, options.labels, random);
  Aligned model(options, seed);
  model.to(at::kDouble);
  const ModelOutput actual = model.lesson(batch, {labels, progress, seed});
  const DenseTotal expected = dense_lesson(model, options, batch, labels, size, seed);
  EXPECT_LT(testing::difference(actual.prediction, expected.logits), 1e-9);
  EXPECT_LT(testing::difference(actual.regulariser, expected.value), 1e-9);
  std::vector<at::Tensor> parameters;
  std::vector<std::string> names;
  for (const auto& item : model.named_parameters()) {
    parameters.push_back(item.value());
    names.push_back(item.key());
  }
  const at::Tensor direction = testing::random_tensor(actual.prediction.sizes(), random);
  const auto total = [&](const at::Tensor& logits, const at::Tensor& losses) {
    return (logits * direction).sum() + losses;
  };
  const auto gradients = torch::autograd::grad({total(actual.prediction, actual.regulariser)}, parameters, {}, {},
                                               false, /*allow_unused=*/true);
  const auto twins =
      torch::autograd::grad({total(expected.logits, expected.to_learn)}, parameters, {}, {}, false, true);
  int learnt = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ASSERT_EQ(gradients[i].defined(), twins[i].defined()) << names[i];
    if (gradients[i].defined()) {
      EXPECT_LT(testing::difference(gradients[i], twins[i]), 1e-8) << names[i];
      ++learnt;
    }
  }
  EXPECT_EQ(learnt == static_cast<int>(parameters.size()), size > 0);  // the judges' weights wait until they are asked
}

TEST(Aligned, LessonEqualsItsDenseTwinBeforeTheMechanismsBegin) {
  AlignedOptions options = small_options();
  expect_lesson_equals_twin(options, 0.1, 0, 1);
  options.edge_weights = false;
  options.share_floor = 1;
  expect_lesson_equals_twin(options, 0.1, 0, 2);
}

TEST(Aligned, LessonEqualsItsDenseTwinWithAllMechanisms) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    expect_lesson_equals_twin(small_options(), 1, 1, seed);
    AlignedOptions options = small_options();
    options.begin = 0.2;
    options.growth = 0.4;
    expect_lesson_equals_twin(options, 0.4, 0.5, seed);
  }
}

struct TrainedBatch {
  GraphBatch batch;
  at::Tensor labels;
};

TrainedBatch some_graphs(std::uint64_t seed, std::int64_t count = 12) {
  RandomStream random(seed, "test/aligned");
  TrainedBatch result{testing::random_part_graphs(count, random), {}};
  result.labels = testing::random_labels(count, 3, random);
  return result;
}

TEST(Aligned, BothDirectionsOfAnEdgeHaveOneCoefficientAndLoopsNone) {
  const TrainedBatch data = some_graphs(4);
  Aligned model(small_options(), 5);
  model.eval();
  const at::Tensor predicted = model.forward(data.batch).prediction.gt(0);
  const at::Tensor c = model.factor_coefficients(data.batch, 0);
  ASSERT_EQ(c.size(0), data.batch.num_edges());
  EXPECT_EQ(c.scalar_type(), at::kDouble);
  const aligned::BatchPairs pairs = aligned::pairs_of(data.batch, true);
  const auto* pair_of_edge = pairs.pair_of_edge.data_ptr<std::int64_t>();
  int present = 0, absent = 0;
  for (std::int64_t e = 0; e < c.size(0); ++e) {
    for (std::int64_t k = 0; k < 3; ++k) {
      const double value = c[e][k].item<double>();
      if (pair_of_edge[e] < 0) {
        EXPECT_EQ(value, 0);
        continue;
      }
      const auto graph = pairs.graphs.graph_of_pair[pair_of_edge[e]].item<std::int64_t>();
      const bool is_predicted = predicted[graph][k].item<bool>();
      EXPECT_EQ(value > 0, is_predicted) << "edge " << e << ", factor " << k;
      ++(is_predicted ? present : absent);
      for (std::int64_t other = 0; other < e; ++other) {
        if (pair_of_edge[other] == pair_of_edge[e]) {
          EXPECT_EQ(c[other][k].item<double>(), value);
        }
      }
    }
  }
  EXPECT_GT(present, 0);
  EXPECT_GT(absent, 0);
}

TEST(Aligned, RunningEstimatesComeFromRealGraphsAlone) {
  const TrainedBatch data = some_graphs(6);
  AlignedOptions without = small_options();
  without.weights.swap = 0;
  Aligned plain(without, 3), swapping(small_options(), 3);
  for (Aligned* model : {&plain, &swapping}) {
    model->lesson(data.batch, {data.labels, 1, 9});
  }
  int moved = 0;
  const auto before = Aligned(without, 3).named_buffers();
  for (const auto& item : plain.named_buffers()) {
    EXPECT_TRUE(at::equal(item.value(), swapping.named_buffers()[item.key()])) << item.key();
    moved += at::equal(item.value(), before[item.key()]) ? 0 : 1;
  }
  EXPECT_EQ(moved, static_cast<int>(before.size()));
}

TEST(Aligned, TheSameBitsForAnyNumberOfThreads) {
  const TrainedBatch data = some_graphs(7, 150);
  const int before = num_threads();
  std::vector<at::Tensor> first;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    Aligned model(small_options(), 3);
    const ModelOutput output = model.lesson(data.batch, {data.labels, 1, 9});
    (output.prediction.sum() + output.regulariser).backward();
    std::vector<at::Tensor> results{output.prediction.detach(), output.regulariser.detach()};
    for (const at::Tensor& parameter : model.parameters()) {
      results.push_back(parameter.grad());
    }
    if (first.empty()) {
      first = results;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(at::equal(results[i], first[i])) << i;
    }
  }
  set_num_threads(before);
}

TEST(Aligned, IsChosenByItsWholeObjective) {
  const TrainedBatch data = some_graphs(8);
  Aligned model(small_options(), 3);
  model.eval();
  const OwnObjective own = model.own_objective(data.batch, {data.labels, 1, 9});
  const aligned::LossWeights weights;
  const std::map<std::string, double> by{{"task", 1},
                                         {"empty", weights.empty},
                                         {"cover", weights.cover},
                                         {"entropy", weights.entropy},
                                         {"share", weights.share},
                                         {"swap", weights.swap},
                                         {"adversary", -weights.adversary},
                                         {"exchange", weights.namer}};
  double sum = 0;
  for (const auto& [name, value] : own.terms) {
    ASSERT_TRUE(by.contains(name)) << name;
    sum += by.at(name) * value;
  }
  EXPECT_EQ(own.terms.size(), by.size());
  EXPECT_NEAR(own.value, sum, 1e-9);
  EXPECT_EQ(model.own_objective(data.batch, {data.labels, 1, 9}).value, own.value);
}

TEST(Aligned, GraphsWithoutEdgesOrLabelsDoNoHarm) {
  std::vector<Graph> graphs(3);
  for (Graph& graph : graphs) {
    graph.num_nodes = 3;
    graph.features = at::zeros({3, 1});
    graph.weight.clear();
  }
  const GraphBatch batch = make_batch(graphs);
  AlignedOptions options = small_options();
  options.edge_weights = false;
  Aligned model(options, 3);
  const at::Tensor none = at::zeros({3, 3});
  const ModelOutput output = model.lesson(batch, {none, 1, 1});
  (output.prediction.sum() + output.regulariser).backward();
  EXPECT_TRUE(output.regulariser.isfinite().item<bool>());
  for (const auto& item : model.named_parameters()) {
    EXPECT_TRUE(!item.value().grad().defined() || item.value().grad().isfinite().all().item<bool>()) << item.key();
  }
}

}  // namespace
}  // namespace factorgcn
