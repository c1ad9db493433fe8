// What a training step on one graph in parts sends, from counts alone.
//
// A step of a network whose halo takes W numbers a node (nn/models_in_parts.h), with L parameters, on P parts held by
// as many processes:
//
//   halos        2 * 4 * W bytes for each node of a halo: its row forward, its gradient back
//   gradients    a row of L + 5 numbers per part, of which each process adds up a slice: 2 * 4 * (L + 5) * (P - 1) / P
//
// Sums for batch norm, the discriminator's means and losses are a few kilobytes more and not counted here.
#pragma once

#include <cstdint>

#include "factorgcn/base/export.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

struct FACTORGCN_API PartsTraffic {
  std::int64_t halo_numbers = 0;   ///< W, forward
  std::int64_t parameters = 0;     ///< L
  std::int64_t all_bytes = 0;      ///< that all processes send in a step
  std::int64_t most_received = 0;  ///< of them, those that the process with the largest halo receives forward
};

/// One process for each part. Throws UsageError where the configuration's network cannot run on parts.
FACTORGCN_API PartsTraffic parts_traffic(const PartsManifest& manifest, const RunConfig& config);

}  // namespace factorgcn
