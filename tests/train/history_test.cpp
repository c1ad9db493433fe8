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

}  // namespace
}  // namespace factorgcn
