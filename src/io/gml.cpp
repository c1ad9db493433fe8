// GML: keys and values from word to word; brackets are counted, so depth costs nothing. Cost: O(text).
#include "factorgcn/io/gml.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/gml_words.h"
#include "io/keyed_tables.h"

namespace factorgcn {
namespace {

using Kind = GmlWord::Kind;

/// What one bracket holds besides brackets: each key once, in order of appearance, several values as a list.
class GmlValues {
 public:
  struct Entry {
    std::string key, value;
    std::size_t times = 0;
    bool is_list = false;
  };

  void clear() {
    entries_.clear();
    place_of_key_.clear();
  }

  void add(const std::string& key, const std::string& value) {
    const auto [place, fresh] = place_of_key_.try_emplace(key, entries_.size());
    if (fresh) {
      entries_.push_back({key, "", 0, false});
    }
    Entry& entry = entries_[place->second];
    if (value == "_networkx_list_start") {  // in front of a list of one
      entry.is_list = true;
      return;
    }
    entry.value += (entry.times == 0 ? "" : ", ") + value;
    entry.is_list = entry.is_list || entry.times > 0;
    ++entry.times;
  }

  const std::vector<Entry>& entries() const { return entries_; }

  /// The value of a key that must not come twice; null where it is missing.
  const Entry* find(const std::string& key) const {
    const auto found = place_of_key_.find(key);
    return found == place_of_key_.end() ? nullptr : &entries_[found->second];
  }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> place_of_key_;
};

class GmlReader {
 public:
  GmlReader(std::string_view text, const std::string& origin)
      : origin_(origin), bytes_(text.size()), words_(text, origin), tables_(origin) {}

  GraphTables read() {
    while (true) {
      const GmlWord& word = words_.next();
      if (word.kind == Kind::kEnd) {
        break;
      }
      const std::string key = key_of(word);
      const GmlWord& value = words_.next();
      if (key == "graph" && value.kind == Kind::kOpen) {
        read_graph(value.line);
      } else {
        pass_over(value, key);
      }
    }
    require(tables_.num_graphs() > 0, origin_, ": it is no GML file with a graph; graph [ ... ] was expected");
    if (!passed_over_.empty()) {
      tables_.note(concat(origin_, ": ", passed_over_, " [ ... ] of nodes or edges is passed over"));
    }
    return tables_.finish(bytes_, /*value_is_weight=*/true);
  }

 private:
  std::string where(std::uint64_t line) const { return concat(origin_, ", line ", line); }

  std::string key_of(const GmlWord& word) const {
    if (word.kind != Kind::kKey) {
      fail(where(word.line), ": found ", shown_word(word), "; a key was expected");
    }
    return word.text;
  }

  static std::string shown_word(const GmlWord& word) {
    return word.kind == Kind::kEnd     ? "the end of the file"
           : word.kind == Kind::kOpen  ? "'['"
           : word.kind == Kind::kClose ? "']'"
                                       : shown_text(word.text);
  }

  /// Goes behind a value of any kind.
  void pass_over(const GmlWord& value, const std::string& key) {
    const std::uint64_t line = value.line;
    if (value.kind == Kind::kEnd || value.kind == Kind::kClose) {
      fail(where(line), ": ", shown_text(key), " has no value; found ", shown_word(value));
    }
    std::size_t depth = value.kind == Kind::kOpen ? 1 : 0;
    while (depth > 0) {
      const GmlWord& word = words_.next();
      require(word.kind != Kind::kEnd, origin_, ", line ", line, ": a bracket is opened here and never closed");
      depth += word.kind == Kind::kOpen ? 1 : 0;
      depth -= word.kind == Kind::kClose ? 1 : 0;
    }
  }

  /// Calls `take_list(key, line)` for each key with a bracket, which must go behind it, and fills `values` with the
  /// others, up to the closing bracket.
  template <class TakeList>
  void read_bracket(std::uint64_t line, GmlValues& values, const TakeList& take_list) {
    values.clear();
    while (true) {
      const GmlWord& word = words_.next();
      if (word.kind == Kind::kClose) {
        return;
      }
      require(word.kind != Kind::kEnd, origin_, ", line ", line, ": a bracket is opened here and never closed");
      const std::string key = key_of(word);
      const GmlWord& value = words_.next();
      if (value.kind == Kind::kOpen) {
        take_list(key, value);
      } else if (value.kind == Kind::kEnd || value.kind == Kind::kClose) {
        pass_over(value, key);  // which says what is missing
      } else {
        values.add(key, value.text);
      }
    }
  }

  void read_graph(std::uint64_t line) {
    tables_.begin_graph(line);
    GmlValues values;
    read_bracket(line, values, [&](const std::string& key, const GmlWord& value) {
      if (key == "node") {
        read_node(value.line);
      } else if (key == "edge") {
        read_edge(value.line);
      } else {
        pass_over(value, key);
      }
    });
    const GmlValues::Entry* directed = values.find("directed");
    if (directed != nullptr && directed->value != "0" && directed->value != "1") {
      fail(where(line), ": the graph's 'directed' is ", shown_text(directed->value), "; 0 or 1 was expected");
    }
    tables_.set_graph_directed(directed != nullptr && directed->value == "1");
    for (const GmlValues::Entry& entry : values.entries()) {
      if (entry.key == "name" || entry.key == "label") {
        tables_.name_graph(entry.value);
      } else if (entry.key != "directed" && entry.key != "multigraph" && entry.key != "id") {
        tables_.graph_values().set(entry.key, text_of(entry));
      }
    }
  }

  void read_row(std::uint64_t line, GmlValues& values) {
    read_bracket(line, values, [&](const std::string& key, const GmlWord& value) {
      if (passed_over_.empty()) {
        passed_over_ = key;
      }
      pass_over(value, key);
    });
  }

  static std::string text_of(const GmlValues::Entry& entry) {
    return entry.is_list ? concat("[", entry.value, "]") : entry.value;
  }

  const std::string& needed(const GmlValues& values, std::uint64_t line, const char* what, const char* key) const {
    const GmlValues::Entry* entry = values.find(key);
    if (entry == nullptr || entry->value.empty()) {
      fail(where(line), ": this ", what, " has no ", key, "; every ", what, " needs one");
    }
    require(entry->times == 1, where(line), ": this ", what, " has ", entry->times, " values of ", key,
            "; one was expected");
    return entry->value;
  }

  void read_node(std::uint64_t line) {
    read_row(line, row_);
    tables_.begin_node(line, needed(row_, line, "node", "id"));
    for (const GmlValues::Entry& entry : row_.entries()) {
      if (entry.key == "label") {
        tables_.set_node_label(entry.value);
      } else if (entry.key != "id") {
        tables_.node_values().set(entry.key, text_of(entry));
      }
    }
  }

  void read_edge(std::uint64_t line) {
    read_row(line, row_);
    tables_.begin_edge(line, needed(row_, line, "edge", "source"), needed(row_, line, "edge", "target"));
    for (const GmlValues::Entry& entry : row_.entries()) {
      if (entry.key != "source" && entry.key != "target") {
        tables_.edge_values().set(entry.key, text_of(entry));
      }
    }
  }

  const std::string& origin_;
  std::size_t bytes_;
  GmlWords words_;
  KeyedTables tables_;
  GmlValues row_;
  std::string passed_over_;  ///< the first key of a node or edge whose value is a bracket
};

}  // namespace

GraphTables read_gml(std::string_view text, const std::string& origin) {
  require_utf8(text, origin);
  return GmlReader(text, origin).read();
}

}  // namespace factorgcn
