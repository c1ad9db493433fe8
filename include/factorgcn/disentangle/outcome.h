// What any method found in one graph, in the form that files, tables and pages are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/relation_auc.h"
#include "factorgcn/relations/disentangled.h"

namespace factorgcn {

/// One relation and how it parts the nodes.
struct FACTORGCN_API RelationOutcome {
  std::string column;          ///< its name in files: a known relation's own, otherwise relation_1 and so on
  std::string words;           ///< its name for people: "relation 2: same department"
  double edges = 0;            ///< sum of its shares
  std::int64_t strongest = 0;  ///< edges whose strongest relation it is

  std::int64_t groups = 0;
  std::vector<std::int32_t> group;  ///< [nodes] from 1, the largest first; 0: the node has no edge here
  std::vector<float> membership;    ///< [nodes] in 0 .. 1, how much the node belongs to that group
  double stability = kNotKnown;     ///< 0 chance, 1 always the same

  std::string attribute;  ///< that agrees with the groups beyond chance; may be empty
  double attribute_agreement = kNotKnown, attribute_chance = kNotKnown;

  /// `group` and `membership` for receiving edges, where nodes of a directed graph have groups of their own for that;
  /// otherwise empty.
  std::vector<std::int32_t> receiving_group = {};
  std::vector<float> receiving_membership = {};
};

struct FACTORGCN_API DisentangleOutcome {
  std::string method;
  std::vector<RelationOutcome> relations;
  std::vector<float> shares;            ///< [edges, relations]
  std::vector<std::int32_t> strongest;  ///< [edges]
  std::vector<float> certainty;         ///< [edges]; empty: the method does not tell
  std::vector<std::int64_t> ask;        ///< edges to label next, the most telling first

  std::vector<RelationsCandidate> candidates;  ///< sizes that were tried; empty: none were
  std::optional<RelationsEvidence> evidence;   ///< is there any structure? Not every method tells
  std::optional<KnownEdgesReport> known;       ///< where edges were known
  std::optional<RelationAuc> truth;            ///< where the true relations are known
  bool truth_without_known = false;            ///< known edges were left out of that score
  std::vector<std::string> notes;

  std::size_t num_relations() const { return relations.size(); }
};

/// Groups that edges make: each edge lies in one relation and one community of it, or in none (-1); a node's group is
/// the community that most of its edges there lie in, and its membership their share. Fills `group`, `membership` and
/// `groups` of every relation. Cost: O(edges log edges + nodes * relations).
FACTORGCN_API void set_groups_of_edges(std::int64_t num_nodes, const std::vector<std::int32_t>& sources,
                                       const std::vector<std::int32_t>& targets,
                                       const std::vector<std::int32_t>& relation,
                                       const std::vector<std::int32_t>& community, DisentangleOutcome& outcome);

/// Fills what follows from the shares: `strongest` (the first of equals), and each relation's `edges` and `strongest`.
FACTORGCN_API void count_shares(DisentangleOutcome& outcome);

/// Numbers the groups of a relation anew by falling size, from 1; nodes in `alone` get 0.
FACTORGCN_API void order_groups(RelationOutcome& relation, const std::vector<bool>& alone);

}  // namespace factorgcn
