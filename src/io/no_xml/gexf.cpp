// In place of the GEXF reader where the build has no XML library.
#include "factorgcn/io/gexf.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

bool can_read_gexf() { return false; }

GraphTables read_gexf(std::string_view, const std::string& origin) {
  fail(origin,
       ": this build cannot read GEXF: build with expat (-DFACTORGCN_WITH_XML=ON), or write the graph as an edge list "
       "or as node-link JSON");
}

}  // namespace factorgcn
