// A text line by line, and lines word by word; for formats that give lines a meaning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace factorgcn {

/// Lines end in \n, \r\n or \r; blanks at both ends and a byte-order mark are taken off.
class TextLines {
 public:
  explicit TextLines(std::string_view text);

  /// Goes to the next line, empty ones included; false at the end.
  bool next();

  std::string_view line() const { return line_; }
  std::uint64_t number() const { return number_; }  ///< from 1

 private:
  std::string_view rest_, line_;
  std::uint64_t number_ = 0;
};

/// Without blanks and tabs on both sides.
std::string_view trimmed_line(std::string_view text);

/// Words between blanks and tabs; text in double quotes is one word. False where a quote is left open.
bool split_quoted_words(std::string_view line, std::vector<std::string_view>& words);

/// Fields between separators, without blanks around them.
void split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields);

}  // namespace factorgcn
