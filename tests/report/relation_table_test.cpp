// Relation AUC on a page: counted by hand on graphs of a few edges.
#include "report/relation_table.h"

#include <gtest/gtest.h>

namespace factorgcn {
namespace {

/// Four edges in a row; `first` is each edge's coefficient in factor 1, one minus that in factor 2.
PageSample path(const std::string& id, const std::vector<float>& first) {
  PageSample sample;
  sample.id = id;
  sample.nodes = 5;
  sample.edges = {0, 1, 1, 2, 2, 3, 3, 4};
  sample.layers.resize(1);
  for (const float share : first) {
    sample.layers[0].coefficients.insert(sample.layers[0].coefficients.end(), {share, 1 - share});
  }
  sample.truth = {{0, {0, 1}, 0}, {2, {2, 3}, 0}};
  return sample;
}

PageFactorGraphs part_of(std::vector<PageSample> samples) {
  PageFactorGraphs part;
  part.id = "graphs";
  part.layers = {{"layer 1", {"factor 1", "factor 2"}, {}}};
  part.types = {"family", "never", "work"};
  part.samples = std::move(samples);
  return part;
}

TEST(RelationTable, TellsOneGraphsRelationsAndWhoToldThem) {
  RelationTable relations;
  relations.add(part_of({path("0", {0.9F, 0.8F, 0.1F, 0.2F})}));
  const std::optional<PageTable> table = relations.table();
  ASSERT_TRUE(table.has_value());
  ASSERT_EQ(table->rows.size(), 2U) << "a relation that no graph has is no row";
  EXPECT_EQ(table->rows[0].label, "family");
  EXPECT_EQ(table->rows[1].label, "work");
  EXPECT_EQ(table->rows[0].cells.at("factor").text, "factor 1");
  EXPECT_EQ(table->rows[1].cells.at("factor").text, "factor 2");
  EXPECT_DOUBLE_EQ(*table->rows[0].cells.at("auc").value, 1);
  EXPECT_GT(*table->rows[0].cells.at("chance").value, 0.5) << "the best pairing lifts chance";
  EXPECT_LT(*table->rows[0].cells.at("chance").value, 1);
}

TEST(RelationTable, TakesTheMeanOverGraphsAndParts) {
  RelationTable relations;
  relations.add(part_of({path("0", {0.9F, 0.8F, 0.1F, 0.2F}), path("1", {0.5F, 0.5F, 0.5F, 0.5F})}));
  relations.add(part_of({path("0", {0.9F, 0.2F, 0.1F, 0.8F})}));  // family: 3 of 4 pairs in order
  const std::optional<PageTable> table = relations.table();
  ASSERT_TRUE(table.has_value());
  EXPECT_DOUBLE_EQ(*table->rows[0].cells.at("auc").value, (1 + 0.5 + 0.75) / 3);
  EXPECT_EQ(table->rows[0].cells.at("graphs").text, "3");
  EXPECT_EQ(table->rows[0].cells.at("edges").text, "6");
}

TEST(RelationTable, IsNotThereWhereNothingIsKnownOrThereIsNothingToTellApart) {
  RelationTable relations;
  PageSample sample = path("0", {0.9F, 0.8F, 0.1F, 0.2F});
  sample.truth.clear();
  PageSample all = path("1", {0.9F, 0.8F, 0.1F, 0.2F});
  all.truth = {{1, {0, 1, 2, 3}, 0}};
  relations.add(part_of({sample, all}));
  EXPECT_FALSE(relations.table().has_value());
}

}  // namespace
}  // namespace factorgcn
