// Factor graphs graph by graph: coefficients of a batch, edges as people speak of them, rows.
#include "factorgcn/train/factor_file.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/io/graph_writer.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/weights.h"
#include "train/edge_batches.h"
#include "train/edge_pairs.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kEdgesBetweenCalls = 16'384;

/// One edge's coefficients in a layer.
struct LayerValues {
  std::vector<float> values;
  std::size_t strongest = 0;

  void set(const float* own, const float* mate, std::size_t factors) {
    values.assign(own, own + factors);
    for (std::size_t factor = 0; mate != nullptr && factor < factors; ++factor) {
      values[factor] = (values[factor] + mate[factor]) / 2;
    }
    strongest = static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
  }
  float most() const { return values[strongest]; }
};

class FactorFile {
 public:
  FactorFile(const std::filesystem::path& path, const LoadedRun& run, const FactorFileOptions& options)
      : run_(run), dataset_(*run.data), options_(options), format_(graph_file_format(path)), graphs_(options.graphs) {
    const int layers = run.model->num_factor_layers();
    require_usage(layers > 0, "model ", run.config.model, " has no factor graphs");
    for (const int layer : options.layers) {
      require_usage(layer >= 1 && layer <= layers, "there is no layer ", layer, ": the model has ", layers,
                    layers == 1 ? " layer" : " layers", " with factor graphs, counted from 1");
    }
    if (graphs_.empty()) {
      graphs_.resize(static_cast<std::size_t>(dataset_.graphs.num_graphs()));
      std::iota(graphs_.begin(), graphs_.end(), std::int64_t{0});
    }
    layer_.resize(options.layers.size());
    batches_ = batches_of_edges(dataset_, graphs_, run.config.batch_size);
    first_values_ = values_of(select_graphs(dataset_.graphs, batches_.front()));
    for (const at::Tensor& values : first_values_) {
      factors_.push_back(static_cast<std::size_t>(values.size(1)));
    }
    undirected_ = !options.both_directions && is_undirected(dataset_, graphs_);
    loops_ = self_loops_of(dataset_);
    with_relations_ = !dataset_.truth.empty();
    known_ = is_node_task(dataset_.task) && dataset_.targets.defined() ? known_targets(dataset_) : at::Tensor();
  }

  FactorFileCounts write(const std::filesystem::path& path) {
    counts_.graphs = static_cast<std::int64_t>(graphs_.size());
    counts_.directed = !undirected_;
    write_graphs(path, layout(), [this](GraphWriter& writer) {
      for (const auto graphs : batches_) {
        write_batch(writer, graphs);
        done_ += static_cast<std::int64_t>(graphs.size());
        tell_who_waits();
      }
    });
    return counts_;
  }

 private:
  void tell_who_waits() const {
    if (options_.on_batch) {
      options_.on_batch(done_, counts_.graphs);
    }
  }

  /// Of each layer, a row for each edge of the batch.
  std::vector<at::Tensor> values_of(const GraphBatch& batch) const {
    const EvaluationMode mode(*run_.model);
    const GraphBatch moved = move_batch(batch, device_of(*run_.model));
    std::vector<at::Tensor> result;
    for (const int layer : options_.layers) {
      const at::Tensor values = run_.model->factor_coefficients(moved, layer - 1).to(at::kCPU, at::kFloat);
      require(values.dim() == 2 && values.size(0) == batch.num_edges(), "factor coefficients are ", values.sizes(),
              "; expected a row for each of ", batch.num_edges(), " edges");
      result.push_back(values.contiguous());
    }
    return result;
  }

  void add_columns(const std::string& prefix, std::size_t factors, std::vector<NamedColumn>& columns) const {
    if (options_.strongest) {
      columns.push_back({prefix + "factor", ColumnKind::kWhole});
      columns.push_back({prefix + "coefficient", ColumnKind::kNumber});
      return;
    }
    for (std::size_t factor = 1; factor <= factors; ++factor) {
      columns.push_back({concat(prefix, "factor_", factor), ColumnKind::kNumber, prefix + "factors"});
    }
  }

  GraphFileLayout layout() const {
    GraphFileLayout layout;
    layout.directed = !undirected_;
    layout.many_graphs = dataset_.graphs.num_graphs() > 1;
    layout.graph_column = true;
    if (known_.defined()) {
      layout.node_columns.push_back({"class", ColumnKind::kText});
    }
    std::vector<NamedColumn>& columns = layout.edge_columns;
    if (format_.is_table()) {
      columns.push_back({"layer", ColumnKind::kWhole});
      add_columns("", *std::max_element(factors_.begin(), factors_.end()), columns);
    } else {
      for (std::size_t index = 0; index < factors_.size(); ++index) {
        add_columns(factors_.size() == 1 ? "" : concat("layer_", options_.layers[index], "_"), factors_[index],
                    columns);
      }
    }
    if (with_relations_) {
      columns.push_back({"relation", ColumnKind::kText});
    }
    return layout;
  }

  void write_batch(GraphWriter& writer, std::span<const std::int64_t> graphs) {
    // The first batch's are there already: they told how many factors there are.
    const std::vector<at::Tensor> values =
        first_values_.empty() ? values_of(select_graphs(dataset_.graphs, graphs)) : std::exchange(first_values_, {});
    std::int64_t first = 0;
    EdgeRelations relations(dataset_);
    for (const std::int64_t graph : graphs) {
      const GraphEdges edges = graph_edges(dataset_, graph);
      writer.begin_graph(graph_text(dataset_, graph));
      write_nodes(writer, graph);
      if (with_relations_) {
        relations.begin(graph);
      }
      for (const std::int32_t place : edges.order) {
        const auto edge = static_cast<std::size_t>(place);
        if (is_row(edges, edge)) {
          if (++counts_.edges % kEdgesBetweenCalls == 0) {
            tell_who_waits();
          }
          write_edge(writer, edges, edge, values, first, relations);
        }
      }
      first += static_cast<std::int64_t>(edges.sources.size());
    }
  }

  void write_nodes(GraphWriter& writer, std::int64_t graph) {
    const auto* offsets = dataset_.graphs.node_offsets.data_ptr<std::int64_t>();
    names_.clear();
    for (std::int64_t node = offsets[graph]; node < offsets[graph + 1]; ++node) {
      names_.push_back(node_text(dataset_, graph, node - offsets[graph]));
      if (!writer.keeps_nodes()) {
        continue;
      }
      cells_.clear();
      std::string name;
      if (known_.defined()) {
        const bool known = known_.data_ptr<bool>()[node];
        const auto target = static_cast<std::size_t>(dataset_.targets.data_ptr<std::int64_t>()[node]);
        name = !known ? "" : dataset_.output_names.empty() ? std::to_string(target) : dataset_.output_names[target];
        cells_.push_back(known ? CellValue(std::string_view(name)) : CellValue());
      }
      writer.add_node(names_.back(), cells_);
    }
  }

  bool is_given(std::int64_t edge) const { return dataset_.given_edges.data_ptr<bool>()[edge]; }

  /// Whether an entry is written, or is another's other direction or nobody's edge.
  bool is_row(const GraphEdges& edges, std::size_t edge) const {
    const std::int64_t place = edges.first + static_cast<std::int64_t>(edge);
    if (edges.sources[edge] == edges.targets[edge]) {
      return options_.added_self_loops || loops_ == SelfLoops::kGiven ||
             (loops_ == SelfLoops::kMarked && is_given(place));
    }
    if (!undirected_) {
      return true;
    }
    const std::int64_t mate = edges.mates[edge];
    const bool is_first = edges.sources[edge] < edges.targets[edge];
    if (!dataset_.given_edges.defined()) {
      return is_first;
    }
    const bool other_is_given = is_given(edges.first + mate);
    // Where the source has both, a table has both as well; elsewhere an edge is one.
    return is_given(place) ? !other_is_given || format_.is_table() || is_first : !other_is_given && is_first;
  }

  void write_edge(GraphWriter& writer, const GraphEdges& edges, std::size_t edge, const std::vector<at::Tensor>& values,
                  std::int64_t first, const EdgeRelations& relations) {
    const std::int64_t mate = undirected_ ? edges.mates[edge] : -1;
    bool reaches = false;
    for (std::size_t index = 0; index < values.size(); ++index) {
      const float* all = values[index].data_ptr<float>();
      const std::size_t factors = factors_[index];
      const auto row = [&](std::int64_t local) { return all + (first + local) * static_cast<std::int64_t>(factors); };
      layer_[index].set(row(static_cast<std::int64_t>(edge)), mate < 0 ? nullptr : row(mate), factors);
      reaches = reaches || layer_[index].most() >= options_.threshold;
    }
    const std::int32_t source = edges.sources[edge], target = edges.targets[edge];
    const std::string relation = with_relations_ ? relations.of(source, target, undirected_) : std::string();
    const auto finish = [&] {
      if (with_relations_) {
        cells_.push_back(relation.empty() ? CellValue() : CellValue(std::string_view(relation)));
      }
      writer.add_edge(names_[static_cast<std::size_t>(source)], names_[static_cast<std::size_t>(target)], cells_);
      ++counts_.rows;
    };
    if (!format_.is_table()) {
      if (reaches) {
        cells_.clear();
        for (const LayerValues& layer : layer_) {
          put_values(layer, layer.values.size());
        }
        finish();
      }
      return;
    }
    const std::size_t width = *std::max_element(factors_.begin(), factors_.end());
    for (std::size_t index = 0; index < layer_.size(); ++index) {
      if (layer_[index].most() >= options_.threshold) {
        cells_.clear();
        cells_.emplace_back(std::int64_t{options_.layers[index]});
        put_values(layer_[index], width);
        finish();
      }
    }
  }

  /// Coefficients, and nothing in the columns that this layer has no factor for.
  void put_values(const LayerValues& layer, std::size_t width) {
    if (options_.strongest) {
      cells_.emplace_back(static_cast<std::int64_t>(layer.strongest + 1));
      cells_.emplace_back(layer.most());
      return;
    }
    for (std::size_t factor = 0; factor < width; ++factor) {
      cells_.push_back(factor < layer.values.size() ? CellValue(layer.values[factor]) : CellValue());
    }
  }

  const LoadedRun& run_;
  const Dataset& dataset_;
  const FactorFileOptions& options_;
  GraphFileFormat format_;
  std::vector<std::int64_t> graphs_;
  std::vector<std::span<const std::int64_t>> batches_;
  std::vector<at::Tensor> first_values_;
  std::vector<std::size_t> factors_;  ///< of each layer asked for
  bool undirected_ = false, with_relations_ = false;
  SelfLoops loops_ = SelfLoops::kGiven;
  at::Tensor known_;
  std::vector<std::string> names_;
  std::vector<CellValue> cells_;
  std::vector<LayerValues> layer_;
  FactorFileCounts counts_;
  std::int64_t done_ = 0;  ///< graphs
};

}  // namespace

FactorFileCounts write_factors(const std::filesystem::path& path, const LoadedRun& run,
                               const FactorFileOptions& options) {
  return FactorFile(path, run, options).write(path);
}

}  // namespace factorgcn
