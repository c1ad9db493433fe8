// ZINC from its files: what data/tu.h makes of them, and the published split. Cost: one pass over the text.
#include "factorgcn/data/zinc.h"

#include <string_view>
#include <utility>

#include "data/tu_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/data/tu.h"

namespace factorgcn {
namespace {

constexpr const char* kStem = "ZINC";
constexpr const char* kSplitFile = "ZINC_split.txt";

Split read_split(const FileSource& files, std::int64_t graphs) {
  Split split;
  TuText text(files, kSplitFile);
  std::int64_t graph = 0;
  text.read_lines([&](std::string_view line) {
    LineValues values(text, line);
    std::string_view word;
    std::string_view more;
    values.next(word);
    if (graph == graphs) {
      text.fail_found(line, concat("the end of the file: there are ", graphs, " graphs"));
    }
    if (values.next(more) || (word != "train" && word != "val" && word != "test")) {
      text.fail_found(line, "train, val or test");
    }
    (word == "train" ? split.train : word == "val" ? split.validation : split.test).push_back(graph++);
  });
  if (graph < graphs) {
    text.fail_line(concat("found the end of the file after ", graph, " lines, expected ", graphs, ", one per graph"));
  }
  return split;
}

}  // namespace

Dataset read_zinc(const FileSource& files) {
  for (const char* kind : {"graph_attributes", "node_labels", "edge_labels", "split"}) {
    const std::string file = concat(kStem, "_", kind, ".txt");
    require(files.has(file), files.origin(), ": the file ", file, " is missing; ZINC needs it");
  }
  TuTables tables = read_tu(files, kStem);
  require(tables.graph_attributes.columns == 1, files.origin(), ": ZINC_graph_attributes.txt line 1: found ",
          tables.graph_attributes.columns, " values, expected one, the penalised logP");
  tables.graph_labels.clear();
  tables.node_attributes = {};
  const bool has_names = !tables.edge_label_names.empty();

  TuDatasetOptions options;
  options.dataset_name = "zinc";
  options.self_loops = false;
  options.node_types = kZincAtomTypes;
  Dataset dataset = make_tu_dataset(std::move(tables), options);
  dataset.split = read_split(files, dataset.graphs.num_graphs());
  if (!has_names) {
    for (std::string& name : dataset.truth.type_names) {
      name.insert(0, "bond ");
    }
  }
  set_edge_types_from_truth(dataset);
  return dataset;
}

DatasetEntry zinc_entry() {
  DatasetEntry entry;
  entry.name = "zinc";
  entry.file_stem = kStem;
  entry.summary = "12,000 molecules; their penalised logP? Bonds are the hidden relations";
  entry.facts = {12000, 277864, 298985};
  entry.slips.factors_on_training = true;
  entry.read = [](const FileSource& files, const DatasetEntry& /*self*/) { return read_zinc(files); };
  return entry;
}

}  // namespace factorgcn
