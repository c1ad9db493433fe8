// One HTML file that shows a run, or the reproduction of a paper: tables, curves, heat maps, line charts, factor
// graphs.
//
// These structs are what the page shows and nothing else; docs/page.md describes their JSON form, viewer/src/data.ts
// mirrors it. The file needs no network and opens from disk. Values that are not finite are shown as missing.
// Graphs have a header of their own, report/page_graphs.h, which also tells how to write a page about one graph.
//
// Preconditions: text is UTF-8 (bytes that are not become U+FFFD). Cost: linear in what is shown; a page of 2,000
// samples of 15 nodes takes some 2 MB, one of a graph of a million edges some 15 MB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/report/page_graphs.h"

namespace factorgcn {

/// Version of the JSON form. A page refuses data of a newer one with a message.
inline constexpr int kPageVersion = 2;

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
  bool detail = false;  ///< stands below the graphs
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

// ---- how a model errs ----------------------------------------------------------------------------------------------

/// How often each class was taken for which.
struct FACTORGCN_API PageConfusion {
  std::string id, title, caption;
  std::vector<std::string> names;    ///< of the classes
  std::vector<std::int64_t> counts;  ///< [classes, classes]: rows are the true class, columns the predicted one
};

/// Predictions whose probability is in one range.
struct FACTORGCN_API PageReliabilityBin {
  double from = 0, to = 1;
  std::int64_t count = 0;
  double said = 0;           ///< mean of the probabilities
  double came = 0;           ///< share that came true
  double low = 0, high = 1;  ///< 95 % interval of that share
};

/// Whether probabilities mean what they say: of what is predicted with 0.8, eight in ten should come true.
struct FACTORGCN_API PageReliability {
  std::string id, title, caption;
  std::vector<PageReliabilityBin> bins;  ///< ascending; empty ones left out
  double error = 0;                      ///< expected calibration error: mean of |said - came|, by count
  double chance = 0;  ///< what it would be on average for perfect probabilities and counts like these
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
  std::vector<PageConfusion> confusions;
  std::vector<PageReliability> reliabilities;
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
