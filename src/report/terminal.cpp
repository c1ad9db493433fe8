// Asks the system about a terminal. Cheap enough (one system call) to be asked before every redraw, which is how a
// change of the window's size is noticed.
#include "factorgcn/report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace factorgcn {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) {
      continue;
    }
    std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

Terminal describe_terminal(int file_descriptor) {
  Terminal terminal;
  terminal.utf8 = locale_is_utf8();
  if (isatty(file_descriptor) == 0) {
    return terminal;
  }
  const std::string type = environment("TERM");
  terminal.interactive = !type.empty() && type != "dumb";
  terminal.color = terminal.interactive && environment("NO_COLOR").empty();
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = size.ws_col;
  }
  return terminal;
}

}  // namespace factorgcn
