// Communities, grouping and polish: likelihoods only rise, sums hold, small cases are solved as trying everything does.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "relations/communities.h"
#include "relations/grouping.h"
#include "relations/polish.h"
#include "relations/small_graphs.h"

namespace factorgcn {
namespace {

using namespace relations;  // NOLINT(google-build-using-namespace)

/// The rest of the likelihood: the sum of all rates, self pairs counted by half as the model of communities has it.
double dense_likelihood(const Links& links, const Table& x) {
  double sum = 0;
  for (std::int64_t a = 0; a < links.nodes; ++a) {
    for (std::int64_t b = 0; b < links.nodes; ++b) {
      double rate = 0;
      for (int column = 0; column < x.columns(); ++column) {
        rate += static_cast<double>(x.row(a)[column]) * x.row(b)[column];
      }
      sum -= rate / 2;
      for (std::int64_t at = links.offsets[a]; at < links.offsets[a + 1]; ++at) {
        if (links.neighbours[at] == b) {
          sum += (links.weighted() ? links.weights[at] * std::log(rate) : std::log(std::expm1(rate))) / 2;
        }
      }
    }
  }
  return sum;
}

RC_GTEST_PROP(Communities, LikelihoodIsThatOfTheFormulaAndNeverFalls, ()) {
  const Links links = make_links(arbitrary_graph(pick(0, 2) == 1));
  Table x = arbitrary_table(links.nodes, pick(1, 5));
  Table counts(links.nodes, x.columns());
  double before = -std::numeric_limits<double>::infinity();
  for (int round = 0; round < 12; ++round) {
    const double dense = dense_likelihood(links, x);
    const double likelihood = improve_communities(links, x, counts);
    RC_ASSERT(std::abs(likelihood - dense) < 1e-3 * (1 + std::abs(dense)));
    RC_ASSERT(likelihood >= before - 1e-4 * (1 + std::abs(before)));
    before = likelihood;
  }
}

TEST(Communities, TheSameSeedGivesTheSameAndAnotherAnother) {
  const Links links = make_links(graph_of(plant_relations({.nodes = 60})));
  const CommunityOptions options{.communities = 4, .rounds = 10, .seed = 1, .purpose = "test"};
  CommunityOptions other = options;
  other.seed = 2;
  const Communities first = find_communities(links, options);
  EXPECT_EQ(first.x.row(3)[1], find_communities(links, options).x.row(3)[1]);
  EXPECT_NE(first.x.row(3)[1], find_communities(links, other).x.row(3)[1]);
}

double cost_of_deal(const std::vector<double>& overlap, const std::vector<int>& relation) {
  double cost = 0;
  for (std::size_t a = 0; a < relation.size(); ++a) {
    for (std::size_t b = 0; b < relation.size(); ++b) {
      cost += relation[a] == relation[b] ? overlap[a * relation.size() + b] : 0;
    }
  }
  return cost;
}

RC_GTEST_PROP(Grouping, FindsTheLeastOverlapOfAllDeals, ()) {
  const int communities = pick(2, 7), relations = pick(1, std::min(communities, 3) + 1);
  std::vector<double> overlap(communities * communities, 0);
  for (int a = 0; a < communities; ++a) {
    for (int b = 0; b < a; ++b) {
      overlap[a * communities + b] = overlap[b * communities + a] = pick(0, 100) / 100.0;
    }
  }
  const std::vector<int> found = group_communities(overlap, communities, relations, false, 1, "test", 60);
  std::vector<int> counts(relations, 0);
  for (const int relation : found) {
    ++counts[relation];
  }
  for (const int count : counts) {
    RC_ASSERT(count >= 1);
  }
  double best = std::numeric_limits<double>::infinity();
  std::vector<int> deal(communities, 0);
  for (int number = 0; number < static_cast<int>(std::pow(relations, communities)); ++number) {
    for (int at = 0, rest = number; at < communities; ++at, rest /= relations) {
      deal[at] = rest % relations;
    }
    best = std::min(best, cost_of_deal(overlap, deal));
  }
  RC_ASSERT(cost_of_deal(overlap, found) <= best + 1e-9);
}

RC_GTEST_PROP(Polish, MembershipsSumToOneAndMoreRoundsAreNoWorse, ()) {
  const Links links = make_links(arbitrary_graph(pick(0, 2) == 1));
  const Table x = arbitrary_table(links.nodes, 4);
  const std::vector<int> relation_of{0, 1, 0, 1};
  double before = -std::numeric_limits<double>::infinity();
  // Up to the tenth round the activities' prior stays what it is.
  for (int rounds = 2; rounds <= 10; ++rounds) {
    Model model = start_model(links, x, relation_of, 2);
    polish(links, model, {.rounds = rounds, .enough = 0});
    RC_ASSERT(std::isfinite(model.likelihood));
    RC_ASSERT(rounds == 2 || model.likelihood >= before - 1e-3 * (1 + std::abs(before)));
    before = model.likelihood;
    for (std::int64_t row = 0; row < links.nodes; ++row) {
      for (int relation = 0; relation < 2; ++relation) {
        float sum = 0;
        for (int column = model.first[relation]; column < model.first[relation + 1]; ++column) {
          sum += model.z.row(row)[column];
        }
        RC_ASSERT(std::abs(sum - 1) < 1e-4F);
      }
    }
  }
}

RC_GTEST_PROP(Polish, SharesAreAtMostOne, ()) {
  const RelationGraph graph = arbitrary_graph(false);
  const Links links = make_links(graph);
  Model model = start_model(links, arbitrary_table(links.nodes, 5), {0, 0, 1, 1, 2}, 3);
  polish(links, model, {.rounds = 20});
  const std::vector<float> shares = relation_shares(links, graph, model);
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    const float sum = shares[edge * 3] + shares[edge * 3 + 1] + shares[edge * 3 + 2];
    RC_ASSERT(sum <= 1.0001F && sum >= 0);
  }
}

}  // namespace
}  // namespace factorgcn
