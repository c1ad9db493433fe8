// What swap, local view, adversary and namer are for: each is shown a split that is wrong in the way it has to notice.
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "nn/aligned/adversary.h"
#include "nn/aligned/edge_scorer.h"
#include "nn/aligned/local_view.h"
#include "nn/aligned/namer.h"
#include "nn/aligned/planted.h"
#include "nn/aligned/random_parts.h"
#include "nn/aligned/split_losses.h"
#include "nn/aligned/swap.h"

namespace factorgcn {
namespace {

using aligned::Moments;
using aligned::NewGraphs;
using aligned::PartNames;
using aligned::Piece;
using testing::plant;
using testing::PlantedGraphs;
using testing::Pupil;

/// All pairs of labels in turn.
std::vector<std::vector<std::int64_t>> pairs_of_labels(int graphs) {
  static const std::vector<std::vector<std::int64_t>> kinds{{0, 1}, {0, 2}, {1, 2}};
  std::vector<std::vector<std::int64_t>> lists;
  for (int g = 0; g < graphs; ++g) {
    lists.push_back(kinds[static_cast<std::size_t>(g) % kinds.size()]);
  }
  return lists;
}

/// The degrees that each part of each new graph has, and how often a pair of it is shared.
std::multiset<std::multiset<int>> degrees_of_parts(const NewGraphs& made, std::int64_t label) {
  std::map<std::int64_t, std::map<std::int64_t, int>> degrees;
  for (std::int64_t p = 0; p < made.graphs.num_pairs(); ++p) {
    if (made.parts[p][label].item<float>() > 0) {
      auto& own = degrees[made.graphs.graph_of_pair[p].item<std::int64_t>()];
      ++own[made.graphs.left[p].item<std::int64_t>()];
      ++own[made.graphs.right[p].item<std::int64_t>()];
    }
  }
  std::multiset<std::multiset<int>> result;
  for (const auto& [graph, own] : degrees) {
    std::multiset<int> list;
    for (const auto& [node, degree] : own) {
      list.insert(degree);
    }
    result.insert(list);
  }
  return result;
}

TEST(Swap, NewGraphsAreMadeOfPartsThatGraphsHold) {
  RandomStream random(1, "test/swap");
  const PlantedGraphs planted = plant(pairs_of_labels(30), random);
  const at::Tensor held = planted.parts.gt(0);
  const PartNames usual = aligned::usual_names(30, 3);
  const NewGraphs made = aligned::exchange_parts(planted.graphs, held, usual.names, planted.labels, 7);
  EXPECT_EQ(made.graphs.num_graphs(), 30);
  EXPECT_EQ(made.graphs.num_nodes(), 30 * testing::kPlantedNodes);
  EXPECT_TRUE(at::equal(made.parts.sum(1), made.graphs.multiplicity));
  EXPECT_EQ(made.parts.sum().item<double>(), 30 * 2 * 3);  // two parts of three edges each
  const std::map<std::int64_t, std::multiset<int>> looks{{0, {2, 2, 2}}, {1, {1, 1, 1, 3}}, {2, {1, 1, 2, 2}}};
  for (const auto& [label, look] : looks) {
    const auto found = degrees_of_parts(made, label);
    EXPECT_GT(found.size(), 10U);
    EXPECT_EQ(found.count(look), found.size()) << "label " << label;
  }
  EXPECT_GT(made.graphs.multiplicity.max().item<double>(), 1) << "parts shall lie over each other";
  const NewGraphs again = aligned::exchange_parts(planted.graphs, held, usual.names, planted.labels, 7);
  EXPECT_TRUE(at::equal(again.graphs.left, made.graphs.left) && at::equal(again.parts, made.parts));
  const NewGraphs others = aligned::exchange_parts(planted.graphs, held, usual.names, planted.labels, 8);
  EXPECT_FALSE(others.graphs.num_pairs() == made.graphs.num_pairs() && at::equal(others.graphs.left, made.graphs.left));
}

TEST(Swap, PartsOfTurnedGraphsComeFromTheFactorsThatHoldThem) {
  RandomStream random(2, "test/swap");
  const PlantedGraphs planted = plant(pairs_of_labels(12), random);
  // Graphs of labels 0 and 1 hold each of them in the other's factor.
  at::Tensor held = planted.parts.gt(0);
  PartNames names = aligned::usual_names(12, 3);
  for (std::int64_t p = 0; p < planted.graphs.num_pairs(); ++p) {
    if (planted.graphs.graph_of_pair[p].item<std::int64_t>() % 3 == 0) {
      const at::Tensor own = held[p].clone();
      held[p][0] = own[1];
      held[p][1] = own[0];
    }
  }
  for (std::int64_t g = 0; g < 12; g += 3) {
    names.names[g][0] = 1;
    names.names[g][1] = 0;
  }
  const NewGraphs made = aligned::exchange_parts(planted.graphs, held, names.names, planted.labels, 3);
  const auto triangles = degrees_of_parts(made, 0);
  EXPECT_GT(triangles.size(), 3U);
  EXPECT_EQ(triangles.count({2, 2, 2}), triangles.size());
}

TEST(Swap, LargeAndSmallGraphsMix) {
  RandomStream random(3, "test/swap");
  const GraphBatch batch = testing::random_part_graphs(20, random);
  const at::Tensor labels = testing::random_labels(20, 4, random);
  const aligned::PairGraphs graphs = aligned::pairs_of(batch, false).graphs;
  at::Tensor held = at::zeros({graphs.num_pairs(), 4}, at::TensorOptions().dtype(at::kBool));
  for (std::int64_t i = 0; i < held.numel(); ++i) {
    held.data_ptr<bool>()[i] = random.chance(0.4);
  }
  const NewGraphs made = aligned::exchange_parts(graphs, held, aligned::usual_names(20, 4).names, labels, 5);
  const auto* nodes = made.graphs.graph_offsets.data_ptr<std::int64_t>();
  for (std::int64_t p = 0; p < made.graphs.num_pairs(); ++p) {
    const auto graph = made.graphs.graph_of_pair[p].item<std::int64_t>();
    EXPECT_GE(made.graphs.left[p].item<std::int64_t>(), nodes[graph]);
    EXPECT_LT(made.graphs.right[p].item<std::int64_t>(), nodes[graph + 1]);
    EXPECT_LE(made.graphs.multiplicity[p].item<double>(), labels[graph].sum().item<double>());
  }
  const auto* original = graphs.graph_offsets.data_ptr<std::int64_t>();
  for (std::int64_t g = 0; g < 20; ++g) {
    EXPECT_LE(nodes[g + 1] - nodes[g], 8);
    EXPECT_GE(original[g + 1] - original[g], 4);
  }
}

/// The parts where triangle and star are each called the other wherever they are together: labels of graphs alone allow
/// that.
at::Tensor exchanged_parts(const PlantedGraphs& planted) {
  at::Tensor exchanged = planted.parts.clone();
  for (std::int64_t p = 0; p < planted.graphs.num_pairs(); ++p) {
    if (planted.graphs.graph_of_pair[p].item<std::int64_t>() % 3 == 0) {
      exchanged[p][0] = planted.parts[p][1];
      exchanged[p][1] = planted.parts[p][0];
    }
  }
  return exchanged;
}

/// A scorer that has learnt a split of some graphs, and how well it finds its own parts again in new graphs.
double found_again(const PlantedGraphs& planted, const at::Tensor& split) {
  Pupil pupil(4);
  const aligned::EdgeScorer scorer(pupil.maker, 3, 16, 3);
  const double learnt = pupil.train(
      150, [&] { return aligned::coefficient_loss(scorer.coefficients(planted.graphs, Moments::kLearning), split); });
  EXPECT_LT(learnt, 0.05) << "the split must be one that can be learnt";
  const at::Tensor held = scorer.coefficients(planted.graphs, Moments::kBatch).detach().gt(0.5).contiguous();
  const NewGraphs made = aligned::exchange_parts(
      planted.graphs, held, aligned::usual_names(planted.labels.size(0), 3).names, planted.labels, 6);
  return aligned::coefficient_loss(scorer.coefficients(made.graphs, Moments::kBatch), made.parts).item<double>();
}

TEST(Swap, FindsASplitWrongThatDependsOnItsContext) {
  RandomStream random(5, "test/swap");
  const PlantedGraphs planted = plant(pairs_of_labels(60), random);
  const at::Tensor exchanged = exchanged_parts(planted);
  const double of_truth = found_again(planted, planted.parts), of_exchanged = found_again(planted, exchanged);
  EXPECT_GT(of_exchanged, of_truth + 1) << "true parts: " << of_truth;
}

/// How many of the edges go to the right one of the labels that are present.
double share_right(const PlantedGraphs& planted, const at::Tensor& coefficients) {
  const at::Tensor present = coefficients * planted.labels.index_select(0, planted.graphs.graph_of_pair);
  return present.argmax(1).eq(planted.parts.argmax(1)).to(at::kDouble).mean().item<double>();
}

TEST(LocalView, TellsPartsFromLabelsOfGraphs) {
  RandomStream random(11, "test/local");
  const PlantedGraphs planted = plant(pairs_of_labels(90), random);
  Pupil pupil(12);
  const aligned::LocalView local(pupil.maker, 1, 16, 3);
  const auto right = [&] {
    return share_right(planted, local.guesses(planted.graphs, planted.labels, Moments::kBatch));
  };
  const at::Tensor none = at::zeros_like(planted.parts);
  EXPECT_LT(right(), 0.75) << "nothing is known before";
  pupil.train(300, [&] { return local.teach(planted.graphs, none, planted.labels, Moments::kLearning).loss; });
  EXPECT_GT(right(), 0.95);
}

TEST(LocalView, MendsASplitThatLabelsAloneAllow) {
  RandomStream random(11, "test/local");
  const PlantedGraphs planted = plant(pairs_of_labels(90), random);
  const at::Tensor exchanged = exchanged_parts(planted);
  const at::Tensor present = planted.labels.index_select(0, planted.graphs.graph_of_pair);
  const auto found_with = [&](double weight) {
    Pupil pupil(4);
    const aligned::EdgeScorer scorer(pupil.maker, 3, 16, 3);
    const aligned::LocalView local(pupil.maker, 1, 16, 3);
    const auto scores = [&] {
      return scorer.scores(planted.graphs, scorer.context(planted.graphs, Moments::kLearning));
    };
    pupil.train(150, [&] { return aligned::coefficient_loss(scores().sigmoid(), exchanged); });
    pupil.train(300, [&] {
      const at::Tensor found = scores(), c = found.sigmoid();
      const auto taught = local.teach(planted.graphs, found, planted.labels, Moments::kLearning);
      const at::Tensor whole = (c * (1 - present)).sum(1).mean() + (c.sum(1) - 1).square().mean();
      return whole + (taught.loss + taught.agree) * weight;
    });
    return share_right(planted, scorer.coefficients(planted.graphs, Moments::kBatch));
  };
  EXPECT_GT(found_with(1), 0.95);
  EXPECT_LT(found_with(0), 0.75);
}

TEST(LocalView, GraphsWithoutLabelsTeachNothing) {
  RandomStream random(11, "test/local");
  const PlantedGraphs planted = plant({{0, 1}, {2}}, random);
  Pupil pupil(12);
  const aligned::LocalView local(pupil.maker, 0, 16, 3);
  const at::Tensor none = at::full_like(planted.parts, -10);
  const auto taught = local.teach(planted.graphs, none, at::zeros_like(planted.labels), Moments::kLearning);
  EXPECT_EQ(taught.loss.item<double>(), 0);
  EXPECT_LT(taught.agree.item<double>(), 0.01);
}

TEST(Adversary, PushesLeakedEdgesOut) {
  RandomStream random(6, "test/adversary");
  // Label 0 everywhere, label 1 in every other graph; then one ray of its star lies in the factor of label 0, too.
  std::vector<std::vector<std::int64_t>> lists;
  for (int g = 0; g < 40; ++g) {
    lists.push_back(g % 2 == 0 ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{0, 1});
  }
  const PlantedGraphs planted = plant(lists, random);
  at::Tensor coefficients = planted.parts * 0.9 + 0.02;
  std::vector<std::int64_t> leaked, own;
  for (std::int64_t p = 0; p < planted.graphs.num_pairs(); ++p) {
    const bool first_ray =
        p > 0 && planted.parts[p][1].item<float>() > 0 &&
        !(planted.parts[p - 1][1].item<float>() > 0 && planted.graphs.graph_of_pair[p - 1].item<std::int64_t>() ==
                                                           planted.graphs.graph_of_pair[p].item<std::int64_t>());
    if (first_ray && (leaked.empty() || planted.graphs.graph_of_pair[leaked.back()].item<std::int64_t>() !=
                                            planted.graphs.graph_of_pair[p].item<std::int64_t>())) {
      leaked.push_back(p);
      coefficients[p][0] = 0.6;
    } else if (planted.parts[p][0].item<float>() > 0) {
      own.push_back(p);
    }
  }
  ASSERT_GE(leaked.size(), 15U);
  const std::vector<Piece> pieces = aligned::present_pieces(planted.labels);
  const aligned::FactorShelf shelf = aligned::shelve(planted.graphs, 3, pieces, at::kCPU);
  const auto mean_of = [](const at::Tensor& c, const std::vector<std::int64_t>& pairs) {
    double sum = 0;
    for (const std::int64_t pair : pairs) {
      sum += c[pair][0].item<double>();
    }
    return sum / static_cast<double>(pairs.size());
  };
  // Reader and coefficients learn side by side: how far leaked and own edges fall.
  const auto falls = [&](double strength) {
    Pupil pupil(7);
    const at::Tensor scores = pupil.register_parameter("scores", coefficients.logit());
    const aligned::Adversary adversary(pupil.maker, 2, 12, 3);
    pupil.train(250, [&] {
      return adversary.loss(shelf, pieces, scores.sigmoid(), planted.labels, strength, Moments::kLearning);
    });
    const at::Tensor now = scores.detach().sigmoid();
    return std::pair{mean_of(coefficients, leaked) - mean_of(now, leaked),
                     mean_of(coefficients, own) - mean_of(now, own)};
  };
  const auto [leaked_fall, own_fall] = falls(1);
  EXPECT_GT(leaked_fall, 0.05);
  EXPECT_GT(leaked_fall, 3 * std::abs(own_fall)) << "the part's own edges stay";
  EXPECT_EQ(falls(0).first, 0) << "without a reversed gradient nothing moves them";
}

struct Exchanged {
  PlantedGraphs planted;
  at::Tensor coefficients;
};

/// Triangles and stars; in every tenth graph each lies in the other's factor.
Exchanged mostly_right(int graphs) {
  RandomStream random(8, "test/namer");
  Exchanged result{plant(std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(graphs), {0, 1}), random), {}};
  result.coefficients = result.planted.parts * 0.8 + 0.1;
  for (std::int64_t p = 0; p < result.planted.graphs.num_pairs(); ++p) {
    if (result.planted.graphs.graph_of_pair[p].item<std::int64_t>() % 10 == 0) {
      const at::Tensor own = result.coefficients[p].clone();
      result.coefficients[p][0] = own[1];
      result.coefficients[p][1] = own[0];
    }
  }
  return result;
}

TEST(Namer, TurnsExchangedSamplesRound) {
  const Exchanged data = mostly_right(40);
  Pupil pupil(9);
  const aligned::Namer namer(pupil.maker, 2, 12, 3);
  const std::vector<Piece> pieces = aligned::present_pieces(data.planted.labels);
  const aligned::FactorShelf shelf = aligned::shelve(data.planted.graphs, 3, pieces, at::kCPU);
  const at::Tensor held = data.coefficients.gt(0.5).to(at::kFloat);
  const auto read = [&] { return namer.read(shelf, pieces, held, Moments::kLearning); };
  pupil.train(80, [&] { return read().loss; });
  const PartNames names = aligned::name_parts(pieces, read().log_probabilities.detach().contiguous(), 40);
  EXPECT_EQ(names.count, 4);
  for (std::int64_t g = 0; g < 40; ++g) {
    EXPECT_EQ(names.turned[g].item<bool>(), g % 10 == 0);
    EXPECT_EQ(names.names[g][0].item<std::int64_t>(), g % 10 == 0 ? 1 : 0);
    EXPECT_EQ(names.names[g][1].item<std::int64_t>(), g % 10 == 0 ? 0 : 1);
    EXPECT_EQ(names.names[g][2].item<std::int64_t>(), 2);
  }
  // Descent raises what is too small and lowers what is too large, in the graphs that are turned and in no others.
  const at::Tensor c = data.coefficients.clone().requires_grad_();
  aligned::exchange_loss(data.planted.graphs, c, names).backward();
  for (std::int64_t p = 0; p < data.planted.graphs.num_pairs(); ++p) {
    const bool turned = data.planted.graphs.graph_of_pair[p].item<std::int64_t>() % 10 == 0;
    for (std::int64_t k = 0; k < 2; ++k) {
      const double gradient = c.grad()[p][k].item<double>();
      const bool belongs = data.planted.parts[p][k].item<float>() > 0;
      EXPECT_TRUE(!turned ? gradient == 0 : belongs ? gradient < 0 : gradient > 0) << "pair " << p << ", factor " << k;
    }
  }
}

TEST(Namer, OrderIsTheMostProbableAssignment) {
  // One graph with three parts, whose factors look like the next one each; and one without any doubt.
  const std::vector<Piece> pieces{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 2}};
  at::Tensor log_probabilities = at::full({5, 3}, -5.0, at::TensorOptions().dtype(at::kFloat));
  for (const auto& [piece, name] : {std::pair{0, 1}, {1, 2}, {2, 0}, {3, 0}, {4, 2}}) {
    log_probabilities[piece][name] = -0.1;
  }
  const PartNames names = aligned::name_parts(pieces, log_probabilities, 2);
  EXPECT_EQ(names.count, 1);
  for (const auto& [label, factor] : {std::pair{1, 0}, {2, 1}, {0, 2}}) {
    EXPECT_EQ(names.names[0][label].item<std::int64_t>(), factor);
  }
  EXPECT_FALSE(names.turned[1].item<bool>());
  // Equal probabilities change nothing.
  const PartNames doubtful = aligned::name_parts(pieces, at::full({5, 3}, -1.0, log_probabilities.options()), 2);
  EXPECT_EQ(doubtful.count, 0);
}

}  // namespace
}  // namespace factorgcn
