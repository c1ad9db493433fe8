// Output through C's streams: their error state is what tells a full disk.
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/report/terminal.h"

namespace factorgcn::cli {

void print(std::string_view text) {
  static const bool utf8 = describe_terminal(STDOUT_FILENO).utf8;
  const std::string shown = utf8 ? std::string(text) : to_ascii(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void complain(std::string_view message) {
  const std::string line = "factorgcn: " + std::string(message.substr(0, message.find('\n'))) + "\n";
  std::fflush(stdout);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void check_output() {
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  require(written, "cannot write to standard output: ", std::strerror(errno));
}

std::string shell_word(const std::string& text) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) {
    return text;
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace factorgcn::cli
