// From finished runs to tables, figures, files and one page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/report/page.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/reproduce/plan.h"

namespace factorgcn {

/// What the runs below OUT say, whether or not all are there: cells of missing runs stay empty and say so. Models are
/// loaded again for the figures that look inside them. `outcomes` tells why a run is missing; may be empty.
FACTORGCN_API Page reproduction_page(const Plan& plan, const std::filesystem::path& out, const std::string& target,
                                     const std::vector<RunOutcome>& outcomes);

/// The page as OUT/TARGET.html; each table as .md, .csv and .tex, each figure as .svg, named after their ids. Returns
/// the files written, the page first.
FACTORGCN_API std::vector<std::filesystem::path> write_reproduction(const Page& page, const std::filesystem::path& out,
                                                                    const std::string& target);

}  // namespace factorgcn
