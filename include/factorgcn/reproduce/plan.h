// What has to be trained for each table and figure of the paper, and how the trained runs make it up.
//
// A plan is data: it names runs and the cells they fill, and touches no file. Tables and figures share runs by name, so
// FactorGCN on four factor graphs is trained once for table 1, table 2 and the figures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// One training: a folder below OUT/runs and the configuration layer it starts from.
struct FACTORGCN_API PlannedRun {
  std::string name;  ///< "synthetic-4/factorgcn/seed-0"
  nlohmann::json layer;
  bool folds = false;                                               ///< cross-validation
  std::vector<std::string> protocols = {"corrected", "published"};  ///< of a cross-validation
  std::filesystem::path folder = {};                                ///< where it goes if not below OUT/runs
};

/// A variant of a model on a data set; its runs differ in the seed alone.
struct FACTORGCN_API RunGroup {
  std::string name;  ///< "synthetic-4/factorgcn"
  std::string dataset, model;
  int factors = 0;  ///< predefined graphs of the synthetic data; 0 elsewhere
  std::vector<std::string> runs;
};

struct FACTORGCN_API PlannedColumn {
  std::string key, label;
  std::string metric;    ///< as in metrics.json
  std::string protocol;  ///< of cross-validations: "published" or "corrected"; empty elsewhere
  int decimals = 3;
};

struct FACTORGCN_API PlannedTable {
  std::string id, title, caption, protocol;
  std::vector<PlannedColumn> columns;
  struct Row {
    std::string label;
    std::vector<std::string> groups;  ///< one per column; empty where the paper has no cell
  };
  std::vector<Row> rows;
};

/// Scores against one changing setting.
struct FACTORGCN_API PlannedCurve {
  std::string id, title, x_label;
  std::vector<double> x;
  std::vector<std::string> groups;   ///< one per x
  std::vector<std::string> metrics;  ///< one line each
};

/// Absolute correlation of the hidden features of some runs.
struct FACTORGCN_API PlannedCorrelation {
  std::string id, title;
  struct Panel {
    std::string label, group;
  };
  std::vector<Panel> panels;
};

/// Factor graphs of some test samples of one run.
struct FACTORGCN_API PlannedFactors {
  std::string id, title, group;
  int samples = 200;
};

struct FACTORGCN_API Plan {
  std::vector<PlannedRun> runs;  ///< each name once, in the order in which they are wanted
  std::vector<RunGroup> groups;  ///< each name once
  std::vector<PlannedTable> tables;
  std::vector<PlannedCurve> curves;
  std::vector<PlannedCorrelation> correlations;
  std::vector<PlannedFactors> factors;
  std::vector<std::string> left_out;  ///< what `quick` left out, a sentence each

  const RunGroup& group(const std::string& name) const;
};

struct FACTORGCN_API PlanOptions {
  int seeds = 0;       ///< 0: as many as the target has by itself (table 1: 5, table 3: 3, ...)
  bool quick = false;  ///< a small version, for a machine with two cores
};

/// table-1 .. table-5, figure-factors, figure-correlation, figure-sensitivity, in the order in which `all` has them.
FACTORGCN_API const std::vector<std::string>& reproduction_targets();

/// One sentence on a target, for help texts.
FACTORGCN_API std::string target_summary(const std::string& target);

/// The plan of one target, or of "all". UsageError for an unknown name.
FACTORGCN_API Plan make_plan(const std::string& target, const PlanOptions& options = {});

}  // namespace factorgcn
