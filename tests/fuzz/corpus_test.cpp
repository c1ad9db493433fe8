// Every stored fuzz input goes through its target: seeds, and inputs that once found something.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/base/files.h"
#include "fuzz/targets.h"

namespace factorgcn {
namespace {

std::vector<std::filesystem::path> inputs_of(std::string_view target) {
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FACTORGCN_FUZZ_CORPUS) / target)) {
    inputs.push_back(entry.path());
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

TEST(Corpus, EveryTargetTakesItsStoredInputs) {
  for (const FuzzTarget& target : kFuzzTargets) {
    const std::vector<std::filesystem::path> inputs = inputs_of(target.name);
    EXPECT_GE(inputs.size(), 3U) << target.name << " has hardly any inputs";
    for (const std::filesystem::path& input : inputs) {
      SCOPED_TRACE(input.string());
      EXPECT_NO_THROW(target.run(read_file(input)));
    }
  }
}

TEST(Corpus, EveryTargetTakesItsInputsCutShortAndBitwiseChanged) {
  for (const FuzzTarget& target : kFuzzTargets) {
    for (const std::filesystem::path& input : inputs_of(target.name)) {
      SCOPED_TRACE(input.string());
      const std::string whole = read_file(input);
      const std::size_t step = std::max<std::size_t>(1, whole.size() / 64);
      for (std::size_t place = 0; place < whole.size(); place += step) {
        EXPECT_NO_THROW(target.run(whole.substr(0, place)));
        std::string changed = whole;
        changed[place] = static_cast<char>(changed[place] ^ (1 << place % 8));
        EXPECT_NO_THROW(target.run(changed));
      }
    }
  }
}

TEST(Corpus, EveryFolderBelongsToATarget) {
  for (const auto& entry : std::filesystem::directory_iterator(FACTORGCN_FUZZ_CORPUS)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(std::any_of(kFuzzTargets.begin(), kFuzzTargets.end(), [&](const FuzzTarget& target) {
      return target.name == name;
    })) << name;
  }
}

}  // namespace
}  // namespace factorgcn
