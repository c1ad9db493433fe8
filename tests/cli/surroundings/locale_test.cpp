// A program that uses the libraries may have set a locale in which 1/2 is 0,5 and a thousand is 1.000: files that are
// written and what is read from files must not know.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>

#include "cli/faults/preloaded.h"
#include "cli/own_network.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

namespace fs = std::filesystem;

/// The same small graph, whose nodes have the values 0.5, 1.25, ..., in each format that can hold them.
void write_graphs(const Workplace& place) {
  const char* const values[] = {"0.5", "1.25", "-3.5e-2", "1234.75"};
  const int edges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}};
  std::string graphml =
      "<graphml><key id=\"v\" for=\"node\" attr.name=\"value\" attr.type=\"double\"/><graph "
      "edgedefault=\"undirected\">";
  std::string gexf =
      "<gexf version=\"1.2\"><graph><attributes class=\"node\"><attribute id=\"0\" title=\"value\" type=\"double\"/>"
      "</attributes><nodes>";
  std::string gml = "graph [\n", json = "{\"directed\": false, \"multigraph\": false, \"graph\": {}, \"nodes\": [";
  std::string pajek = "*Vertices 4\n", csv = "a,b,weight\n";
  for (int node = 0; node < 4; ++node) {
    const std::string name = std::to_string(node), value = values[node];
    graphml += "<node id=\"" + name + "\"><data key=\"v\">" + value + "</data></node>";
    gexf += "<node id=\"" + name + "\"><attvalues><attvalue for=\"0\" value=\"" + value + "\"/></attvalues></node>";
    gml += "node [ id " + name + " value " + value + " ]\n";
    json += (node > 0 ? ", " : "") + ("{\"id\": " + name) + ", \"value\": " + value + "}";
    pajek += std::to_string(node + 1) + " \"n" + name + "\" 0.25 0.75 0.5\n";
  }
  gexf += "</nodes><edges>";
  json += "], \"links\": [";
  pajek += "*Edges\n";
  for (int edge = 0; edge < 5; ++edge) {
    const std::string from = std::to_string(edges[edge][0]), to = std::to_string(edges[edge][1]);
    graphml += "<edge source=\"" + from + "\" target=\"" + to + "\"/>";
    gexf += "<edge id=\"" + std::to_string(edge) + "\" source=\"" + from + "\" target=\"" + to + "\"/>";
    gml += "edge [ source " + from + " target " + to + " weight " + values[edge % 4] + " ]\n";
    json += (edge > 0 ? ", " : "") + ("{\"source\": " + from) + ", \"target\": " + to + "}";
    pajek +=
        std::to_string(edges[edge][0] + 1) + " " + std::to_string(edges[edge][1] + 1) + " " + values[edge % 2] + "\n";
    csv += from + "," + to + "," + values[edge % 2] + "\n";
  }
  place.write("g.graphml", graphml + "</graph></graphml>");
  place.write("g.gexf", gexf + "</edges></graph></gexf>");
  place.write("g.gml", gml + "]\n");
  place.write("g.json", json + "]}");
  place.write("g.net", pajek);
  place.write("g.csv", csv);
}

const std::vector<std::string>& commands() {
  static const std::vector<std::string> list{
      "data import g.graphml --out graphml.safetensors",
      "data import g.gexf --out gexf.safetensors",
      "data import g.gml --out gml.safetensors",
      "data import g.json --out json.safetensors",
      "data import g.net --out net.safetensors",
      "data import g.csv --edge-weight weight --out csv.safetensors",
      "data import edges.csv --nodes nodes.csv --label team --out own.safetensors",
      "data import edges.csv --nodes nodes.csv --features height --label weight --out classes.safetensors",
      "data info own.safetensors",
      "data partition edges.csv --nodes nodes.csv --label team --parts 2 --method hash --out parts",
      "train --dataset own.safetensors --epochs 3 --set hidden=8 --learning-rate 0.0125 --threads 1 --out run",
      "train --threads 1 --out made" + kSmall + "--checkpoint-seconds 0.5 --lambda 0.35",
      "train --threads 1 --resume made --epochs 4 --quiet",
      "evaluate made",
      "compare made made",
      "factors made --out f.csv --threshold 0.25",
      "factors made --out f.graphml",
      "factors made --out f.gexf",
      "factors made --out f.json",
      "factors made --out f.tsv --strongest",
      "predict made --out p.csv",
      "disentangle edges.csv --relations 2 --groups 3 --threads 1 --out relations",
      "search --over learning_rate=0.01,0.0025 --quiet --threads 1 --out search" + kSmall};
  return list;
}

/// Every file's content and every command's words, without times.
std::map<std::string, std::string> everything(const Workplace& place, const std::vector<std::string>& environment) {
  write_graphs(place);
  write_network(place, 1200, 4, 1);  // numbers of nodes beyond a thousand
  std::map<std::string, std::string> found;
  for (const std::string& command : commands()) {
    const Outcome outcome = place.run(command, environment);
    EXPECT_EQ(outcome.code, 0) << command << ": " << outcome.err;
    found["words of " + command] = outcome.out;
  }
  for (const auto& entry : fs::recursive_directory_iterator(place.path(""))) {
    const std::string name = fs::relative(entry.path(), place.path("")).string();
    if (entry.is_regular_file() && name[0] != '.' && name.find("/logs/") == std::string::npos) {
      found[name] = place.read(name);
    }
  }
  static const std::regex times(
      "\"seconds\":? ?[0-9.e+-]+|[0-9.]+ (s|ms|us)\\b|[0-9]+ min [0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}[ T0-9:]*|"
      "[0-9,.]+ (graphs/s|MiB|MB)");
  for (auto& [name, text] : found) {
    if (fs::path(name).extension() != ".safetensors") {
      text = std::regex_replace(text, times, "~");
      const std::string here = place.path("").string();
      for (std::size_t at; (at = text.find(here)) != std::string::npos;) {
        text.replace(at, here.size(), "~/");
      }
    }
  }
  return found;
}

/// A checkpoint holds the seconds that were trained.
bool holds_times(const std::string& name) { return name.find("checkpoint.safetensors") != std::string::npos; }

TEST(Locale, WithDecimalCommasChangesNothing) {
  if (!can_preload()) {
    GTEST_SKIP() << "a program under a sanitizer cannot be preloaded";
  }
  const Workplace point, comma, locales;
  const Outcome made = locales.shell("localedef -i de_DE -f UTF-8 \"$PWD/de_DE.UTF-8\"");
  const std::vector<std::string> environment{"LD_PRELOAD=" FACTORGCN_PRELOAD_PATH, "FACTORGCN_HOST_LOCALE=de_DE.UTF-8",
                                             "LOCPATH=" + locales.path("").string(), "LC_ALL=de_DE.UTF-8"};
  constexpr int kNoSuchLocale = 99;
  if (point.run("--version", environment).code == kNoSuchLocale) {
    GTEST_SKIP() << "no German locale can be made here: " << made.err;
  }
  const auto expected = everything(point, {}), found = everything(comma, environment);
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [name, text] : expected) {
    if (holds_times(name)) {
      continue;
    }
    ASSERT_TRUE(found.contains(name)) << name;
    const std::string& other = found.at(name);
    const std::size_t place = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin();
    EXPECT_TRUE(text == other) << name << " differs at byte " << place << ": '"
                               << text.substr(place - std::min<std::size_t>(place, 40), 80) << "' or '"
                               << other.substr(std::min(other.size(), place - std::min<std::size_t>(place, 40)), 80)
                               << "'";
  }
}

}  // namespace
}  // namespace factorgcn::cli
