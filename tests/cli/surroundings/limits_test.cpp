// Limits that a system administrator sets, rights that a user lacks, and masks that take all rights away.
#include <gtest/gtest.h>

#include "cli/faults/watched_command.h"
#include "cli/surroundings/nobody.h"
#include "cli/surroundings/one_line.h"
#include "cli/workplace.h"
#include "factorgcn/base/files.h"

namespace factorgcn::cli {
namespace {

namespace fs = std::filesystem;

const std::string kLimitedRun = "\"$FACTORGCN\" train --quiet --threads 1 --out run" + kSmall;

/// Exit code 1, one line with the text, and no half file.
void expect_told(const Workplace& place, const Outcome& outcome, const std::string& text) {
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  expect_one_line(outcome, text);
  for (const auto& entry : fs::recursive_directory_iterator(place.path(""))) {
    EXPECT_FALSE(is_half_written(entry.path().filename().string())) << entry.path();
  }
}

/// Under a limit of a file's size, which our own file for standard error must not meet.
Outcome with_small_files(const Workplace& place, int kibibytes, const std::string& line) {
  return place.shell("(ulimit -f " + std::to_string(kibibytes) + "; " + line +
                     ") 2>&1 >/dev/null | cat >&2; exit ${PIPESTATUS[0]}");
}

TEST(Limits, FewOpenFiles) {
  const Workplace place;
  const Outcome outcome = place.shell("ulimit -n 20; " + kLimitedRun);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(place.has("run/page.html"));
}

TEST(Limits, SmallFiles) {
  const Workplace whole, place;
  ASSERT_EQ(whole.shell(kLimitedRun).code, 0);
  // Neither checkpoint nor page fit, at first not even the configuration.
#if !defined(__SANITIZE_THREAD__)  // which writes a file of its own before main() begins
  expect_told(place, with_small_files(place, 0, kLimitedRun), "File too large");
#endif
  expect_told(place, with_small_files(place, 8, kLimitedRun + " --force"), "File too large");
  const Outcome again = place.shell(kLimitedRun + " --force");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(tensor_bytes(place.read("run/model.safetensors")) == tensor_bytes(whole.read("run/model.safetensors")));
}

TEST(Limits, SmallFilesDuringATakeAway) {
  const Workplace place;
  ASSERT_EQ(place.shell(kLimitedRun).code, 0);
  expect_told(place, with_small_files(place, 8, "\"$FACTORGCN\" factors run --out f.csv"), "File too large");
  expect_told(place, with_small_files(place, 8, "\"$FACTORGCN\" page run --out p.html"), "File too large");
  EXPECT_FALSE(place.has("f.csv"));
  EXPECT_FALSE(place.has("p.html"));
}

/// Under a limit the process ends in order, or, where not even the libraries can be loaded, before it does anything.
/// OpenBLAS is kept to one thread: its others ask for their 128 MB for ever (docs/reliability.md).
TEST(Limits, LittleMemory) {
  if (!can_preload()) {
    GTEST_SKIP() << "a sanitizer's library takes terabytes of address space";
  }
  int told = 0, done = 0;
  for (int megabytes = 300; megabytes <= 4000 && done < 2; megabytes += megabytes < 500 ? 200 : 20) {
    const Workplace place;
    const Outcome outcome = place.shell(
        "ulimit -c 0; ulimit -v " + std::to_string(megabytes * 1000) + "; " + kLimitedRun, {"OPENBLAS_NUM_THREADS=1"});
    if (outcome.code == 0) {
      ++done;
    } else if (outcome.code == 1) {
      ++told;
      expect_told(place, outcome, "out of memory");
    } else {
      EXPECT_FALSE(place.has("run")) << megabytes << " MB, exit code " << outcome.code << ": " << outcome.err;
    }
  }
  EXPECT_EQ(done, 2) << "no limit was large enough";
  EXPECT_GT(told, 0) << "no limit was met by the program itself";
}

TEST(Rights, OfNewFilesFollowTheMask) {
  const Workplace place;
  ASSERT_EQ(place.shell("umask 077; " + kLimitedRun).code, 0);
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  EXPECT_EQ(fs::status(place.path("run")).permissions() & kOthers, fs::perms::none);
  for (const auto& entry : fs::recursive_directory_iterator(place.path("run"))) {
    EXPECT_EQ(entry.status().permissions() & kOthers, fs::perms::none) << entry.path();
  }
}

TEST(Rights, AreMissing) {
  const Workplace place;
  ASSERT_EQ(place.shell(kLimitedRun + " --no-page").code, 0);
  if (!can_be_nobody(place)) {
    GTEST_SKIP() << "this user cannot become another, or the program cannot be started by others";
  }
  fs::permissions(place.path(""),
                  fs::perms::owner_all | fs::perms::group_all | fs::perms::others_read | fs::perms::others_exec);
  const std::string factorgcn = kAsNobody + "\"$FACTORGCN\" ";
  const std::string train = " train --quiet --threads 1" + kSmall;
  // A folder in which nothing may be made, and a mask by which what was made cannot be entered.
  expect_told(place, place.shell(factorgcn + train + "--out other"), "Permission denied");
  expect_told(place, place.shell(factorgcn + "factors run --out f.csv"), "Permission denied");
  expect_told(place, place.shell(factorgcn + "train --resume run --epochs 5 --quiet"), "Permission denied");
  fs::create_directory(place.path("open"));
  fs::permissions(place.path("open"), fs::perms::all);
  expect_told(place, place.shell("umask 777; " + factorgcn + train + "--out open/run"), "Permission denied");
  // Files that may not be read.
  place.write("edges.csv", "a,b\nx,y\ny,z\nz,x\n");
  fs::permissions(place.path("edges.csv"), fs::perms::owner_all);
  expect_told(place, place.shell(factorgcn + "data import edges.csv --out open/g.safetensors"), "Permission denied");
  fs::permissions(place.path("run/model.safetensors"), fs::perms::owner_all);
  expect_told(place, place.shell(factorgcn + "evaluate run"), "Permission denied");
}

}  // namespace
}  // namespace factorgcn::cli
