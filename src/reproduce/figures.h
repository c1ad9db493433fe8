// Figures that need a trained model again, not only its scores.
#pragma once

#include <filesystem>
#include <optional>

#include "factorgcn/report/page.h"
#include "factorgcn/reproduce/plan.h"

namespace factorgcn {

/// Absolute correlation of the hidden features of each panel's first run over its test split. Panels whose run is not
/// there are left out.
PageHeatmaps correlation_figure(const Plan& plan, const PlannedCorrelation& figure, const std::filesystem::path& out);

/// Nothing where the run is not there.
std::optional<PageFactorGraphs> factor_graphs_figure(const Plan& plan, const PlannedFactors& figure,
                                                     const std::filesystem::path& out);

}  // namespace factorgcn
