// Where this process stands among those that train together, as whoever started them tells it.
//
//   torchrun    RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT
//   srun        SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_STEP_NODELIST, SLURM_JOB_ID; MASTER_ADDR and MASTER_PORT
//               where they are set
//
// Without any of these a process is alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API Place {
  int rank = 0, size = 1;
  int on_this_machine = 1;  ///< processes that share its cores
  std::string host;         ///< with the port: where all meet
  std::uint16_t port = 0;
  bool keeps_meeting_point = false;  ///< this process serves host:port; else torchrun or another rank does
  bool started_again = false;        ///< torchrun has started all processes anew after one was lost

  bool alone() const { return size == 1; }
};

/// The variables that say it, for whoever starts a program that is to be alone.
FACTORGCN_API std::span<const char* const> place_variables();

/// Throws UsageError naming the variable and its value where they do not make sense.
FACTORGCN_API Place place_from_environment();

}  // namespace factorgcn
