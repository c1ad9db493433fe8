// What a person sees of several runs that differ in their seed alone: means with what the runs differ by, beside chance
// and the paper, and each run in a line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/report/page.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn {

/// A metric's mean over runs as people write it: "0.9812 ± 0.0031"; the deviation is left out for a lone run.
FACTORGCN_API std::string spread_text(const std::string& metric, const Spread& spread);

/// "0.9774 to 0.9851"; "not known" for fewer than two runs.
FACTORGCN_API std::string mean_interval_text(const std::string& metric, const Spread& spread);

/// One row per metric: mean ± deviation, 95 % interval of the mean, lowest and highest run, runs, chance, the paper's
/// value. Columns that would be empty are left out.
FACTORGCN_API Table seed_table(const SeedMetrics& metrics);

/// One row per run: what became of it, its scores on the validation and the test part, epochs, time.
FACTORGCN_API Table seed_run_table(const SeedMetrics& metrics);

/// What the means leave out and how to read them, a paragraph each.
FACTORGCN_API std::vector<std::string> seed_notes(const SeedMetrics& metrics);

FACTORGCN_API std::string seed_report(const SeedMetrics& metrics, const std::vector<std::string>& departures,
                                      const Terminal& terminal);

/// The page of the whole folder: the tables, and the training curves over each other. UsageError where no run is over.
FACTORGCN_API Page seed_page(const std::filesystem::path& folder, const OpenedData& data = {});

}  // namespace factorgcn
