// Cuts pieces of text into lines and lines into values. Cost: one pass; memory for the longest line.
#include "data/tu_text.h"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestLine = std::size_t{1} << 24;  // some hundred thousand values

bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

bool only_blanks(std::string_view text) {
  for (const char byte : text) {
    if (!is_blank(byte) && byte != '\r') {
      return false;
    }
  }
  return true;
}

/// from_chars takes no plus sign; files may.
std::string_view without_plus(std::string_view word) {
  return word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
}

/// Digits with, perhaps, a minus sign in front.
bool is_integer_text(std::string_view word) {
  if (word.starts_with('-')) {
    word.remove_prefix(1);
  }
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void TuText::fail_line(const std::string& what) const {
  fail(files_.origin(), ": ", file_, " line ", line_, ": ", what);
}

void TuText::fail_found(std::string_view found, const std::string& expected) const {
  fail_line("found " + shown_text(found) + ", expected " + expected);
}

void TuText::read_lines(const OnLine& on_line) {
  read_blocks([](std::string_view) { return std::size_t{0}; }, on_line);
}

void TuText::read_blocks(const OnBlock& on_block, const OnLine& on_line) {
  files_.read(file_, [&](std::string_view piece) { take_piece(piece, on_block, on_line); });
  if (!carry_.empty()) {
    std::string last = std::exchange(carry_, {});
    last += '\n';
    at_start_ ? take_piece(last, on_block, on_line) : take_lines(last, on_block, on_line);
  }
  require(any_, files_.origin(), ": ", file_, " line 1: found an empty file, expected one line at least");
}

void TuText::take_piece(std::string_view piece, const OnBlock& on_block, const OnLine& on_line) {
  const std::size_t last_end = piece.rfind('\n');
  const std::string_view tail = last_end == std::string_view::npos ? piece : piece.substr(last_end + 1);
  if (last_end != std::string_view::npos) {
    std::string_view lines = piece.substr(0, last_end + 1);
    std::string joined;
    if (!carry_.empty()) {
      const std::size_t first_end = lines.find('\n');
      joined = std::exchange(carry_, {});
      joined += lines.substr(0, first_end + 1);
      lines.remove_prefix(first_end + 1);
    }
    for (std::string_view part : {std::string_view(joined), lines}) {
      if (part.empty()) {
        continue;
      }
      if (std::exchange(at_start_, false) && part.starts_with(kByteOrderMark)) {
        part.remove_prefix(kByteOrderMark.size());
      }
      take_lines(part, on_block, on_line);
    }
  }
  carry_ += tail;
  if (carry_.size() > kLongestLine) {
    fail_line(concat("found more than ", kLongestLine, " bytes, expected a shorter line"));
  }
}

void TuText::take_lines(std::string_view lines, const OnBlock& on_block, const OnLine& on_line) {
  while (!lines.empty()) {
    // The handler of blocks must not pass over a line behind an empty one: take_line() refuses that.
    if (empty_line_ == 0) {
      const std::size_t taken = on_block(lines);
      any_ = any_ || taken > 0;
      lines.remove_prefix(taken);
      if (lines.empty()) {
        return;
      }
    }
    const std::size_t end = lines.find('\n');
    take_line(lines.substr(0, end), on_line);
    ++line_;
    lines.remove_prefix(end + 1);
  }
}

void TuText::take_line(std::string_view line, const OnLine& on_line) {
  if (only_blanks(line)) {
    if (empty_line_ == 0) {
      empty_line_ = line_;
    }
    return;
  }
  if (empty_line_ != 0) {
    line_ = empty_line_;
    fail_line("found an empty line, expected values: more of them follow");
  }
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  any_ = true;
  on_line(line);
}

LineValues::LineValues(const TuText& text, std::string_view line) : text_(text), rest_(line) {
  while (!rest_.empty() && is_blank(rest_.back())) {
    rest_.remove_suffix(1);
  }
}

bool LineValues::next(std::string_view& word) {
  const auto skip_blanks = [this] {
    while (!rest_.empty() && is_blank(rest_.front())) {
      rest_.remove_prefix(1);
    }
  };
  skip_blanks();
  if (rest_.empty()) {
    return false;
  }
  if (!std::exchange(first_, false) && rest_.front() == ',') {
    rest_.remove_prefix(1);
    skip_blanks();
    if (rest_.empty()) {
      text_.fail_found(",", "a value behind the last comma");
    }
  }
  if (rest_.front() == ',') {
    text_.fail_found(",", "a value before the comma");
  }
  const std::size_t end = std::min(rest_.find_first_of(", \t"), rest_.size());
  word = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return true;
}

std::int64_t parse_integer(const TuText& text, std::string_view word, const char* what, std::int64_t least,
                           std::int64_t most) {
  const std::string_view digits = without_plus(word);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range && is_integer_text(digits)) {
    text.fail_found(word, concat(what, least == std::numeric_limits<std::int64_t>::min()
                                           ? std::string(", and no larger one than 64 bits hold")
                                           : concat(" in ", least, " .. ", most)));
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    text.fail_found(word, what);
  }
  if (value < least || value > most) {
    text.fail_found(word, concat(what, " in ", least, " .. ", most));
  }
  return value;
}

float parse_real(const TuText& text, std::string_view word, const char* what) {
  const std::string_view digits = without_plus(word);
  const char* const last = digits.data() + digits.size();
  float value = 0;
  auto [end, error] = std::from_chars(digits.data(), last, value);
  if (error == std::errc::result_out_of_range && end == last) {
    // Too large is refused; too small is 0 to any reader. The wider type can tell.
    long double wide = 0;
    const auto again = std::from_chars(digits.data(), last, wide);
    if (again.ec != std::errc() || !(std::abs(wide) < 1)) {
      text.fail_found(word, concat(what, " that 32 bits can hold"));
    }
    value = static_cast<float>(wide);
    error = std::errc();
  }
  if (error != std::errc() || end != last) {
    text.fail_found(word, what);
  }
  if (!std::isfinite(value)) {
    text.fail_found(word, concat(what, " that is finite"));
  }
  return value;
}

}  // namespace factorgcn
