// `factorgcn train --model random`: there is nothing to train, so the scores are shown at once.
#pragma once

#include "factorgcn/shelf/open.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn::cli {

/// Scores the test split, prints a table and keeps the scores in config.out; returns the exit code.
int show_random_factors(const RunConfig& config, bool force, const OpenedData& data);

}  // namespace factorgcn::cli
