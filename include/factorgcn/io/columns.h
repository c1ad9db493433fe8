// Columns of files that this program writes for others to read, and the values that stand in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "factorgcn/base/export.h"

namespace factorgcn {

enum class ColumnKind { kText, kWhole, kNumber, kTruth };

struct FACTORGCN_API NamedColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  /// Columns one after the other with the same word here are one matrix of that name where a format has matrices
  /// (safetensors); empty: a column of its own. Only for kNumber.
  std::string matrix = {};
};

/// One value; std::monostate where it is not known. A float is written with the fewest digits that give it back.
/// A text must outlive the call that it is handed to.
using CellValue = std::variant<std::monostate, bool, std::int64_t, float, double, std::string_view>;

}  // namespace factorgcn
