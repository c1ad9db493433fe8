// Step 3: from communities dealt out to relations to the model in which a node's memberships of a relation sum to one.
#pragma once

#include <functional>
#include <vector>

#include "factorgcn/base/export.h"
#include "relations/model.h"

namespace factorgcn::relations {

struct PolishOptions {
  int rounds = 300;      // at most
  double enough = 1e-6;  // a round that gains less than this share of the links' number is the last
  std::function<bool()> stop = {};
};

/// The model to start from: memberships as communities have them, rates as if all relations had equally many links.
FACTORGCN_API Model start_model(const Links& links, const Table& x, const std::vector<int>& relation_of, int relations);

/// Expectation-maximisation; a step that would lower the likelihood is shortened until it does not.
/// Cost: O(links x groups) a round.
FACTORGCN_API void polish(const Links& links, Model& model, const PolishOptions& options);

}  // namespace factorgcn::relations
