// One pass over the lines; entries go to whoever wants them.
#include "factorgcn/io/matrix_market.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "data/delimited_text.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/text_lines.h"

namespace factorgcn {
namespace {

constexpr std::string_view kMatrixBanner = "%%matrixmarket";

/// Rows without an entry: as many as no real file has more than.
constexpr std::uint64_t kMostEmptyRows = 100'000;

std::string small_matrix_word(std::string_view word) {
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  return small;
}

struct MatrixEntry {
  std::uint64_t row, column;  ///< from 1
  std::string_view value;     ///< as written; empty in a pattern
  std::uint64_t line;
};

class MatrixReader {
 public:
  MatrixReader(std::string_view text, const std::string& origin) : origin_(origin), bytes_(text.size()), lines_(text) {
    read_banner();
    read_size();
  }

  std::uint64_t rows() const { return rows_; }
  std::uint64_t columns() const { return columns_; }
  std::uint64_t size_line() const { return size_line_; }
  bool has_values() const { return has_values_; }
  bool is_symmetric() const { return symmetric_; }
  bool has_sensible_rows() const { return rows_ <= kMostEmptyRows + bytes_; }

  /// Calls `take` with each entry; checks that there are as many as were announced.
  template <class Take>
  void read(const Take& take) {
    std::uint64_t found = 0;
    while (next_line()) {
      const std::size_t wanted = has_values_ ? 3 : 2;
      if (words_.size() != wanted) {
        fail(where(), ": found ", shown_text(lines_.line()), "; a row, a column", has_values_ ? " and a value" : "",
             has_values_ ? " were expected" : " were expected, and no value, since the matrix is a pattern");
      }
      require(++found <= entries_, where(), ": more entries than the ", entries_, " that line ", size_line_,
              " announces");
      MatrixEntry entry{number(words_[0], rows_, "row"), number(words_[1], columns_, "column"), {}, lines_.number()};
      if (has_values_) {
        double value = 0;
        if (!parse_decimal(words_[2], value)) {
          fail(where(), ": found ", shown_text(words_[2]), "; a number was expected");
        }
        entry.value = words_[2];
      }
      take(entry);
    }
    require(found == entries_, origin_, ": ", found, " entries, but line ", size_line_, " announces ", entries_,
            "; the file is cut short or damaged");
  }

 private:
  std::string where() const { return concat(origin_, ", line ", lines_.number()); }

  bool next_line() {
    while (lines_.next()) {
      if (!lines_.line().empty() && lines_.line().front() != '%') {
        split_words();
        return true;
      }
    }
    return false;
  }

  void split_words() {
    constexpr std::string_view kBlanks = " \t";
    words_.clear();
    const std::string_view line = lines_.line();
    for (std::size_t place = line.find_first_not_of(kBlanks); place != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlanks, place), line.size());
      words_.push_back(line.substr(place, end - place));
      place = line.find_first_not_of(kBlanks, end);
    }
  }

  void read_banner() {
    const bool any = lines_.next();
    split_words();
    require(any && !words_.empty() && small_matrix_word(words_.front()) == kMatrixBanner, origin_,
            ": it is no Matrix Market file; its first line must begin with %%MatrixMarket");
    std::vector<std::string> words(words_.size());
    std::transform(words_.begin(), words_.end(), words.begin(), small_matrix_word);
    words.resize(5);
    require(words[1] == "matrix" && words[2] == "coordinate", origin_, ": it is ",
            words[2] == "array" ? "a dense matrix (array)" : "no matrix of coordinates",
            "; write its entries that are not 0 as coordinates");
    has_values_ = words[3] != "pattern";
    if (has_values_ && words[3] != "real" && words[3] != "integer" && words[3] != "double") {
      fail(origin_, ": its values are ", shown_text(words[3]), "; real, integer and pattern are understood");
    }
    symmetric_ = words[4] == "symmetric";
    if (!symmetric_ && words[4] != "general") {
      fail(origin_, ": it is ", shown_text(words[4]), "; general and symmetric matrices are understood");
    }
  }

  void read_size() {
    const bool any = next_line();
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    const auto read_count = [&](std::size_t word, std::uint64_t& count) {
      const std::string_view text = words_[word];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
      return error == std::errc() && end == text.data() + text.size() && count <= kMost;
    };
    if (!any || words_.size() != 3 || !read_count(0, rows_) || !read_count(1, columns_) || !read_count(2, entries_)) {
      fail(where(), ": found ", shown_text(lines_.line()), "; the numbers of rows, columns and entries were expected");
    }
    size_line_ = lines_.number();
  }

  std::uint64_t number(std::string_view word, std::uint64_t most, const char* what) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value == 0 || value > most) {
      fail(where(), ": found ", shown_text(word), "; the number of a ", what, " from 1 to ", most, " was expected");
    }
    return value;
  }

  const std::string& origin_;
  std::size_t bytes_;
  TextLines lines_;
  std::vector<std::string_view> words_;  ///< of the line we are at
  bool has_values_ = true, symmetric_ = false;
  std::uint64_t rows_ = 0, columns_ = 0, entries_ = 0, size_line_ = 0;
};

}  // namespace

bool is_matrix_market(std::string_view text) {
  return small_matrix_word(text.substr(0, kMatrixBanner.size())) == kMatrixBanner;
}

GraphTables read_matrix_graph(std::string_view text, const std::string& origin) {
  require_utf8(text, origin);
  MatrixReader reader(text, origin);
  require(reader.rows() == reader.columns(), origin, ": it has ", reader.rows(), " rows and ", reader.columns(),
          " columns; a graph's matrix is square (a table of features is given with --sparse-features)");
  require(reader.has_sensible_rows(), origin, ": ", reader.rows(),
          " rows are announced, far more than the file has lines; is the number right?");
  GraphTables tables;
  TextTable& nodes = tables.nodes.emplace();
  nodes.origin = tables.edges.origin = origin;
  nodes.columns = {"node"};
  tables.edges.columns = {"source", "target"};
  nodes.has_header = tables.edges.has_header = true;
  if (reader.has_values()) {
    tables.edges.columns.push_back("weight");
  }
  for (std::uint64_t node = 1; node <= reader.rows(); ++node) {
    const std::string name = std::to_string(node);
    const std::string_view cell = name;
    nodes.add_row({&cell, 1}, reader.size_line());
  }
  reader.read([&](const MatrixEntry& entry) {
    const std::string row = std::to_string(entry.row), column = std::to_string(entry.column);
    const std::array<std::string_view, 3> cells{row, column, entry.value};
    tables.edges.add_row({cells.data(), tables.edges.num_columns()}, entry.line);
    tables.edge_is_directed.push_back(!reader.is_symmetric());
  });
  return tables;
}

FeatureEntries read_matrix_features(std::string_view text, const std::string& origin) {
  require_utf8(text, origin);
  MatrixReader reader(text, origin);
  require(!reader.is_symmetric(), origin,
          ": it is symmetric, as graphs are; features of nodes are a general matrix, a row per node");
  FeatureEntries entries;
  entries.by_place = true;
  entries.nodes = reader.rows();
  entries.width = reader.columns();
  TextTable& table = entries.table;
  table.origin = origin;
  table.columns = {"row", "column", "value"};
  table.has_header = true;
  reader.read([&](const MatrixEntry& entry) {
    const std::string row = std::to_string(entry.row), column = std::to_string(entry.column - 1);
    const std::array<std::string_view, 3> cells{row, column, reader.has_values() ? entry.value : "1"};
    table.add_row(cells, entry.line);
  });
  return entries;
}

}  // namespace factorgcn
