// The graph section of a page: graphs whose edges have a weight in each of K factors, or relations, as a person walks
// through them. One graph of a million edges or thousands of small ones.
//
// A page of your own, from nothing but a graph and the shares of its edges:
//
//   PageSample graph;
//   graph.id = "mine";
//   graph.nodes = 3;
//   graph.node_labels = {"Ann", "Bo", "Cy"};
//   graph.edges = {0, 1, 1, 2};                       // each edge once, the smaller node first
//   graph.layers = {{.coefficients = {0.9F, 0.1F,     // edge 0 in relations 1 and 2
//                                     0.2F, 0.8F}}};  // edge 1
//   graph.certainty = {0.97F, 0.6F};
//   graph.colours = {{0, 0, 1}};                      // per colouring: each node's label
//   PageFactorGraphs part;
//   part.id = "relations";
//   part.title = "Relations";
//   part.word = "relation";
//   part.value = "share";
//   part.layers = {{.name = "", .factors = {"family", "work"}}};
//   part.colourings = {{"department", {"sales", "research"}}};
//   part.samples = {graph};
//   fit_to_page(part);                                // for graphs of any size
//   Page page;
//   page.title = "Who works with whom";
//   page.factor_graphs = {part};
//   write_page("page.html", page);                    // report/page.h; add tables and notes as you like
//
// Edges are undirected in all counts: each pair of nodes is one edge. No self loops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/metrics.h"

namespace factorgcn {

/// One line of the page's head, or of a graph's: "seed", "0".
struct FACTORGCN_API PageFact {
  std::string label, value;
};

/// One true relation inside a graph.
struct FACTORGCN_API PageTruth {
  int type = 0;                     ///< index into PageFactorGraphs::types
  std::vector<std::int32_t> edges;  ///< indices into the pairs of PageSample::edges, ascending
  std::int64_t missing = 0;         ///< undirected edges of the relation that the graph does not have
};

/// Which factor stands for which true relation.
struct FACTORGCN_API PageMatch {
  int truth = 0;                   ///< index into PageSample::truth
  int factor = -1;                 ///< from 0; -1 where none was left for it
  double ged = 0;                  ///< GED_E of the two: directed entries, two for an edge
  std::vector<std::int32_t> kept;  ///< edges the factor keeps for it: its strongest, as many as the relation has
};

/// What one layer makes of a graph's edges.
struct FACTORGCN_API PageReading {
  std::vector<float> coefficients;  ///< [edges, factors] in 0 .. 1; of two directions the mean
  std::vector<PageMatch> matches;   ///< empty where they were not worked out
  std::optional<double> ged;        ///< the graph's GED_E: mean over its relations
};

/// One graph. Edges are pairs (s, t) with s < t, each once, in ascending order.
struct FACTORGCN_API PageSample {
  std::string id;     ///< unique among the samples: "16000"
  std::string label;  ///< what it is: "Turan(5,2) + 3x3 grid"
  std::int32_t nodes = 0;
  std::vector<std::string> node_labels;            ///< their names: empty, or one per node
  std::vector<std::int32_t> edges;                 ///< s, t, s, t, ...
  std::vector<std::uint8_t> directions;            ///< empty: none; else 0 both ways, 1 from s to t, 2 from t to s
  std::vector<PageReading> layers;                 ///< one per PageFactorGraphs::layers
  std::vector<float> certainty;                    ///< empty, or how sure each edge's strongest factor is, in 0 .. 1
  std::vector<PageTruth> truth;                    ///< the true relations, where they are known
  std::vector<std::vector<std::int32_t>> colours;  ///< one per PageFactorGraphs::colourings: a label per node, -1: none
  std::vector<PageFact> facts;                     ///< "target", "predicted", ...
};

/// Something that colours nodes: their class, what was predicted, their group in a relation.
struct FACTORGCN_API PageColouring {
  std::string name;                 ///< "predicted class"
  std::vector<std::string> labels;  ///< what the values of PageSample::colours mean
};

struct FACTORGCN_API PageLayer {
  std::string name;                  ///< "layer 1"; may be empty where there is one
  std::vector<std::string> factors;  ///< their names, at least one: "factor 1", "family"
  std::vector<int> own_colouring;    ///< empty, or per factor the colouring that belongs to it (its groups), -1: none
};

struct FACTORGCN_API PageFactorGraphs {
  std::string id;  ///< anchor: letters, digits, '-' and '_', unique on the page
  std::string title, caption;
  std::string variant;                    ///< "fold 3": neighbours with one title share a section, which chooses one
  std::string word = "factor";            ///< what a factor is called
  std::string value = "coefficient";      ///< what an edge has of it: "share"
  std::vector<PageLayer> layers;          ///< at least one
  int shown_layer = 0;                    ///< the one shown first
  std::vector<std::string> types;         ///< names of the true relations; may be empty
  std::vector<PageColouring> colourings;  ///< the first colours the nodes at first
  std::vector<std::string> left_out;      ///< what is not on the page and why, a sentence each
  bool coarse = false;                    ///< large graphs' coefficients are written in 16 steps instead of 256
  std::vector<PageSample> samples;
  std::string score_label = metric_label("ged_e");  ///< what PageMatch::ged and PageReading::ged are called
};

/// "factor 1" .. "factor K".
FACTORGCN_API std::vector<std::string> numbered_names(const std::string& word, std::int64_t count);

/// What a page's graph section may take by default: the whole file stays below 20 MB.
inline constexpr std::int64_t kGraphBytes = 17'000'000;

/// Makes a part fit into a page, and says in `left_out` what that took: first of large graphs only the layer shown
/// first, then coefficients in 16 steps instead of 256, then samples at the end, then the edges far from the graph's
/// best connected node. Nothing is done where all fits. Cost: linear in the part.
FACTORGCN_API void fit_to_page(PageFactorGraphs& part, std::int64_t bytes = kGraphBytes);

/// Bytes that the part takes on a page, within a tenth.
FACTORGCN_API std::int64_t page_bytes(const PageFactorGraphs& part);

}  // namespace factorgcn
