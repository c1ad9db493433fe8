// A description of a graph by relations: in each, every node divides itself over the relation's groups, and
//
//   lambda_ij = theta_i theta_j (b_0 + sum_c B_c z_ic z_jc),    sum over the groups c of a relation of z_ic = 1.
//
// theta is a node's general activity (1 for all where degrees show no more spread than chance gives them), b_0 joins
// anybody with anybody. The last column of the tables is that background.
#pragma once

#include <vector>

#include "factorgcn/base/export.h"
#include "relations/expected_counts.h"

namespace factorgcn::relations {

struct Model {
  std::vector<int> first;         // [K + 1] columns of relation k: first[k] .. first[k + 1] - 1
  Table z;                        // [N, C]
  std::vector<double> rates;      // [C] B
  double background = 0;          // b_0
  std::vector<float> activities;  // [N] theta
  int pulled = -1;                // a relation whose memberships are drawn towards what is known of nodes; -1: none
  std::vector<float> pull;        // [N, its groups] as by so many links that say so
  double likelihood = 0;          // in nats, without what does not depend on the model

  int relations() const { return static_cast<int>(first.size()) - 1; }
  int groups() const { return first.back(); }
};

/// sqrt(B_c) theta_i z_ic, and sqrt(b_0) theta_i in column C: lambda_ij is the product of two rows.
void fill_rate_table(const Links& links, const Model& model, Table& y);

/// Each relation's part of lambda for every edge of the graph, [E, K]; the rest is background.
FACTORGCN_API std::vector<float> relation_shares(const Links& links, const RelationGraph& graph, const Model& model);

}  // namespace factorgcn::relations
