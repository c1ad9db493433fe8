// Parts straight from tables are those of the same graph in memory.
#include "factorgcn/partition/edge_list.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/random.h"
#include "factorgcn/partition/assign.h"
#include "factorgcn/partition/cut.h"

namespace factorgcn {
namespace {

/// Tables in a folder of their own, and what they say.
struct Tables {
  TemporaryFolder folder;
  std::map<std::int64_t, std::set<std::int64_t>> sources;  ///< of each node, itself included
  std::map<std::int64_t, int> classes, roles;

  std::filesystem::path file(const char* name) const { return folder.path() / name; }

  Tables(std::int64_t nodes, std::int64_t edges, std::uint64_t seed, bool directed) {
    RandomStream random(seed, "test/tables");
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
    };
    std::ofstream table(file("nodes.csv")), list(file("edges.csv"));
    table << "id,height,label,weight,split\n";
    std::vector<std::int64_t> ids;
    for (std::int64_t node = 0, id = 0; node < nodes; ++node) {
      id += 1 + below(3);  // numbers with gaps
      ids.push_back(id);
      sources[id].insert(id);
      classes[id] = node < 2 ? static_cast<int>(node) : static_cast<int>(below(2));
      roles[id] = static_cast<int>(below(4));
      const char* const names[] = {"", "train", "validation", "test"};
      table << id << "," << random.uniform(-1, 1) << "," << (classes[id] == 0 ? "blue" : "red") << ",0.5,"
            << names[roles[id]] << "\n";
    }
    list << "# a remark\nfrom,to,since\n";
    for (std::int64_t edge = 0; edge < edges; ++edge) {
      const std::int64_t from = ids[static_cast<std::size_t>(below(nodes))];
      const std::int64_t to = ids[static_cast<std::size_t>(below(nodes))];
      list << from << "," << to << ",1999\n";
      sources[to].insert(from);
      if (!directed) {
        sources[from].insert(to);
      }
    }
  }

  PartsManifest cut(const EdgeListOptions& options) const {
    prepare_parts_folder(file("parts"), true);
    return cut_edge_list(file("edges.csv"), file("nodes.csv"), file("parts"), options);
  }
};

void expect_same(const Tables& tables, const EdgeListOptions& options) {
  const PartsManifest written = tables.cut(options), manifest = read_manifest(tables.file("parts"));
  EXPECT_EQ(written.content(), manifest.content());
  EXPECT_EQ(manifest.output_names, (std::vector<std::string>{"blue", "red"}));
  EXPECT_EQ(manifest.feature_names, (std::vector<std::string>{"height", "weight"}));
  std::size_t nodes = 0;
  for (std::int64_t number = 0; number < options.parts; ++number) {
    const GraphPart part = read_part(tables.file("parts"), manifest, number);
    const auto* const row = part.rows.data_ptr<std::int64_t>();
    for (std::int64_t index = 0; index < part.num_rows(); ++index, ++nodes) {
      ASSERT_EQ(hash_part(row[index], options.parts, options.seed), number);
      std::vector<std::int64_t> sources;
      for (std::int64_t edge = part.in_offsets.data_ptr<std::int64_t>()[index];
           edge < part.in_offsets.data_ptr<std::int64_t>()[index + 1]; ++edge) {
        const std::int64_t source = part.in_sources.data_ptr<std::int32_t>()[edge];
        sources.push_back(source < part.num_rows()
                              ? row[source]
                              : part.halo.data_ptr<std::int64_t>()[source - part.num_rows()]);
      }
      const std::set<std::int64_t>& expected = tables.sources.at(row[index]);
      ASSERT_EQ(sources, std::vector<std::int64_t>(expected.begin(), expected.end())) << "node " << row[index];
      ASSERT_EQ(part.targets.data_ptr<std::int64_t>()[index], tables.classes.at(row[index]));
      ASSERT_EQ(part.roles.data_ptr<std::uint8_t>()[index], tables.roles.at(row[index]));
      ASSERT_EQ(part.features[index][1].item<float>(), 0.5F);
    }
  }
  EXPECT_EQ(nodes, tables.sources.size());
  for (const auto& entry : std::filesystem::directory_iterator(tables.file("parts"))) {
    EXPECT_FALSE(entry.is_directory()) << entry.path();  // nothing is left behind
  }
}

TEST(EdgeList, PartsAreThoseOfTheGraph) {
  for (const bool directed : {false, true}) {
    for (const std::int64_t parts : {1, 5}) {
      EdgeListOptions options;
      options.parts = parts;
      options.directed = directed;
      options.seed = 3;
      expect_same(Tables(80, 300, 1 + static_cast<std::uint64_t>(parts), directed), options);
    }
  }
}

TEST(EdgeList, WhatIsSortedInPiecesIsTheSame) {
  const Tables tables(3000, 90'000, 7, false);
  EdgeListOptions options;
  options.parts = 2;
  options.memory = std::int64_t{1} << 20;  // some 90,000 edges of 16 bytes a part, half a MiB at a time
  expect_same(tables, options);
  const std::string in_pieces = read_manifest(tables.file("parts")).content();
  options.memory = std::int64_t{1} << 30;
  tables.cut(options);
  EXPECT_EQ(read_manifest(tables.file("parts")).content(), in_pieces);
}

TEST(EdgeList, SaysWhatIsWrongWhere) {
  const auto refusal = [](const std::string& nodes, const std::string& edges) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "n.csv") << nodes;
    std::ofstream(folder.path() / "e.csv") << edges;
    prepare_parts_folder(folder.path() / "parts", false);
    EdgeListOptions options;
    options.parts = 1;
    std::string text = error_text(
        [&] { cut_edge_list(folder.path() / "e.csv", folder.path() / "n.csv", folder.path() / "parts", options); });
    EXPECT_EQ(is_parts_folder(folder.path() / "parts"), text == "no error");
    return text.substr(text.find_last_of('/') + 1);
  };
  const std::string nodes = "id,x,label\n1,0.5,a\n2,0.5,b\n5,0.5,a\n", edges = "1 2\n2 5\n";
  EXPECT_EQ(refusal(nodes, edges), "no error");
  EXPECT_EQ(refusal(nodes, "1 2\n2 x\n"), "e.csv, line 2: '2 x' does not begin with two node numbers");
  EXPECT_NE(refusal(nodes, "1 2\n2 7\n").find("n.csv does not have"), std::string::npos);
  EXPECT_EQ(refusal("id,x,label\n2,0.5,a\n1,0.5,b\n", edges),
            "n.csv, line 3: node 1 after node 2; the node table must be sorted by number (sort -n), each node once");
  EXPECT_EQ(refusal("id,x,label\n1,tall,a\n2,1,b\n", edges),
            "n.csv, line 2: 'tall' in column 'x'; features must be numbers");
  EXPECT_EQ(refusal("id,x,team\n1,1,a\n", edges),
            "n.csv, line 1: there is no column 'label' to read classes from; name it with --label");
  EXPECT_NE(refusal("id,x,label,split\n1,1,a,train\n2,1,,test\n3,1,b,\n", edges).find("has no class"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
