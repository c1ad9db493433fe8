// `factorgcn train --model random`: there is nothing to train, so the scores are shown at once.
#pragma once

#include "factorgcn/train/run_config.h"

namespace factorgcn::cli {

/// Scores the test split and prints a table; returns the exit code. Nothing is written.
int show_random_factors(const RunConfig& config);

}  // namespace factorgcn::cli
