// The table of classic models.
#include "factorgcn/classic/registry.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <variant>

#include "classic/machines.h"
#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/error.h"
#include "factorgcn/classic/patchy_san.h"
#include "factorgcn/classic/receptive_fields.h"

namespace factorgcn {
namespace {

struct PatchySanSettings {
  FieldOptions fields;
  PatchySanOptions network;

  PatchySanSettings(const Settings& settings, NodeLabels usual) {
    SettingsReader reader(settings, "model patchy_san");
    constexpr std::int64_t kWidest = 1 << 16;
    fields.fields = reader.integer("fields", 0, 0, kWidest);
    fields.size = reader.integer("field_size", fields.size, 1, 1000);
    fields.ranking = node_ranking_from_name(reader.text("ranking", node_ranking_name(fields.ranking)));
    fields.labels = node_labels_from_name(reader.text("labels", node_labels_name(usual)));
    network.size = fields.size;
    network.edges = reader.boolean("edges", network.edges);
    network.field_filters = reader.integer("field_filters", network.field_filters, 1, kWidest);
    network.filters = reader.integer("filters", network.filters, 1, kWidest);
    network.window = reader.integer("window", network.window, 1, kWidest);
    network.hidden = reader.integer("hidden", network.hidden, 1, kWidest);
    network.dropout = reader.number("dropout", network.dropout, 0, 0.999);
    reader.finish();
  }
};

Dataset patchy_san_view(const Dataset& dataset, const Settings& settings) {
  return field_dataset(dataset, PatchySanSettings(settings, usual_labels(dataset)).fields);
}

std::shared_ptr<GraphModel> make_patchy_san(const Dataset& view, const Settings& settings, std::uint64_t seed) {
  PatchySanOptions options = PatchySanSettings(settings, NodeLabels::kTypes).network;
  options.node_types = view.num_node_types;
  options.outputs = view.num_outputs;
  options.fields = view.graphs.num_nodes() / view.graphs.num_graphs() / options.size;
  return std::make_shared<PatchySan>(options, seed);
}

std::string_view bytes_of(const at::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()};
}

/// The value made last, under the key it was made from.
template <class Value>
class LastMade {
 public:
  template <class Make>
  std::shared_ptr<Value> get(const std::string& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    if (value_ == nullptr || key != key_) {
      value_ = nullptr;  // its memory is given back before the next one is made
      value_ = make();
      key_ = key;
    }
    return value_;
  }

 private:
  std::mutex mutex_;
  std::string key_;
  std::shared_ptr<Value> value_;
};

/// What features and views are made from: the graphs' content and the settings.
std::string made_from(const ClassicEntry& entry, const Dataset& dataset, const Settings& settings) {
  const GraphStore& store = dataset.graphs;
  std::string key = entry.name;
  std::vector<at::Tensor> content{store.node_offsets, store.edge_offsets, store.in_degrees, store.in_sources};
  if (dataset.num_node_types > 0) {
    content.push_back(store.features);  // nothing here looks at features that are values
  }
  for (const at::Tensor& tensor : content) {
    key.append(1, ' ').append(hash_text(content_hash(bytes_of(tensor))));
  }
  for (const auto& [name, value] : settings) {
    key += "\n" + name + "=";
    std::visit(
        [&](const auto& held) {
          using Held = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, std::vector<std::int64_t>>) {
            for (const std::int64_t each : held) {
              key += concat(each, ",");
            }
          } else if constexpr (std::is_same_v<Held, double>) {
            key += concat(std::bit_cast<std::uint64_t>(held));
          } else {
            key += concat(held);
          }
        },
        value);
  }
  return key;
}

}  // namespace

const std::vector<ClassicEntry>& classic_models() {
  static const std::vector<ClassicEntry> table{
      {.name = "wl_subtree",
       .summary = "counts Weisfeiler-Lehman subtrees of a graph; a support vector machine on their kernel",
       .paper = "Shervashidze et al., Weisfeiler-Lehman Graph Kernels, JMLR 2011",
       .tasks = {Task::kGraphClass},
       .machine = wl_subtree_machine},
      {.name = "awl",
       .summary = "how often random walks return, whatever the nodes are called; a support vector machine on that",
       .paper = "Ivanov and Burnaev, Anonymous Walk Embeddings, ICML 2018",
       .tasks = {Task::kGraphClass},
       .machine = awl_machine},
      {.name = "patchy_san",
       .summary = "puts each graph into a row of small ordered neighbourhoods and convolves along it",
       .paper = "Niepert et al., Learning Convolutional Neural Networks for Graphs, ICML 2016",
       .tasks = {Task::kGraphClass},
       .view = patchy_san_view,
       .network = make_patchy_san},
  };
  return table;
}

const ClassicEntry* find_classic(const std::string& name) {
  const auto& table = classic_models();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const ClassicEntry& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

void check_classic_task(const ClassicEntry& entry, const Dataset& dataset) {
  const bool fits = std::find(entry.tasks.begin(), entry.tasks.end(), dataset.task) != entry.tasks.end();
  require_usage(fits, entry.name, " classifies graphs; data set ", dataset.name, " has a task of kind ",
                task_name(dataset.task));
  require_usage(!dataset.node_split, entry.name, " classifies graphs; the split of data set ", dataset.name,
                " is one of nodes");
}

std::shared_ptr<const KernelMachine> kernel_machine(const ClassicEntry& entry, const Dataset& dataset,
                                                    const Settings& settings) {
  check_classic_task(entry, dataset);
  static LastMade<const KernelMachine> last;
  return last.get(made_from(entry, dataset, settings),
                  [&] { return std::make_shared<const KernelMachine>(entry.machine(dataset, settings)); });
}

Dataset network_view(const ClassicEntry& entry, const Dataset& dataset, const Settings& settings) {
  check_classic_task(entry, dataset);
  static LastMade<const Dataset> last;
  Dataset view = *last.get(made_from(entry, dataset, settings),
                           [&] { return std::make_shared<const Dataset>(entry.view(dataset, settings)); });
  view.name = dataset.name;
  view.targets = dataset.targets;
  view.split = dataset.split;
  view.labelled = dataset.labelled;
  return view;
}

}  // namespace factorgcn
