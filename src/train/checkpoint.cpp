// TrainState and models to and from safetensors. Numbers travel as JSON in the metadata: its printed doubles read back
// to the same bits.
#include "factorgcn/train/checkpoint.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/io/file_format.h"
#include "factorgcn/io/json_text.h"
#include "io/quoted_text.h"
#include "train/json_reader.h"

namespace factorgcn {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void append(TensorFile& file, const std::string& group, const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    file.tensors.emplace_back(concat(group, "/", name), tensor);
  }
}

NamedTensors take(const TensorFile& file, const std::string& group) {
  NamedTensors tensors;
  for (const auto& [name, tensor] : file.tensors) {
    if (name.starts_with(group + "/")) {
      tensors.emplace_back(name.substr(group.size() + 1), tensor);
    }
  }
  return tensors;
}

json parse_metadata(const TensorFile& file, const std::string& key) {
  return parse_json(file.metadata_at(key), concat(file.origin, ": its metadata '", key, "'"));
}

RunConfig read_config(const TensorFile& file) {
  return reading_file(file.origin, [&] { return config_from_json(parse_metadata(file, "config"), file.origin); });
}

ordered_json state_to_json(const TrainState& state) {
  ordered_json object = ordered_json::object();
  object["epoch"] = state.epoch;
  object["batch"] = state.batch;
  object["step"] = state.step;
  object["loss_sum"] = state.loss_sum;
  object["task_loss_sum"] = state.task_loss_sum;
  object["regulariser_sum"] = state.regulariser_sum;
  object["seconds"] = state.seconds;
  object["status"] = status_name(state.status);
  object["message"] = state.message;
  object["device"] = state.device;
  object["schedule"] = {{"rate", state.schedule.rate},
                        {"has_best", state.schedule.has_best},
                        {"best", state.schedule.best},
                        {"waited", state.schedule.waited},
                        {"epochs", state.schedule.epochs}};
  object["best_epoch"] = state.best_epoch;
  object["best_metric"] = state.best_metric;
  object["best_loss"] = state.best_loss;
  object["best_objective"] = state.best_objective;
  object["start"] = state.start;
  object["comparing"] = state.comparing;
  if (state.kept != nullptr) {
    object["kept"] = state_to_json(*state.kept);
    object["kept"]["start_value"] = state.kept->start_value;
  }
  return object;
}

TrainState state_from_json(const json& object, const std::string& where) {
  TrainState state;
  JsonReader reader(object, where);
  for (const char* key : {"epoch", "batch", "step", "status", "schedule", "best_epoch", "best_metric", "best_loss"}) {
    require(reader.find(key) != nullptr, where, ": the saved state has no '", key, "'; the file is damaged");
  }
  reader.read("epoch", state.epoch);
  reader.read("batch", state.batch);
  reader.read("step", state.step);
  reader.read("loss_sum", state.loss_sum);
  reader.read("task_loss_sum", state.task_loss_sum);
  reader.read("regulariser_sum", state.regulariser_sum);
  reader.read("seconds", state.seconds);
  std::string status;
  reader.read("status", status);
  state.status = status_from_name(status);
  reader.read_any_text("message", state.message);
  reader.read("device", state.device);
  JsonReader schedule(object.at("schedule"), where, "schedule.");
  schedule.read("rate", state.schedule.rate);
  schedule.read("has_best", state.schedule.has_best);
  schedule.read("best", state.schedule.best);
  schedule.read("waited", state.schedule.waited);
  schedule.read("epochs", state.schedule.epochs);
  reader.read("best_epoch", state.best_epoch);
  reader.read("best_metric", state.best_metric);
  reader.read("best_loss", state.best_loss);
  reader.read("best_objective", state.best_objective);
  reader.read("start", state.start);
  reader.read("comparing", state.comparing);
  reader.read("start_value", state.start_value);
  if (const json* kept = reader.find("kept")) {
    state.kept = std::make_shared<const TrainState>(state_from_json(*kept, where));
  }
  return state;
}

}  // namespace

void save_model(const std::filesystem::path& path, const ModelFile& model) {
  // What does not shape the weights stays out, so that equal runs write equal files wherever and however they ran.
  auto config = to_json(model.config);
  for (const char* key : {"out", "threads", "checkpoint_seconds", "data_on_device", "score_test"}) {
    config.erase(key);
  }
  TensorFile file;
  file.tensors = model.weights;
  file.metadata = {
      {"model", model.config.model}, {"best_epoch", std::to_string(model.best_epoch)}, {"config", config.dump()}};
  set_format(file, kModelFormat, kFormatVersion);
  write_safetensors(path, file);
}

ModelFile load_model(const std::filesystem::path& path) { return model_of(read_safetensors(path)); }

ModelFile model_of(const TensorFile& file) {
  const std::string& where = file.origin;
  check_format(file, kModelFormat, kFormatVersion);
  ModelFile model;
  model.config = read_config(file);
  const std::string& model_name = file.metadata_at("model");
  require(model_name == model.config.model, where, ": it is for model ", quoted_text(model_name),
          ", but its configuration says ", quoted_text(model.config.model));
  const json epoch = parse_metadata(file, "best_epoch");
  require(JsonReader::is_integer(epoch), where, ": best_epoch is ", JsonReader::shown(epoch), "; expected an integer");
  model.best_epoch = epoch.get<std::int64_t>();
  model.weights = file.tensors;
  return model;
}

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  const TrainState& state = checkpoint.state;
  TensorFile file;
  append(file, "weights", state.weights);
  append(file, "first_moment", state.first_moments);
  append(file, "second_moment", state.second_moments);
  append(file, "best", state.best_weights);
  if (state.kept != nullptr) {
    append(file, "kept/weights", state.kept->weights);
    append(file, "kept/first_moment", state.kept->first_moments);
    append(file, "kept/second_moment", state.kept->second_moments);
    append(file, "kept/best", state.kept->best_weights);
  }
  file.metadata = {{"config", to_json(checkpoint.config).dump()},
                   {"state", state_to_json(state).dump()},
                   {"history", history_text(state.history)}};
  set_format(file, kCheckpointFormat, kFormatVersion);
  write_safetensors(path, file);
}

Checkpoint load_checkpoint(const std::filesystem::path& path) { return checkpoint_of(read_safetensors(path)); }

Checkpoint checkpoint_of(const TensorFile& file) {
  const std::string& where = file.origin;
  check_format(file, kCheckpointFormat, kFormatVersion);
  Checkpoint checkpoint;
  checkpoint.config = read_config(file);
  checkpoint.state = reading_file(where, [&] { return state_from_json(parse_metadata(file, "state"), where); });
  checkpoint.state.history = history_from_text(file.metadata_at("history"), where);
  checkpoint.state.weights = take(file, "weights");
  checkpoint.state.first_moments = take(file, "first_moment");
  checkpoint.state.second_moments = take(file, "second_moment");
  checkpoint.state.best_weights = take(file, "best");
  if (checkpoint.state.kept != nullptr) {
    TrainState kept = *checkpoint.state.kept;
    kept.weights = take(file, "kept/weights");
    kept.first_moments = take(file, "kept/first_moment");
    kept.second_moments = take(file, "kept/second_moment");
    kept.best_weights = take(file, "kept/best");
    checkpoint.state.kept = std::make_shared<const TrainState>(std::move(kept));
  }
  return checkpoint;
}

}  // namespace factorgcn
