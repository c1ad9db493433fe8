// What a user takes away from a run: factor graphs, answers, scores on other data, and the run itself to another place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "cli/workplace.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/graphml.h"
#include "factorgcn/io/gzip_writer.h"

namespace factorgcn::cli {
namespace {

bool has_part(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Rows of a csv file without quotes in it, as columns by name.
std::vector<std::map<std::string, std::string>> read_csv(const std::string& text) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells(1);
    for (const char letter : line) {
      letter == ',' ? void(cells.emplace_back()) : cells.back().push_back(letter);
    }
    if (names.empty()) {
      names = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), names.size()) << line;
    std::map<std::string, std::string> row;
    for (std::size_t column = 0; column < names.size(); ++column) {
      row[names[column]] = cells[column];
    }
    rows.push_back(row);
  }
  return rows;
}

/// A ring of people with chords, two teams, some of them without one; every third edge is written backwards.
struct Friends {
  std::vector<std::pair<std::string, std::string>> edges;
  std::string edge_text = "from,to,relation\n", people = "name,age,city,team\n";

  explicit Friends(int count = 24) {
    const auto name = [](int person) { return "p" + std::to_string(person); };
    for (int person = 0; person < count; ++person) {
      for (const int step : {1, 5}) {
        std::pair ends{name(person), name((person + step) % count)};
        if (person % 3 == 0) {
          std::swap(ends.first, ends.second);
        }
        edges.push_back(ends);
        edge_text += ends.first + "," + ends.second + "," + (step == 1 ? "work" : "sport") + "\n";
      }
      people += name(person) + "," + std::to_string(20 + person) + "," + (person % 4 == 0 ? "Oslo" : "Rome") + "," +
                (person % 12 == 11 ? ""
                 : person % 2 == 0 ? "red"
                                   : "blue") +
                "\n";
    }
  }
};

Outcome expect_done_in(const Workplace& place, const std::string& command) {
  const Outcome outcome = place.run(command);
  EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
  return outcome;
}

/// The friends imported, and a short run on them.
void train_on_friends(const Workplace& place) {
  place.write("friends.csv", Friends().edge_text);
  place.write("people.csv", Friends().people);
  expect_done_in(place, "data import friends.csv --nodes people.csv --label team --out friends.safetensors");
  expect_done_in(place, "train --dataset friends.safetensors --epochs 4 --out run --no-page --quiet");
}

class TakeAway : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    trained = std::make_unique<Workplace>();
    train_on_friends(*trained);
  }
  static void TearDownTestSuite() { trained.reset(); }

  /// Each test has a copy of its own.
  void SetUp() override {
    std::filesystem::create_directory(place.path("run"));
    for (const char* file : {"friends.csv", "people.csv", "friends.safetensors", "run/config.json", "run/metrics.json",
                             "run/model.safetensors"}) {
      place.write(file, trained->read(file));
    }
  }

  Outcome expect_done(const std::string& command) const { return expect_done_in(place, command); }

  static inline std::unique_ptr<Workplace> trained;
  Workplace place;
  Friends friends;
};

TEST_F(TakeAway, FactorsJoinedBackToTheInputLoseNoEdge) {
  const Outcome outcome = expect_done("factors run --out factors.csv");
  EXPECT_TRUE(has_part(outcome.out, "48 edges of 1 graph: 48 rows")) << outcome.out;
  const auto rows = read_csv(place.read("factors.csv"));
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& row : rows) {
    found.emplace(row.at("source"), row.at("target"));
    EXPECT_EQ(row.at("graph"), "0");
    EXPECT_EQ(row.at("layer"), rows.front().at("layer"));
    const double value = std::stod(row.at("factor_1"));
    EXPECT_TRUE(value >= 0 && value <= 1) << value;
  }
  EXPECT_EQ(rows.size(), friends.edges.size());
  EXPECT_EQ(found, std::set(friends.edges.begin(), friends.edges.end()));
  EXPECT_TRUE(std::all_of(rows.begin(), rows.end(), [](const auto& row) {
    return row.at("relation") == "work" || row.at("relation") == "sport";
  }));
}

TEST_F(TakeAway, FactorsCanBeChosenFrom) {
  expect_done("factors run --layer all --out all.csv");
  const auto all = read_csv(place.read("all.csv"));
  EXPECT_EQ(all.size() % friends.edges.size(), 0U);
  EXPECT_EQ(all[0].at("source") + all[0].at("target"), all[1].at("source") + all[1].at("target"));
  EXPECT_EQ(all[0].at("layer") + all[1].at("layer"), "12");
  expect_done("factors run --out both.csv --both-directions");
  EXPECT_EQ(read_csv(place.read("both.csv")).size(), 2 * friends.edges.size());
  expect_done("factors run --out loops.csv --self-loops");
  EXPECT_EQ(read_csv(place.read("loops.csv")).size(), friends.edges.size() + 24);
  expect_done("factors run --out factors.csv");
  expect_done("factors run --strongest --out strongest.csv");
  const auto every = read_csv(place.read("factors.csv")), strongest = read_csv(place.read("strongest.csv"));
  ASSERT_EQ(every.size(), strongest.size());
  for (std::size_t row = 0; row < every.size(); ++row) {
    EXPECT_EQ(every[row].at("factor_" + strongest[row].at("factor")), strongest[row].at("coefficient"));
  }
  const std::string bound = strongest[strongest.size() / 2].at("coefficient");
  const double middle = std::stod(bound);
  expect_done("factors run --strongest --out some.csv --threshold " + bound);
  const auto some = read_csv(place.read("some.csv"));
  EXPECT_EQ(static_cast<std::ptrdiff_t>(some.size()),
            std::count_if(strongest.begin(), strongest.end(),
                          [&](const auto& row) { return std::stod(row.at("coefficient")) >= middle; }));
}

TEST_F(TakeAway, EveryFormatHoldsTheSameEdges) {
  for (const char* name : {"f.graphml", "f.gexf", "f.json", "f.safetensors", "f.tsv"}) {
    expect_done(std::string("factors run --layer all --out ") + name);
  }
  if (can_write_gzip()) {
    expect_done("factors run --out f.csv.gz");
    EXPECT_EQ(place.read("f.csv.gz").substr(0, 2), "\x1f\x8b");
  }
  const nlohmann::json json = place.read_json("f.json");
  EXPECT_FALSE(json.at("directed").get<bool>());
  ASSERT_EQ(json.at("links").size(), friends.edges.size());
  EXPECT_TRUE(json.at("links")[0].contains("layer_2_factor_1"));
  EXPECT_EQ(json.at("nodes")[0].at("class"), "red");
  EXPECT_FALSE(json.at("nodes")[11].contains("class"));
  if (can_read_graphml()) {
    const GraphTables tables = read_graphml(place.read("f.graphml"), "f.graphml");
    EXPECT_EQ(tables.edges.num_rows(), friends.edges.size());
  }
}

TEST_F(TakeAway, AnswersStandBesideTheTruth) {
  expect_done("predict run --out answers.csv");
  const auto rows = read_csv(place.read("answers.csv"));
  ASSERT_EQ(rows.size(), 24U);
  EXPECT_EQ(rows[3].at("node"), "p3");
  EXPECT_EQ(rows[0].at("truth"), "red");
  EXPECT_EQ(rows[11].at("truth"), "");
  EXPECT_EQ(rows[11].at("part"), "");
  for (const auto& row : rows) {
    const double red = std::stod(row.at("p_red")), blue = std::stod(row.at("p_blue"));
    EXPECT_NEAR(red + blue, 1, 1e-5);
    EXPECT_EQ(row.at("predicted"), red > blue ? "red" : "blue");
  }
  expect_done("predict run --split test --out test.json");
  const nlohmann::json test = place.read_json("test.json");
  EXPECT_EQ(static_cast<std::ptrdiff_t>(test.size()),
            std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.at("part") == "test"; }));
}

TEST_F(TakeAway, OtherDataAreMatchedByName) {
  // The same people in another order of columns, with one more column and without labels.
  std::istringstream lines(friends.people);
  std::string moved;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells(1);
    for (const char letter : line) {
      letter == ',' ? void(cells.emplace_back()) : cells.back().push_back(letter);
    }
    moved += cells[2] + "," + (moved.empty() ? "shoes" : "7") + "," + cells[0] + "," + cells[1] + "\n";
  }
  place.write("moved.csv", moved);
  expect_done("data import friends.csv --nodes moved.csv --node name --label none --out moved.safetensors");
  const Outcome outcome = expect_done("predict run --dataset moved.safetensors --out moved_answers.csv");
  EXPECT_TRUE(has_part(outcome.err, "does not read 'shoes'")) << outcome.err;
  expect_done("predict run --out answers.csv");
  const auto own = read_csv(place.read("answers.csv")), other = read_csv(place.read("moved_answers.csv"));
  ASSERT_EQ(own.size(), other.size());
  for (std::size_t row = 0; row < own.size(); ++row) {
    EXPECT_EQ(own[row].at("node"), other[row].at("node"));
    EXPECT_EQ(own[row].at("p_red"), other[row].at("p_red"));
    EXPECT_EQ(other[row].at("truth"), "");
  }
  expect_done("factors run --dataset moved.safetensors --out moved_factors.csv");
  expect_refused(place.run("evaluate run --dataset moved.safetensors"), {"moved.safetensors", "predict"});

  place.write("bare.csv", "name,age\np1,3\np2,4\n");
  place.write("pair.csv", "from,to\np1,p2\n");
  expect_done("data import pair.csv --nodes bare.csv --label none --out bare.safetensors");
  expect_refused(place.run("predict run --dataset bare.safetensors --out x.csv"),
                 {"bare.safetensors", "missing: 'city=Oslo', 'city=Rome'"});
  EXPECT_FALSE(place.has("x.csv"));
}

TEST_F(TakeAway, NewLabelledDataAreScoredByClassName) {
  // Only reds here: their class is number 0 of these data and number 1 of the model.
  place.write("reds.csv", "name,age,city,team\np0,20,Oslo,red\np1,21,Rome,red\np2,22,Rome,red\n");
  place.write("reds_edges.csv", "from,to\np0,p1\np1,p2\n");
  expect_done("data import reds_edges.csv --nodes reds.csv --label team --out reds.safetensors");
  expect_done("predict run --dataset reds.safetensors --out reds_answers.csv");
  const auto rows = read_csv(place.read("reds_answers.csv"));
  ASSERT_EQ(rows.size(), 3U);
  const auto right =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.at("predicted") == "red"; });
  EXPECT_EQ(rows[0].at("truth"), "red");
  const Outcome outcome = expect_done("evaluate run --dataset reds.safetensors --json");
  const nlohmann::json scores = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(scores.at("scores").at("accuracy").get<double>(), static_cast<double>(right) / 3, 1e-6);
  EXPECT_EQ(scores.at("samples"), 3);
}

TEST(TakeAwayRuns, TravelWithTheirData) {
  const Workplace place;
  train_on_friends(place);
  std::filesystem::create_directories(place.path("far/away"));
  std::filesystem::rename(place.path("run"), place.path("far/run"));
  std::filesystem::rename(place.path("friends.safetensors"), place.path("far/friends.safetensors"));
  // Something else is where the data were: the right ones are known by content.
  place.write("other.csv", "from,to,relation\na,b,work\nb,c,work\n");
  place.write("others.csv", "name,age,city,team\na,1,Oslo,red\nb,2,Rome,blue\nc,2,Rome,red\n");
  expect_done_in(place, "data import other.csv --nodes others.csv --label team --out friends.safetensors");
  expect_done_in(place, "evaluate far/run");
  const std::string elsewhere =
      "cd '" + place.path("far/away").string() + "' && '" FACTORGCN_CLI_PATH "' predict ../run --out p.csv > out 2>&1";
  EXPECT_EQ(std::system(elsewhere.c_str()), 0) << place.read("far/away/out");
  std::filesystem::remove(place.path("far/friends.safetensors"));
  expect_refused(place.run("evaluate far/run"), {"not the data", "--changed-data", "--dataset"});
  expect_refused(place.run("factors far/run --out f.csv"), {"not the data"});
  EXPECT_EQ(place.run("factors far/run --changed-data --out f.csv").code, 0);
  expect_refused(place.run("train --resume far/run --no-page"), {"not the data", "train --resume"});
  // Taken now, these have another fault.
  expect_refused(place.run("train --resume far/run --changed-data --no-page --quiet"), {"no validation graphs"});
  std::filesystem::remove(place.path("friends.safetensors"));
  expect_refused(place.run("evaluate far/run"), {"not found", "--dataset"});
}

TEST_F(TakeAway, ConfigurationHoldsNamesAndStillConfigures) {
  const nlohmann::json config = place.read_json("run/config.json");
  const nlohmann::json& trained = config.at("trained_on");
  EXPECT_EQ(trained.at("output_names"), nlohmann::json({"blue", "red"}));
  EXPECT_EQ(trained.at("feature_names"), nlohmann::json({"age", "city=Oslo", "city=Rome"}));
  EXPECT_EQ(trained.at("from_run"), "../friends.safetensors");
  EXPECT_EQ(trained.at("content").get<std::string>().size(), 16U);
  expect_done("train --config run/config.json --out again --epochs 1 --no-page --quiet");
  // A run of an older version knows nothing of its data, and works as it did.
  nlohmann::json older = config;
  older.erase("trained_on");
  place.write("run/config.json", older.dump(2));
  expect_done("evaluate run");
  expect_done("predict run --dataset friends.safetensors --out older.csv");
}

TEST_F(TakeAway, MistakesAreNamed) {
  expect_refused(place.run("factors run --out f.png"), {"f.png", ".graphml", ".csv"});
  expect_refused(place.run("factors run --out f.csv --layer 9"), {"--layer 9", "2 layers"});
  expect_refused(place.run("factors run --out f.csv --graphs 1"), {"--graphs 1", "1 graphs"});
  expect_refused(place.run("factors run --out f.csv --threshold 2"), {"--threshold 2"});
  expect_refused(place.run("factors run --out f.csv --split test"), {"splits nodes"});
  expect_refused(place.run("factors nowhere --out f.csv"), {"nowhere"});
  expect_refused(place.run("predict run --out p.graphml"), {".json"});
  expect_refused(place.run("predict run --out p.csv --dataset missing.safetensors"), {"missing.safetensors"});
  expect_refused(place.run("predict run --out people.csv"), {"people.csv", "--force"});
  expect_refused(place.run("evaluate run --dataset friends.safetensors --protocol published"), {"--protocol"});
  EXPECT_FALSE(place.has("f.csv") || place.has("p.csv"));
}

TEST(TakeAwayGraphs, ClassesOfGraphsAndLists) {
  const Workplace place;
  const auto done = [&](const std::string& command) { expect_done_in(place, command); };
  done("train" + kSmall + "--out run --no-page --quiet");
  done("predict run --split test --out p.csv");
  const auto rows = read_csv(place.read("p.csv"));
  ASSERT_EQ(rows.size(), 40U);
  EXPECT_TRUE(rows[0].contains("predicted_0") && rows[0].contains("truth_0") && rows[0].contains("p_0"));
  EXPECT_EQ(rows[0].at("predicted_0"), std::stod(rows[0].at("p_0")) >= 0.5 ? "1" : "0");
  done("factors run --graphs 3,7-8 --out f.csv");
  std::set<std::string> graphs;
  for (const auto& row : read_csv(place.read("f.csv"))) {
    graphs.insert(row.at("graph"));
  }
  EXPECT_EQ(graphs, (std::set<std::string>{"3", "7", "8"}));
  expect_refused(place.run("factors run --graphs 3,3 --out g.csv"), {"twice"});
  expect_refused(place.run("factors run --graphs 8-7 --out g.csv"), {"upwards"});
}

TEST(TakeAwayGraphs, ModelsWithoutFactorsSaySo) {
  const Workplace place;
  ASSERT_EQ(place.run("train --model mlp" + kSmall + "--out run --no-page --quiet").code, 0);
  expect_refused(place.run("factors run --out f.csv"), {"mlp", "no factor graphs"});
  EXPECT_EQ(place.run("predict run --split test --out p.csv").code, 0);
}

}  // namespace
}  // namespace factorgcn::cli
