// A shell script in the program's place, for tests of the scheduler: it notes how it was called.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/reproduce/execute.h"

namespace factorgcn {

class FakeProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.out = folder_ / "out";
    options_.program = {(folder_ / "program").string()};
    clear_interrupt();
  }
  void TearDown() override { clear_interrupt(); }

  /// Stands for `factorgcn train --config FILE --out FOLDER ...`; $out is FOLDER, or RUN after --resume.
  void program(const std::string& body) const {
    std::ofstream(folder_ / "program") << "#!/bin/sh\necho \"$*\" >> " << (folder_ / "calls").string() << R"(
while [ $# -gt 0 ]; do
  case "$1" in
    --out|--resume) out="$2";;
  esac
  shift
done
mkdir -p "$out"
)" << body << "\n";
    std::filesystem::permissions(folder_ / "program", std::filesystem::perms::owner_all);
  }

  std::vector<std::string> calls() const {
    std::vector<std::string> lines;
    std::ifstream file(folder_ / "calls");
    for (std::string line; std::getline(file, line);) {
      lines.push_back(line);
    }
    return lines;
  }

  TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  ExecuteOptions options_;
  ExecuteObserver observer_;
};

}  // namespace factorgcn
