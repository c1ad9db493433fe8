// The main() of every test program: GoogleTest's, plus --file=NAME, which runs the tests written in that source file.
//
// ctest has one entry per test file: loading libtorch takes a third of a second, so an entry per test would spend most
// of the time starting up, and with an entry per program one crash would hide the rest of a room. The tests of a file
// are looked up at run time, so none can be lost between the build and the list. A file without tests is an error.
//
// libtorch seeds its generator differently in every process; each test begins with the same seed, so that dropout drops
// the same places today and tomorrow, whichever tests ran before.
//
// Where all tests that were asked for are skipped, the first one's reason is the last line and 77 the exit code, which
// ctest shows as skipped rather than passed.
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>

namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// A GoogleTest filter of all tests written in `file`; empty where there are none.
std::string filter_for(std::string_view file) {
  std::string filter;
  const auto& unit = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s) {
    const auto& suite = *unit.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& info = *suite.GetTestInfo(t);
      if (base_name(info.file()) == file) {
        filter += std::string(filter.empty() ? "" : ":") + info.test_suite_name() + "." + info.name();
      }
    }
  }
  return filter;
}

/// Why the first test was skipped that was; empty where it gave no reason.
std::string reason_to_skip() {
  const auto& unit = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s) {
    const auto& suite = *unit.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& result = *suite.GetTestInfo(t)->result();
      if (result.Skipped() && result.total_part_count() > 0) {
        return result.GetTestPartResult(0).message();
      }
    }
  }
  return {};
}

class SeedBeforeEachTest : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& /*test*/) override { at::manual_seed(1); }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kFile = "--file=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kFile)) {
      std::cerr << "unknown argument '" << argument << "': expected --file=NAME or a --gtest_ option\n";
      return 2;
    }
    const std::string filter = filter_for(argument.substr(kFile.size()));
    if (filter.empty()) {
      std::cerr << argv[0] << " holds no tests of the file '" << argument.substr(kFile.size()) << "'\n";
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  }
  auto& unit = *::testing::UnitTest::GetInstance();
  unit.listeners().Append(new SeedBeforeEachTest);  // which owns it
  const int status = RUN_ALL_TESTS();
  if (status == 0 && unit.test_to_run_count() > 0 && unit.skipped_test_count() == unit.test_to_run_count()) {
    constexpr int kAllSkipped = 77;
    std::cout << "skipped: " << reason_to_skip() << "\n";
    return kAllSkipped;
  }
  return status;
}
