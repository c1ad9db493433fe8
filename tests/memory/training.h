// A training run of some milliseconds whose requests for memory are refused: it must end in an exception or in its
// results, and the next call in the results.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/train/run.h"
#include "factorgcn/train/run_directory.h"
#include "memory/refused_requests.h"

namespace factorgcn {

class SmallTraining {
 public:
  SmallTraining() { prepare_process(1); }

  RefusedRequests refuse(long step) {
    begin();  // what is kept for good is asked for once
    const std::string expected = result();
    return refuse_requests([this] { return begin(); }, step, [this] { std::filesystem::remove_all(run_); },
                           [&](const std::string& when, bool /*done*/) {
                             EXPECT_EQ(in_a_fork([this] { return go_on(); }), expected)
                                 << when << ", after the next call";
                           });
  }

 private:
  std::string begin() {
    run_training(config(), silent_, true);
    return result();
  }

  std::string go_on() {
    if (!std::filesystem::exists(run_ / "config.json")) {
      return begin();
    }
    resume_training(run_, silent_);
    return result();
  }

  RunConfig config() const {
    return resolve_config(std::vector<nlohmann::json>{{{"data", {{"train", 8}, {"validation", 4}, {"test", 4}}},
                                                       {"epochs", 2},
                                                       {"batch_size", 4},
                                                       {"seed", 5},
                                                       {"threads", 1},
                                                       {"checkpoint_seconds", 0},
                                                       {"out", run_.string()}}});
  }

  std::string result() const {
    nlohmann::json metrics = nlohmann::json::parse(read_file(run_ / "metrics.json"));
    metrics.erase("seconds");
    return metrics.dump() + read_file(run_ / "model.safetensors");
  }

  Observer silent_;
  TemporaryFolder folder_;
  std::filesystem::path run_ = folder_.path() / "run";
};

}  // namespace factorgcn
