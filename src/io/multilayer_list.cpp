// What tells a layer from a node is that it comes again and again with the same node.
#include "io/multilayer_list.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "data/delimited_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::size_t kMostLayers = 200;
constexpr std::size_t kLeastLines = 10;

/// Pairs and triples of cells as numbers, which stand for their texts.
class CellNumbers {
 public:
  std::uint64_t of(std::string_view cell) { return numbers_.try_emplace(cell, numbers_.size()).first->second; }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::string_view, std::uint64_t> numbers_;
};

}  // namespace

bool looks_like_multilayer_list(const TextTable& table) {
  const std::size_t rows = table.num_rows();
  if (table.has_header || table.num_columns() != 4 || rows < kLeastLines) {
    return false;
  }
  CellNumbers layers, nodes;
  std::unordered_set<std::uint64_t> first_two, first_three;
  double number = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t layer = layers.of(table.cell(row, 0));
    const std::uint64_t source = nodes.of(table.cell(row, 1));
    const std::uint64_t target = nodes.of(table.cell(row, 2));
    if (layers.size() > kMostLayers || nodes.size() >= (1U << 28) || !parse_decimal(table.cell(row, 3), number)) {
      return false;
    }
    first_two.insert(layer << 28 | source);
    first_three.insert(layer << 56 | source << 28 | target);
  }
  // Most nodes have more than one edge in a layer, and no edge is there twice.
  return layers.size() * 4 <= rows && layers.size() < nodes.size() && first_three.size() * 100 >= rows * 99 &&
         first_two.size() * 4 <= rows * 3;
}

void name_multilayer_columns(TextTable& table) {
  require(table.num_columns() == 3 || table.num_columns() == 4, table.origin, ": it has ", table.num_columns(),
          table.num_columns() == 1 ? " column" : " columns",
          "; a layer, two nodes and perhaps a weight were expected (is the separator right? --separator)");
  table.columns = {"layer", "source", "target"};
  if (table.cell_ends.size() == table.num_rows() * 4) {
    table.columns.emplace_back("weight");
  }
  table.has_header = true;
}

}  // namespace factorgcn
