// Answers, batch after batch. Cost: one forward pass; memory for one batch.
#include "factorgcn/train/predict.h"

#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>

#include <array>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/io/row_writer.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {
namespace {

std::string output_text(const Dataset& dataset, std::int64_t output) {
  return dataset.output_names.empty() ? std::to_string(output) : dataset.output_names[static_cast<std::size_t>(output)];
}

/// Which part of the split each graph or node of the split is in; empty texts for the others.
std::vector<const char*> parts_of(const Dataset& dataset) {
  std::vector<const char*> parts(
      static_cast<std::size_t>(dataset.node_split ? dataset.graphs.num_nodes() : dataset.graphs.num_graphs()), "");
  const Split& split = dataset.split;
  for (const auto& [part, items] :
       {std::pair{Part::kTrain, &split.train}, std::pair{Part::kValidation, &split.validation},
        std::pair{Part::kTest, &split.test}}) {
    for (const std::int64_t item : *items) {
      parts[static_cast<std::size_t>(item)] = part_name(part);
    }
  }
  return parts;
}

/// Puts rows together; the columns follow from the data alone.
class PredictionTable {
 public:
  PredictionTable(const Dataset& dataset, bool probabilities, bool show_parts)
      : dataset_(dataset),
        of_nodes_(is_node_task(dataset.task)),
        classes_(dataset.task == Task::kGraphClass || dataset.task == Task::kNodeClass),
        probabilities_(probabilities && dataset.task != Task::kRegression),
        known_(known_targets(dataset)),
        parts_(show_parts ? parts_of(dataset) : std::vector<const char*>()) {
    for (std::int64_t output = 0; output < dataset.num_outputs; ++output) {
      outputs_.push_back(output_text(dataset, output));
    }
  }

  std::vector<NamedColumn> columns() const {
    std::vector<NamedColumn> columns;
    if (!of_nodes_ || dataset_.graphs.num_graphs() > 1) {
      columns.push_back({"graph", ColumnKind::kText});
    }
    if (of_nodes_) {
      columns.push_back({"node", ColumnKind::kText});
    }
    for (const char* word : {"predicted", "truth"}) {
      if (classes_) {
        columns.push_back({word, ColumnKind::kText});
        continue;
      }
      for (const std::string& name : outputs_) {
        columns.push_back(
            {concat(word, "_", name), dataset_.task == Task::kRegression ? ColumnKind::kNumber : ColumnKind::kWhole});
      }
    }
    for (const std::string& name : outputs_) {
      if (probabilities_) {
        columns.push_back({"p_" + name, ColumnKind::kNumber});
      }
    }
    if (!parts_.empty()) {
      columns.push_back({"part", ColumnKind::kText});
    }
    return columns;
  }

  /// `item`: the graph, or the node counted through all graphs. `answers`: [outputs]; null where only the class is
  /// known.
  void add(const AddRow& add, std::int64_t graph, std::int64_t item, const float* answers, std::int64_t answer) {
    const auto* offsets = dataset_.graphs.node_offsets.data_ptr<std::int64_t>();
    cells_.clear();
    graph_ = graph_text(dataset_, graph);
    if (!of_nodes_ || dataset_.graphs.num_graphs() > 1) {
      cells_.emplace_back(std::string_view(graph_));
    }
    if (of_nodes_) {
      node_ = node_text(dataset_, graph, item - offsets[graph]);
      cells_.emplace_back(std::string_view(node_));
    }
    if (classes_) {
      cells_.emplace_back(std::string_view(outputs_[static_cast<std::size_t>(answer)]));
    } else {
      for (std::size_t output = 0; output < outputs_.size(); ++output) {
        dataset_.task == Task::kRegression ? cells_.emplace_back(answers[output])
                                           : cells_.emplace_back(std::int64_t{answers[output] >= 0.5F});
      }
    }
    add_truth(item);
    for (std::size_t output = 0; probabilities_ && output < outputs_.size(); ++output) {
      cells_.emplace_back(answers[output]);
    }
    if (!parts_.empty()) {
      const char* part = parts_[static_cast<std::size_t>(of_nodes_ && !dataset_.node_split ? graph : item)];
      cells_.push_back(*part == '\0' ? CellValue() : CellValue(std::string_view(part)));
    }
    add(cells_);
  }

 private:
  void add_truth(std::int64_t item) {
    const bool known = dataset_.targets.defined() && known_.data_ptr<bool>()[item];
    const auto count = static_cast<std::int64_t>(outputs_.size());
    if (classes_) {
      cells_.push_back(known ? CellValue(std::string_view(
                                   outputs_[static_cast<std::size_t>(dataset_.targets.data_ptr<std::int64_t>()[item])]))
                             : CellValue());
      return;
    }
    for (std::int64_t output = 0; output < count; ++output) {
      if (!known) {
        cells_.emplace_back();
        continue;
      }
      const float value = dataset_.targets.data_ptr<float>()[item * count + output];
      dataset_.task == Task::kRegression ? cells_.emplace_back(value)
                                         : cells_.emplace_back(static_cast<std::int64_t>(value));
    }
  }

  const Dataset& dataset_;
  bool of_nodes_, classes_, probabilities_;
  at::Tensor known_;
  std::vector<const char*> parts_;
  std::vector<std::string> outputs_;
  std::vector<CellValue> cells_;
  std::string graph_, node_;
};

}  // namespace

std::string graph_text(const Dataset& dataset, std::int64_t graph) {
  return dataset.graph_names.empty() ? std::to_string(graph) : dataset.graph_names[static_cast<std::size_t>(graph)];
}

std::string node_text(const Dataset& dataset, std::int64_t graph, std::int64_t node) {
  const std::int64_t first = dataset.graphs.node_offsets.data_ptr<std::int64_t>()[graph];
  return dataset.node_names.empty() ? std::to_string(node) : dataset.node_names[static_cast<std::size_t>(first + node)];
}

at::Tensor predict(const LoadedRun& run, std::span<const std::int64_t> graphs) {
  const EvaluationMode mode(*run.model);
  const GraphBatch batch = move_batch(select_graphs(run.data->graphs, graphs), device_of(*run.model));
  const at::Tensor raw = run.model->forward(batch, false).prediction.to(at::kCPU, at::kFloat);
  switch (run.data->task) {
    case Task::kGraphClass:
    case Task::kNodeClass:
      return at::softmax(raw, 1).contiguous();
    case Task::kMultiLabel:
      return at::sigmoid(raw).contiguous();
    default:
      return raw.contiguous();
  }
}

std::int64_t write_predictions(const std::filesystem::path& path, const LoadedRun& run,
                               const PredictionOptions& options) {
  const Dataset& dataset = *run.data;
  const bool of_nodes = is_node_task(dataset.task);
  DataPart part;
  if (options.part) {
    part = data_part(dataset, *options.part);
    require_usage(!part.empty(), "data set ", dataset.name, " has nothing in its ", part_name(*options.part), " part");
  } else {
    part.graphs.resize(static_cast<std::size_t>(dataset.graphs.num_graphs()));
    std::iota(part.graphs.begin(), part.graphs.end(), std::int64_t{0});
  }
  const auto* offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  PredictionTable table(dataset, /*probabilities=*/true, options.show_parts);
  std::int64_t rows = 0, done = 0;
  write_rows(path, table.columns(), [&](const AddRow& add) {
    for (const auto graphs : cut_batches(part.graphs, run.config.batch_size)) {
      const at::Tensor answers = predict(run, graphs);
      const at::Tensor best = answers.argmax(1);
      const float* answer = answers.data_ptr<float>();
      const auto* chosen = best.data_ptr<std::int64_t>();
      for (const std::int64_t graph : graphs) {
        const std::int64_t first = of_nodes ? offsets[graph] : graph;
        const std::int64_t last = of_nodes ? offsets[graph + 1] : graph + 1;
        for (std::int64_t item = first; item < last; ++item, answer += dataset.num_outputs, ++chosen) {
          if (!part.counted.defined() || part.counted.data_ptr<bool>()[item]) {
            table.add(add, graph, item, answer, *chosen);
            ++rows;
          }
        }
      }
      done += static_cast<std::int64_t>(graphs.size());
      if (options.on_batch) {
        options.on_batch(done, static_cast<std::int64_t>(part.graphs.size()));
      }
    }
  });
  return rows;
}

std::int64_t write_class_predictions(const std::filesystem::path& path, const Dataset& dataset,
                                     std::span<const std::int64_t> graphs, const std::vector<std::int64_t>& classes,
                                     bool show_parts) {
  require(graphs.size() == classes.size(), "there are ", classes.size(), " answers for ", graphs.size(), " graphs");
  PredictionTable table(dataset, /*probabilities=*/false, show_parts);
  write_rows(path, table.columns(), [&](const AddRow& add) {
    for (std::size_t index = 0; index < graphs.size(); ++index) {
      table.add(add, graphs[index], graphs[index], nullptr, classes[index]);
    }
  });
  return static_cast<std::int64_t>(graphs.size());
}

}  // namespace factorgcn
