// The program opens its data once a command, whatever the command does with them.
#include <gtest/gtest.h>

#include "cli/workplace.h"
#include "shelf/file_openings.h"
#include "shelf/tu_folder.h"

namespace factorgcn::cli {
namespace {

using testing::FileOpenings;

/// Openings of `file` by a command that must succeed.
int openings(const Workplace& place, const std::filesystem::path& file, const std::string& command,
             const std::vector<std::string>& environment = {}) {
  FileOpenings counter(file);
  const Outcome outcome = place.run(command, environment);
  EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
  return counter.count();
}

TEST(Opening, AFileIsReadOnceByEveryCommand) {
  const Workplace place;
  ASSERT_EQ(
      place.run("data make synthetic --train-size 60 --validation-size 20 --test-size 20 --out x.safetensors").code, 0);
  const auto file = place.path("x.safetensors");
  EXPECT_EQ(openings(place, file, "train --dataset x.safetensors --epochs 2 --batch-size 20 --out run"), 1);
  EXPECT_TRUE(place.has("run/page.html"));
  EXPECT_EQ(openings(place, file, "train --resume run --epochs 3"), 1);
  EXPECT_EQ(openings(place, file, "evaluate run"), 1);
  EXPECT_EQ(openings(place, file, "page run"), 1);
  EXPECT_EQ(openings(place, file, "train --dataset x.safetensors --model random --out drawn"), 1);
}

TEST(Opening, FoldsShareOneOpening) {
  const Workplace place;
  testing::write_tu_folder(place.path("data"), "RINGS", 24);
  const std::vector<std::string> environment{"FACTORGCN_DATA=" + place.path("data").string()};
  ASSERT_EQ(place.run("data info RINGS", environment).code, 0);  // leaves the parsed copy
  const auto file = place.path("data/parsed/RINGS.safetensors");
  const std::string command =
      "train --dataset RINGS --folds --fold-count 3 --epochs 2 --set hidden=8 --set factors=2,1 --out folds";
  EXPECT_EQ(openings(place, file, command, environment), 1);
  EXPECT_TRUE(place.has("folds/published/fold-03/metrics.json"));
}

}  // namespace
}  // namespace factorgcn::cli
