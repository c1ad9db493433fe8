// `factorgcn data info`: the numbers of a data set.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/data_settings.h"
#include "cli/options.h"
#include "cli/output.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/data/summary.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/shelf/open.h"

namespace factorgcn::cli {
namespace {

nlohmann::ordered_json range_json(const ValueRange& range) {
  return {{"min", range.min}, {"mean", range.mean}, {"max", range.max}};
}

nlohmann::ordered_json as_json(const DatasetSummary& summary) {
  nlohmann::ordered_json json{
      {"name", summary.name},
      {"task", task_name(summary.task)},
      {"graphs", summary.graphs},
      {"split", {{"train", summary.train}, {"validation", summary.validation}, {"test", summary.test}}},
      {"nodes", summary.nodes},
      {"directed_edges", summary.directed_edges},
      {"self_loops", summary.self_loops},
      {"added_self_loops", summary.added_self_loops},
      {"undirected_edges", summary.undirected_edges ? nlohmann::json(*summary.undirected_edges) : nlohmann::json()},
      {"feature_columns", summary.feature_columns},
      {"node_types", summary.node_types},
      {"outputs", summary.outputs},
      {"nodes_per_graph", range_json(summary.nodes_per_graph)},
      {"edges_per_graph", range_json(summary.edges_per_graph)},
      {"in_degree", range_json(summary.in_degree)},
      {"output_names", summary.output_names},
      {"output_counts", summary.output_counts},
      {"output_shares", summary.output_shares}};
  json["target_ranges"] = nlohmann::json::array();
  for (const auto& range : summary.target_ranges) {
    json["target_ranges"].push_back(range_json(range));
  }
  json["relations"] = nlohmann::json::array();
  for (const auto& type : summary.truth_types) {
    json["relations"].push_back(
        nlohmann::ordered_json{{"name", type.name}, {"graphs", type.graphs}, {"mean_entries", type.mean_entries}});
  }
  return json;
}

/// As people write it: "1,234,567", "0.25"; tiny and huge fractions as they come.
std::string number_text(double value) {
  constexpr double kMostExact = 9e15;
  return std::abs(value) < kMostExact && value == std::round(value) ? format_count(static_cast<std::int64_t>(value))
                                                                    : fmt::format("{:.6g}", value);
}

std::string range_text(const ValueRange& range) {
  if (range.min == range.max) {
    return number_text(range.min);
  }
  const double hundredths = std::round(range.mean * 100) / 100;
  const std::string mean = std::abs(range.mean) < 1000 ? fmt::format("{:.2f}", range.mean)
                                                       : fmt::format("{}", number_text(std::round(hundredths)));
  return fmt::format("{} to {}, {} on average", number_text(range.min), number_text(range.max), mean);
}

std::string as_text(const DatasetSummary& summary, bool utf8) {
  Table facts({{"data set"}, {summary.name}});
  facts.add_row({"task", task_name(summary.task)});
  facts.add_row({"graphs", format_count(summary.graphs)});
  facts.add_row({summary.node_split ? "split of nodes" : "split",
                 fmt::format("{} train, {} validation, {} test", format_count(summary.train),
                             format_count(summary.validation), format_count(summary.test))});
  facts.add_row({"nodes", format_count(summary.nodes)});
  facts.add_row({"nodes per graph", range_text(summary.nodes_per_graph)});
  if (summary.undirected_edges) {
    const std::int64_t loops = summary.self_loops - summary.added_self_loops;
    facts.add_row({"undirected edges", format_count(*summary.undirected_edges) +
                                           (loops > 0 ? fmt::format(" ({} self loops)", format_count(loops)) : "")});
  }
  facts.add_row(
      {"directed edges",
       fmt::format("{} ({} self loops{})", format_count(summary.directed_edges), format_count(summary.self_loops),
                   summary.added_self_loops > 0
                       ? fmt::format(", {} of them added for training", format_count(summary.added_self_loops))
                       : "")});
  facts.add_row({"edges per graph", range_text(summary.edges_per_graph)});
  facts.add_row({"in-degree", range_text(summary.in_degree)});
  facts.add_row({"node features", summary.node_types > 0
                                      ? fmt::format("{} types", format_count(summary.node_types))
                                      : fmt::format("{} columns", format_count(summary.feature_columns))});
  facts.add_row({"outputs", format_count(summary.outputs)});
  for (std::size_t i = 0; i < summary.target_ranges.size(); ++i) {
    facts.add_row({fmt::format("target {}", i), range_text(summary.target_ranges[i])});
  }
  std::string text = facts.to_text(utf8);
  if (!summary.truth_types.empty()) {
    Table relations({{"hidden relation"}, {"in graphs", Align::kRight}, {"directed entries", Align::kRight}});
    for (const auto& type : summary.truth_types) {
      relations.add_row({type.name, format_count(type.graphs), number_text(type.mean_entries)});
    }
    text += "\n" + relations.to_text(utf8);
  }
  if (!summary.output_shares.empty()) {
    const char* item = is_node_task(summary.task) ? "nodes" : "graphs";
    Table shares(
        {{summary.task == Task::kMultiLabel ? "label" : "class"}, {item, Align::kRight}, {"share", Align::kRight}});
    for (std::size_t i = 0; i < summary.output_shares.size(); ++i) {
      shares.add_row({summary.output_names.empty() ? fmt::format("{}", i) : summary.output_names[i],
                      format_count(summary.output_counts[i]), fmt::format("{:.1f} %", 100 * summary.output_shares[i])});
    }
    text += "\n" + shares.to_text(utf8);
  }
  return text;
}

struct InfoFlags {
  explicit InfoFlags(CLI::App& app) : options(app) {}
  LayerOptions options;
  std::string name;
  bool json = false;
};

int show(const InfoFlags& flags) {
  check_data_path(flags.name);
  const Dataset dataset = open_dataset(flags.name, data_settings(flags.options.layer()), complain);
  const DatasetSummary summary = summarise(dataset);
  print(flags.json ? as_json(summary).dump(2) + "\n" : as_text(summary, describe_terminal(STDOUT_FILENO).utf8));
  return kSuccess;
}

std::string known_datasets() {
  std::string text = "Data sets:\n";
  for (const auto& entry : dataset_registry()) {
    text += fmt::format("  {}\n      {}\n", entry.name, entry.summary);
  }
  return text;
}

}  // namespace

void add_data_info(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand("info", "show what a data set holds: sizes, splits, hidden relations");
  auto flags = std::make_shared<InfoFlags>(app);
  app.add_option("NAME-or-FILE", flags->name,
                 "a data set (see factorgcn data list), a file made by `factorgcn data make` or `data import`, or a "
                 "folder or zip archive in the layout of the TU collection")
      ->required();
  add_data_options(flags->options, "For generated data");
  add_fold_options(flags->options, "For classes of graphs");
  flags->options.add("--seed", "N", "data.seed", LayerOptions::Kind::kWhole, "For generated data",
                     "of the random numbers (default: 0)");
  app.add_flag("--json", flags->json, "print JSON instead of text");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(known_datasets() +
             "\nExamples:\n"
             "  factorgcn data info synthetic --factors 6\n"
             "  factorgcn data info mutag\n"
             "  factorgcn data info four.safetensors --json");
  app.callback([flags, &program] { program.action = [flags] { return show(*flags); }; });
}

}  // namespace factorgcn::cli
