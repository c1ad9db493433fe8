// A signal cuts the listing of a folder short: the command has to begin it again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cli/faults/preloaded.h"

namespace factorgcn::cli {
namespace {

/// Numbers, from 1, of the calls that open a folder to list it: not those that open it to sync a rename.
std::vector<int> listings(const RehearsedCommand& rehearsed) {
  const Workplace place;
  rehearsed.fill(place);
  run_preloaded(rehearsed, place, {});
  const std::vector<SeenCall> calls = calls_of(rehearsed);
  std::vector<int> numbers;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if (calls[i].kind == "open" && calls[i - 1].kind != "rename" &&
        std::filesystem::is_directory(place.path(calls[i].name))) {
      numbers.push_back(static_cast<int>(i) + 1);
    }
  }
  return numbers;
}

TEST(InterruptedListing, IsBegunAgain) {
  if (!can_preload()) {
    GTEST_SKIP() << "a program under a sanitizer cannot be preloaded";
  }
  for (const char* name : {"train", "resume", "disentangle"}) {
    const auto& commands = watched_commands();
    const RehearsedCommand rehearsed(
        *std::find_if(commands.begin(), commands.end(), [&](const auto& command) { return command.name == name; }));
    const std::vector<int> numbers = listings(rehearsed);
    EXPECT_FALSE(numbers.empty()) << name << ": no listing was seen";
    for (const int number : numbers) {
      const Workplace place;
      rehearsed.fill(place);
      const Outcome outcome =
          run_preloaded(rehearsed, place, {"FACTORGCN_REFUSE=" + std::to_string(number) + " EINTR"});
      EXPECT_EQ(outcome.code, 0) << name << ", call " << number << ": " << outcome.err;
      rehearsed.expect_result(place, std::string(name) + ": ");
    }
  }
}

}  // namespace
}  // namespace factorgcn::cli
