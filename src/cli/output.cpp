// Output through C's streams: their error state is what tells a full disk.
#include "cli/output.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE is POSIX, not in <csignal>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/report/terminal.h"

namespace factorgcn::cli {
namespace {

int output_error = 0;  // errno of the first write to standard output that failed

void note_failure(bool written) {
  if (!written && output_error == 0) {
    output_error = errno;
  }
}

}  // namespace

void print(std::string_view text) {
  static const bool utf8 = describe_terminal(STDOUT_FILENO).utf8;
  const std::string shown = without_controls(utf8 ? std::string(text) : to_ascii(text));
  note_failure(std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size());
}

void complain(std::string_view message) {
  const std::string line = "factorgcn: " + without_controls(message.substr(0, message.find('\n'))) + "\n";
  note_failure(std::fflush(stdout) == 0);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void check_output() {
  note_failure(std::fflush(stdout) == 0);
  if (output_error == EPIPE) {
    ::signal(SIGPIPE, SIG_DFL);
    ::raise(SIGPIPE);
  }
  require(output_error == 0, "cannot write to standard output: ", std::strerror(output_error));
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
