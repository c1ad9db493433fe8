// Layers to configuration. Layers stay JSON until all are merged, since a preset depends on what they choose.
#include "factorgcn/train/run_config.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/io/json_text.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/objective.h"
#include "factorgcn/train/presets.h"
#include "train/json_reader.h"

namespace factorgcn {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

json to_json(const SettingValue& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

ordered_json to_json(const Settings& settings) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : settings) {
    object[name] = to_json(value);
  }
  return object;
}

SettingValue setting_from_json(const JsonReader& reader, const std::string& key, const json& value) {
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  if (value.is_number_integer()) {
    require_usage(JsonReader::is_integer(value), reader.message(key, value, "a smaller number"));
    return value.get<std::int64_t>();
  }
  if (value.is_number_float()) {
    return value.get<double>();
  }
  if (value.is_string()) {
    require_usage(JsonReader::is_line(value.get_ref<const std::string&>()),
                  reader.message(key, value, "a text of one line"));
    return value.get<std::string>();
  }
  bool integers = value.is_array();
  for (std::size_t index = 0; integers && index < value.size(); ++index) {
    integers = JsonReader::is_integer(value[index]);
  }
  require_usage(integers, reader.message(key, value, "true, false, a number, a text or a list of integers"));
  return value.get<std::vector<std::int64_t>>();
}

void read_settings(JsonReader& owner, const std::string& key, const std::string& where, Settings& settings) {
  const json* object = owner.find(key);
  if (object == nullptr) {
    return;
  }
  const JsonReader reader(*object, where, key + ".");
  for (const auto& [name, value] : object->items()) {
    require_usage(JsonReader::is_line(name), reader.message(name, value, "a setting with a name of one line"));
    settings[name] = setting_from_json(reader, name, value);
  }
}

void read_schedule(JsonReader& owner, const std::string& where, ScheduleOptions& schedule) {
  const json* object = owner.find("schedule");
  if (object == nullptr) {
    return;
  }
  JsonReader reader(*object, where, "schedule.");
  reader.read("kind", schedule.kind);
  reader.read("factor", schedule.factor);
  reader.read("patience", schedule.patience);
  reader.read("every", schedule.every);
  reader.read("floor", schedule.floor);
  reader.read("warmup", schedule.warmup);
  reader.finish();
}

/// Lays `upper` over `lower`; objects are merged key by key.
void lay_over(json& lower, const json& upper) {
  for (const auto& [key, value] : upper.items()) {
    if (value.is_object() && lower.contains(key) && lower[key].is_object()) {
      lay_over(lower[key], value);
    } else {
      lower[key] = value;
    }
  }
}

json parse_value(const std::string& text) {
  if (text == "true" || text == "false") {
    return text == "true";
  }
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto parsed = std::from_chars(text.data(), end, integer); parsed.ec == std::errc{} && parsed.ptr == end) {
    return integer;
  }
  double number = 0;
  if (const auto parsed = std::from_chars(text.data(), end, number);
      parsed.ec == std::errc{} && parsed.ptr == end && std::isfinite(number)) {
    return number;
  }
  json list = json::array();
  for (const char* begin = text.data();;) {
    const auto parsed = std::from_chars(begin, end, integer);
    if (parsed.ec != std::errc{} || (parsed.ptr != end && *parsed.ptr != ',')) {
      return text;
    }
    list.push_back(integer);
    if (parsed.ptr == end) {
      return list;
    }
    begin = parsed.ptr + 1;
  }
}

/// Numbers that the hidden width must divide by, where the user chooses them.
std::vector<std::int64_t> asked_parts(const Settings& settings) {
  std::vector<std::int64_t> parts;
  for (const char* name : {"factors", "heads", "capsules"}) {
    const auto found = settings.find(name);
    if (found == settings.end()) {
      continue;
    }
    if (const auto* one = std::get_if<std::int64_t>(&found->second)) {
      parts.push_back(*one);
    } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&found->second)) {
      parts.insert(parts.end(), list->begin(), list->end());
    }
  }
  return parts;
}

template <class T>
void check_least(const char* key, T value, T least) {
  require_usage(value >= least, "'", key, "' is ", value, "; it must be at least ", least);
}

void check_number(const char* key, double value, bool positive) {
  require_usage(std::isfinite(value) && (positive ? value > 0 : value >= 0), "'", key, "' is ", value, "; it must be ",
                positive ? "above 0" : "at least 0");
}

}  // namespace

ordered_json to_json(const RunConfig& config) {
  ordered_json object = ordered_json::object();
  object["dataset"] = config.dataset;
  object["data"] = to_json(config.data);
  object["model"] = config.model;
  object["model_settings"] = to_json(config.model_settings);
  object["preset"] = config.preset;
  object["protocol"] = config.protocol;
  object["seed"] = config.seed;
  object["device"] = config.device;
  object["data_on_device"] = config.data_on_device;
  object["threads"] = config.threads;
  object["epochs"] = config.epochs;
  object["batch_size"] = config.batch_size;
  object["shards"] = config.shards;
  object["learning_rate"] = config.learning_rate;
  object["weight_decay"] = config.weight_decay;
  object["clip_norm"] = config.clip_norm;
  object["lambda"] = config.lambda;
  object["patience"] = config.patience;
  object["starts"] = config.starts;
  object["start_epochs"] = config.start_epochs;
  object["class_weights"] = config.class_weights;
  object["schedule"] = {{"kind", config.schedule.kind},         {"factor", config.schedule.factor},
                        {"patience", config.schedule.patience}, {"every", config.schedule.every},
                        {"floor", config.schedule.floor},       {"warmup", config.schedule.warmup}};
  object["score_test"] = config.score_test;
  object["metric_layer"] = config.metric_layer;
  object["checkpoint_seconds"] = config.checkpoint_seconds;
  object["out"] = config.out;
  return object;
}

RunConfig config_from_json(const json& object, const std::string& where) {
  RunConfig config;
  JsonReader reader(object, where);
  reader.read_any_text("dataset", config.dataset);
  read_settings(reader, "data", where, config.data);
  reader.read("model", config.model);
  read_settings(reader, "model_settings", where, config.model_settings);
  reader.read("preset", config.preset);
  reader.read("protocol", config.protocol);
  reader.read("seed", config.seed);
  reader.read("device", config.device);
  reader.read("data_on_device", config.data_on_device);
  reader.read("threads", config.threads);
  reader.read("epochs", config.epochs);
  reader.read("batch_size", config.batch_size);
  reader.read("shards", config.shards);
  reader.read("learning_rate", config.learning_rate);
  reader.read("weight_decay", config.weight_decay);
  reader.read("clip_norm", config.clip_norm);
  reader.read("lambda", config.lambda);
  reader.read("patience", config.patience);
  reader.read("starts", config.starts);
  reader.read("start_epochs", config.start_epochs);
  reader.read("class_weights", config.class_weights);
  read_schedule(reader, where, config.schedule);
  reader.read("score_test", config.score_test);
  reader.read("metric_layer", config.metric_layer);
  reader.read("checkpoint_seconds", config.checkpoint_seconds);
  reader.read_any_text("out", config.out);
  if (const json* trained = reader.find("trained_on")) {
    config.trained_on = trained_on_from_json(*trained, where);
  }
  reader.finish();
  return config;
}

json merge_layers(std::span<const json> layers) {
  json merged = json::object();
  for (const json& layer : layers) {
    config_from_json(layer);  // names a wrong key or type before layers hide each other
    lay_over(merged, layer);
  }
  merged.erase("trained_on");  // of the run whose config.json a layer is
  return merged;
}

RunConfig resolve_config(std::span<const json> layers) { return resolve_config(layers, OpenedData()); }

RunConfig resolve_config(std::span<const json> layers, const OpenedData& opened) {
  const json given = merge_layers(layers);
  RunConfig chosen = config_from_json(given);
  // Independent runs draw their own data, as the paper's do.
  chosen.data.try_emplace("seed", static_cast<std::int64_t>(chosen.seed));
  DataDescription data = opened.describe(chosen.dataset, chosen.data);
  if (data.has_folds && chosen.protocol == "published" && !chosen.data.contains("inner_validation")) {
    data.settings["inner_validation"] = false;  // that protocol trains on all but the tested fold
  }
  check_model_name(chosen.model);
  const std::string preset = chosen.preset == "auto" ? usual_preset(data.name, chosen.model) : chosen.preset;
  PresetInput input{data.name, data.relation_types, data.task};
  if (is_parts_folder(chosen.dataset)) {
    look_at_parts(read_manifest(chosen.dataset), input);
  } else if (preset == "default" && data.task != Task::kNone) {
    look_at_data(*opened.open(chosen.dataset, data.settings), input);
  }
  input.parts = asked_parts(chosen.model_settings);
  json merged = preset_layer(input, chosen.model, preset);
  lay_over(merged, given);
  RunConfig config = config_from_json(merged);
  config.preset = preset;
  config.data = data.settings;
  check_config(config);
  return config;
}

void check_names(const RunConfig& config) {
  for (const auto& [what, name] : {std::pair{"run directory ", config.out}, {"data set ", config.dataset}}) {
    require_usage(is_utf8(name), what, shown_text(name), ": its name is not UTF-8, which config.json is; rename it");
  }
}

void check_config(const RunConfig& config) {
  check_names(config);
  require_usage(config.protocol == "corrected" || config.protocol == "published", "'protocol' is '", config.protocol,
                "'; choose corrected or published");
  device_from_name(config.device);
  require_usage(
      config.data_on_device == "auto" || config.data_on_device == "always" || config.data_on_device == "never",
      "'data_on_device' is '", config.data_on_device, "'; choose auto, always or never");
  check_least("threads", config.threads, 0);
  check_least<std::int64_t>("epochs", config.epochs, 1);
  check_least<std::int64_t>("batch_size", config.batch_size, 1);
  check_least<std::int64_t>("shards", config.shards, 1);
  check_number("learning_rate", config.learning_rate, true);
  check_number("weight_decay", config.weight_decay, false);
  check_number("clip_norm", config.clip_norm, false);
  check_number("lambda", config.lambda, false);
  check_least<std::int64_t>("patience", config.patience, 0);
  check_least<std::int64_t>("starts", config.starts, 1);
  check_least<std::int64_t>("start_epochs", config.start_epochs, 1);
  class_weights_from_name(config.class_weights);
  check_schedule(config.schedule);
  check_least("metric_layer", config.metric_layer, 0);
  check_number("checkpoint_seconds", config.checkpoint_seconds, false);
}

json read_config_file(const std::filesystem::path& path) {
  const std::string name = "config file " + path.string(), text = read_file(path, 1U << 24);
  json layer;
  try {
    layer = parse_json(text, name, JsonComments::kSkipped);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  config_from_json(layer, name);
  return layer;
}

void set_config_value(json& layer, const std::string& key, const std::string& text) {
  if (layer.is_null()) {
    layer = json::object();
  }
  json* place = &layer;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = key.find('.', begin);
    const std::string part = key.substr(begin, dot == std::string::npos ? std::string::npos : dot - begin);
    require_usage(!part.empty(), "'", key, "' is not a key; write it as name or group.name");
    require_usage(place->is_object(), "'", key, "' has no such part: '", key.substr(0, begin == 0 ? 0 : begin - 1),
                  "' is ", JsonReader::shown(*place));
    if (dot == std::string::npos) {
      (*place)[part] = parse_value(text);
      return;
    }
    place = &(*place)[part];
    if (place->is_null()) {
      *place = json::object();
    }
    begin = dot + 1;
  }
}

}  // namespace factorgcn
