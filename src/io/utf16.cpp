// Two bytes at a time; characters beyond the first 65,536 are two such units.
#include "io/utf16.h"

#include <cstdint>

#include "factorgcn/base/error.h"

namespace factorgcn {
void append_utf8(std::string& text, std::uint32_t letter) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80U | (letter >> shift & 0x3FU)); };
  if (letter < 0x80) {
    text += static_cast<char>(letter);
  } else if (letter < 0x800) {
    text += static_cast<char>(0xC0U | letter >> 6);
    tail(0);
  } else if (letter < 0x10000) {
    text += static_cast<char>(0xE0U | letter >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | letter >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_utf16(std::string_view bytes) { return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"); }

std::string utf8_of_utf16(std::string_view bytes, const std::string& origin) {
  require(bytes.size() % 2 == 0, origin, ": it begins like UTF-16, but has an odd number of bytes; save it as UTF-8");
  const bool low_first = bytes.starts_with("\xFF\xFE");
  const auto unit = [&](std::size_t place) {
    const auto first = static_cast<unsigned char>(bytes[place]), second = static_cast<unsigned char>(bytes[place + 1]);
    return static_cast<std::uint32_t>(low_first ? second << 8 | first : first << 8 | second);
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t place = 2; place < bytes.size(); place += 2) {
    std::uint32_t letter = unit(place);
    if (letter >= 0xD800 && letter < 0xE000) {
      const bool pair =
          letter < 0xDC00 && place + 3 < bytes.size() && unit(place + 2) >= 0xDC00 && unit(place + 2) < 0xE000;
      require(pair, origin, ": it is UTF-16 with half a character at byte ", place, "; save it as UTF-8");
      letter = 0x10000 + ((letter - 0xD800) << 10) + (unit(place + 2) - 0xDC00);
      place += 2;
    }
    append_utf8(text, letter);
  }
  return text;
}

}  // namespace factorgcn
