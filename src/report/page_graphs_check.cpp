#include "report/page_graphs_check.h"

#include <algorithm>
#include <set>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostLabels = 65535;  ///< a colour is two bytes (report/packed_numbers.h), one value means none

void check_ascending(const std::vector<std::int32_t>& indices, std::int64_t count, const std::string& where,
                     const char* what) {
  std::int64_t before = -1;
  for (const std::int32_t index : indices) {
    require(index >= 0 && index < count, where, ": ", what, " ", index, " is not among ", count);
    require(index > before, where, ": ", what, " ", index, " comes after ", before, "; they must ascend");
    before = index;
  }
}

void check_shares(const std::vector<float>& shares, const std::string& where, const char* what) {
  for (const float value : shares) {
    require(value >= 0 && value <= 1, where, ": a ", what, " is ", value, "; 0 to 1 can be shown");
  }
}

void check_edges(const PageSample& sample, const std::string& where) {
  require(sample.edges.size() % 2 == 0, where, ": ", sample.edges.size(), " ends of edges; each has two");
  for (std::size_t at = 0; at < sample.edges.size(); at += 2) {
    const std::int32_t s = sample.edges[at], t = sample.edges[at + 1];
    for (const std::int32_t node : {s, t}) {
      require(node >= 0 && node < sample.nodes, where, ": node ", node, " is not among ", sample.nodes);
    }
    require(s < t, where, ": edge ", at / 2, " goes from ", s, " to ", t, "; the smaller node comes first");
    if (at > 0) {
      const auto before = std::pair(sample.edges[at - 2], sample.edges[at - 1]);
      require(before < std::pair(s, t), where, ": edge ", at / 2, ", ", s, " to ", t, ", comes after ", before.first,
              " to ", before.second, "; edges must ascend");
    }
  }
}

void check_reading(const PageReading& reading, const PageLayer& layer, const PageSample& sample,
                   const std::string& where) {
  const std::size_t edges = sample.edges.size() / 2;
  const std::size_t factors = layer.factors.size();
  require(reading.coefficients.size() == edges * factors, where, ": ", reading.coefficients.size(),
          " coefficients for ", edges, " edges and ", factors, " factors");
  check_shares(reading.coefficients, where, "coefficient");
  for (const PageMatch& match : reading.matches) {
    require(match.truth >= 0 && match.truth < static_cast<int>(sample.truth.size()), where, ": true relation ",
            match.truth, " is not among ", sample.truth.size());
    require(match.factor >= -1 && match.factor < static_cast<int>(factors), where, ": factor ", match.factor,
            " is not among ", factors);
    check_ascending(match.kept, static_cast<std::int64_t>(edges), where, "edge");
  }
}

void check_sample(const PageFactorGraphs& part, const PageSample& sample) {
  const std::string where = concat("page: factor graphs ", part.id, ", sample ", sample.id);
  require(sample.nodes >= 0, where, ": ", sample.nodes, " nodes");
  const auto nodes = static_cast<std::size_t>(sample.nodes);
  require(sample.node_labels.empty() || sample.node_labels.size() == nodes, where, ": ", sample.node_labels.size(),
          " names for ", sample.nodes, " nodes");
  check_edges(sample, where);
  const std::size_t edges = sample.edges.size() / 2;
  require(sample.directions.empty() || sample.directions.size() == edges, where, ": ", sample.directions.size(),
          " directions for ", edges, " edges");
  for (const std::uint8_t direction : sample.directions) {
    require(direction <= 2, where, ": a direction is ", static_cast<int>(direction), "; 0, 1 and 2 are known");
  }
  require(sample.layers.size() == part.layers.size(), where, ": ", sample.layers.size(), " readings of ",
          part.layers.size(), " layers");
  for (std::size_t layer = 0; layer < part.layers.size(); ++layer) {
    check_reading(sample.layers[layer], part.layers[layer], sample, where);
  }
  require(sample.certainty.empty() || sample.certainty.size() == edges, where, ": the certainty of ",
          sample.certainty.size(), " edges; there are ", edges);
  check_shares(sample.certainty, where, "certainty");
  for (const PageTruth& truth : sample.truth) {
    require(truth.type >= 0 && truth.type < static_cast<int>(part.types.size()), where, ": relation type ", truth.type,
            " is not among ", part.types.size());
    check_ascending(truth.edges, static_cast<std::int64_t>(edges), where, "edge");
  }
  require(sample.colours.size() == part.colourings.size(), where, ": ", sample.colours.size(), " colours of nodes for ",
          part.colourings.size(), " colourings");
  for (std::size_t index = 0; index < sample.colours.size(); ++index) {
    const auto labels = static_cast<std::int64_t>(part.colourings[index].labels.size());
    require(sample.colours[index].size() == nodes, where, ": ", sample.colours[index].size(), " colours for ",
            sample.nodes, " nodes");
    for (const std::int32_t label : sample.colours[index]) {
      require(label >= -1 && label < labels, where, ": colour ", label, " of '", part.colourings[index].name,
              "' is not among ", labels);
    }
  }
}

}  // namespace

void check_graphs_part(const PageFactorGraphs& part) {
  const std::string where = concat("page: factor graphs ", part.id);
  require(!part.layers.empty(), where, ": no layers; at least 1 is needed");
  require(part.shown_layer >= 0 && part.shown_layer < static_cast<int>(part.layers.size()), where, ": layer ",
          part.shown_layer, " is not among ", part.layers.size());
  for (const PageColouring& colouring : part.colourings) {
    require(static_cast<std::int64_t>(colouring.labels.size()) < kMostLabels, where, ": '", colouring.name, "' has ",
            colouring.labels.size(), " labels; fewer than ", kMostLabels, " can be shown");
  }
  for (const PageLayer& layer : part.layers) {
    require(!layer.factors.empty(), where, ": 0 factors; at least 1 is needed");
    require(layer.own_colouring.empty() || layer.own_colouring.size() == layer.factors.size(), where, ": ",
            layer.own_colouring.size(), " colourings for ", layer.factors.size(), " factors");
    for (const int colouring : layer.own_colouring) {
      require(colouring >= -1 && colouring < static_cast<int>(part.colourings.size()), where, ": colouring ", colouring,
              " is not among ", part.colourings.size());
    }
  }
  std::set<std::string> samples;
  for (const PageSample& sample : part.samples) {
    require(samples.insert(sample.id).second, where, ": two samples have the id '", sample.id, "'");
    check_sample(part, sample);
  }
}

}  // namespace factorgcn
