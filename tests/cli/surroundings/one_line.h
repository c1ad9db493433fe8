// How a command says that it could not do its work.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cli/workplace.h"

namespace factorgcn::cli {

/// Exit code 1 (or 2, wrong use), and on standard error one line with the text, nothing in it that steers a terminal.
inline void expect_one_line(const Outcome& outcome, const std::string& text) {
  EXPECT_TRUE(outcome.code == 1 || outcome.code == 2)
      << outcome.code << ", signal " << outcome.signal << ": " << outcome.err;
  EXPECT_EQ(outcome.err.rfind("factorgcn: ", 0), 0U) << outcome.err;
  EXPECT_NE(outcome.err.find(text), std::string::npos) << "'" << text << "' is not in: " << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "one line, please: " << outcome.err;
  for (const char letter : outcome.err) {
    EXPECT_FALSE((static_cast<unsigned char>(letter) < 0x20 && letter != '\n') || letter == 0x7F) << outcome.err;
  }
}

}  // namespace factorgcn::cli
