// The parts of a graph that lie in this process, as networks read them, and their links to all others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "factorgcn/io/part_files.h"
#include "factorgcn/nn/graph_piece.h"
#include "factorgcn/train/data_part.h"
#include "train/parts/part_links.h"

namespace factorgcn {

class FACTORGCN_API PartedGraph {
 public:
  /// Reads this process's own parts. All processes make this together. `group`: null where there is one alone.
  PartedGraph(const std::filesystem::path& folder, PartsManifest manifest, Group* group);

  const PartsManifest& manifest() const { return manifest_; }
  PartLinks& links() { return *links_; }
  std::size_t own_parts() const { return parts_.size(); }
  std::int64_t first_part() const { return first_part_; }  ///< of this process
  const GraphPart& part(std::size_t own) const { return parts_[own]; }
  std::vector<GraphPiece>& pieces() { return pieces_; }

  /// Rows of an own part that train, validate or test, and their classes.
  struct Labelled {
    at::Tensor rows, classes;  ///< int64
  };
  Labelled labelled(std::size_t own, Part role) const;

  /// int64 [outputs]: nodes of each class in a role, in the whole graph. All processes call this together.
  at::Tensor class_counts(Part role);

 private:
  PartsManifest manifest_;
  std::int64_t first_part_;
  std::vector<GraphPart> parts_;
  std::vector<GraphPiece> pieces_;
  std::unique_ptr<PartLinks> links_;
};

}  // namespace factorgcn
