// The bar is drawn in whole characters; colours and blocks where the terminal has them.
#include "report/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>

namespace factorgcn {

std::string draw_bar(double share, int width, const Terminal& terminal) {
  const int full = static_cast<int>(std::floor(std::clamp(share, 0.0, 1.0) * width));
  std::string bar;
  bar += terminal.color ? "\x1b[32m" : "";
  for (int i = 0; i < full; ++i) {
    bar += terminal.utf8 ? "█" : "#";
  }
  bar += terminal.color ? "\x1b[90m" : "";
  for (int i = full; i < width; ++i) {
    bar += terminal.utf8 ? "░" : "-";
  }
  bar += terminal.color ? "\x1b[0m" : "";
  return bar;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace factorgcn
