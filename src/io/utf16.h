// UTF-16, which spreadsheets call "Unicode text".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace factorgcn {

/// Appends one character, given by its number in Unicode.
void append_utf8(std::string& text, std::uint32_t letter);

/// True where the text begins with the byte-order mark of UTF-16, in either order.
bool is_utf16(std::string_view bytes);

/// The same text in UTF-8, without the mark. Throws Error, naming `origin`, for half characters. Cost: O(text).
std::string utf8_of_utf16(std::string_view bytes, const std::string& origin);

}  // namespace factorgcn
