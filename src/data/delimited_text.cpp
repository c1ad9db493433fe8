// Delimited text, one pass from field to field. The first row is parsed before its number of columns is known and then
// becomes the header or the first row of data.
#include "data/delimited_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "data/decimal_comma.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }
constexpr bool is_line_end(char letter) { return letter == '\n' || letter == '\r'; }

/// Whether one is inside quotes, going letter by letter. A quote opens at the start of a field alone: 5" is no quote.
class QuoteState {
 public:
  bool step(char letter) {
    if (letter == '"' && (inside_ || opens_)) {
      inside_ = !inside_;
    }
    opens_ = is_blank(letter) || letter == ',' || letter == ';';
    return inside_;
  }

 private:
  bool inside_ = false;
  bool opens_ = true;
};

/// Walks over the fields of the text; fields in quotes are unpacked into storage of their own.
class FieldScanner {
 public:
  FieldScanner(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
      place_ = kByteOrderMark.size();
    }
  }

  void set_separator(char separator) { separator_ = separator; }

  std::uint64_t line() const { return line_; }

  /// Goes to the next row that is neither empty nor a comment; false at the end.
  bool find_row() {
    while (place_ < text_.size()) {
      std::size_t first = place_;
      while (first < text_.size() && is_blank(text_[first])) {
        ++first;
      }
      if (first == text_.size()) {
        place_ = first;
      } else if (is_line_end(text_[first])) {
        place_ = first;
        end_line();
      } else if (text_[first] == '#' || text_[first] == '%') {
        place_ = std::min(text_.find_first_of("\r\n", first), text_.size());
        end_line();
      } else {
        return true;
      }
    }
    return false;
  }

  /// The rest of this row as it stands, up to the first line end outside quotes.
  std::string_view peek_row() const {
    QuoteState quotes;
    for (std::size_t end = place_; end < text_.size(); ++end) {
      if (!quotes.step(text_[end]) && is_line_end(text_[end])) {
        return text_.substr(place_, end - place_);
      }
    }
    return text_.substr(place_);
  }

  void skip_row() {
    place_ = std::min(text_.find_first_of("\r\n", place_), text_.size());
    end_line();
  }

  /// Calls `take` with each field of the row and goes behind it.
  template <class Take>
  void read_row(const Take& take) {
    while (true) {
      skip_blanks();
      if (separator_ == ' ' && at_line_end()) {
        break;  // blanks at the end of a line separate nothing
      }
      take(place_ < text_.size() && text_[place_] == '"' ? quoted_field() : plain_field());
      if (at_line_end()) {
        break;
      }
      ++place_;  // the separator
    }
    end_line();
  }

 private:
  bool at_line_end() const { return place_ == text_.size() || is_line_end(text_[place_]); }

  bool at_separator() const { return separator_ == ' ' ? is_blank(text_[place_]) : text_[place_] == separator_; }

  void skip_blanks() {
    while (place_ < text_.size() && is_blank(text_[place_]) && text_[place_] != separator_) {
      ++place_;
    }
    if (separator_ == ' ') {
      while (place_ < text_.size() && is_blank(text_[place_])) {
        ++place_;
      }
    }
  }

  std::string_view plain_field() {
    const std::size_t first = place_;
    while (!at_line_end() && !at_separator()) {
      ++place_;
    }
    std::size_t last = place_;
    while (last > first && is_blank(text_[last - 1])) {
      --last;
    }
    return text_.substr(first, last - first);
  }

  std::string_view quoted_field() {
    const std::uint64_t opened = line_;
    unpacked_.clear();
    ++place_;
    while (true) {
      const std::size_t quote = text_.find('"', place_);
      require(quote != std::string_view::npos, origin_, ", line ", opened,
              ": a quote is opened here and never closed; close it, or double it (\"\") where it is part of a field");
      const std::string_view part = text_.substr(place_, quote - place_);
      count_lines(part);
      unpacked_ += part;
      place_ = quote + 1;
      if (place_ == text_.size() || text_[place_] != '"') {
        break;
      }
      unpacked_ += '"';
      ++place_;
    }
    skip_blanks_before_separator();
    if (!at_line_end() && !at_separator()) {
      fail(origin_, ", line ", line_, ": after the closing quote of ", shown_text(unpacked_), " comes ",
           shown_text(text_.substr(place_, 1)), "; a separator or the end of the line was expected");
    }
    return unpacked_;
  }

  void skip_blanks_before_separator() {
    while (!at_line_end() && !at_separator() && is_blank(text_[place_])) {
      ++place_;
    }
  }

  void count_lines(std::string_view part) {
    for (std::size_t index = 0; index < part.size(); ++index) {
      const bool pair = part[index] == '\r' && index + 1 < part.size() && part[index + 1] == '\n';
      line_ += is_line_end(part[index]) && !pair;
    }
  }

  void end_line() {
    if (place_ == text_.size()) {
      return;
    }
    place_ += text_[place_] == '\r' && place_ + 1 < text_.size() && text_[place_ + 1] == '\n' ? 2 : 1;
    ++line_;
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t place_ = 0;
  std::uint64_t line_ = 1;
  char separator_ = ' ';
  std::string unpacked_;
};

char detect_separator(std::string_view row) {
  std::size_t commas = 0;
  std::size_t semicolons = 0;
  bool tab = false;
  QuoteState quotes;
  for (const char letter : row) {
    if (!quotes.step(letter)) {
      commas += letter == ',';
      semicolons += letter == ';';
      tab = tab || letter == '\t';
    }
  }
  if (tab) {
    return '\t';
  }
  if (commas + semicolons > 0) {
    return semicolons >= commas ? ';' : ',';
  }
  return ' ';
}

char separator_letter(Separator separator, std::string_view row) {
  switch (separator) {
    case Separator::kComma:
      return ',';
    case Separator::kTab:
      return '\t';
    case Separator::kSemicolon:
      return ';';
    case Separator::kBlanks:
      return ' ';
    case Separator::kDetect:
      break;
  }
  return detect_separator(row);
}

/// The separator that a line "sep=;" names, as some spreadsheets write in front; otherwise 0.
char said_separator(std::string_view row) {
  const bool said = row.size() == 5 && (row.starts_with("sep=") || row.starts_with("SEP="));
  return said && std::string_view(",;\t").find(row[4]) != std::string_view::npos ? row[4] : '\0';
}

const char* separator_name(char letter) {
  return letter == ',' ? "commas" : letter == '\t' ? "tabs" : letter == ';' ? "semicolons" : "blanks";
}

/// `commas`: a comma may stand for a number's point.
bool is_number(std::string_view text, bool commas) {
  double value = 0;
  return parse_decimal(text, value) || (commas && is_comma_number(text));
}

bool has_number(const std::vector<std::string>& cells, bool commas) {
  return std::any_of(cells.begin(), cells.end(), [&](const std::string& cell) { return is_number(cell, commas); });
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Some column holds a number in every row of the table that has a value there, and one at least.
bool has_number_column(const TextTable& table, bool commas) {
  for (std::size_t column = 0; column < table.num_columns(); ++column) {
    bool any = false;
    std::size_t row = 0;
    for (; row < table.num_rows(); ++row) {
      const std::string_view cell = table.cell(row, column);
      if (!is_missing_value(cell)) {
        if (!is_number(cell, commas)) {
          break;
        }
        any = true;
      }
    }
    if (any && row == table.num_rows()) {
      return true;
    }
  }
  return false;
}

bool is_header(const std::vector<std::string>& first, const TextTable& below, bool commas,
               const DelimitedOptions& options) {
  if (options.header != Header::kDetect) {
    return options.header == Header::kYes;
  }
  std::vector<std::string> known;
  for (const std::string& cell : first) {
    if (contains(options.asked_names, cell) && !is_number(cell, commas)) {
      return true;
    }
    std::string plain = plain_column_name(cell);
    if (contains(options.known_names, plain) && !contains(known, plain)) {
      known.push_back(std::move(plain));
      if (known.size() >= options.enough_known) {
        return true;
      }
    }
  }
  return !has_number(first, commas) && has_number_column(below, commas);
}

/// None of the first row's words occurs again, as names of columns would not.
bool stands_alone(const std::vector<std::string>& first, const TextTable& below, bool commas) {
  for (std::size_t row = 0; row < below.num_rows(); ++row) {
    for (std::size_t column = 0; column < below.num_columns(); ++column) {
      if (contains(first, below.cell(row, column))) {
        return false;
      }
    }
  }
  return below.num_rows() > 0 && !has_number(first, commas);
}

}  // namespace

bool parse_decimal(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') {
      return false;
    }
  }
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (stopped != end || text.empty()) {
    return false;
  }
  if (error == std::errc::result_out_of_range) {
    const bool small = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    value = small ? 0.0 : std::numeric_limits<double>::infinity();
    return true;
  }
  return error == std::errc();
}

TextTable read_delimited(std::string_view text, const std::string& origin, const DelimitedOptions& options) {
  require_utf8(text, origin);
  FieldScanner scanner(text, origin);
  require(scanner.find_row(), origin, ": it holds no rows; at least one line was expected");
  char separator = separator_letter(options.separator, scanner.peek_row());
  if (const char said = said_separator(scanner.peek_row()); said != 0) {  // a spreadsheet's own first line
    separator = options.separator == Separator::kDetect ? said : separator;
    scanner.skip_row();
    require(scanner.find_row(), origin, ": it holds no rows; at least one line was expected");
  }
  scanner.set_separator(separator);
  const bool commas = separator == ';' || separator == '\t';  // may be those of numbers

  std::vector<std::string> first;
  const std::uint64_t first_line = scanner.line();
  scanner.read_row([&](std::string_view field) { first.emplace_back(field); });

  TextTable table;
  table.origin = origin;
  for (std::size_t column = 0; column < first.size(); ++column) {
    table.columns.push_back(concat("column ", column + 1));
  }
  const bool may_join = options.words_join_last && separator == ' ' && options.header != Header::kNo;
  std::vector<std::pair<std::uint64_t, std::size_t>> longer;  // lines with further words, and how many fields they have
  const auto refuse = [&](std::uint64_t line, std::size_t fields) {
    fail(origin, ", line ", line, ": ", fields, fields == 1 ? " field" : " fields", " separated by ",
         separator_name(separator), ", but line ", first_line, " has ", first.size(),
         "; every line must have as many (quote a field that holds a separator",
         table.places.empty() ? concat("; if line ", first_line, " is a title, remove it)") : std::string(")"));
  };
  while (scanner.find_row()) {
    const std::uint64_t line = scanner.line();
    std::size_t fields = 0;
    scanner.read_row([&](std::string_view field) {
      if (fields++ < first.size()) {
        table.text += field;
        table.cell_ends.push_back(table.text.size());
      } else if (may_join) {
        table.text += ' ';
        table.text += field;
        table.cell_ends.back() = table.text.size();
      }
    });
    if (fields < first.size() || (fields > first.size() && !may_join)) {
      refuse(line, fields);
    }
    if (fields > first.size()) {
      longer.emplace_back(line, fields);
    }
    table.places.push_back(line);
  }
  if (is_header(first, table, commas, options)) {
    table.columns = std::move(first);
    table.has_header = true;
    if (!longer.empty()) {
      table.notes.push_back(concat(origin, ": line ", longer.front().first, " has more words than there are columns",
                                   longer.size() == 1 ? "" : concat(", as have ", longer.size() - 1, " others"),
                                   "; they belong to the last column"));
    }
    if (commas) {
      read_decimal_commas(table);
    }
    return table;
  }
  if (!longer.empty()) {
    refuse(longer.front().first, longer.front().second);
  }

  // The first row is data after all: put it in front.
  TextTable whole;
  whole.origin = table.origin;
  if (options.header == Header::kDetect && stands_alone(first, table, commas)) {
    whole.notes.push_back(concat(origin, ", line ", first_line, ": taken for data, but no word of it (",
                                 shown_text(first.front()), " ...) occurs again; if they name columns: --header yes"));
  }
  whole.columns = std::move(table.columns);
  const std::vector<std::string_view> cells(first.begin(), first.end());
  whole.add_row(cells, first_line);
  const std::uint64_t shift = whole.text.size();
  whole.text += table.text;
  whole.cell_ends.reserve(whole.cell_ends.size() + table.cell_ends.size());
  for (const std::uint64_t end : table.cell_ends) {
    whole.cell_ends.push_back(end + shift);
  }
  whole.places.insert(whole.places.end(), table.places.begin(), table.places.end());
  if (commas) {
    read_decimal_commas(whole);
  }
  return whole;
}

}  // namespace factorgcn
