// The scheduler shared by several processes, here threads: each job is done once, all hear the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "base/error_text.h"
#include "collective/ranks.h"
#include "factorgcn/base/files.h"
#include "reproduce/fake_program.h"

namespace factorgcn {
namespace {

using State = RunOutcome::State;

class SpreadJobs : public FakeProgram {
 protected:
  void SetUp() override {
    static const std::string missing = testing::no_ranks();
    if (!missing.empty()) {
      GTEST_SKIP() << missing;
    }
    FakeProgram::SetUp();
  }

  static Plan plan_of(int runs) {
    Plan plan;
    for (int run = 0; run < runs; ++run) {
      plan.runs.push_back({"run-" + std::to_string(run), {{"dataset", "synthetic"}, {"seed", 0}}, false});
    }
    return plan;
  }

  /// What each rank gets, and what each throws.
  std::vector<std::string> execute(int ranks, const Plan& plan) {
    outcomes_.assign(static_cast<std::size_t>(ranks), {});
    return testing::on_all_ranks(ranks, [&](Group& group) {
      ExecuteOptions options = options_;
      options.group = &group;
      outcomes_[static_cast<std::size_t>(group.rank())] = execute_plan(plan, options, observer_);
    });
  }

  std::vector<std::vector<RunOutcome>> outcomes_;
};

TEST_F(SpreadJobs, EachIsDoneOnceAndAllHearTheSame) {
  program("sleep 0.2; case \"$out\" in *run-3) echo broken; exit 1;; esac; echo '{}' > \"$out/metrics.json\"");
  for (const std::string& thrown : execute(3, plan_of(7))) {
    EXPECT_EQ(thrown, "");
  }
  EXPECT_EQ(calls().size(), 7U);
  for (const auto& of_rank : outcomes_) {
    ASSERT_EQ(of_rank.size(), 7U);
    for (std::size_t run = 0; run < 7; ++run) {
      EXPECT_EQ(of_rank[run].state, run == 3 ? State::kFailed : State::kDone) << run;
      EXPECT_EQ(of_rank[run].seconds, outcomes_[0][run].seconds);
    }
    EXPECT_EQ(of_rank[3].message, "exit code 1: broken");
  }
  // The next call, by fewer, tries the failed one alone.
  execute(2, plan_of(7));
  EXPECT_EQ(calls().size(), 8U);
}

TEST_F(SpreadJobs, ChildrenAreAlone) {
  ::setenv("WORLD_SIZE", "2", 1);
  ::setenv("RANK", "1", 1);
  program("echo \"${RANK:-none} ${WORLD_SIZE:-none}\" > \"$out/place\"; echo '{}' > \"$out/metrics.json\"");
  execute_plan(plan_of(1), options_, observer_);
  ::unsetenv("WORLD_SIZE");
  ::unsetenv("RANK");
  EXPECT_EQ(read_file(run_folder(options_.out, "run-0") / "place"), "none none\n");
}

TEST_F(SpreadJobs, AFolderThatNotAllSeeIsRefused) {
  program("echo '{}' > \"$out/metrics.json\"");
  const auto thrown = testing::on_all_ranks(2, [&](Group& group) {
    ExecuteOptions options = options_;
    options.group = &group;
    options.out = folder_ / (group.rank() == 0 ? "here" : "there");
    execute_plan(plan_of(2), options, observer_);
  });
  for (const std::string& text : thrown) {
    EXPECT_NE(text.find("rank 1 does not see the folder"), std::string::npos) << text;
  }
  EXPECT_TRUE(calls().empty());
}

}  // namespace
}  // namespace factorgcn
