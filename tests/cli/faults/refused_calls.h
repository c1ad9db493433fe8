// One command of the program, run again and again while one of its system calls is refused each time.
//
// After every refusal the command must have ended by itself: with all of its results, or with exit code 1 and one line
// that says why. No half file may be left, and the next call, with nothing refused, must end in the results of a
// command that was left alone.
#pragma once

#include "cli/faults/watched_command.h"

namespace factorgcn::cli {

/// How often each call is refused, and how.
enum class Thoroughness {
  kSample,  ///< some calls, each for one reason
  kAll      ///< every call for every reason, once and for good
};

struct Refusals {
  int tried = 0, ended_well = 0, said_why = 0;
};

/// Reports failures to GoogleTest.
Refusals refuse_calls(const RehearsedCommand& rehearsed, Thoroughness thoroughness);

}  // namespace factorgcn::cli
