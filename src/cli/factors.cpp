// `factorgcn factors RUN`: a model's factor graphs as a file for other programs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/score_split.h"
#include "cli/take_away.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/io/graph_writer.h"
#include "factorgcn/train/factor_file.h"

namespace factorgcn::cli {
namespace {

struct FactorsFlags : TakeAwayFlags {
  std::string layer, graphs, threshold;
  bool strongest = false, both_directions = false, self_loops = false;
};

std::int64_t graph_number(const std::string& text, std::int64_t count) {
  const std::int64_t number = parse_whole("--graphs", text);
  require_usage(number >= 0 && number < count, "--graphs ", text, ": there are ", count, " graphs, counted from 0");
  return number;
}

/// "0,4,10-12", or graphs' names.
std::vector<std::int64_t> chosen_graphs(const std::string& list, const Dataset& dataset) {
  const std::int64_t count = dataset.graphs.num_graphs();
  std::vector<std::int64_t> graphs;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    const auto named = std::find(dataset.graph_names.begin(), dataset.graph_names.end(), item);
    const std::size_t dash = item.find('-');
    if (named != dataset.graph_names.end()) {
      graphs.push_back(named - dataset.graph_names.begin());
    } else if (dash != std::string::npos && dash > 0) {
      const std::int64_t first = graph_number(item.substr(0, dash), count);
      const std::int64_t last = graph_number(item.substr(dash + 1), count);
      require_usage(first <= last, "--graphs ", item, ": a range goes upwards, e.g. 10-20");
      for (std::int64_t graph = first; graph <= last; ++graph) {
        graphs.push_back(graph);
      }
    } else {
      graphs.push_back(graph_number(item, count));
    }
    begin = end + 1;
  }
  std::vector<std::int64_t> sorted = graphs;
  std::sort(sorted.begin(), sorted.end());
  require_usage(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "--graphs ", list,
                ": a graph is listed twice");
  return graphs;
}

std::vector<std::int64_t> wanted_graphs(const FactorsFlags& flags, const Dataset& dataset) {
  require_usage(flags.split.empty() || flags.graphs.empty(), "--split and --graphs exclude each other");
  if (!flags.graphs.empty()) {
    return chosen_graphs(flags.graphs, dataset);
  }
  if (flags.split.empty()) {
    return {};
  }
  require_usage(!dataset.node_split, "--split ", flags.split, ": data set ", dataset.name,
                " splits nodes, not graphs, and an edge lies between parts; leave it out");
  const DataPart part = data_part(dataset, part_from_name("--split", flags.split));
  require_usage(!part.empty(), "--split ", flags.split, ": data set ", dataset.name, " has no graphs in that part");
  return part.graphs;
}

/// From 1; the run's own metric layer where nothing was asked for.
std::vector<int> wanted_layers(const FactorsFlags& flags, const LoadedRun& run) {
  const int layers = run.model->num_factor_layers();
  if (flags.layer == "all") {
    std::vector<int> all(static_cast<std::size_t>(layers));
    std::iota(all.begin(), all.end(), 1);
    return all;
  }
  if (flags.layer.empty()) {
    return {std::clamp(run.config.metric_layer, 1, std::max(layers, 1))};
  }
  const std::int64_t layer = parse_whole("--layer", flags.layer);
  require_usage(layers == 0 || (layer >= 1 && layer <= layers), "--layer ", layer, ": the model has ", layers,
                layers == 1 ? " layer" : " layers", " with factor graphs, counted from 1; or give all");
  return {static_cast<int>(layer)};
}

int factors(const FactorsFlags& flags, const Program& program) {
  graph_file_format(flags.out);
  begin_take_away(flags);
  OpenedData data;
  accept_data(flags, data);
  const LoadedRun run = take_run(flags, data);
  require_usage(run.model->num_factor_layers() > 0, "model ", run.config.model,
                " has no factor graphs; train factorgcn (or another that has: factorgcn models)");
  FactorFileOptions options;
  options.layers = wanted_layers(flags, run);
  options.graphs = wanted_graphs(flags, *run.data);
  options.threshold = flags.threshold.empty() ? 0 : static_cast<float>(parse_number("--threshold", flags.threshold));
  require_usage(options.threshold >= 0 && options.threshold <= 1, "--threshold ", flags.threshold,
                ": coefficients lie between 0 and 1");
  options.strongest = flags.strongest;
  options.both_directions = flags.both_directions;
  options.added_self_loops = flags.self_loops;
  FactorFileCounts counts;
  const int code = interruptible(flags, "graphs", [&](const BatchSink& on_batch) {
    options.on_batch = on_batch;
    counts = write_factors(flags.out, run, options);
  });
  if (code != kSuccess || flags.quiet) {
    return code;
  }
  print(fmt::format("{}{} {} of {} {}: {}\nWritten: {}\nNext: {} predict {} {}--out predictions.csv\n",
                    format_count(counts.edges), counts.directed ? " directed" : "",
                    counts.edges == 1 ? "edge" : "edges", format_count(counts.graphs),
                    counts.graphs == 1 ? "graph" : "graphs",
                    graph_file_format(flags.out).is_table() ? fmt::format("{} rows", format_count(counts.rows))
                                                            : fmt::format("{} written", format_count(counts.rows)),
                    written_text(flags.out), program.invoked_as, shell_word(flags.run),
                    flags.dataset.empty() ? "" : fmt::format("--dataset {} ", shell_word(flags.dataset))));
  return kSuccess;
}

}  // namespace

void add_factors(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "factors",
      "take a model's factor graphs away: every edge's coefficient in every factor, by the nodes' names\n\n"
      "An undirected edge is one row, with the mean of its two directions' coefficients; self loops that were added "
      "for training are left out. The file's ending chooses the format: .csv, .tsv, .graphml, .gexf (Gephi), .json "
      "(node-link, for networkx), each also with .gz, or .safetensors.");
  auto flags = std::make_shared<FactorsFlags>();
  add_take_away_options(app, *flags);
  app.add_option("--out", flags->out, "the file to write")->type_name("FILE")->required();
  app.add_option("--layer", flags->layer,
                 "the layer, from 1, or all (default: the one that the run's scores are about)")
      ->type_name("N");
  app.add_option("--graphs", flags->graphs, "graphs by number from 0 or by name: 0,4,10-20 (default: all)")
      ->type_name("LIST");
  app.add_option("--threshold", flags->threshold, "leave out edges whose coefficient is lower than X in every factor")
      ->type_name("X");
  app.add_flag("--strongest", flags->strongest,
               "columns factor and coefficient, of each edge's strongest factor, in place of all coefficients");
  app.add_flag("--both-directions", flags->both_directions,
               "both directions of an undirected edge, each with its own coefficients");
  app.add_flag("--self-loops", flags->self_loops, "added self loops as well");
  app.footer(
      "Examples:\n"
      "  factorgcn factors runs/x --out factors.csv\n"
      "  factorgcn factors runs/x --layer all --out factors.graphml\n"
      "  factorgcn factors runs/x --strongest --threshold 0.5 --out strongest.gexf\n"
      "  factorgcn factors runs/x --dataset newcomers.safetensors --out newcomers.csv.gz");
  app.callback([flags, &program] { program.action = [flags, &program] { return factors(*flags, program); }; });
}

}  // namespace factorgcn::cli
