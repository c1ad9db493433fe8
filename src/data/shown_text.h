// Text from a user's file: whether it is UTF-8, and how it is shown in a message of one line.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// In single quotes, control characters and broken UTF-8 replaced by '?', cut after 40 bytes.
FACTORGCN_API std::string shown_text(std::string_view text);

/// How many bytes at the front of `text` are one character of valid UTF-8; 0 where they are not.
FACTORGCN_API std::size_t utf8_length(std::string_view text);

FACTORGCN_API bool is_utf8(std::string_view text);

/// Throws Error, naming `origin`, line and byte, unless the whole text is UTF-8 without zero bytes. Cost: O(text).
FACTORGCN_API void require_utf8(std::string_view text, const std::string& origin);

}  // namespace factorgcn
