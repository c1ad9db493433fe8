// See the header. Most text is plain ASCII, which is looked at once and copied.
#include "io/text_output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace factorgcn {
namespace {

/// Letters for which every format has a way of its own: everything beyond printable ASCII, and marks of XML and JSON.
bool is_plain(char letter) {
  return letter >= ' ' && letter < '\x7F' && letter != '"' && letter != '\\' && letter != '<' && letter != '>' &&
         letter != '&' && letter != '\'';
}

/// The same text as a JSON string; broken UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Valid UTF-8, with U+FFFD in place of what is not.
std::string mended(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char letter) { return (letter & 0x80) == 0; });
  return ascii ? std::string(text) : nlohmann::json::parse(json_text(text)).get<std::string>();
}

template <class Number>
void append_shortest(std::string& text, Number value) {
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

}  // namespace

TextOutput::TextOutput(const AppendBytes& append, bool gzip)
    : append_(append), gzip_(gzip ? std::make_unique<GzipWriter>(append) : nullptr) {}

void TextOutput::flush() {
  if (gzip_) {
    gzip_->write(text_);
  } else {
    append_(text_);
  }
  text_.clear();
}

void TextOutput::finish() {
  flush();
  if (gzip_) {
    gzip_->finish();
  }
}

void TextOutput::put_number(std::int64_t value) { append_shortest(text_, value); }
void TextOutput::put_number(float value) { append_shortest(text_, value); }
void TextOutput::put_number(double value) { append_shortest(text_, value); }

void TextOutput::put_field(std::string_view text, char separator) {
  const bool plain = !text.empty() && text.front() != ' ' && text.back() != ' ' && text.front() != '#' &&
                     text.front() != '%' && text.find_first_of("\"\r\n\t") == std::string_view::npos &&
                     text.find(separator) == std::string_view::npos;
  if (plain) {
    text_ += text;
    return;
  }
  text_ += '"';
  for (const char letter : text) {
    text_ += letter;
    if (letter == '"') {
      text_ += '"';
    }
  }
  text_ += '"';
}

void TextOutput::put_xml(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    text_ += text;
    return;
  }
  const std::string safe = mended(text);
  constexpr std::string_view kUnknownLetter = "\xEF\xBF\xBD";
  for (std::size_t place = 0; place < safe.size(); ++place) {
    const char letter = safe[place];
    const std::string_view next = std::string_view(safe).substr(place, 3);
    if (next == "\xEF\xBF\xBE" || next == "\xEF\xBF\xBF") {  // the two that XML forbids beyond ASCII
      text_ += kUnknownLetter;
      place += 2;
    } else if (letter == '<') {
      text_ += "&lt;";
    } else if (letter == '>') {
      text_ += "&gt;";
    } else if (letter == '&') {
      text_ += "&amp;";
    } else if (letter == '"') {
      text_ += "&quot;";
    } else if (letter == '\t' || letter == '\n' || letter == '\r') {
      text_ += letter == '\t' ? "&#9;" : letter == '\n' ? "&#10;" : "&#13;";
    } else if (letter >= 0 && letter < ' ') {
      text_ += kUnknownLetter;
    } else {
      text_ += letter;
    }
  }
}

void TextOutput::put_json(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    text_ += '"';
    text_ += text;
    text_ += '"';
  } else {
    text_ += json_text(text);
  }
}

void TextOutput::put_field_value(const CellValue& value, char separator) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    put_field(*text, separator);
  } else {
    put_xml_value(value);  // numbers and truth values look the same
  }
}

void TextOutput::put_xml_value(const CellValue& value) {
  if (const auto* number = std::get_if<float>(&value)) {
    put_number(*number);
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    put_number(*whole);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    put_xml(*text);
  } else if (const auto* precise = std::get_if<double>(&value)) {
    put_number(*precise);
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    put(*truth ? std::string_view("true") : "false");
  }
}

void TextOutput::put_json_value(const CellValue& value) {
  const auto* number = std::get_if<float>(&value);
  const auto* precise = std::get_if<double>(&value);
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    put_json(*text);
  } else if (is_unknown(value) || (number != nullptr && !std::isfinite(*number)) ||
             (precise != nullptr && !std::isfinite(*precise))) {
    put("null");
  } else {
    put_xml_value(value);
  }
}

}  // namespace factorgcn
