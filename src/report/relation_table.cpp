#include "report/relation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "factorgcn/base/text.h"
#include "factorgcn/eval/relation_auc.h"

namespace factorgcn {
namespace {

constexpr std::size_t kManyEdges = 200'000;  ///< few shuffles tell chance well where there are many edges

/// Row-major [edges, relations of the sample]: what relation_auc() asks for.
std::vector<std::uint8_t> truth_matrix(const PageSample& sample) {
  const std::size_t parts = sample.truth.size();
  std::vector<std::uint8_t> truth(sample.edges.size() / 2 * parts, 0);
  for (std::size_t part = 0; part < parts; ++part) {
    for (const std::int32_t edge : sample.truth[part].edges) {
      truth[static_cast<std::size_t>(edge) * parts + part] = 1;
    }
  }
  return truth;
}

}  // namespace

void RelationTable::add(const PageFactorGraphs& part) {
  names_ = part.types;
  relations_.resize(names_.size());
  const auto shown = static_cast<std::size_t>(part.shown_layer);
  const std::vector<std::string>& factors = part.layers[shown].factors;
  for (const PageSample& sample : part.samples) {
    const std::size_t edges = sample.edges.size() / 2;
    if (sample.truth.empty() || edges == 0) {
      continue;
    }
    RelationAucOptions options;
    options.shuffles = edges > kManyEdges ? 4 : part.samples.size() > 20 ? 10 : 20;
    const RelationAuc auc = relation_auc(sample.layers[shown].coefficients, static_cast<int>(factors.size()),
                                         truth_matrix(sample), static_cast<int>(sample.truth.size()), options);
    ++graphs_;
    for (std::size_t index = 0; index < sample.truth.size(); ++index) {
      if (std::isnan(auc.aucs[index]) || std::isnan(auc.chance)) {
        continue;  // all edges or none are in it: nothing to tell apart
      }
      Relation& relation = relations_[static_cast<std::size_t>(sample.truth[index].type)];
      ++relation.graphs;
      relation.edges += auc.positives[index];
      relation.auc += auc.aucs[index];
      relation.chance += auc.chance;
      const int column = auc.columns[index];
      relation.factor = column < 0 ? "none left" : factors[static_cast<std::size_t>(column)];
    }
  }
}

std::optional<PageTable> RelationTable::table() const {
  PageTable table;
  table.id = "relations";
  table.title = "How well each true relation is told apart";
  table.detail = true;
  const bool one = graphs_ == 1;
  table.columns = {{"edges", "edges", PageBetter::kNone, 0, ""},
                   one ? PageColumn{"factor", "told by", PageBetter::kNone, 0, ""}
                       : PageColumn{"graphs", "graphs", PageBetter::kNone, 0, ""},
                   {"auc", "relation AUC", PageBetter::kHigher, 3, ""},
                   {"chance", "chance", PageBetter::kNone, 3, ""}};
  for (std::size_t index = 0; index < relations_.size(); ++index) {
    const Relation& relation = relations_[index];
    if (relation.graphs == 0) {
      continue;
    }
    PageRow row{names_[index], {}, false};
    row.cells["edges"].text = format_count(relation.edges);
    if (one) {
      row.cells["factor"].text = relation.factor;
    } else {
      row.cells["graphs"].text = format_count(relation.graphs);
    }
    row.cells["auc"].value = relation.auc / static_cast<double>(relation.graphs);
    row.cells["chance"].value = relation.chance / static_cast<double>(relation.graphs);
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) {
    return {};
  }
  table.caption = fmt::format(
      "How often an edge of the relation has a larger coefficient in the factor that stands for it than an edge that "
      "is "
      "not of it, {}. Factors are paired with relations as it suits the score best; chance is what shuffled edges "
      "reach "
      "by that.",
      one ? "in this graph" : fmt::format("on average over the {} graphs of this page", format_count(graphs_)));
  return table;
}

}  // namespace factorgcn
