// How well factor graphs match the true relations: GED_E, relation AUC and C-Score.
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
//
// Chance, where it is asked for. GED_E: what coefficients drawn at random on the sample's own edges score, the best
// assignment included, which profits from having several factors to choose from. Relation AUC (eval/relation_auc.h):
// how often an edge of a relation ranks before one that is not of it in the factor that stands for the relation, over
// the sample's connected pairs of nodes and the mean of both directions; chance is what shuffled pairs reach.
//
// Both together cost about as much as the scores themselves: single graphs are drawn some tens of times, of many
// graphs each a few times, a graph of millions of edges once or twice.
#pragma once

#include <cstdint>
#include <optional>
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
  double c_score = 0;    ///< 1 by its definition where there is a single sample
  std::int64_t samples = 0;
  std::optional<double> ged_e_chance;  ///< nothing where it was not asked for
  std::optional<double> relation_auc;  ///< mean over samples; nothing where none of them can be ranked, or nobody asked
  std::optional<double> relation_auc_chance;
};

/// How often chance is drawn.
struct FACTORGCN_API ChanceDraws {
  int draws = 0;  ///< per sample; 0: neither chance nor relation AUC are computed

  /// As many as the mean over that many samples needs.
  static ChanceDraws for_samples(std::int64_t samples);
};

/// One true relation's match inside a sample.
struct FACTORGCN_API FactorMatch {
  int type = 0;
  int factor = -1;  ///< -1 where no factor was left for it
  double ged_e = 0;
};

/// One sample's scores.
struct FACTORGCN_API SampleScore {
  std::vector<FactorMatch> matches;
  double ged_e = 0;
  std::optional<double> ged_e_chance, relation_auc, relation_auc_chance;  ///< as in DisentanglementScore
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
  DisentanglementScorer(std::int64_t num_types, int num_factors, ChanceDraws chance = {});

  /// Scores one sample against graph `index` of the truth; returns its matches. Samples without parts are skipped.
  std::vector<FactorMatch> add(const FactorGraphs& graphs, const GroundTruth& truth, std::int64_t index);

  /// The two halves of that, for whoever scores samples in several places. Nothing where the sample has no parts.
  std::optional<SampleScore> score_sample(const FactorGraphs& graphs, const GroundTruth& truth,
                                          std::int64_t index) const;
  void add(const SampleScore& sample);

  /// All zero where no sample was added.
  DisentanglementScore score() const;

 private:
  std::int64_t num_types_;
  int num_factors_;
  ChanceDraws chance_;
  std::vector<double> sample_scores_;
  std::vector<double> chance_scores_;  ///< of each sample, mean over the draws
  std::vector<double> aucs_, chance_aucs_;
  std::vector<std::int64_t> match_counts_;  ///< [types, factors]
  std::vector<std::int64_t> type_counts_;   ///< [types]
};

}  // namespace factorgcn
