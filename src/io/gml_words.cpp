// One pass from word to word. Cost: O(text).
#include "io/gml_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "data/delimited_text.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/utf16.h"

namespace factorgcn {
namespace {

bool is_gml_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r'; }

/// Appends what the entity between & and ; stands for; false where it is none, and for characters no text may have.
bool append_entity(std::string& text, std::string_view entity) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
      {{"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}}};
  for (const auto& [name, letter] : kNamed) {
    if (entity == name) {
      text += letter;
      return true;
    }
  }
  if (!entity.starts_with('#')) {
    return false;
  }
  entity.remove_prefix(1);
  const bool hexadecimal = entity.starts_with('x');
  entity.remove_prefix(hexadecimal ? 1 : 0);
  std::uint32_t code = 0;
  const char* const end = entity.data() + entity.size();
  const auto [stopped, error] = std::from_chars(entity.data(), end, code, hexadecimal ? 16 : 10);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (error != std::errc() || stopped != end || code == 0 || code > 0x10FFFF || surrogate) {
    return false;
  }
  append_utf8(text, code);
  return true;
}

std::string without_entities(std::string_view raw) {
  constexpr std::size_t kLongestEntity = 10;
  std::string text;
  text.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t mark = std::min(raw.find('&'), raw.size());
    text += raw.substr(0, mark);
    raw.remove_prefix(mark);
    const std::size_t end = raw.substr(0, kLongestEntity + 2).find(';');
    if (!raw.empty() && end != std::string_view::npos && append_entity(text, raw.substr(1, end - 1))) {
      raw.remove_prefix(end + 1);
    } else if (!raw.empty()) {
      text += '&';
      raw.remove_prefix(1);
    }
  }
  return text;
}

}  // namespace

GmlWords::GmlWords(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  place_ = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

void GmlWords::skip_blanks() {
  bool line_start = place_ == 0 || text_[place_ - 1] == '\n';
  while (place_ < text_.size()) {
    const char letter = text_[place_];
    if (letter == '#' && line_start) {
      place_ = std::min(text_.find('\n', place_), text_.size());
    } else if (!is_gml_blank(letter)) {
      return;
    } else {
      line_start = line_start || letter == '\n';
      line_ += letter == '\n';
      ++place_;
    }
  }
}

void GmlWords::read_text() {
  const std::size_t end = text_.find('"', place_ + 1);
  require(end != std::string_view::npos, origin_, ", line ", line_,
          ": a quote is opened here and never closed; write &quot; for a quote inside a text");
  const std::string_view raw = text_.substr(place_ + 1, end - place_ - 1);
  word_.kind = GmlWord::Kind::kText;
  word_.text = without_entities(raw);
  line_ += static_cast<std::uint64_t>(std::count(raw.begin(), raw.end(), '\n'));
  place_ = end + 1;
}

const GmlWord& GmlWords::next() {
  skip_blanks();
  word_.line = line_;
  word_.text.clear();
  if (place_ == text_.size()) {
    word_.kind = GmlWord::Kind::kEnd;
    return word_;
  }
  const char first = text_[place_];
  if (first == '[' || first == ']') {
    word_.kind = first == '[' ? GmlWord::Kind::kOpen : GmlWord::Kind::kClose;
    ++place_;
    return word_;
  }
  if (first == '"') {
    read_text();
    return word_;
  }
  const std::size_t begin = place_;
  while (place_ < text_.size() && !is_gml_blank(text_[place_]) && text_[place_] != '[' && text_[place_] != ']' &&
         text_[place_] != '"') {
    ++place_;
  }
  word_.text = text_.substr(begin, place_ - begin);
  double number = 0;
  const std::string_view unsigned_part = std::string_view(word_.text).substr(1);
  const bool is_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
  if (is_name) {
    word_.kind = GmlWord::Kind::kKey;
  } else if (!unsigned_part.empty() && is_missing_value(unsigned_part)) {
    word_.kind = GmlWord::Kind::kNumber;
    word_.text = "nan";  // networkx writes +NAN
  } else if (parse_decimal(word_.text, number)) {
    word_.kind = GmlWord::Kind::kNumber;
  } else {
    fail(origin_, ", line ", line_, ": found ", shown_text(word_.text),
         "; a key, a number or a text in double quotes was expected");
  }
  return word_;
}

}  // namespace factorgcn
