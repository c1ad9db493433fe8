// The 12,000 molecules of ZINC used to compare graph networks: predict the penalised logP from atoms and their links.
//
// Files in the layout of data/tu.h under the name ZINC, and ZINC_split.txt: line g says train, val or test for graph g.
#pragma once

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/file_source.h"

namespace factorgcn {

struct DatasetEntry;

/// Atom types the collection declares; the subset uses 21 of them.
inline constexpr std::int64_t kZincAtomTypes = 28;

/// Regression on ZINC_graph_attributes.txt (one column), node types from the atom labels, no self loops, the bonds'
/// kinds as ground truth (called as ZINC_edge_label_names.txt says, else "bond 1" and so on), the published split.
/// Throws Error naming file, line, what was found and what was expected.
FACTORGCN_API Dataset read_zinc(const FileSource& files);

/// The data set by name (data/registry.h).
FACTORGCN_API DatasetEntry zinc_entry();

}  // namespace factorgcn
