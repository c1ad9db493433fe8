// A small data set in the TU layout, in a data root of its own: rings of one node type against stars of another.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "shelf/data_folder.h"

namespace factorgcn::testing {

/// Writes FOLDER/NAME with `graphs` graphs of five nodes; class 1 are rings, class -1 stars.
inline void write_tu_folder(const std::filesystem::path& folder, const std::string& name, int graphs) {
  std::filesystem::create_directories(folder / name);
  const auto file = [&](const char* part) { return std::ofstream(folder / name / (name + part)); };
  std::ofstream edges = file("_A.txt"), owners = file("_graph_indicator.txt"), classes = file("_graph_labels.txt"),
                types = file("_node_labels.txt");
  constexpr int kNodes = 5;
  for (int graph = 0; graph < graphs; ++graph) {
    const bool ring = graph % 2 == 0;
    const int first = graph * kNodes + 1;
    for (int node = 0; node < kNodes; ++node) {
      owners << graph + 1 << '\n';
      types << (ring ? node % 2 : (node + graph) % 2) << '\n';
      const int other = ring ? (node + 1) % kNodes : 0;
      if (other != node) {
        edges << first + node << ", " << first + other << '\n' << first + other << ", " << first + node << '\n';
      }
    }
    classes << (ring ? 1 : -1) << '\n';
  }
}

}  // namespace factorgcn::testing
