// Epoch records: what is written is read back, whichever parts were scored.
#include "factorgcn/train/history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace factorgcn {
namespace {

EpochRecord scored(const std::string& part) {
  EpochRecord record;
  record.epoch = 3;
  record.monitored = part;
  record.metric_name = "mae";
  record.validation_loss = 0.5;
  record.validation_metric = 0.25;
  return record;
}

TEST(History, KeepsTheTestScoreBesideTheValidationScore) {
  EpochRecord record = scored("validation");
  record.test_loss = 0.75;
  record.test_metric = 0.125;
  const EpochRecord read = history_from_text(history_text({record}), "here").front();
  EXPECT_EQ(read.monitored, "validation");
  EXPECT_EQ(read.validation_loss, 0.5);
  EXPECT_EQ(read.validation_metric, 0.25);
  EXPECT_EQ(read.test_loss, 0.75);
  EXPECT_EQ(read.test_metric, 0.125);
  EXPECT_EQ(to_json(read), to_json(record));
}

TEST(History, ReadsARunThatChoseOnTheTestPart) {
  const EpochRecord read = history_from_text(history_text({scored("test")}), "here").front();
  EXPECT_EQ(read.monitored, "test");
  EXPECT_EQ(read.validation_metric, 0.25);
  EXPECT_FALSE(read.test_loss.has_value());
  const EpochRecord plain = history_from_text(history_text({scored("validation")}), "here").front();
  EXPECT_EQ(plain.monitored, "validation");
  EXPECT_FALSE(plain.test_metric.has_value());
}

TEST(History, KeepsStartsAndObjectives) {
  EpochRecord record = scored("validation");
  record.start = 2;
  record.objective = 0.75;
  record.objective_terms = {{"swap", 0.5}, {"cover", 0.25}};
  const std::string text = history_text({record});
  const EpochRecord read = history_from_text(text, "here").front();
  EXPECT_EQ(read.start, 2);
  EXPECT_EQ(read.objective, 0.75);
  EXPECT_EQ(read.objective_terms, record.objective_terms);
  EXPECT_EQ(history_text({read}), text);
}

TEST(History, TheCourseIsTheLastRecordsStart) {
  std::vector<EpochRecord> history(4, scored("validation"));
  history[0].start = history[3].start = 1;
  history[1].start = history[2].start = 2;
  history[3].epoch = 4;
  const auto course = course_of(history);
  ASSERT_EQ(course.size(), 2U);
  EXPECT_EQ(course[1].epoch, 4);
  EXPECT_TRUE(course_of({}).empty());
}

}  // namespace
}  // namespace factorgcn
