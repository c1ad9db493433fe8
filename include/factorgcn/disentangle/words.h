// What a person is told of an outcome: tables for a terminal, sentences for anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/named_graph.h"
#include "factorgcn/disentangle/outcome.h"

namespace factorgcn {

/// "stable", "mostly stable", "shaky", "not stable", "not measured".
FACTORGCN_API std::string stability_words(double stability);

/// Is there anything to take apart? One or two sentences with the numbers behind them; empty where the method does not
/// tell.
FACTORGCN_API std::string verdict_words(const DisentangleOutcome& outcome);

/// "relation AUC 0.91 (chance 0.51) of 812 edges", what it is of, and each relation's.
FACTORGCN_API std::string truth_words(const DisentangleOutcome& outcome);

/// "Three of four edges are certain ...": how many edges' strongest relation is sure; empty where nobody knows.
FACTORGCN_API std::string certainty_words(const DisentangleOutcome& outcome);

/// One group of a relation: its number, how many nodes it has, and the nodes most at home in it: those with most edges
/// to others of the group.
struct FACTORGCN_API GroupMembers {
  std::int32_t group = 0;
  std::int64_t nodes = 0;
  std::vector<std::int32_t> members;  ///< at most as many as were asked for
};

/// The `most` largest groups. Cost: O(nodes log nodes + edges).
FACTORGCN_API std::vector<GroupMembers> largest_groups(const NamedGraph& graph, const DisentangleOutcome& outcome,
                                                       std::size_t relation, std::size_t most, std::size_t members);

/// "ann, bob, cyd and 9 more"; line breaks and the like in names are replaced, long names cut.
FACTORGCN_API std::string members_words(const NamedGraph& graph, const GroupMembers& group);

/// All of it: what the command prints. No line is wider than `width` where names allow it.
FACTORGCN_API std::string outcome_report(const NamedGraph& graph, const DisentangleOutcome& outcome, bool utf8,
                                         int width);

}  // namespace factorgcn
