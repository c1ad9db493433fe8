// One place for meeting, giving up and losing one of many.
#include "cli/company.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "cli/options.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn::cli {
namespace {

constexpr double kRankTimeout = 120;  // s

}  // namespace

int Company::threads(int asked, int jobs) const {
  return asked > 0 || place.on_this_machine == 1 ? asked
                                                 : std::max(available_cores() / place.on_this_machine / jobs, 1);
}

std::string Company::first(const std::string& own) const {
  return group == nullptr ? own : all_gather_texts(*group, own).front();
}

int in_company(const std::string& rank_timeout, const std::string& what_stands,
               const std::function<int(const Company&)>& work) {
  const Place place = place_from_environment();
  if (place.alone()) {
    require_usage(rank_timeout.empty(), "--rank-timeout goes with several processes, started by torchrun or srun");
    return work({});
  }
  const double seconds = rank_timeout.empty() ? kRankTimeout : parse_number("--rank-timeout", rank_timeout);
  require_usage(seconds >= 1, "--rank-timeout ", rank_timeout, ": give at least one second");
  const auto group = join_group(place, std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds)));
  try {
    return work({place, group.get()});
  } catch (const LostRank& lost) {
    throw Error(concat("rank ", place.rank, " stops: ", lost.what(), "; ", what_stands));
  } catch (const std::exception& failure) {
    group->give_up(failure.what());
    throw;
  }
}

void add_rank_timeout(CLI::App& app, std::string& text, const char* option_group) {
  app.add_option(
         "--rank-timeout", text,
         fmt::format("several processes: how long to wait for one that does not answer (default: {:g})", kRankTimeout))
      ->type_name("SECONDS")
      ->group(option_group);
}

}  // namespace factorgcn::cli
