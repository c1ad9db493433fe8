// The cosines of shares, and the assignment with the most of them.
#include "relations/matching.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "factorgcn/eval/assignment.h"

namespace factorgcn::relations {

std::vector<int> match_relations(const std::vector<float>& shares, int relations, const std::vector<float>& others,
                                 int other_relations) {
  std::vector<double> products(static_cast<std::size_t>(relations) * other_relations, 0);
  std::vector<double> squares(static_cast<std::size_t>(relations + other_relations), 1e-12);
  const std::size_t edges = shares.size() / relations;
  for (std::size_t edge = 0; edge < edges; ++edge) {
    const float* mine = shares.data() + edge * relations;
    const float* theirs = others.data() + edge * other_relations;
    for (int a = 0; a < relations; ++a) {
      squares[a] += static_cast<double>(mine[a]) * mine[a];
      for (int b = 0; b < other_relations; ++b) {
        products[static_cast<std::size_t>(a) * other_relations + b] += static_cast<double>(mine[a]) * theirs[b];
      }
    }
    for (int b = 0; b < other_relations; ++b) {
      squares[relations + b] += static_cast<double>(theirs[b]) * theirs[b];
    }
  }
  for (int a = 0; a < relations; ++a) {
    for (int b = 0; b < other_relations; ++b) {
      double& cell = products[static_cast<std::size_t>(a) * other_relations + b];
      cell = -cell / std::sqrt(squares[a] * squares[relations + b]);
    }
  }
  return assign(relations, other_relations, products).column_of_row;
}

void count_agreement(const std::vector<float>& shares, int relations, const std::vector<float>& others,
                     int other_relations, const std::vector<int>& matched, std::vector<float>& agreement) {
  for (std::size_t edge = 0; edge < agreement.size(); ++edge) {
    const float* mine = shares.data() + edge * relations;
    const float* theirs = others.data() + edge * other_relations;
    const int other = matched[std::max_element(mine, mine + relations) - mine];
    agreement[edge] += std::max_element(theirs, theirs + other_relations) - theirs == other ? 1.0F : 0.0F;
  }
}

}  // namespace factorgcn::relations
