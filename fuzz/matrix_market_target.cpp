// A Matrix Market file as a graph; behind '!' as the features of a graph of three nodes, which rows name by place, or
// as lines of node, column and value, which name them. Then imported.
#include <string>

#include "data/delimited_text.h"
#include "factorgcn/io/matrix_market.h"
#include "fuzz/import_input.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_matrix_market(std::string_view bytes) {
  allow_one_line_error([bytes] {
    if (!bytes.starts_with('!')) {
      import_input(read_matrix_graph(bytes, "input"), bytes);
      return;
    }
    GraphTables tables;
    tables.edges = read_delimited("a,b\nb,c\n", "edges");
    const std::string_view entries = bytes.substr(1);
    if (is_matrix_market(entries)) {
      tables.nodes = read_delimited("node,age\na,1\nb,2\nc,3\n", "nodes");
      tables.entries = read_matrix_features(entries, "input");
    } else {
      tables.entries = FeatureEntries{read_delimited(entries, "input")};
    }
    import_input(tables, bytes);
  });
}

}  // namespace factorgcn
