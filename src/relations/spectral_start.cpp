// The recursion T_{m+1} = 2 M T_m / b - T_{m-1}, b the edge of the bulk: directions beyond it grow exponentially.
#include "relations/spectral_start.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "factorgcn/base/random.h"
#include "relations/column_sums.h"

namespace factorgcn::relations {
namespace {

constexpr int kSteps = 20;

/// Takes the part along `direction` (of length 1) out of every column.
void deflate(const Links& links, const std::vector<float>& direction, Table& table) {
  const int columns = table.columns();
  const std::vector<double> along = sum_rows(links, columns, [&](std::int64_t row, double* sums) {
    for (int column = 0; column < columns; ++column) {
      sums[column] += static_cast<double>(direction[row]) * table.row(row)[column];
    }
  });
  for_each_row(links, [&](std::int64_t row) {
    for (int column = 0; column < columns; ++column) {
      table.row(row)[column] -= static_cast<float>(along[column]) * direction[row];
    }
  });
}

}  // namespace

Table start_communities(const Links& links, int communities, std::uint64_t seed, const std::string& purpose) {
  const auto nodes = static_cast<double>(links.nodes);
  const double mean = 2 * links.total() / nodes;
  std::vector<float> scale(links.strengths.size()), trivial(links.strengths.size());
  double length = 0;
  for (std::size_t node = 0; node < scale.size(); ++node) {
    const double raised = links.strengths[node] + mean;
    scale[node] = static_cast<float>(1 / std::sqrt(std::max(raised, 1e-9)));
    trivial[node] = static_cast<float>(std::sqrt(raised));
    length += raised;
  }
  for (float& value : trivial) {
    value = static_cast<float>(value / std::sqrt(std::max(length, 1e-9)));
  }
  const double square = sum_rows(links, 1, [&](std::int64_t row, double* sums) {
    for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
      const double entry =
          static_cast<double>(scale[row]) * scale[links.neighbours[at]] * (links.weighted() ? links.weights[at] : 1.0F);
      sums[0] += entry * entry;
    }
  })[0];
  const auto bulk = static_cast<float>(std::max(2 * std::sqrt(square / nodes), 1e-9));

  Table before(links.nodes, communities), now(links.nodes, communities), next(links.nodes, communities);
  RandomStream random(seed, purpose);
  for (std::int64_t node = 0; node < links.nodes; ++node) {
    for (int column = 0; column < communities; ++column) {
      before.row(node)[column] = static_cast<float>(random.uniform(-1, 1));
    }
  }
  deflate(links, trivial, before);
  // M applied to `from`, into `next`; `from` is scaled in place and back.
  const auto apply = [&](Table& from) {
    for_each_row(links, [&](std::int64_t row) {
      for (int column = 0; column < communities; ++column) {
        from.row(row)[column] *= scale[row];
      }
    });
    neighbour_sums(links, from, next);
    for_each_row(links, [&](std::int64_t row) {
      for (int column = 0; column < communities; ++column) {
        from.row(row)[column] /= scale[row];
        next.row(row)[column] *= scale[row] / bulk;
      }
    });
  };
  apply(before);
  now.swap(next);
  for (int step = 1; step < kSteps; ++step) {
    apply(now);
    for_each_row(links, [&](std::int64_t row) {
      for (int column = 0; column < communities; ++column) {
        next.row(row)[column] = 2 * next.row(row)[column] - before.row(row)[column];
      }
    });
    deflate(links, trivial, next);
    before.swap(now);
    now.swap(next);
  }

  const std::vector<double> squares = sum_rows(links, communities, [&](std::int64_t row, double* sums) {
    for (int column = 0; column < communities; ++column) {
      const double value = now.row(row)[column] * scale[row];
      sums[column] += value * value;
    }
  });
  const auto even = static_cast<float>(1 / std::sqrt(std::max(2 * links.total() * communities, 1e-9)));
  for_each_row(links, [&](std::int64_t row) {
    float* values = now.row(row);
    for (int column = 0; column < communities; ++column) {
      const auto spread = static_cast<float>(std::sqrt(std::max(squares[column], 1e-30) / nodes));
      const float tilt = values[column] * scale[row] / spread;
      values[column] = even * (links.strengths[row] + 0.01F) * std::clamp(1 + 0.7F * tilt, 0.1F, 4.0F);
    }
  });
  return now;
}

}  // namespace factorgcn::relations
