// Commands that several processes, which torchrun or srun started, do together.
#pragma once

#include <functional>
#include <string>

#include "factorgcn/collective/group.h"

namespace CLI {
class App;
}

namespace factorgcn::cli {

/// The processes that were started to do one thing together; alone by default.
struct Company {
  Place place;
  Group* group = nullptr;

  /// Whether this one speaks and writes.
  bool writes() const { return place.rank == 0; }
  /// Threads of each of `jobs` trainings at a time that this process starts: what was asked for, or its share of the
  /// machine's cores.
  int threads(int asked, int jobs = 1) const;
  /// Rank 0's text.
  std::string first(const std::string& own) const;
};

/// Meets the others, where there are any, and does `work` with them. The others hear of it when this process gives up;
/// where one of them is lost, the Error names it and says `what_stands`.
int in_company(const std::string& rank_timeout, const std::string& what_stands,
               const std::function<int(const Company&)>& work);

/// --rank-timeout.
void add_rank_timeout(CLI::App& app, std::string& text, const char* option_group);

/// What stands after a rank is lost where whole runs are shared.
inline constexpr const char* kRunsStand =
    "runs that are over stay, those at work are saved; the same command goes on, with any number of processes";

}  // namespace factorgcn::cli
