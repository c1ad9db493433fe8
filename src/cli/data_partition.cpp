// `factorgcn data partition`: one graph cut into files that several processes train on together.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/partition/cut.h"
#include "factorgcn/partition/edge_list.h"
#include "factorgcn/report/step_progress.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/parts_traffic.h"

namespace factorgcn::cli {
namespace {

struct PartitionFlags {
  std::string data, parts, out, method, seed = "0";
  std::string nodes, label, split, memory;  // of an edge list
  bool force = false, directed = false;
};

/// "512M", "2G", or bytes.
std::int64_t parse_memory(const std::string& text) {
  const std::string units = "KMG";
  const std::size_t unit = text.empty() ? std::string::npos : units.find(text.back());
  const std::int64_t number =
      parse_whole("--memory", unit == std::string::npos ? text : text.substr(0, text.size() - 1));
  const int shift = unit == std::string::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  require_usage(number > 0 && number <= std::numeric_limits<std::int64_t>::max() >> shift, "--memory ", text,
                ": give a size such as 512M or 4G");
  return number << shift;
}

std::string share_text(std::int64_t some, std::int64_t all) {
  return all == 0 ? "-" : fmt::format("{:.1f} %", 100 * static_cast<double>(some) / static_cast<double>(all));
}

/// "1.08": how much more the largest part has than a part has on average.
std::string balance_text(const PartsManifest& manifest, std::int64_t PartEntry::*count) {
  const double mean = static_cast<double>(manifest.total(count)) / static_cast<double>(manifest.parts.size());
  return mean == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(manifest.largest(count)) / mean);
}

std::string size_text(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  return size >= 1e9 ? fmt::format("{:.2f} GB", size / 1e9) : fmt::format("{:.2f} MB", size / 1e6);
}

/// The default network for such data, which `train --dataset` would take.
PartsTraffic usual_traffic(const PartsManifest& manifest, const std::filesystem::path& folder) {
  const nlohmann::json layer{{"dataset", folder.string()}};
  return parts_traffic(manifest, resolve_config(std::vector{layer}, OpenedData()));
}

std::string report(const PartsManifest& manifest, const PartsTraffic& traffic, bool utf8) {
  const std::int64_t halo = manifest.total(&PartEntry::halo), cut = manifest.total(&PartEntry::cut_edges);
  Table facts({{fmt::format("{} parts by {}", manifest.parts.size(), manifest.method)}, {manifest.name}});
  facts.add_row({"nodes", fmt::format("{}, the largest part {} times the mean", format_count(manifest.nodes),
                                      balance_text(manifest, &PartEntry::rows))});
  facts.add_row({"directed edges", fmt::format("{}, the largest part {} times the mean", format_count(manifest.edges),
                                               balance_text(manifest, &PartEntry::edges))});
  facts.add_row(
      {"cut: edges between parts", fmt::format("{} ({})", format_count(cut), share_text(cut, manifest.edges))});
  facts.add_row({"halo: copies of other parts' nodes",
                 fmt::format("{} ({} of the nodes), most in one part {}", format_count(halo),
                             share_text(halo, manifest.nodes), format_count(manifest.largest(&PartEntry::halo)))});
  facts.add_row({"a step sends, one process a part",
                 fmt::format("{} ({} numbers a node of a halo, there and back; {} parameters)",
                             size_text(traffic.all_bytes), traffic.halo_numbers, format_count(traffic.parameters))});
  return facts.to_text(utf8);
}

/// From tables that may fit no memory.
PartsManifest cut_tables(const PartitionFlags& flags, std::int64_t parts, std::int64_t seed) {
  require_usage(flags.method.empty() || flags.method == "hash", "--method ", flags.method,
                " needs the whole graph in memory; an edge list is cut by hash, piece by piece");
  require_usage(std::filesystem::is_regular_file(flags.data), flags.data, " does not exist");
  require_usage(std::filesystem::is_regular_file(flags.nodes), "--nodes ", flags.nodes, " does not exist");
  EdgeListOptions options;
  options.parts = parts;
  options.seed = static_cast<std::uint64_t>(seed);
  options.directed = flags.directed;
  options.label = flags.label.empty() ? options.label : flags.label;
  options.split = flags.split.empty() ? options.split : flags.split;
  options.memory = flags.memory.empty() ? options.memory : parse_memory(flags.memory);
  prepare_parts_folder(flags.out, flags.force);
  StepProgress progress;
  return cut_edge_list(flags.data, flags.nodes, flags.out, options,
                       [&](const std::string& step, double done) { progress.at(step, done); });
}

PartsManifest cut_data_set(const PartitionFlags& flags, std::int64_t parts, std::int64_t seed) {
  for (const auto& [option, text] : {std::pair{"--label", &flags.label}, std::pair{"--split", &flags.split},
                                     std::pair{"--memory", &flags.memory}}) {
    require_usage(text->empty(), option, " goes with --nodes, for an edge list");
  }
  require_usage(!flags.directed, "--directed goes with --nodes, for an edge list");
  const std::string method = flags.method.empty() ? "auto" : flags.method;
  const OpenedData opened;
  const Settings settings = opened.describe(flags.data, {{"seed", seed}}).settings;
  const std::shared_ptr<const Dataset> dataset = opened.open(flags.data, settings, complain);
  check_can_be_cut(*dataset);
  prepare_parts_folder(flags.out, flags.force);
  StepProgress progress;
  progress.at("cutting the graph", 0);
  const PartAssignment assignment = assign_parts(dataset->graphs, parts, method, static_cast<std::uint64_t>(seed));
  const PartsManifest manifest = cut_dataset(*dataset, assignment, parts, flags.out, [&](std::int64_t done) {
    progress.at(fmt::format("part {} of {} written", done, parts),
                static_cast<double>(done) / static_cast<double>(parts));
  });
  progress.finish();
  if (manifest.method == "hash" && method == "auto" && parts > 1) {
    complain(fmt::format("parts are by hash: {}", metis_misfit(manifest.nodes, manifest.edges)));
  }
  return manifest;
}

int partition(const PartitionFlags& flags, const Program& program) {
  const std::int64_t parts = parse_whole("--parts", flags.parts), seed = parse_whole("--seed", flags.seed);
  require_usage(parts >= 1, "--parts ", flags.parts, ": give at least 1");
  require_usage(seed >= 0, "--seed ", flags.seed, ": give 0 or more");
  const PartsManifest manifest =
      flags.nodes.empty() ? cut_data_set(flags, parts, seed) : cut_tables(flags, parts, seed);
  print(report(manifest, usual_traffic(manifest, flags.out), describe_terminal(STDOUT_FILENO).utf8));
  print(fmt::format("Next: torchrun --no_python --nproc_per_node {} {} train --dataset {}\n",
                    std::min<std::int64_t>(parts, 2), program.invoked_as, shell_word(flags.out)));
  return kSuccess;
}

}  // namespace

void add_data_partition(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "partition",
      "cut one graph into parts that several processes, or machines, train on together\n\n"
      "Training on the parts is exact: nothing is sampled or left out. The number of parts decides the last bits of a "
      "result, the number of processes does not.");
  auto flags = std::make_shared<PartitionFlags>();
  app.add_option("NAME-or-FILE", flags->data,
                 "a data set of one graph whose nodes have classes; with --nodes an edge list of any size")
      ->required();
  app.add_option("--parts", flags->parts, "how many: at least one for each process (required)")
      ->required()
      ->type_name("P");
  app.add_option("--out", flags->out, "the folder to write (required)")->required()->type_name("DIR");
  app.add_option("--method", flags->method,
                 "metis (few edges between parts), hash (for graphs that METIS cannot take), or auto (default)")
      ->type_name("NAME");
  app.add_option("--seed", flags->seed, "of the cut, and of a split that has to be drawn (default: 0)")->type_name("N");
  const char* tables = "From tables that need not fit into memory";
  app.add_option("--nodes", flags->nodes,
                 "a table with a header and a line per node by rising number: number, class, split, features")
      ->type_name("FILE")
      ->group(tables);
  app.add_option("--label", flags->label, "its column of classes (default: label)")->type_name("COLUMN")->group(tables);
  app.add_option("--split", flags->split, "its column of train, validation, test (default: split)")
      ->type_name("COLUMN")
      ->group(tables);
  app.add_flag("--directed", flags->directed, "edges go one way only")->group(tables);
  app.add_option("--memory", flags->memory, "what sorting may take: 512M, 4G (default: 1G)")
      ->type_name("SIZE")
      ->group(tables);
  app.add_flag("--force", flags->force, "replace former parts in that folder");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  factorgcn data partition cora.safetensors --parts 4 --out cora-4\n"
      "  torchrun --no_python --nproc_per_node 2 factorgcn train --dataset cora-4\n"
      "  factorgcn train --dataset cora-4\n"
      "      the same result, to the last bit, by one process\n"
      "  factorgcn data partition edges.tsv --nodes nodes.tsv --parts 64 --memory 4G --out web-64");
  app.callback([flags, &program] { program.action = [flags, &program] { return partition(*flags, program); }; });
}

}  // namespace factorgcn::cli
