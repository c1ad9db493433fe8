// `factorgcn data import`: a user's own graphs as a data-set file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/data/import.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/graph_files.h"
#include "factorgcn/io/input_format.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"

namespace factorgcn::cli {
namespace {

struct ImportFlags {
  std::string edges, nodes, graphs, entries, relation_names, format, separator, header, out;
  ImportOptions columns;
  std::string features, one_hot, graph_targets, graph_labels, missing, missing_nodes, split_shares, seed;
  bool force = false, no_self_loops = false;
};

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> words;
  std::size_t first = 0;
  while (!text.empty()) {
    const std::size_t comma = text.find(',', first);
    words.push_back(text.substr(first, comma - first));
    if (comma == std::string::npos) {
      break;
    }
    first = comma + 1;
  }
  return words;
}

ImportOptions import_options(const ImportFlags& flags) {
  ImportOptions options = flags.columns;
  options.name = std::filesystem::path(flags.out).stem().string();
  options.features = split_at_commas(flags.features);
  options.one_hot = split_at_commas(flags.one_hot);
  options.graph_targets = split_at_commas(flags.graph_targets);
  options.graph_labels = split_at_commas(flags.graph_labels);
  options.self_loops = !flags.no_self_loops;
  if (!flags.missing.empty()) {
    require_usage(flags.missing == "zero" || flags.missing == "mean", "--missing '", flags.missing,
                  "': give zero or mean");
    options.missing_values = flags.missing == "zero" ? MissingValues::kZero : MissingValues::kMean;
  }
  require_usage(flags.missing_nodes.empty() || flags.missing_nodes == "zero", "--missing-nodes '", flags.missing_nodes,
                "': give zero");
  options.zero_for_missing_nodes = !flags.missing_nodes.empty();
  if (!flags.split_shares.empty()) {
    const std::vector<std::string> shares = split_at_commas(flags.split_shares);
    require_usage(shares.size() == options.split_shares.size(), "--split-shares '", flags.split_shares,
                  "': give three shares, e.g. --split-shares 0.8,0.1,0.1");
    std::transform(shares.begin(), shares.end(), options.split_shares.begin(),
                   [](const std::string& share) { return parse_number("--split-shares", share); });
  }
  if (!flags.seed.empty()) {
    const std::int64_t seed = parse_whole("--seed", flags.seed);
    require_usage(seed >= 0, "--seed ", seed, ": give 0 or more");
    options.seed = static_cast<std::uint64_t>(seed);
  }
  return options;
}

void check_paths(const ImportFlags& flags) {
  require_usage(!std::filesystem::path(flags.out).stem().empty(), "--out '", flags.out, "': give the name of a file");
  for (const std::string& input : {flags.edges, flags.nodes, flags.graphs, flags.entries, flags.relation_names}) {
    if (input.empty()) {
      continue;
    }
    require_usage(std::filesystem::exists(input), "there is no file ", input);
    std::error_code none;
    require_usage(!std::filesystem::equivalent(input, flags.out, none), "--out ", flags.out,
                  " is one of the files to read; choose another name");
  }
  require_usage(flags.force || !std::filesystem::exists(flags.out), "--out ", flags.out,
                " exists already: choose another name, or give --force to replace it");
}

/// "'a', 'b', 'c' and 12 more".
std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t index = 0; index < names.size() && index < kMost; ++index) {
    text += (index == 0 ? "" : ", ") + shown_text(names[index]);
  }
  return names.size() > kMost ? fmt::format("{} and {} more", text, names.size() - kMost) : text;
}

std::int64_t count_self_loops(const GraphStore& graphs) {
  const auto* sources = graphs.in_sources.data_ptr<std::int32_t>();
  const auto* degrees = graphs.in_degrees.data_ptr<std::int32_t>();
  const auto* offsets = graphs.node_offsets.data_ptr<std::int64_t>();
  std::int64_t loops = 0;
  for (std::int64_t graph = 0; graph < graphs.num_graphs(); ++graph) {
    for (std::int64_t node = offsets[graph]; node < offsets[graph + 1]; ++node) {
      loops += std::count(sources, sources + degrees[node], static_cast<std::int32_t>(node - offsets[graph]));
      sources += degrees[node];
    }
  }
  return loops;
}

std::string edges_text(const Dataset& dataset, bool directed) {
  const std::int64_t stored = dataset.graphs.num_edges() - dataset.added_self_loops;
  const std::int64_t loops = count_self_loops(dataset.graphs) - dataset.added_self_loops;
  const std::string own = loops == 0 ? "" : fmt::format(", {} of them self loops", format_count(loops));
  return directed ? fmt::format("{} directed{}", format_count(stored), own)
                  : fmt::format("{}{}; both directions are stored", format_count((stored - loops) / 2 + loops), own);
}

std::string as_text(const Imported& imported, bool directed, bool utf8) {
  const Dataset& dataset = imported.dataset;
  Table facts({{"data set"}, {dataset.name}});
  facts.add_row({"graphs", format_count(dataset.graphs.num_graphs())});
  facts.add_row({"nodes", format_count(dataset.graphs.num_nodes())});
  facts.add_row({"edges", edges_text(dataset, directed)});
  facts.add_row({"ends of edges", imported.ends});
  if (!imported.weights.empty()) {
    facts.add_row({"weights", fmt::format("{}; models look at them where asked to", imported.weights)});
  }
  facts.add_row({"self loops", dataset.added_self_loops == 0
                                   ? "none added"
                                   : fmt::format("{} added", format_count(dataset.added_self_loops))});
  facts.add_row(
      {"node features",
       dataset.num_node_types > 0
           ? fmt::format("{} types: {}", format_count(dataset.num_node_types), imported.features)
           : fmt::format("{} columns: {}", format_count(dataset.graphs.features.size(1)), imported.features)});
  if (!dataset.truth.empty()) {
    facts.add_row(
        {"relations", fmt::format("{}: {}", dataset.truth.num_types(), names_text(dataset.truth.type_names))});
  }
  if (dataset.task == Task::kNone) {
    facts.add_row({"task", "none: there are no labels (--label, --graph-label, --graph-labels or --graph-target)"});
  } else {
    facts.add_row({"task", task_name(dataset.task)});
    facts.add_row({dataset.task == Task::kRegression   ? "targets"
                   : dataset.task == Task::kMultiLabel ? "labels"
                                                       : "classes",
                   fmt::format("{}: {}", dataset.num_outputs, names_text(dataset.output_names))});
    facts.add_row(
        {"split", fmt::format("{} train, {} validation, {} test", format_count(dataset.split.train.size()),
                              format_count(dataset.split.validation.size()), format_count(dataset.split.test.size()))});
    facts.add_row({"split of", imported.split});
  }
  std::string text = facts.to_text(utf8);
  if (!imported.notes.empty()) {
    text += "\nNotes:\n";
    for (const std::string& note : imported.notes) {
      const std::string lines = wrap_text(note, 96, 4);
      text += "  -" + lines.substr(3) + "\n";
    }
  }
  return text;
}

int import(const ImportFlags& flags, const Program& program) {
  ImportOptions options = import_options(flags);
  check_paths(flags);
  const GraphFiles files{flags.edges,  flags.nodes,     flags.graphs, flags.entries,
                         flags.format, flags.separator, flags.header};
  if (!flags.relation_names.empty()) {
    options.relation_names = read_relation_names(flags.relation_names, files);
  }
  const Imported imported = import_graphs(read_graph_files(files, options), options);
  save_dataset(flags.out, imported.dataset);
  const auto size = static_cast<double>(std::filesystem::file_size(flags.out));
  const bool can_train = imported.dataset.task != Task::kNone;
  print(fmt::format("{}\nWritten: {} ({})\nNext: {} {} {}\n",
                    as_text(imported, options.directed, describe_terminal(STDOUT_FILENO).utf8), flags.out,
                    size < 1e5 ? fmt::format("{:.1f} kB", size / 1e3) : fmt::format("{:.1f} MB", size / 1e6),
                    program.invoked_as, can_train ? "train --dataset" : "data info", shell_word(flags.out)));
  return kSuccess;
}

void add_options(CLI::App& app, ImportFlags& flags) {
  const auto add = [&](const char* name, std::string& value, const char* type, const char* group,
                       const std::string& text) { app.add_option(name, value, text)->type_name(type)->group(group); };
  ImportOptions& columns = flags.columns;
  constexpr const char* kFiles = "Files";
  add("--nodes", flags.nodes, "FILE", kFiles, "a table with one line per node: features, labels, split");
  add("--graphs", flags.graphs, "FILE", kFiles, "a table with one line per graph: labels or target values, split");
  add("--sparse-features", flags.entries, "FILE", kFiles,
      "features of nodes as entries: lines of node, column (from 0), value, or a Matrix Market file (.mtx)");
  add("--relation-names", flags.relation_names, "FILE", kFiles,
      "a table whose first column is a relation as the edge list writes it and whose second is its name");
  add("--format", flags.format, "NAME", kFiles,
      input_format_names() + " (default: by the file's ending, or by what it holds)");
  add("--separator", flags.separator, "NAME", kFiles,
      "between columns: comma, tab, semicolon or blanks (default: detected)");
  add("--header", flags.header, "yes|no", kFiles, "the first line holds names of columns (default: detected)");

  constexpr const char* kEdges = "Columns of the edge list (a name, or a number from 1; none: no column)";
  add("--source", columns.source, "COL", kEdges, "where an edge starts (default: source, from, u ... or column 1)");
  add("--target", columns.target, "COL", kEdges, "where an edge ends (default: target, to, v ... or column 2)");
  add("--graph", columns.graph, "COL", kEdges, "which graph an edge is in (default: graph; else there is one graph)");
  add("--relation", columns.relation, "COL", kEdges,
      "the kind of an edge, kept as the truth that factor graphs are scored against (default: relation, type, layer)");

  add("--edge-weight", columns.edge_weight, "COL", kEdges,
      "an edge's weight, for models that are asked to use it (default: weight)");

  constexpr const char* kNodes = "Columns of the node table";
  add("--node", columns.node, "COL", kNodes, "the node's name (default: node, id, name, or column 1)");
  add("--node-graph", columns.node_graph, "COL", kNodes, "the node's graph (default: as --graph)");
  add("--label", columns.label, "COL", kNodes, "the node's class, any text (default: label, class)");
  add("--split", columns.split, "COL", kNodes,
      "train, val, test or nothing (default: split; without one, a split is drawn)");
  add("--features", flags.features, "COL,...", kNodes,
      "numbers, lists of numbers or words (default: all columns without another use; none: node types from degrees)");

  add("--one-hot", flags.one_hot, "COL,...", kNodes,
      "features that are words, a column of their own for each, even where they are written as numbers");

  constexpr const char* kGraphs = "Columns of the graph table";
  add("--graph-name", columns.graph_name, "COL", kGraphs, "the graph's name (default: graph, id, name, or column 1)");
  add("--graph-label", columns.graph_label, "COL", kGraphs, "the graph's class (default: label, class)");
  add("--graph-labels", flags.graph_labels, "COL,...", kGraphs,
      "several labels instead of a class, each there (1) or not (0)");
  add("--graph-target", flags.graph_targets, "COL,...", kGraphs, "values to predict instead of a class");
  add("--graph-split", columns.graph_split, "COL", kGraphs, "train, val, test or nothing (default: split)");

  constexpr const char* kGraph = "Making the graph";
  app.add_flag("--directed", columns.directed, "keep each edge's direction (default: an edge goes both ways)")
      ->group(kGraph);
  app.add_flag("--no-self-loops", flags.no_self_loops, "add no self loop to each node")->group(kGraph);
  add("--missing", flags.missing, "zero|mean", kGraph,
      "what stands for features without a value: nothing, NA, nan, null (default: an error)");
  add("--missing-nodes", flags.missing_nodes, "zero", kGraph,
      "nodes that the node table lacks get features of 0 (default: an error)");

  constexpr const char* kSplit = "Drawing a split";
  add("--split-shares", flags.split_shares, "A,B,C", kSplit,
      "shares for training, validation and test (default: 0.8,0.1,0.1)");
  add("--seed", flags.seed, "N", kSplit, "the same seed draws the same split (default: 0)");
}

}  // namespace

void add_data_import(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand("import", "turn your own graphs into a data-set file");
  auto flags = std::make_shared<ImportFlags>();
  app.add_option(
         "EDGES", flags->edges,
         "an edge list (one edge per line: CSV, TSV, or blanks between columns), or a file in GraphML, GEXF, GML, "
         "Pajek's format, node-link JSON, an adjacency list, a multilayer network or a Matrix Market file; any of them "
         "may be packed by gzip (.gz)")
      ->required();
  app.add_option("--out", flags->out, "the data-set file to write (required)")->required()->type_name("FILE");
  app.add_flag("--force", flags->force, "replace that file where it exists");
  add_options(app, *flags);
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  One graph, each node with features and a class in a second file:\n"
      "    factorgcn data import friends.csv --nodes people.csv --label team \\\n"
      "        --out friends.safetensors\n"
      "  Lines of \"layer from to weight\", layers are the relations:\n"
      "    factorgcn data import multi.edges --relation-names layers.txt \\\n"
      "        --out multi.safetensors\n"
      "  Many graphs, one class each:\n"
      "    factorgcn data import bonds.csv --graph molecule --nodes atoms.csv \\\n"
      "        --graphs molecules.csv --graph-label toxic --out molecules.safetensors\n"
      "  From networkx, igraph, Gephi, Pajek (.graphml, .json, .gexf, .gml, .net):\n"
      "    factorgcn data import graph.gexf --label team --out graph.safetensors\n"
      "\n"
      "Then: factorgcn data info FILE, factorgcn train --dataset FILE");
  app.callback([flags, &program] { program.action = [flags, &program] { return import(*flags, program); }; });
}

}  // namespace factorgcn::cli
