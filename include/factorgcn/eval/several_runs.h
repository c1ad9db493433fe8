// What several runs of one setting say together, and whether two settings differ by more than noise.
//
// Runs are taken for independent draws of the same kind: of the seed, and of the data where these are drawn from it.
// Values that are not finite are left out. Cost: linear in the number of runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/metrics.h"

namespace factorgcn {

struct FACTORGCN_API Spread {
  std::int64_t runs = 0;  ///< with a value
  double mean = 0, lowest = 0, highest = 0;
  std::optional<double> deviation;   ///< of the runs (divided by runs - 1); from two runs on
  std::optional<Interval> interval;  ///< 95 %, of the mean: Student's; from two runs on
};

FACTORGCN_API Spread spread_of(std::span<const double> values);

/// How a difference was judged.
enum class Comparison {
  kPaired,      ///< run by run, the two of a pair sharing their seed
  kUnpaired,    ///< Welch's: two groups of runs
  kOneToMany,   ///< one run against several: whether it might be one more of them
  kOneToOne,    ///< one run against one: from each score's own interval over samples
  kNotPossible  ///< nothing says how much chance there is in it
};

/// A score less another.
struct FACTORGCN_API Difference {
  Comparison how = Comparison::kNotPossible;
  double value = 0;
  std::int64_t pairs = 0;            ///< kPaired
  std::optional<Interval> interval;  ///< at the level asked for
  /// The interval leaves 0 out. Nothing where there is no interval.
  std::optional<bool> more_than_noise() const;
};

/// Mean of left[i] - right[i]; at least two pairs. Runs that all differ by the same get an interval of one point.
/// `overlap`: of folds, which share what they train on, test graphs by training graphs of one (Nadeau and Bengio's
/// correction); 0 where the pairs are independent.
FACTORGCN_API Difference paired_difference(std::span<const double> left, std::span<const double> right, double level,
                                           double overlap = 0);

/// Mean of `left` less that of `right`. With one run on one side, whether it lies outside of what single runs of the
/// other show; with one on both, kNotPossible.
FACTORGCN_API Difference unpaired_difference(std::span<const double> left, std::span<const double> right, double level);

/// Of two scores with 95 % intervals over samples, taken for independent (MOVER). Where both were scored on the same
/// samples this is on the careful side, since what is hard for one is mostly hard for the other.
FACTORGCN_API Difference sampled_difference(double left, const Interval& of_left, double right,
                                            const Interval& of_right, double level);

}  // namespace factorgcn
