// The program, loaded once and forked for each call (tests/preload/fork_server.cpp): a call takes a fifth of the time.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/workplace.h"

namespace factorgcn::cli {

class ForkedProgram {
 public:
  ForkedProgram();
  ~ForkedProgram();
  ForkedProgram(const ForkedProgram&) = delete;
  ForkedProgram& operator=(const ForkedProgram&) = delete;

  /// As Workplace::run(), with tests/preload in front of the system's library.
  Outcome run(const Workplace& place, const std::string& arguments, const std::vector<std::string>& environment);

 private:
  pid_t server_ = -1;
  int channel_ = -1;
};

}  // namespace factorgcn::cli
