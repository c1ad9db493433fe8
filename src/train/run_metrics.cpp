// Final scores and their JSON form.
#include "factorgcn/train/run_metrics.h"

#include <ATen/Context.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/random.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/protocol.h"
#include "factorgcn/train/weights.h"
#include "train/begin_metrics.h"
#include "train/json_reader.h"

namespace factorgcn {
namespace {

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
  nlohmann::ordered_json object;
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
  // The task's metric first, then how well factors match; a map would sort c_score to the front.
  object["test"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : metrics.test) {
    if (name != "ged_e" && name != "ged_e_std" && name != "c_score") {
      object["test"][name] = value;
    }
  }
  for (const char* name : {"ged_e", "ged_e_std", "c_score"}) {
    if (const auto found = metrics.test.find(name); found != metrics.test.end()) {
      object["test"][name] = found->second;
    }
  }
  object["splits"] = metrics.splits;
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
  return metrics;  // further keys may come from a newer version
}

RunMetrics read_metrics(const std::string& path) {
  return reading_file(path, [&] { return metrics_from_json(nlohmann::json::parse(read_file(path)), path); });
}

RunMetrics measure(GraphModel& model, const Dataset& dataset, const RunConfig& config) {
  RunMetrics metrics = begin_metrics(dataset, config);
  metrics.device = device_of(model).str();
  metrics.parameters = count_parameters(model);
  if (!dataset.truth.empty()) {
    metrics.factors = dataset.truth.num_types();
  }
  const std::string metric = metric_name(dataset.task);
  const ProtocolSlips slips = protocol_slips(config.protocol, dataset);
  model.keep_dropout(slips.dropout_at_evaluation);
  at::manual_seed(RandomStream(config.seed, "evaluate/final").next());
  const DataPart validation = data_part(dataset, Part::kValidation);
  const DataPart test = data_part(dataset, Part::kTest);
  if (!validation.empty()) {
    const TaskScore score = score_task(model, dataset, validation, config.batch_size);
    metrics.validation = {{"loss", score.loss}, {metric, score.metric}};
  }
  if (slips.test_on_validation && !validation.empty()) {
    metrics.test[metric] = metrics.validation.at(metric);
    metrics.splits[metric] = "validation";
  } else if (!test.empty()) {
    metrics.test[metric] = score_task(model, dataset, test, config.batch_size).metric;
    metrics.splits[metric] = "test";
  }
  DataPart scored = test;
  if (slips.factors_on_training) {
    scored = data_part(dataset, Part::kTrain);
    scored.graphs.resize(std::min(scored.graphs.size(), static_cast<std::size_t>(config.batch_size)));
  }
  if (const auto factors = score_factors(model, dataset, scored.graphs, config.metric_layer, config.batch_size)) {
    metrics.test["ged_e"] = factors->ged_e;
    metrics.test["ged_e_std"] = factors->ged_e_std;
    metrics.test["c_score"] = factors->c_score;
    metrics.splits["ged_e"] = slips.factors_on_training ? "train" : "test";
  }
  model.keep_dropout(false);
  return metrics;
}

}  // namespace factorgcn
