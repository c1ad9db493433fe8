// The recursion T_{m+1} = 2 M T_m / b - T_{m-1}, b the edge of the bulk.
#include "relations/link_operator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "relations/column_sums.h"

namespace factorgcn::relations {

LinkOperator::LinkOperator(const Links& links)
    : links_(links), scale_(links.strengths.size()), trivial_(links.strengths.size()) {
  const auto nodes = static_cast<double>(links.nodes);
  const double mean = 2 * links.total() / nodes;
  double length = 0;
  for (std::size_t node = 0; node < scale_.size(); ++node) {
    const double raised = links.strengths[node] + mean;
    scale_[node] = static_cast<float>(1 / std::sqrt(std::max(raised, 1e-9)));
    trivial_[node] = static_cast<float>(std::sqrt(raised));
    length += raised;
  }
  for (float& value : trivial_) {
    value = static_cast<float>(value / std::sqrt(std::max(length, 1e-9)));
  }
  const double square = sum_rows(links, 1, [&](std::int64_t row, double* sums) {
    for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
      const double entry = static_cast<double>(scale_[row]) * scale_[links.neighbours[at]] *
                           (links.weighted() ? links.weights[at] : 1.0F);
      sums[0] += entry * entry;
    }
  })[0];
  bulk_ = static_cast<float>(std::max(2 * std::sqrt(square / nodes), 1e-9));
}

void LinkOperator::apply(Table& from, Table& to) const {
  const int columns = from.columns();
  for_each_row(links_, [&](std::int64_t row) {
    for (int column = 0; column < columns; ++column) {
      from.row(row)[column] *= scale_[row];
    }
  });
  neighbour_sums(links_, from, to);
  for_each_row(links_, [&](std::int64_t row) {
    for (int column = 0; column < columns; ++column) {
      from.row(row)[column] /= scale_[row];
      to.row(row)[column] *= scale_[row] / bulk_;
    }
  });
}

void LinkOperator::deflate(Table& table) const {
  const int columns = table.columns();
  const std::vector<double> along = sum_rows(links_, columns, [&](std::int64_t row, double* sums) {
    for (int column = 0; column < columns; ++column) {
      sums[column] += static_cast<double>(trivial_[row]) * table.row(row)[column];
    }
  });
  for_each_row(links_, [&](std::int64_t row) {
    for (int column = 0; column < columns; ++column) {
      table.row(row)[column] -= static_cast<float>(along[column]) * trivial_[row];
    }
  });
}

void LinkOperator::refine_trivial() {
  constexpr int kPasses = 10;
  Table now(links_.nodes, 1), next(links_.nodes, 1);
  for_each_row(links_, [&](std::int64_t row) { now.row(row)[0] = trivial_[row]; });
  for (int pass = 0; pass < kPasses; ++pass) {
    apply(now, next);
    const double square = sum_rows(links_, 1, [&](std::int64_t row, double* sums) {
      sums[0] += static_cast<double>(next.row(row)[0]) * next.row(row)[0];
    })[0];
    const auto scale = static_cast<float>(1 / std::sqrt(std::max(square, 1e-30)));
    for_each_row(links_, [&](std::int64_t row) { next.row(row)[0] *= scale; });
    now.swap(next);
  }
  for_each_row(links_, [&](std::int64_t row) { trivial_[row] = now.row(row)[0]; });
}

Table LinkOperator::filter(Table table, int degree) const {
  const int columns = table.columns();
  Table now(links_.nodes, columns), next(links_.nodes, columns);
  deflate(table);
  apply(table, now);
  for (int step = 1; step < degree; ++step) {
    apply(now, next);
    for_each_row(links_, [&](std::int64_t row) {
      for (int column = 0; column < columns; ++column) {
        next.row(row)[column] = 2 * next.row(row)[column] - table.row(row)[column];
      }
    });
    deflate(next);
    table.swap(now);
    now.swap(next);
  }
  return now;
}

}  // namespace factorgcn::relations
