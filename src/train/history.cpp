// Epoch records to and from JSON lines.
#include "factorgcn/train/history.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/json_text.h"
#include "train/json_reader.h"

namespace factorgcn {

nlohmann::ordered_json to_json(const EpochRecord& record) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  if (record.start > 0) {
    object["start"] = record.start;
  }
  object["epoch"] = record.epoch;
  object["loss"] = record.loss;
  object["task_loss"] = record.task_loss;
  object["regulariser"] = record.regulariser;
  object[record.monitored] = {{"loss", record.validation_loss}, {record.metric_name, record.validation_metric}};
  if (record.test_loss && record.test_metric) {
    object["test"] = {{"loss", *record.test_loss}, {record.metric_name, *record.test_metric}};
  }
  if (record.objective) {
    auto& objective = object["objective"] = {{"value", *record.objective}};
    for (const auto& [name, value] : record.objective_terms) {
      objective[name] = value;
    }
  }
  object["learning_rate"] = record.learning_rate;
  object["best"] = record.best;
  object["seconds"] = record.seconds;
  return object;
}

EpochRecord record_from_json(const nlohmann::json& object) {
  EpochRecord record;
  JsonReader reader(object, "history");
  reader.allow_nulls();
  reader.read("start", record.start);
  reader.read("epoch", record.epoch);
  reader.read("loss", record.loss);
  reader.read("task_loss", record.task_loss);
  reader.read("regulariser", record.regulariser);
  const auto read_scores = [&](const std::string& name, double& loss, double& metric) {
    const nlohmann::json* scores = reader.find(name);
    if (scores == nullptr) {
      return false;
    }
    JsonReader part(*scores, "history", name + ".");
    part.allow_nulls();
    part.read("loss", loss);
    for (const auto& [key, value] : scores->items()) {
      if (key != "loss") {
        record.metric_name = key;
        part.read(key, metric);
      }
    }
    return true;
  };
  const bool on_validation = read_scores("validation", record.validation_loss, record.validation_metric);
  double test_loss = 0, test_metric = 0;
  if (read_scores("test", test_loss, test_metric)) {
    if (on_validation) {
      record.test_loss = test_loss;
      record.test_metric = test_metric;
    } else {
      record.monitored = "test";
      record.validation_loss = test_loss;
      record.validation_metric = test_metric;
    }
  }
  if (const nlohmann::json* objective = reader.find("objective")) {
    JsonReader part(*objective, "history", "objective.");
    part.allow_nulls();
    for (const auto& [key, ignored] : objective->items()) {
      double value = 0;
      part.read(key, value);
      if (key == "value") {
        record.objective = value;
      } else {
        record.objective_terms[key] = value;
      }
    }
  }
  reader.read("learning_rate", record.learning_rate);
  reader.read("best", record.best);
  reader.read("seconds", record.seconds);
  reader.finish();
  return record;
}

std::string history_text(const std::vector<EpochRecord>& history) {
  std::string text;
  for (const EpochRecord& record : history) {
    text += to_json(record).dump();
    text += '\n';
  }
  return text;
}

std::vector<EpochRecord> history_from_text(const std::string& text, const std::string& where) {
  std::vector<EpochRecord> history;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = concat(where, ", history line ", history.size() + 1);
    history.push_back(reading_file(
        line, [&] { return record_from_json(parse_json(std::string_view(text).substr(begin, end - begin), line)); }));
    begin = end + 1;
  }
  return history;
}

std::vector<EpochRecord> course_of(const std::vector<EpochRecord>& history) {
  std::vector<EpochRecord> course;
  std::copy_if(history.begin(), history.end(), std::back_inserter(course),
               [&](const EpochRecord& record) { return record.start == history.back().start; });
  return course;
}

std::vector<EpochRecord> read_history(const std::string& path) {
  return course_of(history_from_text(read_file(path), path));
}

}  // namespace factorgcn
