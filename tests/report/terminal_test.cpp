// What is found out about a terminal: from the environment, and from a real pseudo-terminal.
#include "factorgcn/report/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace factorgcn {
namespace {

class TerminalEnvironment : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value == nullptr ? "" : value);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_) {
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    }
  }
  static constexpr const char* kNames[] = {"LC_ALL", "LC_CTYPE", "LANG", "TERM", "NO_COLOR"};
  std::vector<std::pair<std::string, std::string>> saved_;
};

TEST_F(TerminalEnvironment, LocaleDecidesAboutUtf8) {
  EXPECT_FALSE(describe_terminal(-1).utf8);
  setenv("LANG", "de_DE.UTF-8", 1);
  EXPECT_TRUE(describe_terminal(-1).utf8);
  setenv("LC_ALL", "C", 1);
  EXPECT_FALSE(describe_terminal(-1).utf8) << "LC_ALL goes before LANG";
  setenv("LC_ALL", "C.utf8", 1);
  EXPECT_TRUE(describe_terminal(-1).utf8);
}

TEST_F(TerminalEnvironment, AFileIsNotInteractive) {
  const Terminal terminal = describe_terminal(-1);
  EXPECT_FALSE(terminal.interactive);
  EXPECT_FALSE(terminal.color);
  EXPECT_EQ(terminal.width, 80);
}

/// A pseudo-terminal of 93 columns; the program's side is `terminal`.
struct PseudoTerminal {
  PseudoTerminal() {
    keyboard = posix_openpt(O_RDWR | O_NOCTTY);
    if (keyboard >= 0 && grantpt(keyboard) == 0 && unlockpt(keyboard) == 0) {
      terminal = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
      const winsize size{24, 93, 0, 0};
      ioctl(keyboard, TIOCSWINSZ, &size);
    }
  }
  ~PseudoTerminal() {
    close(terminal);
    close(keyboard);
  }
  int keyboard = -1, terminal = -1;
};

TEST_F(TerminalEnvironment, ATerminalIsInteractiveAndHasAWidth) {
  const PseudoTerminal pseudo;
  if (pseudo.terminal < 0) {
    GTEST_SKIP() << "no pseudo-terminals here";
  }
  EXPECT_FALSE(describe_terminal(pseudo.terminal).interactive) << "TERM is not set";
  setenv("TERM", "xterm-256color", 1);
  Terminal seen = describe_terminal(pseudo.terminal);
  EXPECT_TRUE(seen.interactive);
  EXPECT_TRUE(seen.color);
  EXPECT_EQ(seen.width, 93);
  setenv("NO_COLOR", "1", 1);
  seen = describe_terminal(pseudo.terminal);
  EXPECT_TRUE(seen.interactive);
  EXPECT_FALSE(seen.color);
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(describe_terminal(pseudo.terminal).interactive);
}

}  // namespace
}  // namespace factorgcn
