// Views into the text; nothing is copied. Cost: O(text).
#include "io/text_lines.h"

#include <algorithm>

namespace factorgcn {

TextLines::TextLines(std::string_view text) : rest_(text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest_.starts_with(kByteOrderMark)) {
    rest_.remove_prefix(kByteOrderMark.size());
  }
}

bool TextLines::next() {
  if (rest_.empty()) {
    return false;
  }
  const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  line_ = trimmed_line(rest_.substr(0, end));
  rest_.remove_prefix(end);
  rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : rest_.empty() ? 0 : 1);
  ++number_;
  return true;
}

std::string_view trimmed_line(std::string_view text) {
  constexpr const char* kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool split_quoted_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  while (true) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
      return true;
    }
    line.remove_prefix(first);
    const bool quoted = line.front() == '"';
    line.remove_prefix(quoted ? 1 : 0);
    std::size_t end = quoted ? line.find('"') : line.find_first_of(" \t");
    if (quoted && end == std::string_view::npos) {
      return false;
    }
    end = std::min(end, line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

void split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    const std::size_t end = line.find(separator);
    fields.push_back(trimmed_line(line.substr(0, end)));
    if (end == std::string_view::npos) {
      return;
    }
    line.remove_prefix(end + 1);
  }
}

}  // namespace factorgcn
