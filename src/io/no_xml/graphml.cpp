// In place of the GraphML reader where the build has no XML library.
#include "factorgcn/io/graphml.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

bool can_read_graphml() { return false; }

GraphTables read_graphml(std::string_view, const std::string& origin) {
  fail(origin,
       ": this build cannot read GraphML: build with expat (-DFACTORGCN_WITH_XML=ON), or write the graph as an edge "
       "list or as node-link JSON");
}

}  // namespace factorgcn
