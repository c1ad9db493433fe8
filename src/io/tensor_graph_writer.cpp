// Graphs as arrays in one safetensors file: nodes are counted through all graphs, from 0.
//
//   graphs.names.*, nodes.names.*  names, as bytes (uint8, one behind the other) and offsets (int64)
//   nodes.graph                    int64 [N]: which graph each node is in
//   edges.source, edges.target     int64 [E]
//   nodes.COLUMN, edges.COLUMN     float32 (numbers), int64 (whole numbers), bool; [rows, columns] for a matrix
//   ... of text                    COLUMN.bytes and COLUMN.offsets, as for names
//
// What is not known is NaN, -1, false or an empty text. Metadata: format "factorgcn-graphs", format_version, directed
// (true or false).
#include <ATen/ops/empty.h>

#include <limits>
#include <unordered_map>

#include "factorgcn/base/error.h"
#include "factorgcn/io/file_format.h"
#include "io/graph_formats.h"
#include "io/name_table.h"

namespace factorgcn {
namespace {

template <class Value>
at::Tensor tensor_of(const std::vector<Value>& values, at::IntArrayRef shape, at::ScalarType type) {
  at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(type));
  std::copy(values.begin(), values.end(), static_cast<Value*>(tensor.data_ptr()));
  return tensor;
}

at::Tensor tensor_of(const std::vector<std::int64_t>& values) {
  return tensor_of(values, {static_cast<std::int64_t>(values.size())}, at::kLong);
}

/// A column that grows, or several of one matrix.
struct GrowingColumn {
  std::string name;
  ColumnKind kind;
  std::int64_t width = 1;
  std::vector<float> numbers;
  std::vector<std::int64_t> wholes;
  std::vector<std::uint8_t> truths;
  std::vector<std::string> texts;

  void add(const CellValue& value) {
    switch (kind) {
      case ColumnKind::kNumber: {
        const auto* number = std::get_if<float>(&value);
        const auto* precise = std::get_if<double>(&value);
        numbers.push_back(number    ? *number
                          : precise ? static_cast<float>(*precise)
                                    : std::numeric_limits<float>::quiet_NaN());
        break;
      }
      case ColumnKind::kWhole:
        wholes.push_back(std::holds_alternative<std::int64_t>(value) ? std::get<std::int64_t>(value) : -1);
        break;
      case ColumnKind::kTruth:
        truths.push_back(std::holds_alternative<bool>(value) && std::get<bool>(value) ? 1 : 0);
        break;
      case ColumnKind::kText:
        texts.emplace_back(std::holds_alternative<std::string_view>(value) ? std::get<std::string_view>(value)
                                                                           : std::string_view());
        break;
    }
  }

  void store(TensorFile& file, const std::string& owner, std::int64_t rows) const {
    const std::string key = owner + "." + name;
    if (kind == ColumnKind::kText) {
      pack_names(file, key, texts);
    } else if (kind == ColumnKind::kWhole) {
      file.tensors.emplace_back(key, tensor_of(wholes));
    } else if (kind == ColumnKind::kTruth) {
      file.tensors.emplace_back(key, tensor_of(truths, {rows}, at::kByte).to(at::kBool));
    } else if (width > 1) {
      file.tensors.emplace_back(key, tensor_of(numbers, {rows, width}, at::kFloat));
    } else {
      file.tensors.emplace_back(key, tensor_of(numbers, {rows}, at::kFloat));
    }
  }
};

/// Columns, those of a matrix as one.
class GrowingTable {
 public:
  explicit GrowingTable(const std::vector<NamedColumn>& columns) {
    for (const NamedColumn& column : columns) {
      const bool of_matrix = column.kind == ColumnKind::kNumber && !column.matrix.empty();
      if (of_matrix && !columns_.empty() && last_matrix_ == column.matrix) {
        ++columns_.back().width;
      } else {
        columns_.push_back({of_matrix ? column.matrix : column.name, column.kind, 1, {}, {}, {}, {}});
      }
      last_matrix_ = of_matrix ? column.matrix : "";
      place_.push_back(columns_.size() - 1);
    }
  }

  void add(std::span<const CellValue> values) {
    for (std::size_t column = 0; column < values.size(); ++column) {
      columns_[place_[column]].add(values[column]);
    }
    ++rows_;
  }

  void store(TensorFile& file, const std::string& owner) const {
    for (const GrowingColumn& column : columns_) {
      column.store(file, owner, rows_);
    }
  }

 private:
  std::vector<GrowingColumn> columns_;
  std::vector<std::size_t> place_;
  std::string last_matrix_;
  std::int64_t rows_ = 0;
};

class TensorGraphWriter : public GraphWriter {
 public:
  explicit TensorGraphWriter(const GraphFileLayout& layout)
      : GraphWriter(layout), nodes_(layout.node_columns), edges_(layout.edge_columns) {}

  TensorFile take() const {
    TensorFile file;
    set_format(file, "factorgcn-graphs", 1);
    file.metadata["directed"] = layout().directed ? "true" : "false";
    pack_names(file, "graphs.names", graph_names_);
    pack_names(file, "nodes.names", node_names_);
    file.tensors.emplace_back("nodes.graph", tensor_of(graph_of_node_));
    nodes_.store(file, "nodes");
    file.tensors.emplace_back("edges.source", tensor_of(sources_));
    file.tensors.emplace_back("edges.target", tensor_of(targets_));
    edges_.store(file, "edges");
    return file;
  }

 protected:
  void graph(std::string_view name) override {
    graph_names_.emplace_back(name);
    number_of_.clear();
  }

  void node(std::string_view name, std::span<const CellValue> values) override {
    require(number_of_.emplace(name, static_cast<std::int64_t>(node_names_.size())).second, "two nodes of graph '",
            graph_names_.back(), "' are called '", name, "'");
    node_names_.emplace_back(name);
    graph_of_node_.push_back(static_cast<std::int64_t>(graph_names_.size()) - 1);
    nodes_.add(values);
  }

  void edge(std::string_view source, std::string_view target, std::span<const CellValue> values) override {
    sources_.push_back(number_of(source));
    targets_.push_back(number_of(target));
    edges_.add(values);
  }

 private:
  std::int64_t number_of(std::string_view name) const {
    const auto found = number_of_.find(std::string(name));
    require(found != number_of_.end(), "'", name, "' is no node of graph '", graph_names_.back(), "'");
    return found->second;
  }

  std::vector<std::string> graph_names_, node_names_;
  std::vector<std::int64_t> graph_of_node_, sources_, targets_;
  std::unordered_map<std::string, std::int64_t> number_of_;
  GrowingTable nodes_, edges_;
};

}  // namespace

TensorFile graph_tensors(const GraphFileLayout& layout, const std::function<void(GraphWriter&)>& fill) {
  TensorGraphWriter writer(layout);
  fill(writer);
  return writer.take();
}

}  // namespace factorgcn
