// From a file to a page, as docs/own-graphs.md and docs/data-sets.md show it: one command each.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/workplace.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/gexf.h"

namespace factorgcn::cli {
namespace {

void expect_said(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in:\n" << text;
}

void expect_good(const Outcome& outcome) { ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out; }

/// Trains for a moment and draws the page.
void train_and_draw(const Workplace& place, const std::string& data, const std::string& out) {
  expect_good(place.run("train --dataset " + data + " --epochs 2 --quiet --no-page --out " + out));
  EXPECT_TRUE(place.has(out + "/metrics.json"));
  expect_good(place.run("page " + out));
  EXPECT_TRUE(place.has(out + "/page.html"));
}

/// Two circles of friends, as GML.
std::string two_circles() {
  std::string text = "graph [\n";
  for (int node = 0; node < 20; ++node) {
    text += "node [ id " + std::to_string(node) + " label \"P " + std::to_string(node) + "\" club \"" +
            (node < 10 ? "red" : "blue") + "\" ]\n";
  }
  for (int node = 0; node < 20; ++node) {
    for (int step = 1; step <= 3; ++step) {
      text += "edge [ source " + std::to_string(node) + " target " +
              std::to_string(node / 10 * 10 + (node + step) % 10) + " value " + std::to_string(step) + " ]\n";
    }
  }
  return text + "]\n";
}

TEST(OwnGraphs, AGraphFileBecomesAPage) {
  const Workplace place;
  place.write("friends.gml", two_circles());
  const Outcome without = place.run("data import friends.gml --out friends.safetensors");
  expect_good(without);
  expect_said(without.out, "'club' holds words that could be: --label says");
  const Outcome outcome = place.run("data import friends.gml --label club --out friends.safetensors --force");
  expect_good(outcome);
  expect_said(outcome.out, "2: 'blue', 'red'");
  EXPECT_EQ(load_dataset(place.path("friends.safetensors")).node_names.at(3), "P 3");
  train_and_draw(place, "friends.safetensors", "runs/friends");
  expect_refused(place.run("train --dataset friends.gml"),
                 {"friends.gml is a graph (GML)", "factorgcn data import friends.gml --out friends.safetensors"});
}

/// Rings and stars in the TU layout, under a name that the program does not know.
void write_birds(const Workplace& place, const std::string& folder, int graphs) {
  std::filesystem::create_directories(place.path(folder));
  std::string edges, owners, classes;
  for (int graph = 0; graph < graphs; ++graph) {
    for (int node = 0; node < 5; ++node) {
      owners += std::to_string(graph + 1) + "\n";
      const int other = graph % 2 == 0 ? (node + 1) % 5 : 0;
      if (other != node) {
        edges += std::to_string(5 * graph + node + 1) + ", " + std::to_string(5 * graph + other + 1) + "\n";
      }
    }
    classes += std::to_string(graph % 2) + "\n";
  }
  place.write(folder + "/BIRDS_A.txt", edges);
  place.write(folder + "/BIRDS_graph_indicator.txt", owners);
  place.write(folder + "/BIRDS_graph_labels.txt", classes);
}

TEST(OwnGraphs, ATuSetByItsPathIsTrainedAndCrossValidated) {
  const Workplace place;
  write_birds(place, "my/birds", 40);
  const std::vector<std::string> root{"FACTORGCN_DATA=" + place.path("root").string()};
  const Outcome info = place.run("data info my/birds", root);
  expect_good(info);
  expect_said(info.out, "BIRDS");
  const Outcome run = place.run("train --dataset my/birds/ --epochs 1 --quiet --no-page", root);
  expect_good(run);
  EXPECT_TRUE(place.has("runs/birds-factorgcn-seed0/metrics.json"));
  expect_good(
      place.run("train --dataset my/birds --folds --fold-count 2 --fold-protocols corrected --epochs 1 --quiet"
                " --out folds",
                root));
  EXPECT_TRUE(place.has("folds/corrected/fold-02/metrics.json"));
  EXPECT_TRUE(place.has("folds/page.html"));
}

TEST(OwnGraphs, ImportedClassesOfGraphsAreCrossValidated) {
  const Workplace place;
  std::string edges = "graph,from,to\n", graphs = "graph,kind\n";
  for (int graph = 0; graph < 24; ++graph) {
    const std::string name = "g" + std::to_string(graph);
    for (int node = 0; node < 4; ++node) {
      edges += name + ",n" + std::to_string(node) + ",n" + std::to_string(graph % 2 == 0 ? (node + 1) % 4 : 0) + "\n";
    }
    graphs += name + "," + (graph == 23 ? "" : graph % 2 == 0 ? "ring" : "star") + "\n";
  }
  place.write("edges.csv", edges);
  place.write("graphs.csv", graphs);
  expect_good(place.run("data import edges.csv --graphs graphs.csv --graph-label kind --out kinds.safetensors"));
  train_and_draw(place, "kinds.safetensors", "runs/kinds");
  const Outcome folds = place.run(
      "train --dataset kinds.safetensors --folds --fold-count 3 --fold-protocols corrected --epochs 1 --quiet --out f");
  expect_good(folds);
  const auto metrics = place.read_json("f/metrics.json");
  EXPECT_EQ(metrics.at("samples").at("test"), 23) << "the graph without a class is in no fold";
  // Ten folds are what nobody needs to ask for.
  expect_good(
      place.run("train --dataset kinds.safetensors --folds --fold-protocols corrected --epochs 1 --quiet"
                " --no-page --out ten"));
  EXPECT_TRUE(place.has("ten/corrected/fold-10/metrics.json"));

  place.write("n.csv", "id,label\nn0,a\nn1,b\nn2,a\nn3,b\n");
  place.write("e.csv", "from,to\nn0,n1\nn2,n3\n");
  expect_good(place.run("data import e.csv --nodes n.csv --out nodes.safetensors"));
  expect_refused(place.run("train --dataset nodes.safetensors --folds"), {"classes of graphs", "its task is another"});
}

TEST(OwnGraphs, TheNextStepsRepeatTheFlagsThatWereGiven) {
  const Workplace place;
  place.write("friends.gml", two_circles());
  expect_good(place.run("data import friends.gml --label club --out friends.safetensors"));
  const Outcome outcome = place.run(
      "train --dataset friends.safetensors --epochs 1 --set hidden=16 --device cpu --threads 1 --no-page --quiet "
      "--out runs/x");
  expect_good(outcome);
  expect_said(
      outcome.out,
      "train --dataset friends.safetensors --set hidden=16 --epochs 1 --threads 1 --device cpu --no-page --quiet "
      "--seed 1 --out runs/x-seed1\n");
  expect_said(outcome.out, "evaluate runs/x --split validation --device cpu --threads 1\n");
  const Outcome again = place.run("train --resume runs/x --epochs 2 --quiet --no-page");
  expect_good(again);
  expect_said(again.out, "train --config runs/x/config.json --seed 1\n");
}

TEST(OwnGraphs, NumbersAreShownAsPeopleWriteThem) {
  const Workplace place;
  std::string edges = "from,to\n";
  for (int node = 0; node < 1500; ++node) {
    edges += "hub,n" + std::to_string(node) + "\n";
  }
  place.write("star.csv", edges);
  expect_good(place.run("data import star.csv --features none --out star.safetensors"));
  const Outcome info = place.run("data info star.safetensors");
  expect_good(info);
  for (const char* part : {"1,501", "2 to 1,501, 3.00 on average", "4,501 (1,501 self loops"}) {
    expect_said(info.out, part);
  }
  EXPECT_EQ(info.out.find("e+"), std::string::npos) << info.out;
}

/// The public examples, each by one command without further options than the label.
TEST(OwnGraphs, KarateAndLesMiserablesInEveryFormat) {
  const char* const data = std::getenv("FACTORGCN_TEST_DATA");
  if (data == nullptr || !std::filesystem::is_directory(std::filesystem::path(data) / "own")) {
    GTEST_SKIP() << "FACTORGCN_TEST_DATA names no folder with own/";
  }
  const Workplace place;
  bool trained = false;
  for (const std::string name : {"karate", "lesmis"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(data) / "own" / name)) {
      const std::string ending = entry.path().extension().string();
      SCOPED_TRACE(entry.path().string());
      if (!can_read_gexf() && (ending == ".gexf" || ending == ".graphml")) {
        continue;
      }
      const bool labels = name == "karate" && ending != ".adjlist";
      const std::string out = name + ending + ".safetensors";
      expect_good(
          place.run("data import " + entry.path().string() + (labels ? " --label club" : "") + " --out " + out));
      const Dataset dataset = load_dataset(place.path(out));
      EXPECT_EQ(dataset.graphs.num_nodes(), name == "karate" ? 34 : 77);
      EXPECT_EQ(dataset.graphs.num_edges() - dataset.added_self_loops, 2 * (name == "karate" ? 78 : 254));
      if (labels && !trained) {
        train_and_draw(place, out, "runs/karate");
        trained = true;
      }
    }
  }
  EXPECT_TRUE(trained);
}

}  // namespace
}  // namespace factorgcn::cli
