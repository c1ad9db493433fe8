// Files that released versions wrote (tests/fixtures/formats/VERSION, made by tools/format_fixtures.sh) stay readable;
// files of a version that is still to come are refused by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/holds.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

namespace fs = std::filesystem;
using factorgcn::testing::holds;

std::vector<std::string> released_versions() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(FACTORGCN_FORMAT_FIXTURES)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

/// Numbers are compared as numbers: other instruction sets sum in other orders.
void expect_same_table(const std::string& now, const std::string& then) {
  std::istringstream now_lines(now), then_lines(then);
  std::string now_line, then_line;
  int row = 0;
  while (std::getline(then_lines, then_line)) {
    ++row;
    ASSERT_TRUE(std::getline(now_lines, now_line)) << "row " << row << " is missing";
    std::istringstream now_cells(now_line), then_cells(then_line);
    for (std::string now_cell, then_cell; std::getline(then_cells, then_cell, ',');) {
      ASSERT_TRUE(std::getline(now_cells, now_cell, ',')) << "row " << row << ": " << now_line;
      char* end = nullptr;
      const double value = std::strtod(then_cell.c_str(), &end);
      if (end != then_cell.c_str() && *end == '\0') {
        EXPECT_NEAR(std::stod(now_cell), value, 1e-4) << "row " << row;
      } else {
        EXPECT_EQ(now_cell, then_cell) << "row " << row;
      }
    }
  }
  EXPECT_FALSE(std::getline(now_lines, now_line)) << "there is a row more: " << now_line;
}

class OldFormats : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    fs::copy(fs::path(FACTORGCN_FORMAT_FIXTURES) / GetParam(), place.path(""),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  void expect_good(const std::string& arguments) const {
    const Outcome outcome = place.run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << ": " << outcome.err;
  }

  Workplace place;
};

TEST_P(OldFormats, ARunStillAnswers) {
  expect_good("evaluate run");
  expect_good("page run");
  expect_good("predict run --out now.csv");
  expect_same_table(place.read("now.csv"), place.read("predictions.csv"));
  expect_good("factors run --out now-factors.csv");
  expect_same_table(place.read("now-factors.csv"), place.read("factors.csv"));
}

TEST_P(OldFormats, ACheckpointGoesOn) {
  expect_good("train --resume half --epochs 3 --quiet --no-page");
  EXPECT_EQ(place.read_lines("half/history.jsonl").size(), 3U);
  expect_good("predict half --out now.csv");
  expect_same_table(place.read("now.csv"), place.read("predictions.csv"));
}

TEST_P(OldFormats, ADataSetFileIsRead) {
  expect_good("data info own.safetensors");
  expect_good("predict own-run --dataset own.safetensors --out now.csv");
  EXPECT_TRUE(holds(place.read("now.csv"), "p15"));
}

/// The parsed copy of a stored data set, whose files have the times that they had when it was made.
Outcome info_of_stored(const Workplace& place) {
  EXPECT_EQ(place.shell("touch -d @1700000000 data/TINY/*").code, 0);
  return place.run("data info TINY --fold-count 2", {"FACTORGCN_DATA=" + place.path("data").string()});
}

TEST_P(OldFormats, AParsedCopyIsTakenForItsFiles) {
  const std::string copy = place.read("data/parsed/TINY.safetensors");
  const Outcome info = info_of_stored(place);
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(info.out, place.read("tiny.txt"));
  EXPECT_EQ(info.err, "");
  EXPECT_TRUE(place.read("data/parsed/TINY.safetensors") == copy) << "it was made anew";
}

TEST_P(OldFormats, AParsedCopyOfANewerVersionIsMadeAnew) {
  std::string copy = place.read("data/parsed/TINY.safetensors");
  const std::string key = "\"cache_version\":\"";
  copy[copy.find(key) + key.size()] = '9';
  place.write("data/parsed/TINY.safetensors", copy);
  const Outcome info = info_of_stored(place);
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(info.out, place.read("tiny.txt"));
  EXPECT_TRUE(holds(info.err, "written by another version of this program")) << info.err;
}

TEST_P(OldFormats, PartsAreTrainedOn) {
  expect_good("train --dataset net-2 --set hidden=8 --epochs 2 --threads 1 --quiet --out on-parts");
  EXPECT_EQ(place.read_lines("on-parts/history.jsonl").size(), 2U);
  std::string manifest = place.read("net-2/parts.json");
  const std::string key = "\"format_version\": ";
  manifest[manifest.find(key) + key.size()] = '9';
  place.write("net-2/parts.json", manifest);
  const Outcome newer = place.run("train --dataset net-2 --epochs 1 --out other");
  EXPECT_EQ(newer.code, 1);
  EXPECT_TRUE(holds(newer.err, "parts.json: written by a newer version of this program")) << newer.err;
}

TEST_P(OldFormats, ADisentangledGraphIsKnownAgain) {
  const Outcome other = place.run("disentangle edges.csv --relations 2 --groups 3 --out parts --quiet");
  expect_refused(other, {"parts holds another result", "--force"});
}

TEST_P(OldFormats, ANewerFileIsRefusedByName) {
  for (const std::string name : {"run/model.safetensors", "half/checkpoint.safetensors", "own.safetensors"}) {
    std::string bytes = place.read(name);
    const std::string key = "\"format_version\":\"";
    const std::size_t digit = bytes.find(key) + key.size();
    ASSERT_LT(digit, bytes.size()) << name;
    bytes[digit] = '9';
    place.write(name, bytes);
  }
  for (const char* arguments : {"evaluate run", "train --resume half --epochs 3", "data info own.safetensors"}) {
    const Outcome outcome = place.run(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_TRUE(holds(outcome.err, "written by a newer version of this program (format_version 9")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, ".safetensors")) << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, OldFormats, ::testing::ValuesIn(released_versions()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace factorgcn::cli
