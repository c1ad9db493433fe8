// A reproduction's folds are those of molecules made here: a ring or a chain is what their class says.
#include "cli/faults/commands_with_others.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "factorgcn/shelf/fetch.h"
#include "shelf/data_folder.h"
#include "shelf/tiny_archive.h"

namespace factorgcn::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Scores and weights of all runs below `folder`; nothing where there are none.
std::string all_runs(const Workplace& place, const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(place.path(folder))) {
    files.push_back(fs::relative(entry.path(), place.path("")).string());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const std::string& file : files) {
    if (file.ends_with("/metrics.json")) {
      text += file + without_time(place.read_json(file)).dump() + "\n";
    } else if (file.ends_with("/model.safetensors")) {
      text += file + tensor_bytes(place.read(file)) + "\n";
    }
  }
  return text;
}

std::string search_result(const Workplace& place) {
  return place.has("found/metrics.json") ? place.read("found/chosen.json") + all_runs(place, "found/runs") : "";
}

std::string table_result(const Workplace& place, const std::string& folder, const std::string& table) {
  const std::string path = folder + "/" + table;
  const bool whole = place.has(path + ".html") && place.read(path + ".html").find("</html>") != std::string::npos;
  return whole ? place.read(path + ".csv") + place.read(path + ".md") + place.read(path + ".tex") +
                     all_runs(place, folder + "/runs")
               : "";
}

/// As many graphs as MUTAG has, whose published folds name them.
void write_molecules(const Workplace& place) {
  constexpr int kGraphs = 188;
  std::string edges, graphs, classes, atoms;
  int first = 1;
  for (int graph = 0; graph < kGraphs; ++graph) {
    const int nodes = 5 + graph % 3;
    const bool is_ring = graph % 2 == 0;
    for (int node = 0; node < nodes; ++node) {
      graphs += std::to_string(graph + 1) + "\n";
      atoms += std::to_string(node % 2) + "\n";
      if (is_ring || node + 1 < nodes) {
        const std::string here = std::to_string(first + node), there = std::to_string(first + (node + 1) % nodes);
        edges += here + ", " + there + "\n" + there + ", " + here + "\n";
      }
    }
    classes += is_ring ? "1\n" : "-1\n";
    first += nodes;
  }
  write_bytes(place.path("data/MUTAG.zip"), make_archive({{"MUTAG_A.txt", edges},
                                                          {"MUTAG_graph_indicator.txt", graphs},
                                                          {"MUTAG_graph_labels.txt", classes},
                                                          {"MUTAG_node_labels.txt", atoms}},
                                                         "MUTAG"));
}

WatchedCommand reproduction(const std::string& name, const std::string& table, const std::string& flags,
                            const std::function<void(const Workplace&)>& prepare) {
  const std::string command = "reproduce " + table + " --quick --jobs 2 --threads 1 --out tables " + flags;
  return {name,
          prepare,
          command,
          {command},
          [table](const Workplace& place) { return table_result(place, "tables", table); },
          true};
}

}  // namespace

SlowMirror::SlowMirror()
    : server_([](const HttpConnection& connection, const HttpRequest& request) {
        if (request.path == "/TINY.zip") {
          ServedFile{tiny_archive("TINY")}.answer_slowly(connection, request, 64, 20ms);
        } else {
          answer_not_found(connection);
        }
      }) {}

std::vector<WatchedCommand> commands_with_others(const SlowMirror& mirror, bool with_folds) {
  const std::string search =
      "search --over hidden=8,12 --train-size 120 --validation-size 40 --test-size 40 --batch-size 40 --epochs 2 "
      "--threads 1 --checkpoint-seconds 0 --no-page --quiet --jobs 2 --out found";
  const auto nothing = [](const Workplace&) {};
  std::vector<WatchedCommand> commands{{"search", nothing, search, {search}, search_result, true},
                                       reproduction("reproduce", "table-1", "--seeds 2 --only /random/", nothing)};
  if (can_download()) {
    const std::string fetch = "data fetch TINY --mirror " + mirror.url();
    commands.push_back({"download", nothing, fetch, {fetch}, [](const Workplace& place) {
                          const bool whole = place.has("data/TINY.zip") && !place.has("data/TINY.zip.part") &&
                                             !place.has("data/TINY.zip.part.json");
                          return whole ? place.read("data/TINY.zip") : "";
                        }});
  }
  if (with_folds) {
    commands.push_back(reproduction("folds", "table-4", "--only mutag/gcn", write_molecules));
  }
  return commands;
}

}  // namespace factorgcn::cli
