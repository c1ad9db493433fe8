// `factorgcn data import` as a user meets it: files in, one data-set file out, or one clear line.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/workplace.h"
#include "factorgcn/base/text.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/graphml.h"

namespace factorgcn::cli {
namespace {

void expect_holds(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in:\n" << text;
}

void write_friends(const Workplace& place) {
  std::string edges = "from,to,relation\n";
  std::string people = "name,age,team\n";
  for (int person = 0; person < 20; ++person) {
    const std::string name = "p" + std::to_string(person);
    edges += name + ",p" + std::to_string((person + 1) % 20) + "," + (person % 3 == 0 ? "work" : "sport") + "\n";
    people += name + "," + std::to_string(20 + person) + "," + (person % 2 == 0 ? "red" : "blue") + "\n";
  }
  place.write("friends.csv", edges);
  place.write("people.csv", people);
}

TEST(DataImport, WritesADataSetAndSaysWhatItRead) {
  const Workplace place;
  write_friends(place);
  const Outcome outcome = place.run("data import friends.csv --nodes people.csv --label team --out my.safetensors");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* part :
       {"nodes", "20", "edges", "both directions", "20 added", "1 columns: 'age'", "2: 'work', 'sport'",
        "2: 'blue', 'red'", "16 train, 2 validation, 2 test", "seed 0", "train --dataset my.safetensors"}) {
    expect_holds(outcome.out, part);
  }
  const Dataset dataset = load_dataset(place.path("my.safetensors"));
  EXPECT_EQ(dataset.name, "my");
  EXPECT_EQ(dataset.task, Task::kNodeClass);
  EXPECT_TRUE(dataset.node_split);
  EXPECT_EQ(dataset.added_self_loops, 20);
  EXPECT_EQ(dataset.output_names, (std::vector<std::string>{"blue", "red"}));
  EXPECT_EQ(dataset.node_names.at(3), "p3");
  EXPECT_EQ(dataset.truth.type_names, (std::vector<std::string>{"work", "sport"}));
  const Outcome info = place.run("data info my.safetensors");
  EXPECT_EQ(info.code, 0) << info.err;
}

TEST(DataImport, GraphsWithoutLabelsCanBeLookedAt) {
  const Workplace place;
  place.write("edges.txt", "# layer from to\n1 a b\n2 a b\n2 b c\n");
  place.write("layers.txt", "layerID layerLabel\n1 lunch\n2 work\n");
  const Outcome outcome = place.run(
      "data import edges.txt --relation 1 --source 2 --target 3 --relation-names layers.txt --out m.safetensors");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_holds(outcome.out, "2: 'lunch', 'work'");
  expect_holds(outcome.out, "data info m.safetensors");
  const Dataset dataset = load_dataset(place.path("m.safetensors"));
  EXPECT_EQ(dataset.task, Task::kNone);
  EXPECT_EQ(dataset.truth.num_types(), 2);
}

TEST(DataImport, ReadsGraphmlAndNodeLink) {
  const Workplace place;
  place.write("g.graphml",
              "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/>"
              "<edge source=\"a\" target=\"b\"/></graph></graphml>");
  place.write("g.json", R"({"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]})");
  for (const std::string file : {"g.graphml", "g.json"}) {
    if (file == "g.graphml" && !can_read_graphml()) {
      continue;
    }
    const Outcome outcome = place.run("data import " + file + " --out g.safetensors --force");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(load_dataset(place.path("g.safetensors")).node_names, (std::vector<std::string>{"a", "b"}));
  }
}

TEST(DataImport, HelpFitsEightyColumns) {
  const Workplace place;
  const Outcome outcome = place.run("data import --help");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"EDGES", "--nodes", "--graphs", "--relation", "--label", "--split-shares", "Examples:"}) {
    expect_holds(outcome.out, part);
  }
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), 80) << line;
  }
}

struct Refusal {
  const char* arguments;
  int code;
  std::vector<std::string> texts;

  friend void PrintTo(const Refusal& refusal, std::ostream* out) { *out << '"' << refusal.arguments << '"'; }
};

class DataImportRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(DataImportRefusal, IsOneLineAndWritesNothing) {
  const Workplace place;
  write_friends(place);
  place.write("bad.csv", "from,to\na,b\nc\n");
  place.write("short.csv", "name,age\np0,1\n");
  place.write("gaps.csv", "name,age\np0,\n");
  place.write("old.safetensors", "old");
  place.write("odd.xyz", "a b\n");
  place.write("g.json", "{");
  const Outcome outcome = place.run(std::string("data import ") + GetParam().arguments);
  EXPECT_EQ(outcome.code, GetParam().code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& text : GetParam().texts) {
    expect_holds(outcome.err, text);
  }
  EXPECT_FALSE(place.has("x"));
  EXPECT_EQ(place.read("old.safetensors"), "old");
}

INSTANTIATE_TEST_SUITE_P(
    Refusals, DataImportRefusal,
    ::testing::Values(
        Refusal{"", 2, {"EDGES"}}, Refusal{"friends.csv", 2, {"--out"}},
        Refusal{"nothing.csv --out x", 2, {"there is no file nothing.csv"}},
        Refusal{"friends.csv --nodes nothing.csv --out x", 2, {"there is no file nothing.csv"}},
        Refusal{"friends.csv --out old.safetensors", 2, {"old.safetensors exists already", "--force"}},
        Refusal{"friends.csv --out friends.csv --force", 2, {"one of the files to read"}},
        Refusal{"friends.csv --relation realtion --out x", 2, {"--relation 'realtion'", "did you mean 'relation'?"}},
        Refusal{"friends.csv --label team --out x", 2, {"--label team", "--nodes FILE"}},
        Refusal{"friends.csv --missing some --out x", 2, {"--missing 'some'", "zero or mean"}},
        Refusal{"friends.csv --split-shares 0.5,0.5 --out x", 2, {"--split-shares", "three shares"}},
        Refusal{"friends.csv --split-shares 0.5,0.5,0.5 --out x", 2, {"add up to 1"}},
        Refusal{"friends.csv --seed -1 --out x", 2, {"--seed -1"}},
        Refusal{"friends.csv --separator colon --out x", 2, {"--separator 'colon'", "semicolon"}},
        Refusal{"friends.csv --header maybe --out x", 2, {"--header 'maybe'", "yes or no"}},
        Refusal{"friends.csv --format cvs --out x", 2, {"--format 'cvs'", "csv"}},
        Refusal{"odd.xyz --out x", 2, {"odd.xyz", "--format"}},
        Refusal{"g.json --nodes people.csv --out x", 2, {"--nodes people.csv goes with an edge list"}},
        Refusal{"bad.csv --out x", 1, {"bad.csv, line 3: 1 field "}},
        Refusal{"g.json --out x", 1, {"g.json: not valid JSON"}},
        Refusal{"friends.csv --nodes short.csv --out x", 1, {"friends.csv, line 2: node 'p1' is not in short.csv"}},
        Refusal{"friends.csv --nodes people.csv --features age,size --out x", 2, {"--features 'size'", "'age'"}},
        Refusal{"friends.csv --nodes gaps.csv --missing-nodes zero --features age --out x", 1, {"holds no values"}},
        Refusal{"friends.csv --out nowhere/x.safetensors", 1, {"nowhere"}}));

}  // namespace
}  // namespace factorgcn::cli
