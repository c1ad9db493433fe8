#include "cli/faults/preloaded.h"

#include <gtest/gtest.h>

#include <sstream>

namespace factorgcn::cli {
namespace {

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    last = line;
  }
  return last;
}

int complaints(const std::string& text) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    count += line.rfind("factorgcn: ", 0) == 0;
  }
  return count;
}

}  // namespace

Outcome run_preloaded(const RehearsedCommand& rehearsed, const Workplace& place,
                      const std::vector<std::string>& orders) {
  std::vector<std::string> variables{"FACTORGCN_REFUSE_BELOW=" + place.path("").string()};
  variables.insert(variables.end(), orders.begin(), orders.end());
  return rehearsed.run(place, rehearsed.command().arguments, variables);
}

std::vector<SeenCall> calls_of(const RehearsedCommand& rehearsed) {
  const Workplace place, beside;
  rehearsed.fill(place);
  const Outcome outcome = run_preloaded(rehearsed, place, {"FACTORGCN_REFUSE_LOG=" + beside.path("calls").string()});
  EXPECT_EQ(outcome.code, 0) << rehearsed.command().name << ": " << outcome.err;
  std::vector<SeenCall> calls;
  std::istringstream lines(beside.read("calls"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    calls.push_back({line.substr(0, space), line.substr(space + 1)});
  }
  return calls;
}

bool ended_well(const RehearsedCommand& rehearsed, const Workplace& place, const Outcome& outcome,
                const std::string& when) {
  EXPECT_EQ(outcome.signal, 0) << when << outcome.err;
  if (outcome.code == 0) {
    rehearsed.expect_result(place, when + "exit code 0, but ");
    return true;
  }
  EXPECT_EQ(outcome.code, 1) << when << outcome.err;
  EXPECT_EQ(complaints(outcome.err), 1) << when << outcome.err;
  EXPECT_EQ(last_line(outcome.err).rfind("factorgcn: ", 0), 0U) << when << outcome.err;
  return false;
}

}  // namespace factorgcn::cli
