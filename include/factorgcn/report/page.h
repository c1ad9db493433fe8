// One HTML file that shows a run, or the reproduction of a paper: tables, curves, heat maps, line charts, factor
// graphs.
//
// These structs are what the page shows and nothing else; docs/page.md describes their JSON form, viewer/src/data.ts
// mirrors it. The file needs no network and opens from disk. Values that are not finite are shown as missing.
// Preconditions: text is UTF-8 (bytes that are not become U+FFFD). Cost: linear in what is shown; a page of 2,000
// samples of 15 nodes takes some 2 MB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/metrics.h"

namespace factorgcn {

/// Version of the JSON form. A page refuses data of a newer one with a message.
inline constexpr int kPageVersion = 1;

/// One line of the page's head, or of a sample's: "seed", "0".
struct FACTORGCN_API PageFact {
  std::string label, value;
};

// ---- tables --------------------------------------------------------------------------------------------------------

enum class PageBetter { kHigher, kLower, kNone };

struct FACTORGCN_API PageColumn {
  std::string key;    ///< of PageRow::cells
  std::string label;  ///< "micro-F1"
  PageBetter better = PageBetter::kNone;
  int digits = 3;     ///< decimals shown
  std::string group;  ///< columns of one group that stand together share a second heading; empty: none
};

/// A number beside the paper's, or a text. All of it may be absent: the cell then shows a dash.
struct FACTORGCN_API PageCell {
  std::optional<double> value, deviation;        ///< as shown: shares in % where the table is in %
  std::int64_t count = 0;                        ///< runs behind the value; 0: not said
  std::optional<double> paper, paper_deviation;  ///< the paper's, in the same unit
  std::string note;                              ///< a footnote
  std::string text;                              ///< instead of a number
};

struct FACTORGCN_API PageRow {
  std::string label;
  std::map<std::string, PageCell> cells;  ///< by PageColumn::key; absent ones are shown as dashes
  bool emphasis = false;                  ///< the row that the table is about
};

struct FACTORGCN_API PageTable {
  std::string id;  ///< anchor: letters, digits, '-' and '_', unique on the page; so for every id below
  std::string title, caption;
  std::string protocol;  ///< "corrected" or "published"; shown beside the title
  std::vector<PageColumn> columns;
  std::vector<PageRow> rows;
};

// ---- charts --------------------------------------------------------------------------------------------------------

/// One line over the epochs. Series of one panel share an axis.
struct FACTORGCN_API PageSeries {
  std::string name;            ///< "validation loss"; the same name in every run
  std::string panel;           ///< title of the axis it belongs to: "loss", "micro-F1"
  std::vector<double> values;  ///< of epochs 1, 2, ...; NaN where there is none
};

struct FACTORGCN_API PageCurveRun {
  std::string label;  ///< "seed 0"
  std::vector<PageSeries> series;
  std::optional<std::int64_t> best;  ///< epoch, from 1, whose model counts
};

struct FACTORGCN_API PageCurves {
  std::string id, title, caption;
  std::string x_label = "epoch";
  std::vector<PageCurveRun> runs;
};

/// A square matrix of values in 0 .. 1, such as absolute correlations.
struct FACTORGCN_API PageHeatmapPanel {
  std::string label;
  std::int64_t size = 0;
  std::vector<double> values;        ///< [size, size], row by row
  std::vector<std::int64_t> blocks;  ///< sizes of blocks that belong together (a factor's features); empty: none
  std::string score_name;            ///< "micro-F1"; may be empty
  std::optional<double> score;
};

struct FACTORGCN_API PageHeatmaps {
  std::string id, title, caption;
  std::string value_label = "absolute correlation";
  std::vector<PageHeatmapPanel> panels;
};

struct FACTORGCN_API PageLine {
  std::string label;
  std::vector<double> y;          ///< one per PageLines::x; NaN where there is none
  std::vector<double> deviation;  ///< empty, or as long as y
  std::vector<double> paper;      ///< empty, or as long as y
};

/// One quantity over one setting: sensitivity.
struct FACTORGCN_API PageLines {
  std::string id, title, caption;
  std::string x_label, y_label;
  bool log_x = false;  ///< an x of 0 is set apart at the left end
  std::vector<double> x;
  std::vector<PageLine> series;
};

// ---- factor graphs -------------------------------------------------------------------------------------------------

/// One true relation inside a sample.
struct FACTORGCN_API PageTruth {
  int type = 0;                     ///< index into PageFactorGraphs::types
  std::vector<std::int32_t> edges;  ///< indices into the pairs of PageSample::edges
  std::int64_t missing = 0;         ///< undirected edges of the relation that the input graph does not have
};

/// Which factor stands for which true relation.
struct FACTORGCN_API PageMatch {
  int truth = 0;                   ///< index into PageSample::truth
  int factor = -1;                 ///< from 0; -1 where none was left for it
  double ged = 0;                  ///< GED_E of the two
  std::vector<std::int32_t> kept;  ///< edges the factor keeps for it: its strongest, as many as the relation has
};

/// One graph. Edges are undirected and without self loops: pairs (s, t) with s < t, each once.
struct FACTORGCN_API PageSample {
  std::string id;     ///< unique among the samples: "16000"
  std::string label;  ///< what it is: "Turan(5,2) + 3x3 grid"
  std::int32_t nodes = 0;
  std::vector<std::string> node_labels;  ///< empty, or one per node
  std::vector<std::int32_t> edges;       ///< s, t, s, t, ...
  std::vector<float> coefficients;       ///< [edges, factors] in 0 .. 1, the mean of both directions
  std::vector<PageTruth> truth;
  std::vector<PageMatch> matches;
  std::optional<double> ged;    ///< the sample's GED_E: mean over its relations
  std::vector<PageFact> facts;  ///< "target", "predicted", ...
};

struct FACTORGCN_API PageFactorGraphs {
  std::string id, title, caption;
  int layer = 1;                   ///< from 1
  int factors = 0;                 ///< of that layer
  std::vector<std::string> types;  ///< names of the true relations; may be empty
  std::vector<PageSample> samples;
  std::string score_label = metric_label("ged_e");  ///< what PageMatch::ged and PageSample::ged are called
};

// ---- the page ------------------------------------------------------------------------------------------------------

struct FACTORGCN_API Page {
  std::string title, subtitle;
  std::string program;             ///< "factorgcn 0.1.0"
  std::string created;             ///< as shown: "2026-11-15 15:04 UTC"
  std::vector<PageFact> facts;     ///< the configuration in a few lines
  std::vector<std::string> notes;  ///< paragraphs below the head: protocol, how to read the metrics
  std::vector<PageTable> tables;
  std::vector<PageCurves> curves;
  std::vector<PageHeatmaps> heatmaps;
  std::vector<PageLines> lines;
  std::vector<PageFactorGraphs> factor_graphs;
};

/// Throws Error, naming the part and the value, unless ids are unique, lengths fit each other and indices are in range.
FACTORGCN_API void check_page(const Page& page);

/// The JSON form.
FACTORGCN_API nlohmann::ordered_json to_json(const Page& page);

/// The whole file. Throws what check_page() throws. A build without the viewer writes the tables alone, and says so.
FACTORGCN_API std::string page_html(const Page& page);

/// Whole or not at all (base/files.h).
FACTORGCN_API void write_page(const std::filesystem::path& path, const Page& page);

/// "2026-11-15 15:04 UTC", for Page::created.
FACTORGCN_API std::string page_time_now();

}  // namespace factorgcn
