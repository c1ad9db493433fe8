// The environment of torchrun and of Slurm, right and wrong.
#include "factorgcn/collective/place.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "base/error_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

/// The variables while it lives, and no others of those that are looked at.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    clear();
    for (const auto& [name, value] : variables) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Environment() { clear(); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void clear() {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_USE_AGENT_STORE",
          "TORCHELASTIC_RESTART_COUNT", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NODELIST", "SLURM_JOB_ID",
          "SLURM_NTASKS_PER_NODE", "SLURM_RESTART_COUNT"}) {
      ::unsetenv(name);
    }
  }
};

TEST(Place, IsAloneWithoutWord) {
  const Environment environment({});
  EXPECT_TRUE(place_from_environment().alone());
}

TEST(Place, FollowsTorchrun) {
  std::map<std::string, std::string> variables{{"RANK", "0"},          {"WORLD_SIZE", "4"},
                                               {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "node7"},
                                               {"MASTER_PORT", "29500"}};
  {
    const Environment environment(variables);
    const Place place = place_from_environment();
    EXPECT_EQ(place.rank, 0);
    EXPECT_EQ(place.size, 4);
    EXPECT_EQ(place.on_this_machine, 2);
    EXPECT_EQ(place.host, "node7");
    EXPECT_EQ(place.port, 29500);
    EXPECT_TRUE(place.keeps_meeting_point);
    EXPECT_FALSE(place.started_again);
  }
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  variables["TORCHELASTIC_RESTART_COUNT"] = "1";
  const Environment environment(variables);
  EXPECT_FALSE(place_from_environment().keeps_meeting_point);
  EXPECT_TRUE(place_from_environment().started_again);
}

TEST(Place, FollowsSlurm) {
  const Environment environment({{"SLURM_PROCID", "3"},
                                 {"SLURM_STEP_NUM_TASKS", "8"},
                                 {"SLURM_STEP_NODELIST", "rack2-[03-07,12],other"},
                                 {"SLURM_NTASKS_PER_NODE", "4"},
                                 {"SLURM_JOB_ID", "1234567"}});
  const Place place = place_from_environment();
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.size, 8);
  EXPECT_EQ(place.on_this_machine, 4);
  EXPECT_EQ(place.host, "rack2-03");
  EXPECT_EQ(place.port, 20'000 + 1234567 % 20'000);
  EXPECT_FALSE(place.keeps_meeting_point);
}

TEST(Place, TakesTheFirstOfPlainNodeNames) {
  const Environment environment({{"SLURM_PROCID", "0"},
                                 {"SLURM_STEP_NUM_TASKS", "2"},
                                 {"SLURM_STEP_NODELIST", "alpha,beta[1-3]"},
                                 {"SLURM_JOB_ID", "5"}});
  EXPECT_EQ(place_from_environment().host, "alpha");
}

TEST(Place, NamesWhatIsWrong) {
  const auto message = [](const std::map<std::string, std::string>& variables) {
    const Environment environment(variables);
    return error_text([] { place_from_environment(); });
  };
  EXPECT_NE(message({{"RANK", "0"}}).find("WORLD_SIZE"), std::string::npos);
  EXPECT_NE(message({{"WORLD_SIZE", "2"}, {"RANK", "2"}}).find("RANK is '2'"), std::string::npos);
  EXPECT_NE(message({{"WORLD_SIZE", "two"}, {"RANK", "0"}}).find("'two'"), std::string::npos);
  EXPECT_NE(message({{"WORLD_SIZE", "2"}, {"RANK", "1"}}).find("MASTER_ADDR"), std::string::npos);
  EXPECT_NE(message({{"WORLD_SIZE", "2"}, {"RANK", "1"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "99999"}}).find("99999"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
