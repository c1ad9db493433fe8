// How well factors tell each true relation apart, as a table of a page. Internal to report/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/report/page.h"

namespace factorgcn {

/// Gathers the graphs of one or several parts with the same true relations, each by the layer shown first.
class FACTORGCN_API RelationTable {
 public:
  /// Before fit_to_page(): all edges count. Cost: eval/relation_auc.h, for each graph.
  void add(const PageFactorGraphs& part);

  /// One row per relation: its edges, the graphs that have it, the mean of its AUC over them, chance beside it. Nothing
  /// where no relation could be scored.
  std::optional<PageTable> table() const;

 private:
  struct Relation {
    std::int64_t graphs = 0, edges = 0;
    double auc = 0, chance = 0;  ///< sums over graphs
    std::string factor;          ///< of the last graph
  };

  std::vector<std::string> names_;
  std::vector<Relation> relations_;
  std::int64_t graphs_ = 0;
};

}  // namespace factorgcn
