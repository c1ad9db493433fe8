// Text for people: widths on the screen, padding, wrapping, durations, counts and sizes.
//
// Strings are UTF-8. Widths are columns of a terminal and do not depend on the locale: combining marks take none, East
// Asian wide characters take two, a byte that is not valid UTF-8 takes one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Columns that `text` takes on a terminal.
FACTORGCN_API int display_width(std::string_view text);

enum class Align {
  kLeft,
  kRight,
  kPoint,  ///< decimal points of a table's column under each other; the same as kRight for a single string
};

/// `text` with spaces up to `width` columns; longer text is returned as it is.
FACTORGCN_API std::string pad_to_width(std::string_view text, int width, Align align = Align::kLeft);

/// `text` cut to at most `width` columns.
FACTORGCN_API std::string cut_to_width(std::string_view text, int width);

/// Words of `text` set in lines of at most `width` columns, each starting with `indent` spaces; no newline at the end.
/// A newline in `text` stays one. A word that is too long gets a line of its own.
FACTORGCN_API std::string wrap_text(std::string_view text, int width, int indent = 0);

/// `text` with each control character but the end of a line replaced by '?': names out of files must not be able to
/// steer a terminal. In `one_line` the ends of lines are replaced as well.
FACTORGCN_API std::string without_controls(std::string_view text, bool one_line = false);

/// Replaces the few characters beyond ASCII that this program prints (± × … – ─ █ ░) for terminals that cannot show
/// them. Others, which can only come from the user's own names, stay as they are.
FACTORGCN_API std::string to_ascii(std::string_view text);

/// "0.4 s", "8 s", "1 min 05 s", "2 h 03 min", "3 d 04 h"; "?" for negative or not finite.
FACTORGCN_API std::string format_duration(double seconds);

/// "14,000".
FACTORGCN_API std::string format_count(std::int64_t count);

/// "812 B", "12.3 kB", "4.6 MB", "1.2 GB"; powers of 1000.
FACTORGCN_API std::string format_bytes(std::uint64_t bytes);

/// `value` with a fixed number of decimals; "nan" and "inf" as such.
FACTORGCN_API std::string format_fixed(double value, int decimals);

}  // namespace factorgcn
