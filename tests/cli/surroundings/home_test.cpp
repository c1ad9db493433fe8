// A home folder that is not there, is a file, or may not be written to: what needs no place for data works, the rest
// says in one line what is missing.
#include <gtest/gtest.h>

#include "base/holds.h"
#include "cli/surroundings/nobody.h"
#include "cli/surroundings/one_line.h"
#include "cli/workplace.h"
#include "shelf/data_folder.h"
#include "shelf/tiny_archive.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

const std::string kHomeless = "unset FACTORGCN_DATA XDG_CACHE_HOME HOME; ";

/// What needs no stored data.
void expect_work_without_data(const Workplace& place, const std::string& before) {
  const Outcome models = place.shell(before + "\"$FACTORGCN\" models");
  EXPECT_EQ(models.code, 0) << models.err;
  const Outcome train = place.shell(before + "\"$FACTORGCN\" train --quiet --threads 1 --out run" + kSmall);
  EXPECT_EQ(train.code, 0) << train.err;
  EXPECT_TRUE(place.has("run/page.html"));
}

class Home : public ::testing::Test {
 protected:
  void SetUp() override { write_bytes(place.path("mirror/TINY.zip"), tiny_archive("TINY")); }

  Workplace place;
};

TEST_F(Home, IsNotKnown) {
  expect_work_without_data(place, kHomeless);
  expect_one_line(place.shell(kHomeless + "\"$FACTORGCN\" data fetch TINY --mirror mirror"),
                  "set FACTORGCN_DATA to a folder");
  expect_one_line(place.shell(kHomeless + "\"$FACTORGCN\" data list"), "set FACTORGCN_DATA to a folder");
}

TEST_F(Home, IsAFile) {
  place.write("file", "no folder");
  const std::string before = kHomeless + "export HOME=$PWD/file; ";
  expect_work_without_data(place, before);
  expect_one_line(place.shell(before + "\"$FACTORGCN\" data fetch TINY --mirror mirror"), "file/.cache/factorgcn");
  EXPECT_EQ(place.shell(before + "\"$FACTORGCN\" data list").code, 0);
  EXPECT_EQ(place.read("file"), "no folder");
}

TEST_F(Home, MayNotBeWrittenTo) {
  if (!can_be_nobody(place)) {
    GTEST_SKIP() << "this user cannot become another, or the program cannot be started by others";
  }
  std::filesystem::create_directories(place.path("home/.cache"));
  const std::string before = kHomeless + "export HOME=$PWD/home; ";
  std::filesystem::permissions(place.path(""), std::filesystem::perms::all);
  const Outcome fetch = place.shell(before + kAsNobody + "\"$FACTORGCN\" data fetch TINY --mirror mirror");
  expect_one_line(fetch, "home/.cache/factorgcn");
  expect_one_line(fetch, "Permission denied");
  expect_work_without_data(place, before + kAsNobody);

  // Data that are there already are read; that their parsed copy cannot be kept is said, and no more.
  write_bytes(place.path("home/.cache/factorgcn/TINY.zip"), tiny_archive("TINY"));
  const Outcome info = place.shell(before + kAsNobody + "\"$FACTORGCN\" data info TINY --fold-count 2");
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_TRUE(holds(info.err, "will be parsed again the next time: cannot make the folder")) << info.err;
}

}  // namespace
}  // namespace factorgcn::cli
