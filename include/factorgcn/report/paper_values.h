// The numbers of the paper's tables 1 to 5, as data, so that a run can be shown beside them.
//
// "Factorizable Graph Convolutional Networks", NeurIPS 2020. Names are those used throughout this project: data sets
// synthetic, zinc, imdb-b, collab, mutag, pattern; models as `factorgcn models` lists them, and the paper's other
// systems.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API PaperValue {
  int table;  ///< number of the table it stands in
  std::string_view dataset;
  int factors;  ///< predefined graphs of the synthetic data; 0 elsewhere
  std::string_view model;
  std::string_view metric;  ///< as in metrics.json; shares are in %. What table 5 calls accuracy is mean_recall
  double mean;
  double deviation;  ///< what stands after the plus-minus sign
  int decimals;      ///< as printed

  /// As printed: "0.995 ± 0.004".
  std::string text() const;
};

/// All values, table by table.
FACTORGCN_API std::span<const PaperValue> paper_values();

/// The value for one cell, or nullptr where the paper has none. `factors` is looked at for the synthetic data only.
FACTORGCN_API const PaperValue* find_paper_value(std::string_view dataset, int factors, std::string_view model,
                                                 std::string_view metric);

}  // namespace factorgcn
