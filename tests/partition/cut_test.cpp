// Parts put together again are the graph that was cut.
#include "factorgcn/partition/cut.h"

#include <ATen/ops/index_select.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "partition/node_dataset.h"

namespace factorgcn {
namespace {

using testing::node_dataset;
using testing::NodeFeatures;

struct CutGraph {
  TemporaryFolder folder;
  Dataset dataset;
  PartAssignment assignment;
  PartsManifest manifest;
  std::vector<GraphPart> parts;

  CutGraph(Dataset given, std::int64_t count, const std::string& method, std::uint64_t seed = 0)
      : dataset(std::move(given)), assignment(assign_parts(dataset.graphs, count, method, seed)) {
    cut_dataset(dataset, assignment, count, folder.path());
    manifest = read_manifest(folder.path());
    for (std::int64_t part = 0; part < count; ++part) {
      parts.push_back(read_part(folder.path(), manifest, part));
    }
  }
};

/// The in-edges of each node in their order, by node numbers of the whole graph.
std::vector<std::vector<std::int64_t>> sources_of(const Dataset& dataset) {
  std::vector<std::vector<std::int64_t>> all;
  const auto* source = dataset.graphs.in_sources.data_ptr<std::int32_t>();
  for (std::int64_t node = 0; node < dataset.graphs.num_nodes(); ++node) {
    const std::int32_t degree = dataset.graphs.in_degrees.data_ptr<std::int32_t>()[node];
    all.emplace_back(source, source + degree);
    source += degree;
  }
  return all;
}

std::vector<std::vector<std::int64_t>> sources_of(const std::vector<GraphPart>& parts, std::int64_t nodes) {
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(nodes), {-1});  // -1: no part has the node
  for (const GraphPart& part : parts) {
    const auto* const offsets = part.in_offsets.data_ptr<std::int64_t>();
    for (std::int64_t row = 0; row < part.num_rows(); ++row) {
      auto& list = all[static_cast<std::size_t>(part.rows.data_ptr<std::int64_t>()[row])];
      list.clear();
      for (std::int64_t edge = offsets[row]; edge < offsets[row + 1]; ++edge) {
        const std::int64_t source = part.in_sources.data_ptr<std::int32_t>()[edge];
        list.push_back(source < part.num_rows() ? part.rows.data_ptr<std::int64_t>()[source]
                                                : part.halo.data_ptr<std::int64_t>()[source - part.num_rows()]);
      }
    }
  }
  return all;
}

RC_GTEST_PROP(Cut, PartsHoldTheWholeGraph, ()) {
  const auto nodes = *rc::gen::inRange<std::int64_t>(1, 60);
  const auto edges = *rc::gen::inRange<std::int64_t>(0, 200);
  const auto count = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(nodes, 7) + 1);
  const auto features = *rc::gen::element(NodeFeatures::kDense, NodeFeatures::kSparse, NodeFeatures::kTypes);
  const auto method = *rc::gen::element<std::string>("auto", "hash");
  const CutGraph cut(node_dataset(nodes, edges, *rc::gen::inRange<std::uint64_t>(0, 1000), features), count, method);
  RC_ASSERT(sources_of(cut.parts, nodes) == sources_of(cut.dataset));
  std::int64_t halo = 0, crossing = 0;
  for (const GraphPart& part : cut.parts) {
    RC_ASSERT(part.num_rows() > 0);
    RC_ASSERT(part.targets.equal(at::index_select(cut.dataset.targets, 0, part.rows)));
    RC_ASSERT(dense_features(part.features)
                  .equal(at::index_select(dense_features(cut.dataset.graphs.features), 0, part.rows)));
    // The halo is each foreign source once, by owner.
    std::set<std::int64_t> named;
    for (std::int64_t edge = 0; edge < part.num_edges(); ++edge) {
      const std::int64_t source = part.in_sources.data_ptr<std::int32_t>()[edge];
      crossing += source >= part.num_rows();
      if (source >= part.num_rows()) {
        named.insert(source - part.num_rows());
      }
    }
    RC_ASSERT(static_cast<std::int64_t>(named.size()) == part.num_halo());
    std::int64_t place = 0;
    for (std::size_t owner = 0; owner < cut.parts.size(); ++owner) {
      for (std::int64_t end = place + part.halo_counts.data_ptr<std::int64_t>()[owner]; place < end; ++place) {
        const std::int64_t node = part.halo.data_ptr<std::int64_t>()[place];
        RC_ASSERT(cut.assignment.part_of[static_cast<std::size_t>(node)] == static_cast<std::int32_t>(owner));
      }
    }
    halo += part.num_halo();
  }
  RC_ASSERT(cut.manifest.total(&PartEntry::halo) == halo);
  RC_ASSERT(cut.manifest.total(&PartEntry::cut_edges) == crossing);
  RC_ASSERT(cut.manifest.total(&PartEntry::train) == static_cast<std::int64_t>(cut.dataset.split.train.size()));
  RC_ASSERT(cut.manifest.total(&PartEntry::test) == static_cast<std::int64_t>(cut.dataset.split.test.size()));
}

TEST(Cut, TheSameSeedGivesTheSameParts) {
  const CutGraph first(node_dataset(200, 600, 1), 4, "auto", 3), again(node_dataset(200, 600, 1), 4, "auto", 3);
  EXPECT_EQ(first.manifest.content(), again.manifest.content());
  const CutGraph other(node_dataset(200, 600, 2), 4, "auto", 3);
  EXPECT_NE(first.manifest.content(), other.manifest.content());
}

TEST(Cut, MetisFindsPlantedCommunities) {
  if (const std::string missing = metis_misfit(1, 1); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  // 4 rings of 50 nodes with a few edges between them.
  Graph graph;
  graph.num_nodes = 200;
  for (std::int32_t node = 0; node < 200; ++node) {
    for (const std::int32_t step : {1, 2, 3}) {
      graph.source.push_back(node);
      graph.target.push_back(node / 50 * 50 + (node + step) % 50);
    }
  }
  graph.source.insert(graph.source.end(), {0, 60, 120});
  graph.target.insert(graph.target.end(), {70, 130, 190});
  graph.features = at::zeros({200, 1});
  const GraphStore store = make_store(std::array{graph});
  const auto crossing = [&](const std::string& method) {
    const PartAssignment assignment = assign_parts(store, 4, method, 0);
    std::int64_t count = 0;
    for (std::size_t edge = 0; edge < graph.source.size(); ++edge) {
      count += assignment.part_of[static_cast<std::size_t>(graph.source[edge])] !=
               assignment.part_of[static_cast<std::size_t>(graph.target[edge])];
    }
    return count;
  };
  EXPECT_LE(crossing("metis"), 30);
  EXPECT_GE(crossing("hash"), 300);
}

TEST(Cut, SaysWhichFileIsNotTheOneThatWasWritten) {
  const CutGraph cut(node_dataset(40, 100, 5), 3, "hash");
  const auto file = cut.folder.path() / part_file_name(1);
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-1, std::ios::end);
    stream.put('\x7f');
  }
  const std::string message = error_text([&] { read_part(cut.folder.path(), cut.manifest, 1); });
  EXPECT_NE(message.find(part_file_name(1)), std::string::npos) << message;
  EXPECT_NE(message.find("is not the file"), std::string::npos) << message;
  EXPECT_NO_THROW(read_part(cut.folder.path(), cut.manifest, 2));
}

TEST(Cut, RefusesWhatItCannotCut) {
  const Dataset dataset = node_dataset(10, 20, 1);
  EXPECT_NE(error_text([&] { assign_parts(dataset.graphs, 11, "hash", 0); }).find("10 nodes"),
            std::string::npos);
  EXPECT_NE(error_text([&] { assign_parts(dataset.graphs, 2, "magic", 0); }).find("--method magic"),
            std::string::npos);
  Dataset graphs = dataset;
  graphs.task = Task::kGraphClass;
  EXPECT_NE(error_text([&] { check_can_be_cut(graphs); }).find("classes of its nodes"), std::string::npos);
}

TEST(Cut, TakesOnlyAFolderThatIsFree) {
  const TemporaryFolder folder;
  prepare_parts_folder(folder.path() / "new", false);
  std::ofstream(folder.path() / "new" / "letter.txt") << "dear";
  EXPECT_NE(error_text([&] { prepare_parts_folder(folder.path() / "new", false); }).find("is not empty"),
            std::string::npos);
  EXPECT_NE(error_text([&] { prepare_parts_folder(folder.path() / "new", true); }).find("letter.txt"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
