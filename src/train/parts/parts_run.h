// Runs on one graph in parts (io/part_files.h).
#pragma once

#include "train/run_work.h"

namespace factorgcn {

class Group;

/// Reads this process's parts and builds the network. All processes call this together. Throws UsageError where the
/// configuration asks for what a graph in parts does not have: another model or device, shards, the published protocol.
RunWork work_of_parts_run(const RunConfig& config, Group* group);

}  // namespace factorgcn
