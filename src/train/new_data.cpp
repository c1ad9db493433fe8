// Features by name, then targets by name. Places that names do not decide stay as they are.
#include "factorgcn/train/new_data.h"

#include <ATen/ops/_sparse_csr_tensor_unsafe.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::size_t kMostListed = 8;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t index = 0; index < std::min(names.size(), kMostListed); ++index) {
    text += concat(index == 0 ? "'" : ", '", names[index], "'");
  }
  return names.size() > kMostListed ? concat(text, " and ", names.size() - kMostListed, " more") : text;
}

std::unordered_map<std::string_view, std::int64_t> places_of(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::int64_t> places;
  for (std::size_t index = 0; index < names.size(); ++index) {
    places.emplace(names[index], static_cast<std::int64_t>(index));
  }
  return places;
}

/// "city=" of "city=Lima"; nothing for a column that is no value of a column of words.
std::string_view words_column(std::string_view name) {
  const std::size_t sign = name.find('=');
  return sign == std::string_view::npos ? std::string_view() : name.substr(0, sign + 1);
}

bool are_in_degrees(const std::vector<std::string>& names) {
  return !names.empty() && std::all_of(names.begin(), names.end(),
                                       [](const std::string& name) { return name.starts_with("in-degree "); });
}

class DataFitter {
 public:
  DataFitter(Dataset dataset, const TrainedOn& trained) : trained_(trained) { result_.dataset = std::move(dataset); }

  FittedData run() {
    if (trained_.node_types > 0) {
      fit_node_types();
    } else {
      fit_columns();
    }
    fit_edge_types();
    fit_targets();
    return std::move(result_);
  }

 private:
  Dataset& data() { return result_.dataset; }
  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  bool named() { return !trained_.feature_names.empty() && !data().feature_names.empty(); }

  void fit_columns() {
    Dataset& dataset = data();
    require_usage(dataset.num_node_types == 0, dataset.name, ": its nodes have types, but the model reads ",
                  trained_.features, " columns of numbers", has_names_text());
    const std::int64_t width = dataset.graphs.features.size(1);
    if (!named()) {
      require_usage(width == trained_.features, dataset.name, ": it has ", width, " feature columns, the model reads ",
                    trained_.features, has_names_text());
      if (trained_.feature_names.empty() != dataset.feature_names.empty()) {
        note("columns are taken in their order, since names are not known on both sides");
      }
      return;
    }
    if (dataset.feature_names == trained_.feature_names) {
      return;
    }
    const auto places = places_of(dataset.feature_names);
    std::set<std::string_view> words;
    for (const std::string& name : dataset.feature_names) {
      words.insert(words_column(name));
    }
    std::vector<std::int64_t> from;
    std::vector<std::string> missing, absent;
    for (const std::string& name : trained_.feature_names) {
      const auto found = places.find(name);
      from.push_back(found == places.end() ? -1 : found->second);
      if (found == places.end()) {
        const bool no_such_word = !words_column(name).empty() && words.contains(words_column(name));
        (no_such_word ? absent : missing).push_back(name);
      }
    }
    require_usage(missing.empty(), dataset.name, ": ", missing.size(), " of the ", trained_.feature_names.size(),
                  " columns that the model reads ", missing.size() == 1 ? "is" : "are", " missing: ", listed(missing),
                  "; it has ", listed(dataset.feature_names), words_hint(missing));
    if (!absent.empty()) {
      note(concat("no node is ", listed(absent), ": 0 stands there"));
    }
    note_unused();
    take_columns(from);
  }

  std::string has_names_text() const {
    return trained_.feature_names.empty() ? "" : concat(" (", listed(trained_.feature_names), ")");
  }

  /// Columns of words that differ for every node are taken for names where few nodes are imported.
  static std::string words_hint(const std::vector<std::string>& missing) {
    std::string columns;
    std::set<std::string_view> seen;
    for (const std::string& name : missing) {
      const std::string_view words = words_column(name);
      if (!words.empty() && seen.insert(words).second) {
        columns += concat(columns.empty() ? "" : ",", words.substr(0, words.size() - 1));
      }
    }
    return columns.empty() ? "" : concat("; where they have such a column, import them with --one-hot ", columns);
  }

  void note_unused() {
    const auto known = places_of(trained_.feature_names);
    std::set<std::string_view> words;
    for (const std::string& name : trained_.feature_names) {
      words.insert(words_column(name));
    }
    std::vector<std::string> unused, unknown;
    for (const std::string& name : data().feature_names) {
      if (!known.contains(name)) {
        const bool word = !words_column(name).empty() && words.contains(words_column(name));
        (word ? unknown : unused).push_back(name);
      }
    }
    if (!unused.empty()) {
      note(concat("the model does not read ", listed(unused)));
    }
    if (!unknown.empty()) {
      note(concat("the model does not know ", listed(unknown), ": read as a missing value"));
    }
  }

  /// Column c of the result is column from[c], or zeros where that is -1.
  void take_columns(const std::vector<std::int64_t>& from) {
    at::Tensor features = data().graphs.features;
    const std::int64_t width = features.size(1);
    if (features.layout() != at::kStrided) {
      data().graphs.features = take_sparse_columns(features, from);
    } else {
      const at::Tensor wider = at::cat({features, at::zeros({features.size(0), 1}, features.options())}, 1);
      at::Tensor columns = at::full({static_cast<std::int64_t>(from.size())}, width, at::kLong);
      auto* column = columns.data_ptr<std::int64_t>();
      for (std::size_t index = 0; index < from.size(); ++index) {
        column[index] = from[index] < 0 ? width : from[index];
      }
      data().graphs.features = at::index_select(wider, 1, columns);
    }
    data().feature_names = trained_.feature_names;
  }

  static at::Tensor take_sparse_columns(const at::Tensor& features, const std::vector<std::int64_t>& from) {
    std::vector<std::int64_t> to(static_cast<std::size_t>(features.size(1)), -1);
    for (std::size_t column = 0; column < from.size(); ++column) {
      if (from[column] >= 0) {
        to[static_cast<std::size_t>(from[column])] = static_cast<std::int64_t>(column);
      }
    }
    const at::Tensor rows = features.crow_indices().to(at::kLong), columns = features.col_indices().to(at::kLong);
    const at::Tensor values = features.values();
    const auto* row = rows.data_ptr<std::int64_t>();
    const auto* column = columns.data_ptr<std::int64_t>();
    const auto* value = values.data_ptr<float>();
    std::vector<std::int32_t> offsets{0}, taken;
    std::vector<float> kept;
    std::vector<std::pair<std::int32_t, float>> entries;
    for (std::int64_t index = 0; index < features.size(0); ++index) {
      entries.clear();
      for (std::int64_t entry = row[index]; entry < row[index + 1]; ++entry) {
        if (const std::int64_t place = to[static_cast<std::size_t>(column[entry])]; place >= 0) {
          entries.emplace_back(static_cast<std::int32_t>(place), value[entry]);
        }
      }
      std::sort(entries.begin(), entries.end());
      for (const auto& [place, number] : entries) {
        taken.push_back(place);
        kept.push_back(number);
      }
      offsets.push_back(static_cast<std::int32_t>(taken.size()));
    }
    const auto tensor = [](const auto& list, at::ScalarType type) {
      at::Tensor array = at::zeros({static_cast<std::int64_t>(list.size())}, at::TensorOptions().dtype(type));
      std::memcpy(array.data_ptr(), list.data(), array.nbytes());
      return array;
    };
    return at::_sparse_csr_tensor_unsafe(tensor(offsets, at::kInt), tensor(taken, at::kInt), tensor(kept, at::kFloat),
                                         {features.size(0), static_cast<std::int64_t>(from.size())},
                                         features.options());
  }

  void fit_node_types() {
    Dataset& dataset = data();
    require_usage(dataset.num_node_types > 0, dataset.name, ": its nodes have ", dataset.graphs.features.size(-1),
                  " columns of numbers, but the model reads node types", has_names_text());
    std::vector<std::int64_t> to(static_cast<std::size_t>(dataset.num_node_types));
    std::iota(to.begin(), to.end(), 0);
    const bool degrees = are_in_degrees(trained_.feature_names);
    if (named()) {
      const auto known = places_of(trained_.feature_names);
      std::transform(dataset.feature_names.begin(), dataset.feature_names.end(), to.begin(),
                     [&](const std::string& name) {
                       const auto found = known.find(name);
                       return found == known.end() ? -1 : found->second;
                     });
    }
    at::Tensor types = dataset.graphs.features.clone();
    auto* type = types.data_ptr<std::int64_t>();
    std::int64_t beyond = 0;
    std::set<std::int64_t> unknown;
    for (std::int64_t node = 0; node < types.numel(); ++node) {
      const std::int64_t old = type[node];
      type[node] = to[static_cast<std::size_t>(old)];
      if (type[node] >= 0 && type[node] < trained_.node_types) {
        continue;
      }
      if (degrees) {
        ++beyond;
        type[node] = trained_.node_types - 1;
      } else {
        unknown.insert(old);
      }
    }
    if (!unknown.empty()) {
      std::vector<std::string> names;
      for (const std::int64_t number : unknown) {
        names.push_back(dataset.feature_names.empty() ? std::to_string(number)
                                                      : dataset.feature_names[static_cast<std::size_t>(number)]);
      }
      throw UsageError(concat(dataset.name, ": the model does not know the node type", names.size() == 1 ? " " : "s ",
                              listed(names), "; it knows ", trained_.node_types,
                              trained_.feature_names.empty() ? "" : concat(": ", listed(trained_.feature_names))));
    }
    if (beyond > 0) {
      note(concat(beyond, beyond == 1 ? " node has" : " nodes have", " an in-degree beyond ", trained_.node_types - 1,
                  ", the largest that the model knows: read as that"));
    }
    dataset.graphs.features = types;
    dataset.num_node_types = trained_.node_types;
    dataset.feature_names = trained_.feature_names;
  }

  void fit_edge_types() {
    Dataset& dataset = data();
    if (trained_.edge_types == 0) {
      dataset.graphs.edge_types = at::Tensor();
      dataset.num_edge_types = 0;
      return;
    }
    const std::vector<std::string> names = edge_type_names(dataset);
    if (!names.empty() && !trained_.edge_type_names.empty()) {
      name_edge_types(names);
      return;
    }
    require_usage(dataset.num_edge_types > 0 && dataset.num_edge_types <= trained_.edge_types, dataset.name,
                  ": its edges have ", dataset.num_edge_types, " types, but the model reads ", trained_.edge_types);
    dataset.num_edge_types = trained_.edge_types;
  }

  /// Types of the same name are the same, whatever their numbers.
  void name_edge_types(const std::vector<std::string>& names) {
    Dataset& dataset = data();
    const auto known = places_of(trained_.edge_type_names);
    at::Tensor types = dataset.graphs.edge_types.clone();
    auto* type = types.data_ptr<std::int32_t>();
    std::set<std::string> unknown;
    for (std::int64_t edge = 0; edge < types.numel(); ++edge) {
      const std::string& name = names[static_cast<std::size_t>(type[edge])];
      if (const auto found = known.find(name); found != known.end()) {
        type[edge] = static_cast<std::int32_t>(found->second);
      } else {
        unknown.insert(name);
      }
    }
    require_usage(unknown.empty(), dataset.name, ": the model does not know the edge type",
                  unknown.size() == 1 ? " " : "s ", listed({unknown.begin(), unknown.end()}), "; it knows ",
                  listed(trained_.edge_type_names));
    dataset.graphs.edge_types = types;
    dataset.num_edge_types = trained_.edge_types;
  }

  void fit_targets() {
    Dataset& dataset = data();
    const at::Tensor known = known_targets(dataset);
    const bool same_task = dataset.task == trained_.task;
    if (dataset.task != Task::kNone && !same_task) {
      note(concat("its labels are of another kind (", task_name(dataset.task), ") than what the model answers (",
                  task_name(trained_.task), "): they are not looked at"));
    }
    const std::int64_t rows = is_node_task(trained_.task) ? dataset.graphs.num_nodes() : dataset.graphs.num_graphs();
    const std::optional<std::vector<std::int64_t>> to = same_task ? output_places() : std::nullopt;
    dataset.task = trained_.task;
    if (!to) {
      dataset.labelled = at::zeros({rows}, at::TensorOptions().dtype(at::kBool));
      dataset.targets = at::Tensor();
      dataset.split = {};
      dataset.node_split = is_node_task(trained_.task);
    } else {
      dataset.labelled = known.clone();
      move_targets(*to);
    }
    dataset.num_outputs = trained_.outputs;
    dataset.output_names = trained_.output_names;
  }

  /// Where each of the data's outputs is among the model's, -1 where it does not know it; nothing where values and
  /// labels cannot be compared at all.
  std::optional<std::vector<std::int64_t>> output_places() {
    const Dataset& dataset = data();
    std::vector<std::int64_t> to(static_cast<std::size_t>(dataset.num_outputs));
    std::iota(to.begin(), to.end(), 0);
    const bool classes = dataset.targets.scalar_type() == at::kLong;
    if (!dataset.output_names.empty() && !trained_.output_names.empty()) {
      const auto known = places_of(trained_.output_names);
      for (std::size_t output = 0; output < to.size(); ++output) {
        const auto found = known.find(dataset.output_names[output]);
        to[output] = found == known.end() ? -1 : found->second;
      }
    } else {
      std::replace_if(
          to.begin(), to.end(), [&](std::int64_t place) { return place >= trained_.outputs; }, -1);
    }
    if (!classes && static_cast<std::int64_t>(to.size()) - std::count(to.begin(), to.end(), -1) < trained_.outputs) {
      note("its targets are not those that the model answers: they are not looked at");
      return {};
    }
    return to;
  }

  void move_targets(const std::vector<std::int64_t>& to) {
    Dataset& dataset = data();
    if (dataset.targets.scalar_type() != at::kLong) {
      at::Tensor columns = at::zeros({trained_.outputs}, at::TensorOptions().dtype(at::kLong));
      for (std::size_t output = 0; output < to.size(); ++output) {
        if (to[output] >= 0) {
          columns.data_ptr<std::int64_t>()[to[output]] = static_cast<std::int64_t>(output);
        }
      }
      dataset.targets = at::index_select(dataset.targets, 1, columns);
      return;
    }
    dataset.targets = dataset.targets.clone();
    auto* target = dataset.targets.data_ptr<std::int64_t>();
    bool* labelled = dataset.labelled.data_ptr<bool>();
    std::set<std::int64_t> unknown;
    for (std::int64_t row = 0; row < dataset.targets.numel(); ++row) {
      const std::int64_t old = target[row];
      target[row] = std::max<std::int64_t>(to[static_cast<std::size_t>(old)], 0);
      if (labelled[row] && to[static_cast<std::size_t>(old)] < 0) {
        labelled[row] = false;
        unknown.insert(old);
      }
    }
    for (const std::int64_t number : unknown) {
      result_.unknown_classes.push_back(dataset.output_names.empty()
                                            ? std::to_string(number)
                                            : dataset.output_names[static_cast<std::size_t>(number)]);
    }
    if (!unknown.empty()) {
      note(concat("the model does not know the class", unknown.size() == 1 ? " " : "es ",
                  listed(result_.unknown_classes), ": such labels count as not known"));
    }
  }

  const TrainedOn& trained_;
  FittedData result_;
};

}  // namespace

FittedData fit_to_model(Dataset dataset, const TrainedOn& trained) {
  return DataFitter(std::move(dataset), trained).run();
}

}  // namespace factorgcn
