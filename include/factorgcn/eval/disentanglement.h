// How well factor graphs match the true relations: GED_E and C-Score.
//
// A factor's adjacency is (M + M^T) / 2, where M[i][j] is the sum of the coefficients of the edges i -> j; self loops
// are dropped. For a true graph of n directed entries the factor keeps its n largest entries; GED_E counts the directed
// entries that are in one of the two sets only. Entries of value 0 (no edge) are never kept, so a factor with fewer
// than n positive entries keeps just those. Both directions of a node pair have one value and are neighbours in the
// ranking.
//
// True graphs are assigned to factors at minimum cost; with fewer factors than true graphs, one left out costs its n. A
// sample scores total cost / number of its true graphs. C-Score: for each true type that occurs, the share of its
// occurrences in which it meets its most frequent factor; averaged over those types.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/ground_truth.h"

namespace factorgcn {

/// One graph with the coefficient of each edge in each factor. Ids are local to the graph.
struct FACTORGCN_API FactorGraphs {
  std::int64_t num_nodes = 0;
  int num_factors = 0;
  std::span<const std::int32_t> sources, targets;  ///< [E]
  std::span<const double> coefficients;            ///< [E, K] row-major
};

struct FACTORGCN_API DisentanglementScore {
  double ged_e = 0;      ///< mean over samples
  double ged_e_std = 0;  ///< population standard deviation over samples
  double c_score = 0;
  std::int64_t samples = 0;
};

/// One true relation's match inside a sample.
struct FACTORGCN_API FactorMatch {
  int type = 0;
  int factor = -1;  ///< -1 where no factor was left for it
  double ged_e = 0;
};

/// Directed entries that differ between the part and as many of the largest entries of `factor`. Equal values are
/// ranked by (smaller node, larger node), so the result does not depend on the edges' order. The part's entries on the
/// diagonal and repeated ones are ignored. Throws Error for ids out of range, arrays that do not fit each other and NaN
/// coefficients.
FACTORGCN_API double ged_e(const FactorGraphs& graphs, int factor, const GroundTruth::Part& part);

/// Collects samples one by one.
class FACTORGCN_API DisentanglementScorer {
 public:
  /// num_types: relation types of the ground truth; num_factors: factors of the scored layer.
  DisentanglementScorer(std::int64_t num_types, int num_factors);

  /// Scores one sample against graph `index` of the truth; returns its matches. Samples without parts are skipped.
  std::vector<FactorMatch> add(const FactorGraphs& graphs, const GroundTruth& truth, std::int64_t index);

  /// All zero where no sample was added.
  DisentanglementScore score() const;

 private:
  std::int64_t num_types_;
  int num_factors_;
  std::vector<double> sample_scores_;
  std::vector<std::int64_t> match_counts_;  ///< [types, factors]
  std::vector<std::int64_t> type_counts_;   ///< [types]
};

}  // namespace factorgcn
