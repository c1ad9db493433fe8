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

}  // namespace

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
