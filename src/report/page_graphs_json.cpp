// Graphs of up to kListedEdges edges are written as plain lists of numbers, which any program reads; larger ones packed
// (report/packed_numbers.h), at a fifth of the size.
#include "report/page_graphs_json.h"

#include <charconv>
#include <cmath>

#include "report/packed_numbers.h"

namespace factorgcn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedEdges = 3000;

/// The double with the float's shortest text: as many digits as tell it from its neighbours, and no more.
double shortest(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double number = 0;
  std::from_chars(text, end, number);
  return number;
}

Json shares_json(const std::vector<float>& shares, bool packed, bool coarse) {
  if (packed) {
    return coarse ? Json{{"nibbles", pack_nibbles(shares)}} : Json{{"bytes", pack_bytes(shares)}};
  }
  Json list = Json::array();
  for (const float value : shares) {
    list.push_back(shortest(value));
  }
  return list;
}

Json indices_json(const std::vector<std::int32_t>& ascending, bool packed) {
  return packed ? Json{{"deltas", pack_deltas(ascending)}} : Json(ascending);
}

Json reading_json(const PageReading& reading, bool packed, bool coarse) {
  Json object{{"coefficients", shares_json(reading.coefficients, packed, coarse)}, {"matches", Json::array()}};
  for (const PageMatch& match : reading.matches) {
    object["matches"].push_back({{"truth", match.truth},
                                 {"factor", match.factor},
                                 {"ged", match.ged},
                                 {"kept", indices_json(match.kept, packed)}});
  }
  if (reading.ged && std::isfinite(*reading.ged)) {
    object["ged"] = *reading.ged;
  }
  return object;
}

Json sample_json(const PageSample& sample, bool coarse) {
  const std::size_t edges = sample.edges.size() / 2;
  const bool packed = is_packed(sample);
  Json object{{"id", sample.id}, {"label", sample.label}, {"nodes", sample.nodes}, {"edge_count", edges}};
  if (!sample.node_labels.empty()) {
    object["node_labels"] = sample.node_labels;
  }
  object["edges"] = packed ? Json{{"edges", pack_edges(sample.edges, sample.nodes)}} : Json(sample.edges);
  if (!sample.directions.empty()) {
    object["directions"] = packed ? Json{{"raw", base64(sample.directions)}} : Json(sample.directions);
  }
  object["layers"] = Json::array();
  for (const PageReading& reading : sample.layers) {
    object["layers"].push_back(reading_json(reading, packed, coarse));
  }
  if (!sample.certainty.empty()) {
    object["certainty"] = shares_json(sample.certainty, packed, false);
  }
  object["truth"] = Json::array();
  for (const PageTruth& truth : sample.truth) {
    Json item{{"type", truth.type}, {"edges", indices_json(truth.edges, packed)}};
    if (truth.missing > 0) {
      item["missing"] = truth.missing;
    }
    object["truth"].push_back(std::move(item));
  }
  object["colours"] = Json::array();
  for (const std::vector<std::int32_t>& colours : sample.colours) {
    object["colours"].push_back(packed ? Json{{"words", pack_words(colours)}} : Json(colours));
  }
  if (!sample.facts.empty()) {
    object["facts"] = facts_json(sample.facts);
  }
  return object;
}

}  // namespace

bool is_packed(const PageSample& sample) { return sample.edges.size() / 2 > kListedEdges; }

nlohmann::ordered_json facts_json(const std::vector<PageFact>& facts) {
  Json list = Json::array();
  for (const PageFact& fact : facts) {
    list.push_back({{"label", fact.label}, {"value", fact.value}});
  }
  return list;
}

nlohmann::ordered_json graphs_json(const PageFactorGraphs& part) {
  Json object{{"id", part.id}, {"title", part.title}};
  if (!part.caption.empty()) {
    object["caption"] = part.caption;
  }
  if (!part.variant.empty()) {
    object["variant"] = part.variant;
  }
  object["word"] = part.word;
  object["value"] = part.value;
  object["layers"] = Json::array();
  for (const PageLayer& layer : part.layers) {
    Json item{{"name", layer.name}, {"factors", layer.factors}};
    if (!layer.own_colouring.empty()) {
      item["own_colouring"] = layer.own_colouring;
    }
    object["layers"].push_back(std::move(item));
  }
  object["shown_layer"] = part.shown_layer;
  object["types"] = part.types;
  object["colourings"] = Json::array();
  for (const PageColouring& colouring : part.colourings) {
    object["colourings"].push_back({{"name", colouring.name}, {"labels", colouring.labels}});
  }
  object["left_out"] = part.left_out;
  object["score_label"] = part.score_label;
  object["samples"] = Json::array();
  for (const PageSample& sample : part.samples) {
    object["samples"].push_back(sample_json(sample, part.coarse));
  }
  return object;
}

}  // namespace factorgcn
