#include "cli/faults/watched_command.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

namespace factorgcn::cli {

namespace fs = std::filesystem;

bool can_preload() { return std::string(FACTORGCN_PRELOAD_PATH) != ""; }

RehearsedCommand::RehearsedCommand(const WatchedCommand& command) : command_(command) {
  command_.prepare(prepared_);
  const Workplace place;
  fill(place);
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = place.run(command_.arguments, environment(place));
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(outcome.code, 0) << command_.name << ": " << outcome.err << outcome.out;
  expected_ = command_.result(place);
  EXPECT_FALSE(expected_.empty()) << command_.name << ": the results are empty";
  if (can_preload()) {
    forked_ = std::make_unique<ForkedProgram>();
  }
}

Outcome RehearsedCommand::run(const Workplace& place, const std::string& arguments,
                              const std::vector<std::string>& more) const {
  std::vector<std::string> variables = environment(place);
  variables.insert(variables.end(), more.begin(), more.end());
  return forked_ != nullptr ? forked_->run(place, arguments, variables) : place.run(arguments, variables);
}

void RehearsedCommand::fill(const Workplace& place) const {
  fs::copy(prepared_.path(""), place.path(""), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

std::vector<std::string> RehearsedCommand::environment(const Workplace& place) {
  return {"HOME=" + place.path("").string(), "FACTORGCN_DATA=" + place.path("data").string(), "NO_PROXY=*",
          "no_proxy=*"};
}

void RehearsedCommand::expect_result(const Workplace& place, const std::string& when) const {
  EXPECT_TRUE(command_.result(place) == expected_) << when << "the results differ from those of an undisturbed command";
}

void RehearsedCommand::go_on(const Workplace& place, const std::string& when) const {
  Outcome outcome;
  for (const std::string& arguments : command_.again) {
    outcome = run(place, arguments);
    if (outcome.code != 2) {
      break;
    }
  }
  EXPECT_EQ(outcome.code, 0) << when << "the next call failed: " << outcome.err;
  expect_result(place, when + "after the next call ");
}

}  // namespace factorgcn::cli
