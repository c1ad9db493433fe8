// Data known again. The content is the hash of a list of hashes, one per array, each with its type and shape.
#include "factorgcn/train/trained_on.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/run_config.h"
#include "train/counted_names.h"
#include "train/json_reader.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

void add_bytes(std::string& list, const char* name, const at::Tensor& values) {
  const at::Tensor whole = values.contiguous();
  const std::string_view bytes(static_cast<const char*>(whole.data_ptr()), whole.nbytes());
  list += concat(name, " ", values.dtype().name(), " ", values.sizes(), " ", hash_text(content_hash(bytes)), "\n");
}

void add_array(std::string& list, const char* name, const at::Tensor& values) {
  if (!values.defined()) {
    return;
  }
  if (values.layout() == at::kSparseCsr) {
    list += concat(name, " sparse ", values.sizes(), "\n");
    add_bytes(list, "offsets", values.crow_indices());
    add_bytes(list, "columns", values.col_indices());
    add_bytes(list, "values", values.values());
  } else {
    add_bytes(list, name, values);
  }
}

void add_items(std::string& list, const char* name, const std::vector<std::int64_t>& items) {
  const std::string_view bytes(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(std::int64_t));
  list += concat(name, " ", items.size(), " ", hash_text(content_hash(bytes)), "\n");
}

bool is_generated(const std::string& dataset) {
  const DatasetEntry* const entry = lookup_dataset(dataset);
  return entry != nullptr && entry->is_generated();
}

/// Absolute, without links as far as it exists; empty where the system says no.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? fs::path() : whole;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return !path.empty() && fs::exists(path, error);
}

/// False also where the data cannot be read: there may be a better place.
bool has_content(const std::string& path, const RunConfig& config) {
  try {
    if (is_parts_folder(path)) {
      return read_manifest(path).content() == config.trained_on.content;
    }
    return data_content(*OpenedData().open(path, config.data)) == config.trained_on.content;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> places_of_data(const RunConfig& config, const fs::path& folder) {
  const TrainedOn& trained = config.trained_on;
  const fs::path file = fs::path(trained.path.empty() ? config.dataset : trained.path).filename();
  std::vector<fs::path> wanted;
  if (!trained.from_run.empty()) {
    wanted.push_back(folder / trained.from_run);
  } else if (fs::path(config.dataset).is_relative() && fs::path(config.out).is_relative() && !config.out.empty()) {
    wanted.push_back(folder / fs::path(config.dataset).lexically_relative(config.out));  // runs of older versions
  }
  wanted.insert(wanted.end(), {fs::path(trained.path), fs::path(config.dataset), folder / file, folder / ".." / file});
  std::vector<std::string> found;
  for (const fs::path& place : wanted) {
    std::error_code error;
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const std::string& other) { return fs::equivalent(other, place, error); });
    if (is_there(place) && !known) {
      found.push_back(place.lexically_normal().string());
    }
  }
  return found;
}

}  // namespace

nlohmann::ordered_json to_json(const TrainedOn& trained) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  object["name"] = trained.name;
  for (const auto& [key, text] : {std::pair{"content", &trained.content}, std::pair{"path", &trained.path},
                                  std::pair{"from_run", &trained.from_run}}) {
    if (!text->empty()) {
      object[key] = *text;
    }
  }
  object["task"] = task_name(trained.task);
  for (const auto& [key, count] : {std::pair{"features", trained.features}, std::pair{"node_types", trained.node_types},
                                   std::pair{"edge_types", trained.edge_types}}) {
    if (count > 0) {
      object[key] = count;
    }
  }
  if (!trained.feature_names.empty()) {
    object["feature_names"] = shorten_names(trained.feature_names);
  }
  object["outputs"] = trained.outputs;
  if (!trained.edge_type_names.empty()) {
    object["edge_type_names"] = trained.edge_type_names;
  }
  if (!trained.output_names.empty()) {
    object["output_names"] = shorten_names(trained.output_names);
  }
  return object;
}

TrainedOn trained_on_from_json(const nlohmann::json& object, const std::string& where) {
  TrainedOn trained;
  JsonReader reader(object, where, "trained_on.");
  reader.read_any_text("name", trained.name);
  reader.read("content", trained.content);
  reader.read_any_text("path", trained.path);
  reader.read_any_text("from_run", trained.from_run);
  std::string task = task_name(Task::kNone);
  reader.read("task", task);
  trained.task = task_from_name(task);
  reader.read("features", trained.features);
  reader.read("node_types", trained.node_types);
  reader.read("edge_types", trained.edge_types);
  reader.read("outputs", trained.outputs);
  for (const auto& [key, names] :
       {std::pair{"feature_names", &trained.feature_names}, std::pair{"edge_type_names", &trained.edge_type_names},
        std::pair{"output_names", &trained.output_names}}) {
    if (const nlohmann::json* list = reader.find(key)) {
      require_usage(list->is_array() && std::all_of(list->begin(), list->end(),
                                                    [](const nlohmann::json& name) { return name.is_string(); }),
                    reader.message(key, *list, "a list of names"));
      *names = list->get<std::vector<std::string>>();
      const std::int64_t wanted = names == &trained.output_names      ? trained.outputs
                                  : names == &trained.edge_type_names ? static_cast<std::int64_t>(names->size())
                                  : trained.node_types > 0            ? trained.node_types
                                                                      : trained.features;
      if (static_cast<std::int64_t>(names->size()) != wanted) {  // otherwise nothing was shortened
        *names = lengthen_names(*names);
      }
    }
  }
  reader.finish();
  return trained;
}

std::string data_content(const Dataset& dataset) {
  std::string list = concat(task_name(dataset.task), " ", dataset.num_outputs, " ", dataset.num_node_types, " ",
                            dataset.num_edge_types, " ", dataset.node_split, "\n");
  const GraphStore& graphs = dataset.graphs;
  add_array(list, "node_offsets", graphs.node_offsets);
  add_array(list, "edge_offsets", graphs.edge_offsets);
  add_array(list, "in_degrees", graphs.in_degrees);
  add_array(list, "in_sources", graphs.in_sources);
  add_array(list, "features", graphs.features);
  add_array(list, "edge_types", graphs.edge_types);
  add_array(list, "edge_weights", graphs.edge_weights);
  add_array(list, "targets", dataset.targets);
  add_items(list, "train", dataset.split.train);
  add_items(list, "validation", dataset.split.validation);
  add_items(list, "test", dataset.split.test);
  return hash_text(content_hash(list));
}

void place_training_data(const RunConfig& config, TrainedOn& trained) {
  if (lookup_dataset(config.dataset) == nullptr && is_there(config.dataset)) {
    const fs::path file = real_path(config.dataset), folder = real_path(config.out);
    trained.path = file.string();
    trained.from_run = config.out.empty() ? "" : file.lexically_relative(folder).string();
  }
}

std::vector<std::string> edge_type_names(const Dataset& dataset) {
  const std::vector<std::string>& names = dataset.truth.type_names;
  return static_cast<std::int64_t>(names.size()) == dataset.num_edge_types ? names : std::vector<std::string>{};
}

TrainedOn describe_training(const RunConfig& config, const Dataset& dataset) {
  TrainedOn trained;
  trained.name = dataset.name;
  if (!is_generated(config.dataset)) {
    trained.content = data_content(dataset);
  }
  place_training_data(config, trained);
  trained.task = dataset.task;
  trained.node_types = dataset.num_node_types;
  trained.features = dataset.num_node_types > 0 ? 0 : dataset.graphs.features.size(1);
  trained.edge_types = dataset.num_edge_types;
  trained.edge_type_names = edge_type_names(dataset);
  trained.outputs = dataset.num_outputs;
  trained.feature_names = dataset.feature_names;
  trained.output_names = dataset.output_names;
  return trained;
}

std::string locate_run_data(const RunConfig& config, const fs::path& folder) {
  if (lookup_dataset(config.dataset) != nullptr || (config.trained_on.known() && config.trained_on.path.empty())) {
    return config.dataset;
  }
  const std::vector<std::string> places = places_of_data(config, folder);
  if (places.empty()) {
    return config.dataset;
  }
  if (places.size() > 1 && !config.trained_on.content.empty()) {
    for (const std::string& place : places) {
      if (has_content(place, config)) {
        return place;
      }
    }
  }
  return places.front();
}

void check_trained_on(const TrainedOn& trained, const Dataset& dataset, const std::string& origin) {
  if (trained.content.empty()) {
    return;
  }
  const std::string found = data_content(dataset);
  require_usage(
      found == trained.content, origin, ": these are not the data that the run was trained on (content ", found,
      ", then ", trained.content,
      "); bring back the former ones; evaluate, factors, predict, page and train --resume go on with --changed-data; "
      "evaluate, factors and predict take them as new data with --dataset");
}

}  // namespace factorgcn
