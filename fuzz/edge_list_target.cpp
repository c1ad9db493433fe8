// An edge list and, behind lines "== nodes" and "== graphs", its tables: delimited text with everything detected, then
// imported. A first line "!" and words chooses options: d (directed), l (no self loops), z (zeros for what is missing),
// m (means), h (headers everywhere), n (no headers), 2 (ends in columns 2 and 3, relations in column 1).
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "data/delimited_text.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/import.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"
#include "io/multilayer_list.h"

namespace factorgcn {
namespace {

/// The text behind the mark, up to the next mark; the text before the first mark for an empty one.
std::optional<std::string_view> part(std::string_view bytes, std::string_view mark) {
  std::size_t first = 0;
  if (!mark.empty()) {
    first = bytes.find(mark);
    if (first == std::string_view::npos) {
      return std::nullopt;
    }
    first += mark.size();
  }
  return bytes.substr(first, std::min(bytes.find("\n== ", first), bytes.size()) - first);
}

}  // namespace

void fuzz_edge_list(std::string_view bytes) {
  allow_one_line_error([bytes] {
    std::string_view text = bytes;
    std::string_view chosen;
    if (!text.empty() && text.front() == '!') {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1);
      chosen = text.substr(0, end);
      text.remove_prefix(end + 1);
    }
    const auto has = [&](char letter) { return chosen.find(letter) != std::string_view::npos; };
    ImportOptions options;
    options.directed = has('d');
    options.self_loops = !has('l');
    options.zero_for_missing_nodes = has('z');
    options.missing_values = has('m') ? MissingValues::kMean : has('z') ? MissingValues::kZero : MissingValues::kRefuse;
    if (has('2')) {
      options.relation = "1";
      options.source = "2";
      options.target = "3";
    }
    DelimitedOptions reading;
    reading.header = has('h') ? Header::kYes : has('n') ? Header::kNo : Header::kDetect;
    for (const auto* names : {&KnownColumns::source(), &KnownColumns::target(), &KnownColumns::graph(),
                              &KnownColumns::relation(), &KnownColumns::node(), &KnownColumns::label()}) {
      reading.known_names.insert(reading.known_names.end(), names->begin(), names->end());
    }
    reading.enough_known = 2;
    GraphTables tables;
    tables.edges = read_delimited(*part(text, ""), "input", reading);
    if (!has('2') && looks_like_multilayer_list(tables.edges)) {
      name_multilayer_columns(tables.edges);
    }
    if (const auto nodes = part(text, "\n== nodes\n")) {
      tables.nodes = read_delimited(*nodes, "nodes", reading);
    }
    if (const auto graphs = part(text, "\n== graphs\n")) {
      tables.graphs = read_delimited(*graphs, "graphs", reading);
    }
    check_dataset(import_graphs(tables, options).dataset);
  });
}

}  // namespace factorgcn
