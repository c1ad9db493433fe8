// Widths, padding and wrapping of UTF-8 text. Linear in the text; no locale is consulted, so tests and logs are the
// same everywhere.
#include "factorgcn/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace factorgcn {
namespace {

struct CodePoint {
  char32_t value;
  std::size_t bytes;
};

/// The code point at the front of `text` (not empty). Invalid bytes come out one by one as U+FFFD.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t length = lead >= 0xF0 && lead < 0xF8   ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  if (length == 0 || text.size() < length) {
    return {0xFFFD, 1};
  }
  char32_t value = lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return {0xFFFD, 1};
    }
    value = (value << 6) | (byte(i) & 0x3F);
  }
  return {value, length};
}

using Range = std::pair<char32_t, char32_t>;

template <std::size_t N>
bool in_ranges(char32_t value, const std::array<Range, N>& ranges) {
  for (const auto& [first, last] : ranges) {
    if (value >= first && value <= last) {
      return true;
    }
  }
  return false;
}

/// Columns of one code point. The blocks that matter for names of people's files and data sets, not all of Unicode.
int code_point_width(char32_t value) {
  static constexpr std::array<Range, 7> kZero{{{0x0300, 0x036F},
                                               {0x0483, 0x0489},
                                               {0x0591, 0x05BD},
                                               {0x200B, 0x200F},
                                               {0x20D0, 0x20FF},
                                               {0xFE00, 0xFE0F},
                                               {0xFE20, 0xFE2F}}};
  static constexpr std::array<Range, 10> kWide{{{0x1100, 0x115F},
                                                {0x2E80, 0x303E},
                                                {0x3041, 0x33FF},
                                                {0x3400, 0x4DBF},
                                                {0x4E00, 0x9FFF},
                                                {0xA000, 0xA4CF},
                                                {0xAC00, 0xD7A3},
                                                {0xF900, 0xFAFF},
                                                {0xFF00, 0xFF60},
                                                {0x1F300, 0x1FAFF}}};
  if (value < 0x20 || value == 0x7F) {
    return 0;
  }
  if (in_ranges(value, kZero)) {
    return 0;
  }
  return in_ranges(value, kWide) || (value >= 0x20000 && value <= 0x3FFFD) ? 2 : 1;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    width += code_point_width(point.value);
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string pad_to_width(std::string_view text, int width, Align align) {
  const int missing = width - display_width(text);
  const std::string spaces(missing > 0 ? static_cast<std::size_t>(missing) : 0, ' ');
  return align == Align::kLeft ? std::string(text) + spaces : spaces + std::string(text);
}

std::string cut_to_width(std::string_view text, int width) {
  std::size_t kept = 0;
  int used = 0;
  while (kept < text.size()) {
    const CodePoint point = decode(text.substr(kept));
    used += code_point_width(point.value);
    if (used > width) {
      break;
    }
    kept += point.bytes;
  }
  return std::string(text.substr(0, kept));
}

std::string wrap_text(std::string_view text, int width, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string result;
  std::string line = margin;
  bool line_has_words = false;
  const auto end_line = [&] {
    result += line_has_words ? line : std::string();
    line = margin;
    line_has_words = false;
  };
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\n') {
      end_line();
      result += '\n';
      ++at;
      continue;
    }
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (line_has_words && display_width(line) + 1 + display_width(word) > width) {
      end_line();
      result += '\n';
    }
    line += line_has_words ? " " : "";
    line += word;
    line_has_words = true;
    at = end;
  }
  end_line();
  return result;
}

std::string to_ascii(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    switch (point.value) {
      case U'±':
        result += "+/-";
        break;
      case U'×':
        result += 'x';
        break;
      case U'²':
        result += '2';
        break;
      case U'…':
        result += "...";
        break;
      case U'–':
      case U'─':
      case U'░':
        result += '-';
        break;
      case U'█':
        result += '#';
        break;
      default:
        result += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return result;
}

std::string without_controls(std::string_view text, bool one_line) {
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(),
      [&](char c) { return (static_cast<unsigned char>(c) < 0x20 && (c != '\n' || one_line)) || c == 0x7F; }, '?');
  return shown;
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) {
    return "?";
  }
  if (seconds < 1) {
    return format_fixed(seconds, 1) + " s";
  }
  const auto two_digits = [](std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  const std::int64_t whole = std::llround(seconds);
  if (whole < 60) {
    return std::to_string(whole) + " s";
  }
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  }
  if (whole < 86400) {
    return std::to_string(whole / 3600) + " h " + two_digits(whole / 60 % 60) + " min";
  }
  return std::to_string(whole / 86400) + " d " + two_digits(whole / 3600 % 24) + " h";
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1000) {
    return std::to_string(bytes) + " B";
  }
  double value = static_cast<double>(bytes) / 1000;
  const char* unit = " kB";
  for (const char* larger : {" MB", " GB", " TB"}) {
    if (value < 999.95) {  // 999.95 would be shown as 1000.0
      break;
    }
    value /= 1000;
    unit = larger;
  }
  return format_fixed(value, 1) + unit;
}

std::string format_fixed(double value, int decimals) {
  constexpr std::size_t kLongest = 320;  // digits before the point, sign and point included
  std::string text(kLongest + static_cast<std::size_t>(std::max(decimals, 0)), '\0');
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, std::max(decimals, 0));
  text.resize(static_cast<std::size_t>(written.ptr - text.data()));
  return text;
}

}  // namespace factorgcn
