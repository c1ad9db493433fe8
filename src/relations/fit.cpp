// The steps one after the other; see the files of the same names.
#include "relations/fit.h"

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "relations/communities.h"
#include "relations/grouping.h"
#include "relations/moves.h"
#include "relations/polish.h"

namespace factorgcn::relations {

Effort usual_effort(std::int64_t links) {
  if (links <= kFewLinks) {
    constexpr std::int64_t kVeryFewLinks = 2'000;  // chance varies most there, and a fit takes no time
    return {.starts = 8,
            .community_rounds = 200,
            .polish_rounds = 60,
            .sweeps = 30,
            .resamples = 10,
            .random_graphs = links <= kVeryFewLinks ? 10 : 5};
  }
  if (links < kManyLinks) {
    return {
        .starts = 3, .community_rounds = 120, .polish_rounds = 60, .sweeps = 12, .resamples = 3, .random_graphs = 1};
  }
  return {.starts = 1,
          .community_rounds = 60,
          .polish_rounds = 15,
          .sweeps = 30,
          .settled = 1e-3,
          .resamples = 2,
          .random_graphs = 5};
}

// Fewer than 12 rounds of polish would not fit activities again, and those of the first rounds describe too much.
Effort quick_effort() {
  return {.starts = 1, .community_rounds = 20, .polish_rounds = 14, .sweeps = 10, .settled = 3e-3};
}

Partitions fit_once(const Links& links, const FitOptions& options, int start) {
  const std::string purpose = concat("relations/", options.relations, "x", options.groups, "/start ", start, "/");
  CommunityOptions community;
  community.communities = options.relations * options.groups;
  community.rounds = options.effort.community_rounds;
  community.seed = options.seed;
  community.purpose = purpose + "communities";
  community.stop = options.stop;
  community.directions = options.directions;
  Model model;
  {
    const Communities found = find_communities(links, community);
    // Every other start lets relations have different numbers of groups.
    const std::vector<int> dealt = group_communities(overlaps(links, found.x), community.communities, options.relations,
                                                     start % 2 == 0, options.seed, purpose + "grouping");
    model = start_model(links, found.x, dealt, options.relations);
  }
  polish(links, model, {.rounds = options.effort.polish_rounds, .enough = 1e-5, .stop = options.stop});
  Partitions partitions = round_model(links, model);
  model = {};
  move_nodes(links, partitions,
             {.sweeps = options.effort.sweeps,
              .enough = options.effort.settled,
              .seed = options.seed,
              .purpose = purpose + "moves",
              .stop = options.stop});
  fit_rates(links, partitions);
  if (links.links() >= kManyLinks) {
    dissolve_small_groups(links, partitions,
                          {.seed = options.seed, .purpose = purpose + "small", .stop = options.stop});
  }
  return partitions;
}

Partitions fit_best(const Links& links, const FitOptions& options) {
  std::vector<Partitions> found(static_cast<std::size_t>(options.effort.starts));
  const auto start = [&](std::int64_t index) { found[index] = fit_once(links, options, static_cast<int>(index)); };
  if (options.effort.starts > 2) {
    parallel_tasks(options.effort.starts, start);
  } else {
    for (int index = 0; index < options.effort.starts; ++index) {
      start(index);
    }
  }
  return *std::min_element(found.begin(), found.end(),
                           [](const Partitions& a, const Partitions& b) { return a.bits < b.bits; });
}

Model finish(const Links& links, const Partitions& partitions, const Effort& effort,
             const std::function<bool()>& stop) {
  Model model = soften(links, partitions);
  polish(links, model, {.rounds = effort.polish_rounds, .enough = 1e-5, .stop = stop});
  return model;
}

}  // namespace factorgcn::relations
