// The door of a page's graph section. Internal to report/.
#pragma once

#include "factorgcn/report/page_graphs.h"

namespace factorgcn {

/// Throws Error, naming the part and the value, unless lengths fit each other and indices are in range.
void check_graphs_part(const PageFactorGraphs& part);

}  // namespace factorgcn
