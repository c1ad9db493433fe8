// Pajek networks, line by line; vertices are kept until their section's edges begin, since they may come in any order.
#include "factorgcn/io/pajek.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/delimited_text.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/keyed_tables.h"
#include "io/text_lines.h"

namespace factorgcn {
namespace {

/// Vertices without a line of their own: as many as no real file has more than.
constexpr std::uint64_t kMostUnlistedVertices = 100'000;

enum class PajekSection { kNone, kVertices, kArcs, kEdges, kArcsList, kEdgesList, kMatrix, kPassedOver };

struct PajekVertex {
  std::uint64_t line = 0;  ///< 0: it has none
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> values;
};

std::string small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  return small;
}

bool is_decimal(std::string_view word) {
  double value = 0;
  return parse_decimal(word, value);
}

/// Keys of Pajek's own that say how a vertex or line is drawn.
bool is_for_drawing(std::string_view key) {
  constexpr std::array<std::string_view, 29> kKeys{
      "x_fact", "y_fact", "phi", "r", "q", "ic", "bc", "bw", "lc", "la", "lr", "lphi", "fos", "font", "ap",
      "l",      "p",      "w",   "c", "s", "a",  "k1", "k2", "h1", "h2", "a1", "a2",   "lp",  "size"};
  return std::find(kKeys.begin(), kKeys.end(), small_letters(key)) != kKeys.end();
}

bool is_shape(std::string_view word) {
  constexpr std::array<std::string_view, 8> kShapes{"ellipse", "box",   "diamond", "triangle",
                                                    "cross",   "house", "man",     "woman"};
  const std::string small = small_letters(word);
  return small == "empty" || std::find(kShapes.begin(), kShapes.end(), small) != kShapes.end();
}

class PajekReader {
 public:
  PajekReader(std::string_view text, const std::string& origin)
      : origin_(origin), bytes_(text.size()), lines_(text), tables_(origin) {}

  GraphTables read() {
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (line.empty() || line.front() == '%') {
        continue;
      }
      if (!split_quoted_words(line, words_)) {
        fail(where(), ": a quote is opened in ", shown_text(line), " and never closed");
      }
      if (line.front() == '*') {
        begin_section();
      } else {
        read_line();
      }
    }
    end_vertices();
    require(in_network_, origin_, ": it is no Pajek network; a line *Vertices N was expected");
    if (drawing_) {
      tables_.note(concat(origin_, ": positions, shapes and colours for drawing are left out"));
    }
    return tables_.finish(bytes_);
  }

 private:
  std::string where() const { return concat(origin_, ", line ", lines_.number()); }

  void begin_section() {
    const std::string word = small_letters(words_.front());
    end_vertices();
    relation_.clear();
    if (word == "*network") {
      network_name_ = trimmed_line(lines_.line().substr(word.size()));
      in_network_ = named_ = true;
      begin_network();
      section_ = PajekSection::kNone;
    } else if (word == "*vertices") {
      begin_vertices();
    } else if (section_ == PajekSection::kPassedOver) {
      return;  // sections of something that is passed over
    } else if (word == "*arcs" || word == "*edges") {
      section_ = word == "*arcs" ? PajekSection::kArcs : PajekSection::kEdges;
      read_relation();
    } else if (word == "*arcslist" || word == "*edgeslist" || word == "*edgelist") {
      section_ = word == "*arcslist" ? PajekSection::kArcsList : PajekSection::kEdgesList;
      read_relation();
    } else if (word == "*matrix") {
      section_ = PajekSection::kMatrix;
      matrix_row_ = 0;
      read_relation();
    } else {
      constexpr std::array<std::string_view, 5> kOthers{"*partition", "*vector", "*permutation", "*cluster",
                                                        "*hierarchy"};
      if (std::find(kOthers.begin(), kOthers.end(), word) == kOthers.end()) {
        fail(where(), ": ", shown_text(words_.front()),
             " is not understood; *Vertices, *Arcs, *Edges, *Arcslist, *Edgeslist, *Matrix and *Network are");
      }
      tables_.note(concat(origin_, ", line ", lines_.number(), ": ", shown_text(words_.front()), " is passed over"));
      section_ = PajekSection::kPassedOver;
      return;
    }
    require(section_ == PajekSection::kVertices || section_ == PajekSection::kNone || has_vertices_, where(), ": ",
            words_.front(), " comes before *Vertices N, which says how many vertices there are");
  }

  void begin_network() {
    tables_.begin_graph(lines_.number(), network_name_);
    has_vertices_ = false;
  }

  void begin_vertices() {
    if (section_ == PajekSection::kPassedOver) {
      return;  // a partition's own
    }
    if (!named_ && has_vertices_) {
      fail(where(), ": there is a second *Vertices; write *Network in front of each network of a file");
    }
    in_network_ = true;
    if (!named_) {
      begin_network();
    }
    require(!has_vertices_, where(), ": this network has its *Vertices already");
    has_vertices_ = true;
    std::uint64_t count = 0;
    const bool good = words_.size() >= 2 && read_whole(words_[1], count);
    if (!good) {
      fail(where(), ": found ", shown_text(lines_.line()), "; *Vertices and their number were expected");
    }
    require(count <= kMostUnlistedVertices + bytes_, where(), ": ", count,
            " vertices are announced, far more than the file has lines; is the number right?");
    vertices_.assign(static_cast<std::size_t>(count), {});
    vertices_line_ = lines_.number();
    section_ = PajekSection::kVertices;
  }

  /// Rows for the vertices of the section that ends.
  void end_vertices() {
    if (section_ != PajekSection::kVertices) {
      return;
    }
    for (std::size_t index = 0; index < vertices_.size(); ++index) {
      const PajekVertex& vertex = vertices_[index];
      tables_.begin_node(vertex.line == 0 ? vertices_line_ : vertex.line, std::to_string(index + 1));
      tables_.set_node_label(vertex.name);
      for (const auto& [key, value] : vertex.values) {
        tables_.node_values().set(std::string(key), value);
      }
    }
    num_vertices_ = vertices_.size();
    vertices_ = {};
  }

  /// What follows a heading: :2 "advises".
  void read_relation() {
    if (words_.size() < 2 || !words_[1].starts_with(':')) {
      return;
    }
    // The number's word may be ":2", or ":" and "2".
    std::string_view number = words_[1].substr(1);
    std::size_t name = 2;
    if (number.empty() && words_.size() > 2) {
      number = words_[2];
      name = 3;
    }
    relation_ = name < words_.size() ? words_[name] : number;
    relation_names_[std::string(number)] = relation_;
  }

  void read_line() {
    switch (section_) {
      case PajekSection::kVertices:
        return read_vertex();
      case PajekSection::kArcs:
      case PajekSection::kEdges:
        return read_edge();
      case PajekSection::kArcsList:
      case PajekSection::kEdgesList:
        return read_neighbours();
      case PajekSection::kMatrix:
        return read_matrix_row();
      case PajekSection::kPassedOver:
        return;
      case PajekSection::kNone:
        fail(where(), ": found ", shown_text(lines_.line()), "; a line *Vertices N was expected");
    }
  }

  static bool read_whole(std::string_view word, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size();
  }

  std::uint64_t vertex_number(std::string_view word, std::uint64_t most) const {
    std::uint64_t number = 0;
    if (!read_whole(word, number) || number == 0 || number > most) {
      fail(where(), ": found ", shown_text(word), "; the number of a vertex from 1 to ", most, " was expected");
    }
    return number;
  }

  void read_vertex() {
    const std::uint64_t number = vertex_number(words_.front(), vertices_.size());
    PajekVertex& vertex = vertices_[static_cast<std::size_t>(number - 1)];
    require(vertex.line == 0, where(), ": vertex ", number, " is listed already, in line ", vertex.line);
    vertex.line = lines_.number();
    if (words_.size() > 1) {
      vertex.name = words_[1];
    }
    std::size_t place = 2;
    while (place < words_.size() && (is_decimal(words_[place]) || is_shape(words_[place]))) {
      drawing_ = true;
      ++place;
    }
    for (; place + 1 < words_.size(); place += 2) {
      if (is_for_drawing(words_[place])) {
        drawing_ = true;
      } else {
        vertex.values.emplace_back(words_[place], words_[place + 1]);
      }
    }
    if (place < words_.size()) {
      fail(where(), ": ", shown_text(words_[place]), " is a key without a value");
    }
  }

  void begin_edge(std::uint64_t source, std::uint64_t target, bool directed) {
    tables_.begin_edge(lines_.number(), std::to_string(source), std::to_string(target), directed);
    if (!relation_.empty()) {
      tables_.edge_values().set("relation", relation_);
    }
  }

  void read_edge() {
    std::size_t place = 0;
    std::string_view own_relation;
    if (words_.front().ends_with(':')) {  // "2: 1 3 1.5"
      own_relation = words_.front().substr(0, words_.front().size() - 1);
      place = 1;
    }
    if (words_.size() < place + 2) {
      fail(where(), ": found ", shown_text(lines_.line()), "; the numbers of two vertices were expected");
    }
    const std::uint64_t source = vertex_number(words_[place], num_vertices_);
    const std::uint64_t target = vertex_number(words_[place + 1], num_vertices_);
    begin_edge(source, target, section_ == PajekSection::kArcs);
    place += 2;
    SparseTable& values = tables_.edge_values();
    if (!own_relation.empty()) {
      const auto named = relation_names_.find(std::string(own_relation));
      values.set("relation", named == relation_names_.end() ? own_relation : std::string_view(named->second));
    }
    const bool weighted = place < words_.size() && is_decimal(words_[place]);
    values.set("weight", weighted ? words_[place] : "1");
    place += weighted ? 1 : 0;
    for (; place + 1 < words_.size(); place += 2) {
      if (!is_for_drawing(words_[place])) {
        values.set(std::string(words_[place]), words_[place + 1]);
      }
    }
    if (place < words_.size()) {
      fail(where(), ": ", shown_text(words_[place]), " is a key without a value");
    }
  }

  void read_neighbours() {
    const std::uint64_t source = vertex_number(words_.front(), num_vertices_);
    for (std::size_t place = 1; place < words_.size(); ++place) {
      begin_edge(source, vertex_number(words_[place], num_vertices_), section_ == PajekSection::kArcsList);
    }
  }

  void read_matrix_row() {
    require(matrix_row_ < num_vertices_, where(), ": the matrix has more rows than there are vertices");
    require(words_.size() == num_vertices_, where(), ": this row has ", words_.size(), " values, but there are ",
            num_vertices_, " vertices");
    ++matrix_row_;
    for (std::size_t column = 0; column < words_.size(); ++column) {
      double value = 0;
      if (!parse_decimal(words_[column], value)) {
        fail(where(), ": found ", shown_text(words_[column]), "; a number was expected");
      }
      if (value != 0) {
        begin_edge(matrix_row_, column + 1, /*directed=*/true);
        tables_.edge_values().set("weight", words_[column]);
      }
    }
  }

  const std::string& origin_;
  std::size_t bytes_;
  TextLines lines_;
  KeyedTables tables_;
  std::vector<std::string_view> words_;  ///< of the line we are at
  PajekSection section_ = PajekSection::kNone;
  bool in_network_ = false, named_ = false, has_vertices_ = false, drawing_ = false;
  std::string network_name_;
  std::vector<PajekVertex> vertices_;
  std::uint64_t vertices_line_ = 0, num_vertices_ = 0, matrix_row_ = 0;
  std::string relation_;  ///< of the section
  std::unordered_map<std::string, std::string> relation_names_;
};

}  // namespace

GraphTables read_pajek(std::string_view text, const std::string& origin) {
  require_utf8(text, origin);
  return PajekReader(text, origin).read();
}

}  // namespace factorgcn
