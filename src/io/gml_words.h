// The words of a GML file: keys, numbers, texts in quotes, brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace factorgcn {

struct GmlWord {
  enum class Kind { kEnd, kKey, kNumber, kText, kOpen, kClose };
  Kind kind = Kind::kEnd;
  std::string text;        ///< texts: without quotes, entities replaced
  std::uint64_t line = 1;  ///< where it begins
};

class GmlWords {
 public:
  /// Both must outlive this.
  GmlWords(std::string_view text, const std::string& origin);

  /// The next word; kEnd at the end, again and again. Throws Error for an open quote and for letters no word has.
  const GmlWord& next();

 private:
  void skip_blanks();
  void read_text();

  std::string_view text_;
  const std::string& origin_;
  std::size_t place_ = 0;
  std::uint64_t line_ = 1;
  GmlWord word_;
};

}  // namespace factorgcn
