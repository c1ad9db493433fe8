// Lists of names, short: f[1], f[2], f[3] as f[1..3].
#pragma once

#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// As they are where any name looks like a shortened one itself.
FACTORGCN_API std::vector<std::string> shorten_names(const std::vector<std::string>& names);
FACTORGCN_API std::vector<std::string> lengthen_names(const std::vector<std::string>& names);

}  // namespace factorgcn
