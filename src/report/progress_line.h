// What lines of progress share: the bar, the clock, and writing to standard error.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/report/terminal.h"

namespace factorgcn {

inline constexpr double kRedrawSeconds = 0.1;  ///< a line on a terminal is drawn no more often
inline constexpr int kLongestBar = 30;
inline constexpr int kShortestBar = 8;
inline constexpr const char* kEraseLine = "\r\x1b[K";

/// `share` of the work is done, 0 .. 1.
std::string draw_bar(double share, int width, const Terminal& terminal);

/// A clock that never goes back.
double steady_seconds();

/// Where nobody can be told, work goes on without telling.
void write_to_stderr(std::string_view text);

}  // namespace factorgcn
