// Quoting looks at the front of a text alone, checking at all of it.
#include "data/shown_text.h"

#include <algorithm>
#include <cstdint>

#include "factorgcn/base/error.h"

namespace factorgcn {

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) {
    return 0;
  }
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte(index) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
      (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

std::string shown_text(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string shown = "'";
  std::size_t place = 0;
  while (place < text.size()) {
    const std::size_t length = utf8_length(text.substr(place));
    const std::size_t taken = length == 0 ? 1 : length;
    if (place + taken > kLongest) {
      return shown + "...'";
    }
    const auto byte = static_cast<unsigned char>(text[place]);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      shown += '?';
    } else {
      shown += text.substr(place, taken);
    }
    place += taken;
  }
  return shown + "'";
}

void require_utf8(std::string_view text, const std::string& origin) {
  std::uint64_t line = 1;
  for (std::size_t place = 0; place < text.size();) {
    const auto byte = static_cast<unsigned char>(text[place]);
    if (byte != 0 && byte < 0x80) [[likely]] {
      line += byte == '\n' || (byte == '\r' && text.substr(place + 1, 1) != "\n");
      ++place;
      continue;
    }
    require(byte != 0, origin, ", line ", line, ": a zero byte; save the file as text in UTF-8");
    const std::size_t length = utf8_length(text.substr(place));
    if (length == 0) {
      fail(origin, ", line ", line, ": the byte ", static_cast<int>(byte), " in ",
           shown_text(text.substr(place - std::min<std::size_t>(place, 10), 20)),
           " is not UTF-8; save the file as UTF-8 (in Excel: CSV UTF-8)");
    }
    place += length;
  }
}

}  // namespace factorgcn
