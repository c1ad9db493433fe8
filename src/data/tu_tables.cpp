// Reads the text files of the TU layout into tables and checks them against each other. Cost: one pass over the text.
//
// The edge list is by far the largest file, so its plain lines are read by a loop over raw characters. That loop only
// takes lines that are right in every way; any other line goes the careful way, which accepts it or says what is wrong.
#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "data/shown_text.h"
#include "data/tu_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/tu.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostIds = std::numeric_limits<std::int32_t>::max();

/// The files of one data set.
class TuFiles {
 public:
  TuFiles(const FileSource& files, const std::string& name) : files_(files), name_(name), present_(files.names()) {}

  std::string file(const char* kind) const { return name_ + "_" + kind + ".txt"; }
  bool has(const char* kind) const { return std::binary_search(present_.begin(), present_.end(), file(kind)); }
  TuText text(const char* kind) const { return TuText(files_, file(kind)); }

  void require_file(const char* kind) const {
    require(has(kind), files_.origin(), ": the file ", file(kind), " is missing; the data set ", name_, " needs ",
            file("A"), " and ", file("graph_indicator"));
  }

 private:
  const FileSource& files_;
  const std::string& name_;
  std::vector<std::string> present_;
};

/// What the lines of a file stand for, and how many there must be.
struct Rows {
  std::int64_t count;
  const char* item;          ///< "node"
  std::string counted_from;  ///< the file that says how many there are
};

/// The number at `text`, of up to 9 digits so that it cannot overflow. Returns where it ends, `text` itself where there
/// is none or it is longer. The text must end in something that is no digit.
inline const char* take_number(const char* text, std::uint32_t& value) {
  const char* next = text;
  std::uint32_t number = 0;
  for (auto digit = static_cast<unsigned char>(*next - '0'); digit < 10;
       digit = static_cast<unsigned char>(*++next - '0')) {
    number = number * 10 + digit;
  }
  value = number;
  return next - text <= 9 ? next : text;
}

/// Where the line that ends at `text` is followed by the next; nullptr where it does not end there.
inline const char* take_line_end(const char* text) {
  text += *text == '\r' ? 1 : 0;
  return *text == '\n' ? text + 1 : nullptr;
}

void check_more_rows(const TuText& text, std::int64_t taken, const Rows& rows, std::string_view line) {
  if (taken >= rows.count) {
    text.fail_found(line, concat("the end of the file: ", rows.counted_from, " has ", rows.count, " ", rows.item, "s"));
  }
}

void check_all_rows(const TuText& text, std::int64_t taken, const Rows& rows) {
  if (taken < rows.count) {
    text.fail_line(concat("found the end of the file after ", taken, " lines, expected ", rows.count, ", one per ",
                          rows.item, " of ", rows.counted_from));
  }
}

/// The only value of a line.
std::string_view only_value(const TuText& text, std::string_view line, const char* what) {
  LineValues values(text, line);
  std::string_view word;
  std::string_view more;
  if (!values.next(word) || values.next(more)) {
    text.fail_found(line, concat("one value, ", what));
  }
  return word;
}

void read_graph_indicator(const TuFiles& files, TuTables& tables) {
  constexpr const char* kWhat = "a graph's number";
  TuText text = files.text("graph_indicator");
  std::int64_t largest = 0;
  std::int64_t largest_line = 0;
  text.read_lines([&](std::string_view line) {
    const std::int64_t graph = parse_integer(text, only_value(text, line, kWhat), kWhat, 1, kMostIds);
    if (tables.num_nodes() == kMostIds) {
      text.fail_line(concat("found more than ", kMostIds, " nodes, expected fewer: ids are 32-bit"));
    }
    if (graph > largest) {
      largest = graph;
      largest_line = text.line();
    }
    tables.node_graph.push_back(static_cast<std::int32_t>(graph - 1));
  });

  // There are no more graphs than nodes, so memory follows the file's length and not the numbers in it.
  std::vector<char> has_node(static_cast<std::size_t>(std::min(largest, tables.num_nodes() + 1)), 0);
  for (const std::int32_t graph : tables.node_graph) {
    if (static_cast<std::size_t>(graph) < has_node.size()) {
      has_node[static_cast<std::size_t>(graph)] = 1;
    }
  }
  const auto missing = std::find(has_node.begin(), has_node.end(), 0);
  if (missing != has_node.end()) {
    fail(text.origin(), ": ", text.file(), " line ", largest_line, ": found graph ", largest,
         ", expected a node in each graph up to it: graph ", missing - has_node.begin() + 1, " has none");
  }
  tables.num_graphs = largest;
}

/// Takes edges from the text, line by line or many at once.
class EdgeReader {
 public:
  EdgeReader(TuText& text, TuTables& tables)
      : text_(text), tables_(tables), nodes_(static_cast<std::uint32_t>(tables.num_nodes())) {}

  void take_line(std::string_view line) {
    LineValues values(text_, line);
    std::string_view words[3];
    int count = 0;
    while (count < 3 && values.next(words[count])) {
      ++count;
    }
    if (count != 2) {
      text_.fail_found(line, "two values, an edge's source and target");
    }
    const std::int64_t source = node_id(words[0]);
    const std::int64_t target = node_id(words[1]);
    const std::int32_t source_graph = tables_.node_graph[static_cast<std::size_t>(source)];
    const std::int32_t target_graph = tables_.node_graph[static_cast<std::size_t>(target)];
    if (source_graph != target_graph) {
      text_.fail_found(line, concat("two nodes of one graph: node ", source + 1, " is in graph ", source_graph + 1,
                                    ", node ", target + 1, " in graph ", target_graph + 1));
    }
    tables_.edge_source.push_back(static_cast<std::int32_t>(source));
    tables_.edge_target.push_back(static_cast<std::int32_t>(target));
  }

  /// Takes lines "SOURCE, TARGET" up to the first that needs a closer look.
  std::size_t take_block(std::string_view block) {
    const std::size_t most = block.size() / 4 + 1;  // "1,2\n" is the shortest line
    if (sources_.size() < most) {
      sources_.resize(most);
      targets_.resize(most);
    }
    const std::int32_t* const node_graph = tables_.node_graph.data();
    std::size_t count = 0;
    const char* next = block.data();
    const char* const end = next + block.size();
    while (next != end) {
      std::uint32_t source = 0;
      std::uint32_t target = 0;
      const char* const source_end = take_number(next, source);
      if (source_end == next) {
        break;
      }
      const char* target_begin = source_end;
      target_begin += *target_begin == ',' ? 1 : 0;
      target_begin += *target_begin == ' ' || *target_begin == '\t' ? 1 : 0;
      const char* const target_end = take_number(target_begin, target);
      if (target_begin == source_end || target_end == target_begin) {
        break;
      }
      const char* const line_end = take_line_end(target_end);
      // Ids start at 1: 0 becomes the largest number.
      if (line_end == nullptr || --source >= nodes_ || --target >= nodes_ || node_graph[source] != node_graph[target]) {
        break;
      }
      sources_[count] = static_cast<std::int32_t>(source);
      targets_[count] = static_cast<std::int32_t>(target);
      ++count;
      next = line_end;
    }
    tables_.edge_source.insert(tables_.edge_source.end(), sources_.begin(), sources_.begin() + count);
    tables_.edge_target.insert(tables_.edge_target.end(), targets_.begin(), targets_.begin() + count);
    text_.pass_lines(static_cast<std::int64_t>(count));
    return static_cast<std::size_t>(next - block.data());
  }

 private:
  std::int64_t node_id(std::string_view word) const {
    return parse_integer(text_, word, "a node id", 1, tables_.num_nodes()) - 1;
  }

  TuText& text_;
  TuTables& tables_;
  std::uint32_t nodes_;
  std::vector<std::int32_t> sources_, targets_;  ///< of one block
};

void read_edges(const TuFiles& files, TuTables& tables) {
  TuText text = files.text("A");
  EdgeReader reader(text, tables);
  text.read_blocks([&](std::string_view block) { return reader.take_block(block); },
                   [&](std::string_view line) { reader.take_line(line); });
}

/// One integer per line.
std::vector<std::int64_t> read_labels(const TuFiles& files, const char* kind, const Rows& rows) {
  std::vector<std::int64_t> labels;
  if (!files.has(kind)) {
    return labels;
  }
  TuText text = files.text(kind);
  const auto taken = [&] { return static_cast<std::int64_t>(labels.size()); };
  const auto take_line = [&](std::string_view line) {
    check_more_rows(text, taken(), rows, line);
    labels.push_back(parse_integer(text, only_value(text, line, "an integer label"), "an integer label"));
  };
  const auto take_block = [&](std::string_view block) {
    const char* next = block.data();
    const char* const end = next + block.size();
    const std::int64_t before = taken();
    while (next != end && taken() < rows.count) {
      std::uint32_t value = 0;
      const char* const number_end = take_number(next, value);
      const char* const line_end = number_end == next ? nullptr : take_line_end(number_end);
      if (line_end == nullptr) {
        break;
      }
      labels.push_back(value);
      next = line_end;
    }
    text.pass_lines(taken() - before);
    return static_cast<std::size_t>(next - block.data());
  };
  text.read_blocks(take_block, take_line);
  check_all_rows(text, taken(), rows);
  return labels;
}

/// As many values on each line as on the first.
template <class Value, class Parse>
TuMatrix<Value> read_matrix(const TuFiles& files, const char* kind, const Rows& rows, const Parse& parse) {
  TuMatrix<Value> matrix;
  if (!files.has(kind)) {
    return matrix;
  }
  TuText text = files.text(kind);
  std::int64_t taken = 0;
  text.read_lines([&](std::string_view line) {
    check_more_rows(text, taken, rows, line);
    const std::size_t before = matrix.values.size();
    LineValues values(text, line);
    std::string_view word;
    while (values.next(word)) {
      matrix.values.push_back(parse(text, word));
    }
    const auto count = static_cast<std::int64_t>(matrix.values.size() - before);
    if (taken++ == 0) {
      matrix.columns = count;
    } else if (count != matrix.columns) {
      text.fail_found(line, concat(matrix.columns, matrix.columns == 1 ? " value" : " values",
                                   " as on the lines before, not ", count));
    }
  });
  check_all_rows(text, taken, rows);
  return matrix;
}

TuMatrix<float> read_attributes(const TuFiles& files, const char* kind, const Rows& rows) {
  return read_matrix<float>(
      files, kind, rows, [](const TuText& text, std::string_view word) { return parse_real(text, word, "a number"); });
}

std::vector<std::string> read_names(const TuFiles& files, const char* kind) {
  std::vector<std::string> names;
  if (!files.has(kind)) {
    return names;
  }
  TuText text = files.text(kind);
  text.read_lines([&](std::string_view line) {
    for (std::string_view rest = line; !rest.empty();) {
      const std::size_t length = utf8_length(rest);
      const auto byte = static_cast<unsigned char>(rest.front());
      if (length == 0 || byte == 0x7f || (byte < 0x20 && byte != '\t')) {
        text.fail_found(line, "a name in plain UTF-8");
      }
      rest.remove_prefix(length);
    }
    names.emplace_back(line);
  });
  return names;
}

}  // namespace

TuTables read_tu(const FileSource& source, const std::string& name) {
  const TuFiles files(source, name);
  files.require_file("A");
  files.require_file("graph_indicator");

  TuTables tables;
  tables.name = name;
  tables.origin = source.origin();
  read_graph_indicator(files, tables);
  read_edges(files, tables);
  const Rows nodes{tables.num_nodes(), "node", files.file("graph_indicator")};
  const Rows graphs{tables.num_graphs, "graph", files.file("graph_indicator")};
  const Rows edges{tables.num_edges(), "edge", files.file("A")};
  tables.graph_labels = read_labels(files, "graph_labels", graphs);
  tables.graph_attributes = read_attributes(files, "graph_attributes", graphs);
  tables.node_labels = read_matrix<std::int64_t>(
      files, "node_labels", nodes,
      [](const TuText& text, std::string_view word) { return parse_integer(text, word, "an integer label"); });
  tables.node_attributes = read_attributes(files, "node_attributes", nodes);
  tables.edge_labels = read_labels(files, "edge_labels", edges);
  tables.edge_attributes = read_attributes(files, "edge_attributes", edges);
  tables.edge_label_names = read_names(files, "edge_label_names");
  return tables;
}

}  // namespace factorgcn
