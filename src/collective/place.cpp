// Reads the environment once; nothing is opened here.
#include "factorgcn/collective/place.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

int whole_variable(const char* name, int least, int most) {
  const std::optional<std::string> text = variable(name);
  require_usage(text.has_value(), "the environment does not say ", name,
                "; start the processes with torchrun or srun, or set it");
  int value = 0;
  const char* const end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, value);
  require_usage(parsed.ec == std::errc{} && parsed.ptr == end && value >= least && value <= most, "the environment's ",
                name, " is '", *text, "'; it must be a whole number from ", least, " to ", most);
  return value;
}

/// "node[03-07,12],other" -> "node03"
std::string first_node(std::string_view list) {
  const std::size_t bracket = list.find('[');
  const std::string_view name = list.substr(0, std::min(list.find(','), bracket));
  if (bracket == std::string_view::npos || name.size() < bracket) {
    return std::string(name);
  }
  const std::string_view inside = list.substr(bracket + 1);
  return std::string(name) + std::string(inside.substr(0, inside.find_first_of("-,]")));
}

constexpr int kMostRanks = 1 << 20;
constexpr int kFirstSlurmPort = 20'000, kSlurmPorts = 20'000;  // one that hardly any two jobs of a machine share

Place from_torchrun() {
  Place place;
  place.size = whole_variable("WORLD_SIZE", 1, kMostRanks);
  place.rank = whole_variable("RANK", 0, place.size - 1);
  if (place.alone()) {
    return place;
  }
  place.on_this_machine = variable("LOCAL_WORLD_SIZE") ? whole_variable("LOCAL_WORLD_SIZE", 1, place.size) : 1;
  place.host = variable("MASTER_ADDR").value_or("");
  require_usage(!place.host.empty(), "the environment does not say MASTER_ADDR, the machine of rank 0");
  place.port = static_cast<std::uint16_t>(whole_variable("MASTER_PORT", 1, 65535));
  place.keeps_meeting_point = place.rank == 0 && variable("TORCHELASTIC_USE_AGENT_STORE") != "True";
  place.started_again = variable("TORCHELASTIC_RESTART_COUNT").value_or("0") != "0";
  return place;
}

Place from_slurm() {
  Place place;
  place.size = whole_variable("SLURM_STEP_NUM_TASKS", 1, kMostRanks);
  place.rank = whole_variable("SLURM_PROCID", 0, place.size - 1);
  if (place.alone()) {
    return place;
  }
  place.on_this_machine = variable("SLURM_NTASKS_PER_NODE") ? whole_variable("SLURM_NTASKS_PER_NODE", 1, place.size)
                                                            : 1;
  place.host = variable("MASTER_ADDR").value_or(first_node(variable("SLURM_STEP_NODELIST").value_or("")));
  require_usage(!place.host.empty(), "the environment says neither MASTER_ADDR nor SLURM_STEP_NODELIST");
  place.port = static_cast<std::uint16_t>(
      variable("MASTER_PORT") ? whole_variable("MASTER_PORT", 1, 65535)
                              : kFirstSlurmPort + whole_variable("SLURM_JOB_ID", 0, 2'000'000'000) % kSlurmPorts);
  place.keeps_meeting_point = place.rank == 0;
  place.started_again = variable("SLURM_RESTART_COUNT").value_or("0") != "0";
  return place;
}

}  // namespace

std::span<const char* const> place_variables() {
  static constexpr const char* kNames[] = {"RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"};
  return kNames;
}

Place place_from_environment() {
  if (variable("WORLD_SIZE") || variable("RANK")) {
    return from_torchrun();
  }
  return variable("SLURM_STEP_NUM_TASKS") ? from_slurm() : Place();
}

}  // namespace factorgcn
