// The commands that write, each small enough to be run hundreds of times.
#include <sstream>
#include <stdexcept>

#include "cli/faults/watched_command.h"
#include "shelf/data_folder.h"
#include "shelf/tiny_archive.h"

namespace factorgcn::cli {
namespace {

const std::string kWatchedRun = "train" + kSmall + "--quiet --threads 1 --checkpoint-seconds 0 --out run";

std::string file(const Workplace& place, const std::string& name) { return name + ":\n" + place.read(name) + "\n"; }

/// A page is whole or not there; it names the time it was written at.
std::string page(const Workplace& place, const std::string& name) {
  return place.has(name) && place.read(name).find("</html>") != std::string::npos ? name + "\n" : "";
}

std::string run_result(const Workplace& place) {
  if (!place.has("run/metrics.json") || !place.has("run/model.safetensors")) {
    return "";
  }
  std::string text = tensor_bytes(place.read("run/model.safetensors"));
  text += without_time(place.read_json("run/metrics.json")).dump();
  for (const auto& line : place.read_lines("run/history.jsonl")) {
    text += without_time(line).dump();
  }
  return text + page(place, "run/page.html");
}

std::string seeds_result(const Workplace& place) {
  std::string text;
  for (const char* weights : {"run/runs/seed-0/model.safetensors", "run/runs/seed-1/model.safetensors"}) {
    if (!place.has("run/metrics.json") || !place.has(weights)) {
      return "";
    }
    text += tensor_bytes(place.read(weights));
  }
  return text;
}

void must_run(const Workplace& place, const std::string& arguments) {
  const Outcome outcome = place.run(arguments, {"FACTORGCN_DATA=" + place.path("data").string()});
  if (outcome.code != 0) {
    throw std::runtime_error(arguments + ": " + outcome.err);
  }
}

void write_edges(const Workplace& place) {
  std::ostringstream text;
  text << "from,to\n";
  for (int node = 0; node < 24; ++node) {
    for (int step = 1; step <= 3; ++step) {
      text << 'p' << node << ",p" << node / 8 * 8 + (node + step) % 8 << '\n';
    }
  }
  place.write("edges.csv", text.str());
}

void write_run(const Workplace& place) { must_run(place, kWatchedRun); }

}  // namespace

const std::vector<WatchedCommand>& watched_commands() {
  static const std::vector<WatchedCommand> commands{
      {"train",
       [](const Workplace&) {},
       kWatchedRun,
       {kWatchedRun, "train --resume run --quiet", kWatchedRun + " --force"},
       run_result},
      {"resume",
       [](const Workplace& place) { must_run(place, kWatchedRun + " --no-page --epochs 2"); },
       "train --resume run --epochs 4 --quiet",
       {"train --resume run --epochs 4 --quiet"},
       run_result},
      {"seeds",
       [](const Workplace&) {},
       kWatchedRun + " --seeds 2 --no-page --epochs 2",
       {"train --resume run --quiet", kWatchedRun + " --seeds 2 --no-page --epochs 2",
        kWatchedRun + " --seeds 2 --no-page --epochs 2 --force"},
       seeds_result,
       true},
      {"import",
       write_edges,
       "data import edges.csv --out g.safetensors",
       {"data import edges.csv --out g.safetensors", "data import edges.csv --out g.safetensors --force"},
       [](const Workplace& place) { return place.has("g.safetensors") ? file(place, "g.safetensors") : ""; }},
      {"fetch",
       [](const Workplace& place) { write_bytes(place.path("mirror/TINY.zip"), tiny_archive("TINY")); },
       "data fetch TINY --mirror mirror",
       {"data fetch TINY --mirror mirror"},
       [](const Workplace& place) { return place.has("data/TINY.zip") ? file(place, "data/TINY.zip") : ""; }},
      {"factors",
       write_run,
       "factors run --out factors.csv --force",
       {"factors run --out factors.csv --force"},
       [](const Workplace& place) { return place.has("factors.csv") ? file(place, "factors.csv") : ""; }},
      {"predict",
       write_run,
       "predict run --out answers.csv --force",
       {"predict run --out answers.csv --force"},
       [](const Workplace& place) { return place.has("answers.csv") ? file(place, "answers.csv") : ""; }},
      {"disentangle",
       write_edges,
       "disentangle edges.csv --relations 2 --groups 3 --out parts --threads 1 --quiet",
       {"disentangle edges.csv --relations 2 --groups 3 --out parts --threads 1 --quiet"},
       [](const Workplace& place) {
         return place.has("parts/summary.json") ? file(place, "parts/edges.csv") + file(place, "parts/groups.csv") +
                                                      file(place, "parts/factors.graphml") +
                                                      page(place, "parts/page.html")
                                                : "";
       }},
      {"page", write_run, "page run --out shown.html", {"page run --out shown.html"},
       [](const Workplace& place) { return page(place, "shown.html"); }}};
  return commands;
}

}  // namespace factorgcn::cli
