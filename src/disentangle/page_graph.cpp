#include "disentangle/page_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"

namespace factorgcn {
namespace {

constexpr std::int32_t kMostGroupColours = 1000;
constexpr std::size_t kMostAttributes = 8, kMostCategoryColours = 1000;

class GraphForPage {
 public:
  GraphForPage(const NamedGraph& graph, const DisentangleOutcome& outcome) : graph_(graph), outcome_(outcome) {}

  PageFactorGraphs run() {
    part_.id = "graph";
    part_.title = "The graph";
    part_.caption =
        "Each relation with the edges it has most of. Nodes are coloured by their groups; the certainty of an edge "
        "says how probable it is that its strongest relation is right.";
    part_.word = "relation";
    part_.value = "share";
    PageLayer layer;
    for (const RelationOutcome& relation : outcome_.relations) {
      layer.factors.push_back(relation.words);
    }
    sample_.id = "graph";
    sample_.label = graph_.name;
    sample_.nodes = static_cast<std::int32_t>(graph_.nodes.size());
    sample_.node_labels = graph_.nodes;
    add_pairs();
    add_truth();
    for (const RelationOutcome& relation : outcome_.relations) {
      layer.own_colouring.push_back(static_cast<int>(part_.colourings.size()));
      add_groups(relation);
    }
    add_attributes();
    part_.layers.push_back(std::move(layer));
    if (!graph_.self_loops.empty()) {
      part_.left_out.push_back(concat(format_count(static_cast<std::int64_t>(graph_.self_loops.size())),
                                      " self loops are not drawn: they belong to no group."));
    }
    part_.samples.push_back(std::move(sample_));
    fit_to_page(part_);
    return std::move(part_);
  }

 private:
  std::pair<std::int32_t, std::int32_t> pair_of(std::size_t edge) const {
    return std::minmax(graph_.sources[edge], graph_.targets[edge]);
  }

  /// Ascending; both directions of a directed pair become one.
  void add_pairs() {
    const std::size_t relations = outcome_.num_relations();
    std::vector<std::size_t> order(graph_.num_edges());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return std::pair(pair_of(left), left) < std::pair(pair_of(right), right);
    });
    PageReading reading;
    pair_of_edge_.resize(order.size());
    std::vector<float> sums(relations);
    for (std::size_t first = 0; first < order.size();) {
      const auto [low, high] = pair_of(order[first]);
      std::size_t last = first;
      std::fill(sums.begin(), sums.end(), 0.0F);
      float certainty = 0;
      bool up = false;
      bool down = false;
      for (; last < order.size() && pair_of(order[last]) == std::pair(low, high); ++last) {
        const std::size_t edge = order[last];
        pair_of_edge_[edge] = static_cast<std::int32_t>(sample_.edges.size() / 2);
        for (std::size_t relation = 0; relation < relations; ++relation) {
          sums[relation] += outcome_.shares[edge * relations + relation];
        }
        certainty += outcome_.certainty.empty() ? 0 : outcome_.certainty[edge];
        (graph_.sources[edge] == low ? up : down) = true;
      }
      const auto count = static_cast<float>(last - first);
      sample_.edges.insert(sample_.edges.end(), {low, high});
      for (const float sum : sums) {
        reading.coefficients.push_back(std::clamp(sum / count, 0.0F, 1.0F));
      }
      if (!outcome_.certainty.empty()) {
        sample_.certainty.push_back(std::clamp(certainty / count, 0.0F, 1.0F));
      }
      if (graph_.directed) {
        sample_.directions.push_back(up && down ? 0 : up ? 1 : 2);
      }
      first = last;
    }
    sample_.layers.push_back(std::move(reading));
  }

  void add_truth() {
    const std::size_t types = graph_.truth_names.size();
    part_.types = graph_.truth_names;
    for (std::size_t type = 0; type < types; ++type) {
      PageTruth truth;
      truth.type = static_cast<int>(type);
      for (std::size_t edge = 0; edge < graph_.num_edges(); ++edge) {
        if (graph_.truth[edge * types + type] != 0) {
          truth.edges.push_back(pair_of_edge_[edge]);
        }
      }
      std::sort(truth.edges.begin(), truth.edges.end());
      truth.edges.erase(std::unique(truth.edges.begin(), truth.edges.end()), truth.edges.end());
      sample_.truth.push_back(std::move(truth));
    }
  }

  void add_groups(const RelationOutcome& relation) {
    PageColouring colouring;
    colouring.name = "group in " + relation.words;
    const auto shown = std::min(static_cast<std::int32_t>(relation.groups), kMostGroupColours);
    for (std::int32_t group = 1; group <= shown; ++group) {
      colouring.labels.push_back(concat("group ", group));
    }
    std::vector<std::int32_t> colours;
    for (const std::int32_t group : relation.group) {
      colours.push_back(group > shown ? -1 : group - 1);
    }
    part_.colourings.push_back(std::move(colouring));
    sample_.colours.push_back(std::move(colours));
  }

  void add_attributes() {
    std::size_t added = 0;
    for (const NamedAttribute& attribute : graph_.attributes) {
      if (!attribute.is_number() && attribute.categories.size() <= kMostCategoryColours && added < kMostAttributes) {
        part_.colourings.push_back({attribute.name, attribute.categories});
        sample_.colours.push_back(attribute.category);
        ++added;
      }
    }
  }

  const NamedGraph& graph_;
  const DisentangleOutcome& outcome_;
  PageFactorGraphs part_;
  PageSample sample_;
  std::vector<std::int32_t> pair_of_edge_;
};

}  // namespace

PageFactorGraphs graph_for_page(const NamedGraph& graph, const DisentangleOutcome& outcome) {
  return GraphForPage(graph, outcome).run();
}

}  // namespace factorgcn
