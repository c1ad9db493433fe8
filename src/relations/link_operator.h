// A graph's links as a matrix whose slow directions are its large groups: D^-1/2 A D^-1/2, with degrees raised by their
// mean, which keeps hubs from being directions of their own.
//
// The edge of the bulk is where the semicircle law puts the fast directions of a random graph: what lies beyond it is
// structure, or hubs, or chance.
#pragma once

#include <vector>

#include "relations/expected_counts.h"

namespace factorgcn::relations {

class LinkOperator {
 public:
  explicit LinkOperator(const Links& links);

  /// `to` becomes the matrix times `from`, in units of the bulk's edge. `from` is scaled in place and back.
  void apply(Table& from, Table& to) const;

  /// Takes the part along the direction that only says who has many links out of every column.
  void deflate(Table& table) const;

  /// Makes that direction the matrix's own first one instead of the square roots of degrees: ten passes.
  void refine_trivial();

  /// The Chebyshev polynomial of this degree, at least 1, times `table`: what lies beyond the bulk grows exponentially,
  /// the bulk does not grow. Cost: a pass over the links a degree.
  Table filter(Table table, int degree) const;

  float scale(std::int64_t node) const { return scale_[node]; }

 private:
  const Links& links_;
  std::vector<float> scale_, trivial_;  // [N]
  float bulk_ = 0;
};

}  // namespace factorgcn::relations
