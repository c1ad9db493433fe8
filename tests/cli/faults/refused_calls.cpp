#include "cli/faults/refused_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "cli/faults/preloaded.h"
#include "factorgcn/base/files.h"

namespace factorgcn::cli {
namespace {

namespace fs = std::filesystem;

/// What each kind of call can be refused with. EINTR and short are no failures: the program has to go on.
const std::map<std::string, std::vector<std::string>>& reasons() {
  static const std::map<std::string, std::vector<std::string>> known{
      {"open", {"EIO", "EMFILE", "EINTR"}},
      {"create", {"ENOSPC", "EDQUOT", "EROFS", "EINTR"}},
      {"read", {"EIO", "EINTR", "short"}},
      {"write", {"ENOSPC", "EIO", "EDQUOT", "EINTR", "short", "ENOSPC on"}},
      {"sync", {"EIO", "ENOSPC", "EINTR", "EIO on"}},
      {"rename", {"EIO", "ENOSPC"}},
      {"remove", {"EIO"}},
      {"folder", {"ENOSPC", "EDQUOT"}},
      {"map", {"ENOMEM"}},
      {"space", {"ENOSPC"}}};
  return known;
}

bool must_be_survived(const std::string& reason) { return reason == "EINTR" || reason == "short"; }

struct Call {
  int number;  // from 1
  std::string kind;
};

void refuse(const RehearsedCommand& rehearsed, const Call& call, const std::string& reason, Refusals& counts) {
  const Workplace place;
  rehearsed.fill(place);
  const Outcome outcome =
      run_preloaded(rehearsed, place, {"FACTORGCN_REFUSE=" + std::to_string(call.number) + " " + reason});
  const std::string when = rehearsed.command().name + ", call " + std::to_string(call.number) + " (" + call.kind +
                           ") refused with " + reason + ": ";
  ++counts.tried;
  if (ended_well(rehearsed, place, outcome, when)) {
    ++counts.ended_well;
  } else {
    ++counts.said_why;
    EXPECT_FALSE(must_be_survived(reason)) << when << outcome.err;
  }
  if (call.kind != "remove") {
    for (const auto& entry : fs::recursive_directory_iterator(place.path(""))) {
      EXPECT_FALSE(is_half_written(entry.path().filename().string())) << when << "half a file is left";
    }
  }
  rehearsed.go_on(place, when);
}

}  // namespace

Refusals refuse_calls(const RehearsedCommand& rehearsed, Thoroughness thoroughness) {
  Refusals counts;
  const std::string& name = rehearsed.command().name;
  const std::vector<SeenCall> calls = calls_of(rehearsed);
  EXPECT_GT(calls.size(), 3U) << name << ": hardly a call was seen";
  constexpr std::size_t kSamples = 1;
  const std::size_t step = thoroughness == Thoroughness::kAll ? 1 : std::max<std::size_t>(calls.size() / kSamples, 1);
  std::size_t turn = name.size();  // another reason for each, and others for each command
  for (std::size_t i = turn % step; i < calls.size(); i += step) {
    const Call call{static_cast<int>(i) + 1, calls[i].kind};
    const auto& known = reasons().at(call.kind);
    if (thoroughness == Thoroughness::kAll) {
      for (const std::string& reason : known) {
        refuse(rehearsed, call, reason, counts);
      }
    } else {
      refuse(rehearsed, call, known[turn++ % known.size()], counts);
    }
  }
  return counts;
}

}  // namespace factorgcn::cli
