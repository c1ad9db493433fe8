// Final scores and their JSON form.
#include "factorgcn/train/run_metrics.h"

#include <ATen/Context.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/random.h"
#include "factorgcn/io/json_text.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/protocol.h"
#include "factorgcn/train/weights.h"
#include "train/begin_metrics.h"
#include "train/json_reader.h"

namespace factorgcn {
namespace {

constexpr std::uint64_t kLargestMetrics = 1U << 24;

template <class Value>
void read_map(JsonReader& owner, const std::string& key, const std::string& where, std::map<std::string, Value>& map) {
  if (const nlohmann::json* object = owner.find(key)) {
    JsonReader reader(*object, where, key + ".");
    reader.allow_nulls();
    for (const auto& [name, value] : object->items()) {
      reader.read(name, map[name]);
    }
  }
}

void read_intervals(JsonReader& owner, const std::string& where, std::map<std::string, Interval>& intervals) {
  if (const nlohmann::json* object = owner.find("intervals")) {
    const JsonReader reader(*object, where, "intervals.");
    for (const auto& [name, value] : object->items()) {
      require_usage(value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number(),
                    reader.message(name, value, "a pair of numbers [low, high]"));
      intervals[name] = {value[0].get<double>(), value[1].get<double>()};
    }
  }
}

/// The task's metric first, then the table's others, what the table does not know, and the scores of factors. Each is
/// followed by its spread.
nlohmann::ordered_json in_table_order(const std::map<std::string, double>& scores, const std::string& first) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  const auto put = [&](const std::string& name) {
    for (const std::string& key : {name, name + "_std"}) {
      if (const auto found = scores.find(key); found != scores.end()) {
        object[key] = found->second;
      }
    }
  };
  const auto put_table = [&](bool of_factors) {
    for (const Metric& metric : metrics()) {
      if (metric.is_of_factors() == of_factors) {
        put(metric.name);
      }
    }
  };
  const auto is_of_factors = [](const std::string& name) {
    const Metric* const metric = find_metric(name.ends_with("_std") ? name.substr(0, name.size() - 4) : name);
    return metric != nullptr && metric->is_of_factors();
  };
  put(first);
  put_table(/*of_factors=*/false);
  for (const auto& [name, value] : scores) {
    if (!is_of_factors(name)) {
      object[name] = value;
    }
  }
  put_table(/*of_factors=*/true);
  return object;
}

std::map<std::string, double> values_of(const std::vector<ScoredMetric>& scores) {
  std::map<std::string, double> values;
  for (const auto& [metric, score] : scores) {
    values[metric->name] = score.value.value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

}  // namespace

const char* status_name(RunStatus status) {
  switch (status) {
    case RunStatus::kFinished:
      return "finished";
    case RunStatus::kInterrupted:
      return "interrupted";
    case RunStatus::kDiverged:
      return "diverged";
  }
  fail("unknown run status ", static_cast<int>(status));
}

RunStatus status_from_name(const std::string& name) {
  for (const RunStatus status : {RunStatus::kFinished, RunStatus::kInterrupted, RunStatus::kDiverged}) {
    if (name == status_name(status)) {
      return status;
    }
  }
  fail("unknown run status '", name, "'; expected finished, interrupted or diverged");
}

nlohmann::ordered_json to_json(const RunMetrics& metrics) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  object["dataset"] = metrics.dataset;
  object["model"] = metrics.model;
  object["preset"] = metrics.preset;
  object["protocol"] = metrics.protocol;
  object["seed"] = metrics.seed;
  object["device"] = metrics.device;
  object["parameters"] = metrics.parameters;
  object["epochs_run"] = metrics.epochs_run;
  object["best_epoch"] = metrics.best_epoch;
  object["seconds"] = metrics.seconds;
  object["status"] = status_name(metrics.status);
  if (metrics.factors) {
    object["factors"] = *metrics.factors;
  }
  object["validation"] = metrics.validation;
  object["test"] = in_table_order(metrics.test, metrics.metric);
  object["splits"] = metrics.splits;
  if (!metrics.metric.empty()) {
    object["metric"] = metrics.metric;
  }
  if (!metrics.samples.empty()) {
    object["samples"] = metrics.samples;
  }
  if (!metrics.intervals.empty()) {
    auto& intervals = object["intervals"] = nlohmann::ordered_json::object();
    for (const auto& [name, interval] : metrics.intervals) {
      intervals[name] = {interval.low, interval.high};
    }
  }
  if (!metrics.chance.empty()) {
    object["chance"] = metrics.chance;
  }
  return object;
}

RunMetrics metrics_from_json(const nlohmann::json& object, const std::string& where) {
  RunMetrics metrics;
  JsonReader reader(object, where);
  reader.read("dataset", metrics.dataset);
  reader.read("model", metrics.model);
  reader.read("preset", metrics.preset);
  reader.read("protocol", metrics.protocol);
  reader.read("seed", metrics.seed);
  reader.read("device", metrics.device);
  reader.read("parameters", metrics.parameters);
  reader.read("epochs_run", metrics.epochs_run);
  reader.read("best_epoch", metrics.best_epoch);
  reader.read("seconds", metrics.seconds);
  std::string status = status_name(metrics.status);
  reader.read("status", status);
  metrics.status = status_from_name(status);
  if (reader.find("factors") != nullptr) {
    std::int64_t factors = 0;
    reader.read("factors", factors);
    metrics.factors = factors;
  }
  read_map(reader, "validation", where, metrics.validation);
  read_map(reader, "test", where, metrics.test);
  read_map(reader, "splits", where, metrics.splits);
  reader.read("metric", metrics.metric);
  read_map(reader, "samples", where, metrics.samples);
  read_intervals(reader, where, metrics.intervals);
  read_map(reader, "chance", where, metrics.chance);
  return metrics;  // further keys may come from a newer version
}

RunMetrics read_metrics(const std::string& path) {
  return reading_file(path, [&] { return metrics_from_json(read_json(path, kLargestMetrics), path); });
}

void put_test_scores(const std::vector<ScoredMetric>& scores, RunMetrics& metrics) {
  metrics.test.merge(values_of(scores));
  for (const auto& [metric, score] : scores) {
    if (score.interval) {
      metrics.intervals[metric->name] = *score.interval;
    }
    if (score.chance) {
      metrics.chance[metric->name] = *score.chance;
    }
  }
}

void put_factor_scores(const DisentanglementScore& score, RunMetrics& metrics) {
  constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
  if (score.samples == 0) {
    metrics.test["ged_e"] = metrics.test["relation_auc"] = kNotKnown;
    return;
  }
  metrics.test["ged_e"] = score.ged_e;
  if (score.samples > 1) {
    metrics.test["ged_e_std"] = score.ged_e_std;
    metrics.test["c_score"] = score.c_score;
  }
  if (score.ged_e_chance) {
    const double chance = *score.ged_e_chance;
    metrics.chance["ged_e"] = chance;
    metrics.test["ged_e_share"] = chance > 0 ? score.ged_e / chance : kNotKnown;
    metrics.chance["ged_e_share"] = 1;
  }
  metrics.test["relation_auc"] = score.relation_auc.value_or(kNotKnown);
  if (score.relation_auc_chance) {
    metrics.chance["relation_auc"] = *score.relation_auc_chance;
  }
}

RunMetrics measure(GraphModel& model, const Dataset& dataset, const RunConfig& config, Group* group) {
  RunMetrics metrics = begin_metrics(dataset, config);
  metrics.device = device_of(model).str();
  metrics.parameters = count_parameters(model);
  if (!dataset.truth.empty()) {
    metrics.factors = dataset.truth.num_types();
  }
  const std::string metric = metric_name(dataset.task);
  const ProtocolSlips slips = protocol_slips(config.protocol, dataset);
  model.keep_dropout(slips.dropout_at_evaluation);
  if (slips.dropout_at_evaluation) {
    group = nullptr;  // a batch's draws follow those of the batch before: each process does all of it
  }
  at::manual_seed(RandomStream(config.seed, "evaluate/final").next());
  const DataPart validation = data_part(dataset, Part::kValidation);
  const DataPart test = data_part(dataset, Part::kTest);
  metrics.metric = metric;
  const auto take_test = [&](const PartScores& scores, const char* part) {
    metrics.samples[part] = scores.samples;
    metrics.test[metric] = scores.task.metric;
    metrics.splits[metric] = part;
    put_test_scores(scores.metrics, metrics);
  };
  if (!validation.empty()) {
    const PartScores scores = score_part(model, dataset, validation, config.batch_size, group);
    metrics.samples["validation"] = scores.samples;
    metrics.validation = values_of(scores.metrics);
    metrics.validation["loss"] = scores.task.loss;
    metrics.validation[metric] = scores.task.metric;
    if (slips.test_on_validation || test.empty()) {
      take_test(scores, "validation");
    }
  }
  if (!test.empty() && !metrics.splits.contains(metric)) {
    take_test(score_part(model, dataset, test, config.batch_size, group), "test");
  }
  Part factors_on = slips.factors_on_training ? Part::kTrain : test.empty() ? Part::kValidation : Part::kTest;
  DataPart scored = data_part(dataset, factors_on);
  if (slips.factors_on_training) {
    scored.graphs.resize(std::min(scored.graphs.size(), static_cast<std::size_t>(config.batch_size)));
  }
  if (const auto factors =
          score_factors(model, dataset, scored.graphs, config.metric_layer, config.batch_size, group)) {
    put_factor_scores(*factors, metrics);
    metrics.splits["ged_e"] = part_name(factors_on);
  }
  model.keep_dropout(false);
  return metrics;
}

}  // namespace factorgcn
