// Checks of stored data sets, on archives that are whole, damaged or not what they should be.
#include "factorgcn/shelf/verify.h"
#include "base/holds.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "data/tiny_dataset.h"
#include "factorgcn/io/zip_source.h"
#include "factorgcn/shelf/inventory.h"
#include "factorgcn/shelf/sha256.h"
#include "shelf/data_folder.h"
#include "shelf/tiny_archive.h"

namespace factorgcn {
namespace {

using factorgcn::testing::holds;

std::string all_text(const VerifyResult& result) {
  std::string text;
  for (const Finding& finding : result.findings) {
    text += (finding.good ? "good: " : "BAD: ") + finding.text + "\n";
  }
  return text;
}

DatasetEntry tiny_entry() {
  DatasetEntry entry = tu_entry("TINY");
  entry.facts = {4, 12, 10};
  return entry;
}

class VerifyArchive : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_zip()) {
      GTEST_SKIP() << "this build has no libzip";
    }
    write_bytes(archive, tiny_archive("TINY"));
  }
  void keep_checksum() const {
    write_bytes(archive.string() + ".sha256", sha256_line(sha256_of_file(archive), "TINY.zip"));
  }

  DataFolder data;
  std::filesystem::path archive = data.root("TINY.zip");
};

TEST(Facts, AreCountedByHand) {
  // A path of three nodes with a loop, a lonely node, and an edge: 2 + 1 + 0 + 1.
  Dataset dataset = tiny_dataset();
  DatasetFacts facts = count_facts(dataset);
  EXPECT_EQ(facts.graphs, 3);
  EXPECT_EQ(facts.nodes, 6);
  EXPECT_EQ(facts.undirected_edges, 4);
  dataset.added_self_loops = 1;
  EXPECT_EQ(count_facts(dataset).undirected_edges, 3);
}

TEST(Facts, DepartWhereTheyAreKnown) {
  EXPECT_TRUE(compare_facts({4, 12, 10}, {4, 12, 10}).empty());
  EXPECT_TRUE(compare_facts({}, {4, 12, 10}).empty());
  EXPECT_EQ(compare_facts({4, 0, 1010}, {4, 12, 10}),
            std::vector<std::string>{"10 undirected edges, but 1,010 are published"});
  EXPECT_EQ(compare_facts({1, 2, 3}, {4, 12, 10}).size(), 3U);
}

TEST_F(VerifyArchive, IsGood) {
  if (!can_compute_sha256()) {
    GTEST_SKIP() << "this build has no OpenSSL";
  }
  keep_checksum();
  const VerifyResult result = verify_dataset(tiny_entry());
  EXPECT_TRUE(result.good()) << all_text(result);
  EXPECT_TRUE(result.files && result.files->is_zip);
  EXPECT_TRUE(holds(all_text(result), "its SHA-256 is as when it came"));
  EXPECT_TRUE(holds(all_text(result), "4 graphs, 12 nodes and 10 undirected edges were read")) << all_text(result);
}

TEST_F(VerifyArchive, NeedsNoChecksum) {
  const VerifyResult result = verify_dataset(tiny_entry());
  EXPECT_TRUE(result.good()) << all_text(result);
  EXPECT_TRUE(holds(all_text(result), "no SHA-256 was kept"));
}

TEST_F(VerifyArchive, TellsEachDamagedByte) {
  if (!can_compute_sha256()) {
    GTEST_SKIP() << "this build has no OpenSSL";
  }
  keep_checksum();
  const std::string whole = tiny_archive("TINY");
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_bytes(archive, damaged);
    const VerifyResult result = verify_dataset(tiny_entry());
    EXPECT_FALSE(result.good()) << "byte " << at;
    EXPECT_TRUE(holds(all_text(result), "it was damaged or replaced since")) << all_text(result);
  }
  write_bytes(archive, whole.substr(0, whole.size() / 2));
  EXPECT_FALSE(verify_dataset(tiny_entry()).good());
}

TEST_F(VerifyArchive, TellsDamageWithoutAChecksum) {
  const std::string whole = tiny_archive("TINY");
  std::string damaged = whole;
  damaged[whole.find("1, 2\n")] = '7';
  write_bytes(archive, damaged);
  EXPECT_FALSE(verify_dataset(tiny_entry()).good());
}

TEST_F(VerifyArchive, TellsAChecksumFileWithoutChecksum) {
  if (!can_compute_sha256()) {
    GTEST_SKIP() << "this build has no OpenSSL";
  }
  write_bytes(archive.string() + ".sha256", "nonsense\n");
  const VerifyResult result = verify_dataset(tiny_entry());
  EXPECT_FALSE(result.good());
  EXPECT_TRUE(holds(all_text(result), "holds no SHA-256")) << all_text(result);
}

TEST_F(VerifyArchive, TellsAnotherDataSet) {
  DatasetEntry entry = tiny_entry();
  entry.facts.graphs = 5;
  const VerifyResult result = verify_dataset(entry);
  EXPECT_FALSE(result.good());
  EXPECT_TRUE(holds(all_text(result), "BAD: 4 graphs, but 5 are published")) << all_text(result);
  const std::string text = error_text([&] { check_dataset_files(entry, {archive, true}); });
  EXPECT_TRUE(holds(text, archive.string() + " is not the published TINY: 4 graphs, but 5 are published")) << text;
  EXPECT_EQ(check_dataset_files(tiny_entry(), {archive, true}).nodes, 12);
}

TEST_F(VerifyArchive, PrefersTheFolder) {
  for (const auto& [name, text] : tiny_files("TINY")) {
    write_bytes(data.root("TINY/" + name), text);
  }
  const VerifyResult result = verify_dataset(tiny_entry());
  EXPECT_TRUE(result.good()) << all_text(result);
  EXPECT_FALSE(result.files->is_zip);
  write_bytes(data.root("TINY/TINY_graph_indicator.txt"), "1\n");
  EXPECT_FALSE(verify_dataset(tiny_entry()).good());
}

TEST(Verify, SaysWhatIsNotHere) {
  const DataFolder data;
  const VerifyResult result = verify_dataset(tiny_entry());
  EXPECT_FALSE(result.good());
  EXPECT_FALSE(result.files);
  EXPECT_TRUE(holds(all_text(result), "not here")) << all_text(result);
  EXPECT_TRUE(holds(all_text(result), data.root().string())) << all_text(result);
}

TEST(Inventory, HoldsListedOnesFirstThenWhatIsFound) {
  const DataFolder data;
  const std::size_t listed = dataset_registry().size();
  EXPECT_EQ(take_inventory().size(), listed);
  EXPECT_FALSE(std::filesystem::exists(data.root()));

  write_bytes(data.root("MUTAG.zip"), "12345");
  write_bytes(data.root("ZINC.zip.part"), "123");
  write_bytes(data.root("EXTRA.zip"), "1234567");
  write_bytes(data.root("OWN/OWN_A.txt"), "1, 2\n");
  write_bytes(data.root("OWN/OWN_graph_indicator.txt"), "1\n1\n");
  write_bytes(data.root("parsed/TINY_A.txt"), "not a set's folder");
  write_bytes(data.root("EXTRA.zip.sha256"), "x");
  write_bytes(data.root("notes.txt"), "x");
  write_bytes(data.root("odd name.zip"), "x");
  write_bytes(data.root(".hidden.zip"), "x");
  const auto items = take_inventory();
  ASSERT_EQ(items.size(), listed + 2);
  for (std::size_t i = 0; i < listed; ++i) {
    EXPECT_EQ(items[i].entry, &dataset_registry()[i]);
    const bool mutag = items[i].name == "mutag";
    EXPECT_EQ(items[i].files.has_value(), mutag) << items[i].name;
    EXPECT_EQ(items[i].bytes, mutag ? 5U : 0U);
    EXPECT_EQ(items[i].partial_bytes, items[i].name == "zinc" ? 3U : 0U);
  }
  EXPECT_EQ(items[listed].name, "EXTRA");
  EXPECT_EQ(items[listed].entry, nullptr);
  EXPECT_EQ(items[listed].bytes, 7U);
  EXPECT_EQ(items[listed + 1].name, "OWN");
  EXPECT_FALSE(items[listed + 1].files->is_zip);
  EXPECT_EQ(items[listed + 1].bytes, 9U);
}

TEST(StoredEntry, IsListedOrAnyOtherLegalName) {
  EXPECT_EQ(stored_entry("MUTAG").name, "mutag");
  EXPECT_EQ(stored_entry("PROTEINS").file_stem, "PROTEINS");
  EXPECT_NE(usage_error_text([] { stored_entry("../PROTEINS"); }), "no usage error");
}

}  // namespace
}  // namespace factorgcn
