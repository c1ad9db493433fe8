// A page's figures as SVG files, for papers and slides: what the page shows without its interaction.
//
// Text stays text (font-family sans-serif), colours are safe for colour-blind readers, the background is white.
#pragma once

#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/report/page.h"

namespace factorgcn {

/// One square per panel in a row, dark where the value is near 1, with a scale beside them.
FACTORGCN_API std::string heatmaps_svg(const PageHeatmaps& figure);

/// Lines with bars of one deviation; the paper's values dashed.
FACTORGCN_API std::string lines_svg(const PageLines& figure);

/// One row per sample, at most `samples` of them: the input graph, then each true part above its best-matched factor
/// graph cut to as many edges. Edges that only one of the two has are drawn in another colour. Isolated nodes are left
/// out.
FACTORGCN_API std::string factor_graphs_svg(const PageFactorGraphs& figure, std::size_t samples);

}  // namespace factorgcn
