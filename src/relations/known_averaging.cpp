// Squared errors in units of a relation's variance, so that rare relations count as much as others.
#include "relations/known_averaging.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace factorgcn::relations {
namespace {

constexpr double kLeastVariance = 0.02, kDoubtOfErrors = 0.5;
constexpr double kPowerOfOne = 0.5, kPowerOfAll = 0.1;  // of the likelihood

std::vector<double> variances_of(const std::vector<double>& shares) {
  std::vector<double> variances;
  for (const double share : shares) {
    variances.push_back(std::max(share * (1 - share), kLeastVariance));
  }
  return variances;
}

/// [answers, L] each relation's sum to 1.
std::vector<double> weights_of(const KnownEdges& known, const std::vector<double>& variances,
                               const std::vector<Answer>& answers) {
  const auto relations = static_cast<std::size_t>(known.relations);
  const auto count = static_cast<double>(known.edges.size());
  std::vector<double> weights(answers.size() * relations);
  for (std::size_t answer = 0; answer < answers.size(); ++answer) {
    std::vector<double> errors(relations, kDoubtOfErrors);
    double all = 0;
    for (std::size_t at = 0; at < known.truth.size(); ++at) {
      const double off = answers[answer].left_out[at] - (known.truth[at] != 0 ? 1 : 0);
      errors[at % relations] += off * off / variances[at % relations];
    }
    for (const double error : errors) {
      all += error;
    }
    for (std::size_t relation = 0; relation < relations; ++relation) {
      weights[answer * relations + relation] = std::log(answers[answer].weight) -
                                               kPowerOfOne * count / 2 * std::log(errors[relation]) -
                                               kPowerOfAll * count * known.relations / 2 * std::log(all);
    }
  }
  for (std::size_t relation = 0; relation < relations; ++relation) {
    double most = weights[relation], sum = 0;
    for (std::size_t at = relation; at < weights.size(); at += relations) {
      most = std::max(most, weights[at]);
    }
    for (std::size_t at = relation; at < weights.size(); at += relations) {
      sum += weights[at] = std::exp(weights[at] - most);
    }
    for (std::size_t at = relation; at < weights.size(); at += relations) {
      weights[at] /= sum;
    }
  }
  return weights;
}

/// Means of values in rows of one for each relation, and how far values are from them in units of deviations; `skipped`
/// rows are not looked at.
struct Spread {
  std::vector<double> centers;
  double deviation = 0;

  template <class Value>
  Spread(const std::vector<Value>& values, const std::vector<double>& variances, const std::vector<char>& skipped)
      : centers(variances.size(), 0.0) {
    const std::size_t relations = variances.size();
    const auto is_skipped = [&](std::size_t at) { return !skipped.empty() && skipped[at / relations] != 0; };
    double count = 1e-9;
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (!is_skipped(at)) {
        centers[at % relations] += static_cast<double>(values[at]);
        count += 1;
      }
    }
    for (double& center : centers) {
      center *= static_cast<double>(relations) / count;
    }
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (!is_skipped(at)) {
        const double off = static_cast<double>(values[at]) - centers[at % relations];
        deviation += off * off / variances[at % relations] / count;
      }
    }
    deviation = std::sqrt(deviation) + 1e-9;
  }
};

/// Sums over known edges that were left out, each relation in units of its deviation.
struct LeftOutSums {
  double with_truth = 0, squares = 0;

  LeftOutSums(const KnownEdges& known, const std::vector<double>& shares, const std::vector<double>& left_out,
              const std::vector<double>& centers) {
    const std::vector<double> variances = variances_of(shares);
    for (std::size_t at = 0; at < left_out.size(); ++at) {
      const std::size_t relation = at % shares.size();
      const double off = left_out[at] - centers[relation];
      with_truth += off * ((known.truth[at] != 0 ? 1 : 0) - shares[relation]) / variances[relation];
      squares += off * off / variances[relation];
    }
  }
};

/// share + slope (value - center)
template <class Value>
void stretch(std::vector<Value>& values, const std::vector<double>& centers, const std::vector<double>& shares,
             double slope) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::size_t relation = at % shares.size();
    values[at] = static_cast<Value>(shares[relation] + slope * (static_cast<double>(values[at]) - centers[relation]));
  }
}

}  // namespace

void scale_answer(const KnownEdges& known, const std::vector<double>& shares, Answer& answer) {
  constexpr double kAsIfSeen = 400, kCorrelation = 0.25;
  std::vector<char> is_known(answer.predicted.size() / shares.size(), 0);
  for (const std::int64_t edge : known.edges) {
    is_known[static_cast<std::size_t>(edge)] = 1;
  }
  const std::vector<double> variances = variances_of(shares);
  const Spread predicted(answer.predicted, variances, is_known);  // answers are bolder where they know
  const Spread left_out(answer.left_out, variances, {});
  const LeftOutSums sums(known, shares, answer.left_out, left_out.centers);
  const double deviation = predicted.deviation;
  const double slope = std::max(0.0, (sums.with_truth / deviation + kAsIfSeen * kCorrelation) /
                                         (sums.squares / deviation / deviation + kAsIfSeen) / deviation);
  stretch(answer.predicted, predicted.centers, shares, slope);
  stretch(answer.left_out, left_out.centers, shares, slope);
}

void scale_mean(const KnownEdges& known, const std::vector<double>& shares, Answer& mean) {
  constexpr double kAsIfSeen = 100;
  const LeftOutSums sums(known, shares, mean.left_out, shares);
  const double seen = static_cast<double>(mean.left_out.size());
  const double before = kAsIfSeen * sums.squares / std::max(seen, 1.0);
  const double slope = sums.squares > 1e-12 ? std::max(0.1, (sums.with_truth + before) / (sums.squares + before)) : 1;
  stretch(mean.predicted, shares, shares, slope);
  stretch(mean.left_out, shares, shares, slope);
}

Answer average_answers(const KnownEdges& known, const std::vector<double>& shares, const std::vector<Answer>& answers) {
  const auto relations = static_cast<std::size_t>(known.relations);
  const std::vector<double> weights = weights_of(known, variances_of(shares), answers);
  Answer mean;
  mean.left_out.assign(known.truth.size(), 0.0);
  mean.predicted.assign(answers.front().predicted.size(), 0.0F);
  for (std::size_t answer = 0; answer < answers.size(); ++answer) {
    const double* weight = weights.data() + answer * relations;
    for (std::size_t at = 0; at < mean.left_out.size(); ++at) {
      mean.left_out[at] += weight[at % relations] * answers[answer].left_out[at];
    }
    for (std::size_t at = 0; at < mean.predicted.size(); ++at) {
      mean.predicted[at] += static_cast<float>(weight[at % relations]) * answers[answer].predicted[at];
    }
  }
  return mean;
}

}  // namespace factorgcn::relations
