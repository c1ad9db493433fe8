// Whether a text holds a part.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace factorgcn::testing {

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline void expect_holds(const std::string& text, const std::string& part) {
  EXPECT_TRUE(holds(text, part)) << "'" << part << "' is missing in: " << text;
}

}  // namespace factorgcn::testing
