// What a trained model answers, for programs and as a table for people.
//
// Probabilities are those of the model as it is, a softmax over classes and a sigmoid for labels: nothing calibrates
// them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/io/columns.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/loaded_run.h"

namespace factorgcn {

/// Probabilities of classes or labels, or values for a regression: float [rows, outputs] in main memory, a row for each
/// of the graphs or, for node tasks, for each of their nodes. Cost: one forward pass.
FACTORGCN_API at::Tensor predict(const LoadedRun& run, std::span<const std::int64_t> graphs);

/// Called after each batch of graphs; may throw to end the work.
using BatchDone = std::function<void(std::int64_t graphs_done, std::int64_t graphs)>;

struct FACTORGCN_API PredictionOptions {
  std::optional<Part> part;  ///< of the run's split alone; otherwise everything
  bool show_parts = true;    ///< a column that says which part of the split each row is in
  BatchDone on_batch;
};

/// One row per graph, or per node for node tasks, to .csv, .tsv or .json (io/row_writer.h), in the data's order:
///
///   graph             name or number from 0 (node tasks: only where there are several graphs)
///   node              name or number from 0 in its graph (node tasks)
///   predicted, truth  names of classes; for labels and values predicted_NAME and truth_NAME. Truth is empty where it
///                     is not known
///   p_NAME            probability of each class or label
///   part              train, validation, test or nothing
///
/// Outputs without names have their numbers from 0. Returns the number of rows.
FACTORGCN_API std::int64_t write_predictions(const std::filesystem::path& path, const LoadedRun& run,
                                             const PredictionOptions& options = {});

/// The same for answers that are classes alone, one per graph of `graphs`.
FACTORGCN_API std::int64_t write_class_predictions(const std::filesystem::path& path, const Dataset& dataset,
                                                   std::span<const std::int64_t> graphs,
                                                   const std::vector<std::int64_t>& classes, bool show_parts = true);

/// What files call a graph, and a node of a graph: its name, or its number from 0.
FACTORGCN_API std::string graph_text(const Dataset& dataset, std::int64_t graph);
FACTORGCN_API std::string node_text(const Dataset& dataset, std::int64_t graph, std::int64_t node);

}  // namespace factorgcn
