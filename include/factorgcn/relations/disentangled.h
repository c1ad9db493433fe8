// What taking relations apart found, and how sure it is.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

inline constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// One way to describe the graph that was tried.
struct FACTORGCN_API RelationsCandidate {
  int relations = 0;              ///< 0: no groups at all
  int groups = 0;                 ///< of each relation at the start; empty ones are left out later
  double bits_per_edge = 0;       ///< description length: what it takes to write the graph down, lower is better
  double likelihood = kNotKnown;  ///< of the edges, in bits per edge
  bool chosen = false;
};

/// Is there anything to take apart?
enum class RelationsVerdict {
  kSeveral,   ///< several relations describe the graph better than one, and better than chance allows
  kOne,       ///< groups, but one partition of the nodes says all there is to say
  kNone,      ///< as good as a random graph with the same degrees
  kUnstable,  ///< something is there, but starts and resamples disagree on what
};

/// The numbers behind the verdict, all in bits per edge saved against a random graph with the same degrees.
struct FACTORGCN_API RelationsEvidence {
  RelationsVerdict verdict = RelationsVerdict::kNone;
  double saved = kNotKnown;            ///< by what was chosen
  double saved_by_one = kNotKnown;     ///< by the best description with one relation
  double saved_in_random = kNotKnown;  ///< the most that random graphs with the same degrees gave, after rewiring
  double chance_bound = kNotKnown;     ///< what 99 of 100 such graphs would stay below, by Student's distribution; 0 at
                                       ///< least. What saves less than this has no structure that could be told
  int random_graphs = 0;               ///< how many of them were looked at
};

/// One relation: a partition of the nodes into groups, and its share in every edge.
struct FACTORGCN_API FoundRelation {
  std::string name;  ///< "relation 1", the known relation's name, or that of an attribute that agrees
  int groups = 0;
  int first_group = 0;           ///< its columns in Disentangled::memberships
  double edges = 0;              ///< sum of its shares
  double stability = kNotKnown;  ///< mean agreement of its partition between starts and resamples: adjusted mutual
                                 ///< information, 0 chance, 1 the same
  int attribute = -1;            ///< the node attribute that agrees best, where one agrees beyond chance
  double attribute_agreement = kNotKnown;  ///< adjusted mutual information with it
  double attribute_chance = kNotKnown;     ///< what shuffled nodes reach at most, of 100
};

/// How well known edges are predicted when they are left out of what is known.
struct FACTORGCN_API KnownEdgesReport {
  int known = 0, folds = 0;
  std::vector<double> aucs;    ///< [relations named] NaN where too few are known
  double mean = kNotKnown;     ///< of those
  double without = kNotKnown;  ///< the same by the graph alone, best columns
};

struct FACTORGCN_API Disentangled {
  std::vector<FoundRelation> relations;  ///< [K]; known relations first, in their order, then by edges
  std::vector<float> shares;             ///< [E, K] each edge's share in each relation; a row sums to 1 at most, the
                                         ///< rest belongs to no relation; with known edges: probabilities, which may
                                         ///< sum to more where edges have several relations
  std::vector<std::int32_t> strongest;   ///< [E] the relation with the greatest share
  std::vector<float> certainty;          ///< [E] how often starts and resamples agree on the strongest, 0 to 1
  std::vector<float> memberships;        ///< [N, groups of all relations] a row sums to 1 in each relation
  std::vector<float> receiving;          ///< the same for the edges that a node receives, where a directed graph's
                                         ///< nodes have groups of their own for that; `memberships` are for sending
  std::vector<std::int64_t> ask;         ///< edges to label next, the most telling first; known ones are left out

  std::vector<RelationsCandidate> candidates;  ///< in the order in which they were tried
  RelationsEvidence evidence;
  KnownEdgesReport known;
  std::vector<std::string> notes;  ///< what a reader should know, in words

  int num_relations() const { return static_cast<int>(relations.size()); }
  int num_groups() const { return relations.empty() ? 0 : relations.back().first_group + relations.back().groups; }
};

}  // namespace factorgcn
