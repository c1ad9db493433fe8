// What `factors` and `predict` have in common: which run, on which data, and where the answer goes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "cli/commands.h"
#include "factorgcn/train/loaded_run.h"

namespace factorgcn::cli {

struct TakeAwayFlags {
  std::string run, dataset, out, split, threads, device;
  bool changed_data = false, force = false, quiet = false;
};

void add_take_away_options(CLI::App& app, TakeAwayFlags& flags);

/// Throws UsageError where --out is there already and --force was not given; sets threads and looks at the BLAS.
void begin_take_away(const TakeAwayFlags& flags);

/// What the run's data are opened by.
void accept_data(const TakeAwayFlags& flags, OpenedData& data);

/// The run on its own data or on those of --dataset, whose notes are told, on the device asked for.
LoadedRun take_run(const TakeAwayFlags& flags, const OpenedData& data);

/// Runs `work(on_batch)`, whose calls show progress on standard error and end it where Ctrl-C was pressed. Returns the
/// exit code: success, or 128 + the signal.
using BatchSink = std::function<void(std::int64_t done, std::int64_t all)>;
int interruptible(const TakeAwayFlags& flags, const std::string& what,
                  const std::function<void(const BatchSink&)>& work);

/// "factors.csv (1.2 MB)".
std::string written_text(const std::string& file);

}  // namespace factorgcn::cli
