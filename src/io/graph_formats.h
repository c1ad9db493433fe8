// One writer per format behind io/graph_writer.h. Each is begun when it is made and ended by end().
#pragma once

#include <memory>

#include "factorgcn/io/graph_writer.h"
#include "factorgcn/io/safetensors.h"
#include "io/text_output.h"

namespace factorgcn {

/// What GraphML and GEXF call a column's values.
inline const char* xml_type_name(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kText:
      return "string";
    case ColumnKind::kWhole:
      return "long";
    case ColumnKind::kNumber:
      return "double";
    case ColumnKind::kTruth:
      break;
  }
  return "boolean";
}

/// A writer of text; `output` must outlive it.
class GraphTextWriter : public GraphWriter {
 public:
  GraphTextWriter(const GraphFileLayout& layout, TextOutput& output) : GraphWriter(layout), output_(output) {}
  virtual void end() = 0;

 protected:
  TextOutput& out() { return output_; }

 private:
  TextOutput& output_;
};

std::unique_ptr<GraphTextWriter> delimited_graph_writer(const GraphFileLayout& layout, TextOutput& output,
                                                        char separator);
std::unique_ptr<GraphTextWriter> graphml_writer(const GraphFileLayout& layout, TextOutput& output);
std::unique_ptr<GraphTextWriter> gexf_writer(const GraphFileLayout& layout, TextOutput& output);
std::unique_ptr<GraphTextWriter> node_link_writer(const GraphFileLayout& layout, TextOutput& output);

/// The arrays of what `fill` hands over.
TensorFile graph_tensors(const GraphFileLayout& layout, const std::function<void(GraphWriter&)>& fill);

}  // namespace factorgcn
