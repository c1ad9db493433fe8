// The folds kept in the program against the published lists, where these are at hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "factorgcn/data/folds.h"

namespace factorgcn {
namespace {

/// Line i of MUTAG's map: where the TU files have the graph that the lists call i.
std::vector<std::int64_t> mutag_order(const std::filesystem::path& folder) {
  std::istringstream text(FolderSource(folder).read_all("MUTAG_gin_to_tu_index.txt"));
  std::vector<std::int64_t> order;
  for (std::int64_t graph = 0; text >> graph;) {
    order.push_back(graph);
  }
  return order;
}

TEST(PublishedFoldLists, AreTheOnesInTheProgram) {
  const char* root = std::getenv("FACTORGCN_TEST_DATA");
  if (root == nullptr) {
    GTEST_SKIP() << "FACTORGCN_TEST_DATA is not set";
  }
  for (const auto& [name, stem, graphs] :
       {std::tuple{"mutag", "MUTAG", 188}, {"imdb-b", "IMDB-BINARY", 1000}, {"collab", "COLLAB", 5000}}) {
    const std::filesystem::path folder = std::filesystem::path(root) / stem;
    ASSERT_TRUE(std::filesystem::exists(folder / "10fold_idx")) << folder;
    const auto order = std::string(name) == "mutag" ? mutag_order(folder) : std::vector<std::int64_t>{};
    EXPECT_EQ(published_folds(name), read_folds(FolderSource(folder / "10fold_idx"), graphs, order)) << name;
  }
}

}  // namespace
}  // namespace factorgcn
