// "Did you mean ...?" for names a person types: data sets, models, options.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// The known name with the fewest typing slips (a letter added, dropped, changed, or two swapped) from `name`, the
/// first among equals; empty where even the best shares too little with it to be a helpful guess. Upper and lower case
/// count as equal. Cost: product of the lengths for each known name.
FACTORGCN_API std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

/// The end of an error message about an unknown name: "; did you mean 'x'? Known: x, y, z".
FACTORGCN_API std::string known_names_hint(std::string_view name, std::span<const std::string_view> known);

}  // namespace factorgcn
