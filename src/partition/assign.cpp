// Methods by name, and no part left empty.
#include "factorgcn/partition/assign.h"

#include <algorithm>

#include "factorgcn/base/error.h"
#include "partition/metis.h"

namespace factorgcn {
namespace {

/// SplitMix64's last steps.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

/// Each empty part takes the last node of the part that is then the largest.
void fill_empty_parts(std::vector<std::int32_t>& part_of, std::int64_t parts) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), 0);
  for (const std::int32_t part : part_of) {
    ++sizes[static_cast<std::size_t>(part)];
  }
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    if (sizes[part] == 0) {
      const auto largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
      *std::find(part_of.rbegin(), part_of.rend(), static_cast<std::int32_t>(largest)) =
          static_cast<std::int32_t>(part);
      --sizes[static_cast<std::size_t>(largest)];
      ++sizes[part];
    }
  }
}

}  // namespace

std::int32_t hash_part(std::int64_t node, std::int64_t parts, std::uint64_t seed) {
  return static_cast<std::int32_t>(mixed(static_cast<std::uint64_t>(node) ^ mixed(seed)) %
                                   static_cast<std::uint64_t>(parts));
}

std::string metis_misfit(std::int64_t nodes, std::int64_t edges) { return metis_limits(nodes, edges); }

PartAssignment assign_parts(const GraphStore& graph, std::int64_t parts, const std::string& method,
                            std::uint64_t seed) {
  require_usage(method == "auto" || method == "metis" || method == "hash", "--method ", method,
                ": choose metis, hash or auto");
  const std::int64_t nodes = graph.num_nodes();
  require_usage(parts >= 1 && parts <= nodes, "--parts ", parts, ": the graph has ", nodes,
                " nodes; give a number from 1 to that");
  const std::string misfit = metis_misfit(nodes, graph.num_edges());
  require_usage(method != "metis" || misfit.empty(), "--method metis: ", misfit);
  PartAssignment result{method == "auto" ? misfit.empty() ? "metis" : "hash" : method, {}};
  if (parts == 1) {
    result.part_of.assign(static_cast<std::size_t>(nodes), 0);
  } else if (result.method == "metis") {
    result.part_of = metis_parts(graph, parts, seed);
  } else {
    for (std::int64_t node = 0; node < nodes; ++node) {
      result.part_of.push_back(hash_part(node, parts, seed));
    }
  }
  fill_empty_parts(result.part_of, parts);
  return result;
}

}  // namespace factorgcn
