// Separated text: edges of graphs, and tables of any rows.
#include <string>

#include "factorgcn/base/error.h"
#include "factorgcn/io/row_writer.h"
#include "io/file_ending.h"
#include "io/graph_formats.h"

namespace factorgcn {
namespace {

class DelimitedGraphWriter : public GraphTextWriter {
 public:
  DelimitedGraphWriter(const GraphFileLayout& layout, TextOutput& output, char separator)
      : GraphTextWriter(layout, output), separator_(separator) {
    out().put(layout.graph_column ? std::string_view("graph") : "source");
    if (layout.graph_column) {
      out().put(separator_);
      out().put("source");
    }
    out().put(separator_);
    out().put("target");
    for (const NamedColumn& column : layout.edge_columns) {
      out().put(separator_);
      out().put_field(column.name, separator_);
    }
    out().put('\n');
  }

  bool keeps_nodes() const override { return false; }
  void end() override {}

 protected:
  void graph(std::string_view name) override { graph_ = name; }
  void node(std::string_view, std::span<const CellValue>) override {}
  void edge(std::string_view source, std::string_view target, std::span<const CellValue> values) override {
    if (layout().graph_column) {
      out().put_field(graph_, separator_);
      out().put(separator_);
    }
    out().put_field(source, separator_);
    out().put(separator_);
    out().put_field(target, separator_);
    for (const CellValue& value : values) {
      out().put(separator_);
      out().put_field_value(value, separator_);
    }
    out().put('\n');
    out().flush_when_full();
  }

 private:
  char separator_;
  std::string graph_;
};

/// A list of objects, one per line.
void put_json_row(TextOutput& output, const std::vector<NamedColumn>& columns, std::span<const CellValue> values) {
  output.put('{');
  for (std::size_t column = 0; column < columns.size(); ++column) {
    output.put(column == 0 ? std::string_view("") : ", ");
    output.put_json(columns[column].name);
    output.put(": ");
    output.put_json_value(values[column]);
  }
  output.put('}');
}

void put_delimited_row(TextOutput& output, std::span<const CellValue> values, char separator) {
  for (std::size_t column = 0; column < values.size(); ++column) {
    if (column > 0) {
      output.put(separator);
    }
    output.put_field_value(values[column], separator);
  }
  output.put('\n');
}

}  // namespace

std::unique_ptr<GraphTextWriter> delimited_graph_writer(const GraphFileLayout& layout, TextOutput& output,
                                                        char separator) {
  return std::make_unique<DelimitedGraphWriter>(layout, output, separator);
}

void check_row_file(const std::filesystem::path& path) {
  const FileEnding ending = file_ending(path);
  check_can_compress(path, ending);
  require_usage(ending.word == "csv" || ending.word == "tsv" || ending.word == "json", path.string(),
                ": the ending does not name a format for tables; give .csv, .tsv or .json (each also with .gz)");
}

void write_rows(const std::filesystem::path& path, const std::vector<NamedColumn>& columns,
                const std::function<void(const AddRow&)>& fill) {
  check_row_file(path);
  const FileEnding ending = file_ending(path);
  const bool json = ending.word == "json";
  const char separator = ending.word == "tsv" ? '\t' : ',';
  write_file_atomically(path, [&](const AppendBytes& append) {
    TextOutput output(append, ending.gzip);
    if (json) {
      output.put('[');
    } else {
      const std::vector<CellValue> names = [&] {
        std::vector<CellValue> cells;
        for (const NamedColumn& column : columns) {
          cells.emplace_back(std::string_view(column.name));
        }
        return cells;
      }();
      put_delimited_row(output, names, separator);
    }
    bool first = true;
    fill([&](std::span<const CellValue> values) {
      require(values.size() == columns.size(), "a row has ", values.size(), " values for ", columns.size(), " columns");
      if (json) {
        output.put(first ? std::string_view("\n") : ",\n");
        put_json_row(output, columns, values);
      } else {
        put_delimited_row(output, values, separator);
      }
      first = false;
      output.flush_when_full();
    });
    if (json) {
      output.put("\n]\n");
    }
    output.finish();
  });
}

}  // namespace factorgcn
