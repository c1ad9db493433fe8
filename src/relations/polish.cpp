// Expectation-maximisation on the constrained model. A step is stretched as long as that pays (over-relaxation in the
// logarithms of memberships) and shortened when the likelihood falls, so it never does.
#include "relations/polish.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "relations/column_sums.h"

namespace factorgcn::relations {
namespace {

constexpr float kLeastMembership = 1e-6F;
constexpr double kMostActivityShape = 1e6;
constexpr double kPriorLinks = 0.05;  // a group's rate is drawn towards the mean rate as by so many links
constexpr double kLongestPolish = 3, kPolishStretch = 1.15;

/// z_c = n_c / (s + a_c - least a) with the s that makes them sum to 1.
void divide_membership(const float* counts, const float* costs, int groups, float* z) {
  float least = 1e30F;
  for (int group = 0; group < groups; ++group) {
    if (counts[group] > 1e-20F) {
      least = std::min(least, costs[group]);
    }
  }
  float at = 0;
  for (int group = 0; group < groups; ++group) {
    z[group] = counts[group] > 1e-20F ? costs[group] - least : -1;
    at = z[group] < 0 ? at : std::max(at, counts[group] - z[group]);
  }
  if (at <= 0) {
    std::fill_n(z, groups, 1.0F / static_cast<float>(groups));
    return;
  }
  // Convex and falling in s: Newton's steps from the left stay left.
  for (int step = 0; step < 20; ++step) {
    float sum = 0, slope = 0;
    for (int group = 0; group < groups; ++group) {
      const float share = z[group] < 0 ? 0 : counts[group] / (at + z[group]);
      sum += share;
      slope += z[group] < 0 ? 0 : share / (at + z[group]);
    }
    const float move = (sum - 1) / slope;
    at += move;
    if (!(std::abs(move) > 1e-6F * at)) {
      break;
    }
  }
  float sum = 0;
  for (int group = 0; group < groups; ++group) {
    z[group] = std::max(z[group] < 0 ? 0 : counts[group] / (at + z[group]), kLeastMembership);
    sum += z[group];
  }
  for (int group = 0; group < groups; ++group) {
    z[group] /= sum;
  }
}

/// Sums over nodes that all rates follow from: of theta z and of its square for each group, then of theta.
struct Totals {
  std::vector<double> first, second;  // [C + 1]
};

Totals total_memberships(const Links& links, const Model& model) {
  const int columns = model.groups() + 1;
  const std::vector<double> sums = sum_rows(links, 2 * columns, [&](std::int64_t row, double* into) {
    const float* z = model.z.row(row);
    const double activity = model.activities[row];
    for (int column = 0; column < columns; ++column) {
      const double value = column + 1 == columns ? activity : activity * z[column];
      into[column] += value;
      into[columns + column] += value * value;
    }
  });
  return {{sums.begin(), sums.begin() + columns}, {sums.begin() + columns, sums.end()}};
}

double rate_of(const Model& model, int column) {
  return column < model.groups() ? model.rates[column] : model.background;
}

double all_rates(const Model& model, const Totals& totals) {
  double sum = 0;
  for (int column = 0; column <= model.groups(); ++column) {
    sum += rate_of(model, column) * (totals.first[column] * totals.first[column] - totals.second[column]) / 2;
  }
  return sum;
}

class Polish {
 public:
  Polish(const Links& links, Model& model, const PolishOptions& options)
      : links_(links),
        model_(model),
        options_(options),
        y_(links.nodes, model.groups() + 1),
        counts_(links.nodes, model.groups() + 1),
        before_(links.nodes, model.groups()),
        mean_rate_(2 * std::max(links.total(), 1e-9) / (static_cast<double>(links.nodes) * links.nodes)) {}

  void run() {
    totals_ = total_memberships(links_, model_);
    double length = 1, reached = -1e300;
    int small = 0;
    bool comparable = false, shorter = false;
    Model kept;
    for (int round = 0; round < options_.rounds && !(options_.stop && options_.stop()); ++round) {
      fill_rate_table(links_, model_, y_);
      const double likelihood = expected_counts(links_, y_, counts_) - all_rates(model_, totals_) + prior();
      if (comparable && !shorter && likelihood < reached - 1e-7 * links_.total() && length > 1e-3) {
        length = length > 1 ? 1 : length / 2;
        restore(kept);
        shorter = true;
        continue;
      }
      small = comparable && !shorter && likelihood - reached < options_.enough * links_.total() ? small + 1 : 0;
      reached = likelihood;
      if (small == 3) {
        break;
      }
      // What came before the activities' prior was fitted is not comparable.
      comparable = round != 0 && round != 10 && round != 40;
      if (!comparable) {
        fit_activity_shape();
      }
      keep(kept);
      length = round < 3 ? 1 : shorter ? length : std::min(kLongestPolish, length * kPolishStretch);
      shorter = false;
      maximise();
      combine(length);
    }
    model_.likelihood = reached;
  }

 private:
  /// Of the activities, gamma with mean 1, and of the rates.
  double prior() const {
    double sum = 0;
    for (const double rate : model_.rates) {
      sum += kPriorLinks * (std::log(rate) - rate / mean_rate_);
    }
    sum += prior_of_memberships();
    if (shape_ >= kMostActivityShape) {
      return sum;
    }
    for (const float activity : model_.activities) {
      sum += shape_ * (std::log(std::max(activity, 1e-12F)) - activity + 1);
    }
    return sum;
  }

  double prior_of_memberships() const {
    if (model_.pulled < 0) {
      return 0;
    }
    const int first = model_.first[model_.pulled], groups = model_.first[model_.pulled + 1] - first;
    return sum_rows(links_, 1,
                    [&](std::int64_t row, double* into) {
                      for (int group = 0; group < groups; ++group) {
                        into[0] += model_.pull[row * groups + group] * std::log(model_.z.row(row)[first + group]);
                      }
                    })
        .front();
  }

  /// How many links node `row` expects where its activity is 1.
  double expected_at(std::int64_t row) const {
    const float* z = model_.z.row(row);
    const double activity = model_.activities[row];
    double sum = model_.background * (totals_.first.back() - activity);
    for (int column = 0; column < model_.groups(); ++column) {
      sum += z[column] * model_.rates[column] * (totals_.first[column] - activity * z[column]);
    }
    return sum;
  }

  /// The spread of degrees beyond that of counts, as the gamma distribution's shape: 1 / shape is its variance.
  void fit_activity_shape() {
    const std::vector<double> sums = sum_rows(links_, 2, [&](std::int64_t row, double* into) {
      const double expected = expected_at(row);
      const double off = links_.strengths[row] - expected;
      into[0] += off * off - expected;
      into[1] += expected * expected;
    });
    // Twice the chance spread of the estimate itself is no sign of anything.
    const double variance = sums[1] > 0 ? sums[0] / sums[1] : 0;
    double mean = 2 * links_.total() / static_cast<double>(links_.nodes);
    const double chance = 2 * std::sqrt(2 / static_cast<double>(links_.nodes)) / std::max(mean, 1e-9);
    shape_ = variance > chance ? 1 / variance : kMostActivityShape;
    if (shape_ >= kMostActivityShape) {
      std::fill(model_.activities.begin(), model_.activities.end(), 1.0F);
    }
  }

  void keep(Model& kept) {
    kept.rates = model_.rates;
    kept.background = model_.background;
    kept.activities = model_.activities;
    before_.swap(model_.z);  // maximise() writes z anew from before_
    kept_totals_ = totals_;
  }

  void restore(const Model& kept) {
    model_.rates = kept.rates;
    model_.background = kept.background;
    model_.activities = kept.activities;
    model_.z.swap(before_);
    totals_ = kept_totals_;
  }

  /// The best memberships for the counts, into counts_.
  void maximise() {
    const int relations = model_.relations(), groups = model_.groups();
    for_each_row(links_, [&](std::int64_t row) {
      const float* z = before_.row(row);
      float* counts = counts_.row(row);
      const float activity = model_.activities[row];
      thread_local std::vector<float> costs, best;
      costs.resize(groups);
      best.resize(groups);
      for (int column = 0; column < groups; ++column) {
        costs[column] =
            static_cast<float>(activity * model_.rates[column] * (totals_.first[column] - activity * z[column]));
      }
      for (int relation = 0; relation < relations; ++relation) {
        const int first = model_.first[relation], width = model_.first[relation + 1] - first;
        if (relation == model_.pulled) {
          thread_local std::vector<float> pulled;
          pulled.assign(counts + first, counts + first + width);
          for (int group = 0; group < width; ++group) {
            pulled[group] += model_.pull[row * width + group];
          }
          divide_membership(pulled.data(), costs.data() + first, width, best.data() + first);
          continue;
        }
        divide_membership(counts + first, costs.data() + first, width, best.data() + first);
      }
      // Expected links stay where rates need them: in sums, taken now.
      std::copy_n(best.data(), groups, model_.z.row(row));
    });
    expected_ = column_sums(links_, counts_);
    for_each_row(links_, [&](std::int64_t row) { std::copy_n(model_.z.row(row), groups, counts_.row(row)); });
  }

  /// From the memberships before towards the best ones, `length` of the way in logarithms; then all rates.
  void combine(double length) {
    const int relations = model_.relations();
    const auto way = static_cast<float>(length);
    for_each_row(links_, [&](std::int64_t row) {
      const float* from = before_.row(row);
      const float* best = counts_.row(row);
      float* z = model_.z.row(row);
      for (int relation = 0; relation < relations; ++relation) {
        float sum = 0;
        for (int column = model_.first[relation]; column < model_.first[relation + 1]; ++column) {
          z[column] = way == 1 ? best[column] : from[column] * std::exp(way * std::log(best[column] / from[column]));
          sum += z[column];
        }
        // What is next to nothing stays above it: a step that went far must have a way back.
        for (int column = model_.first[relation]; column < model_.first[relation + 1]; ++column) {
          z[column] = std::max(z[column] / sum, kLeastMembership);
        }
      }
    });
    totals_ = total_memberships(links_, model_);
    if (shape_ < kMostActivityShape) {
      for_each_row(links_, [&](std::int64_t row) {
        const double expected = expected_at(row);
        model_.activities[row] = static_cast<float>((shape_ + links_.strengths[row]) / (shape_ + expected));
      });
      totals_ = total_memberships(links_, model_);
    }
    for (int column = 0; column <= model_.groups(); ++column) {
      const double pairs = totals_.first[column] * totals_.first[column] - totals_.second[column];
      if (column < model_.groups()) {  // pairs are those of ordered ends, links have two
        model_.rates[column] =
            (expected_[column] + 2 * kPriorLinks) / (std::max(pairs, 0.0) + 2 * kPriorLinks / mean_rate_);
      } else {
        model_.background = std::max(expected_[column] / std::max(pairs, 1e-9), 1e-4 * mean_rate_);
      }
    }
  }

  const Links& links_;
  Model& model_;
  const PolishOptions& options_;
  Table y_, counts_, before_;
  Totals totals_, kept_totals_;
  std::vector<double> expected_;
  double mean_rate_;
  double shape_ = kMostActivityShape;
};

}  // namespace

Model start_model(const Links& links, const Table& x, const std::vector<int>& relation_of, int relations) {
  Model model;
  model.first.push_back(0);
  std::vector<int> source;  // the community of each column
  for (int relation = 0; relation < relations; ++relation) {
    for (std::size_t community = 0; community < relation_of.size(); ++community) {
      if (relation_of[community] == relation) {
        source.push_back(static_cast<int>(community));
      }
    }
    model.first.push_back(static_cast<int>(source.size()));
  }
  model.z = Table(links.nodes, model.groups());
  model.activities.assign(static_cast<std::size_t>(links.nodes), 1.0F);
  const auto nodes = static_cast<double>(links.nodes);
  const double density = 2 * links.total() / (nodes * std::max(nodes - 1, 1.0));
  for (int relation = 0; relation < relations; ++relation) {
    const int groups = model.first[relation + 1] - model.first[relation];
    model.rates.insert(model.rates.end(), groups, density * groups / relations);
  }
  model.background = density / 10;
  const double usual = std::sqrt(2 * links.total() / model.groups()) / nodes;
  const auto least = static_cast<float>(0.05 * usual);
  for_each_row(links, [&](std::int64_t row) {
    const float* from = x.row(row);
    float* z = model.z.row(row);
    for (int relation = 0; relation < relations; ++relation) {
      float sum = 0;
      for (int column = model.first[relation]; column < model.first[relation + 1]; ++column) {
        sum += z[column] = from[source[column]] + least;
      }
      for (int column = model.first[relation]; column < model.first[relation + 1]; ++column) {
        z[column] /= sum;
      }
    }
  });
  return model;
}

void polish(const Links& links, Model& model, const PolishOptions& options) { Polish(links, model, options).run(); }

}  // namespace factorgcn::relations
