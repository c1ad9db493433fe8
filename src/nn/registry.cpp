// The table of models.
#include "factorgcn/nn/registry.h"

#include <algorithm>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/nn/factor_gcn.h"
#include "nn/aligned/make.h"
#include "nn/baselines/makers.h"
#include "nn/shell_settings.h"

namespace factorgcn {
namespace {

constexpr const char* kNormText = "of messages: none, source (by the sender's degree) or symmetric (by both ends')";

std::shared_ptr<GraphModel> make_factor_gcn(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  SettingsReader reader(settings, "model factorgcn");
  FactorGcnOptions options;
  read_shell(reader, input, "factorgcn", options);
  options.factors =
      reader.integers("factors", options.factors, "factor graphs of each layer; as many layers as numbers");
  options.gate_scale = reader.number("gate_scale", options.gate_scale, 1e-6, 1e6, "how sharply gates open and close");
  options.norm = edge_norm_from_name(reader.text("norm", edge_norm_name(options.norm), kNormText));
  options.discriminator = reader.boolean("discriminator", options.discriminator,
                                         "a discriminator keeps the factor graphs of a layer different");
  options.discriminator_depth =
      static_cast<int>(reader.integer("discriminator_depth", options.discriminator_depth, 2, 3,
                                      "its convolutions: 2 as published, 3 as in the paper's text"));
  if (!options.discriminator) {
    reader.idle("discriminator_depth", "there is no discriminator");
  }
  reader.finish();
  return std::make_shared<FactorGcn>(options, seed);
}

}  // namespace

ModelInput model_input(const Dataset& dataset) {
  ModelInput input;
  input.task = dataset.task;
  input.node_types = dataset.num_node_types;
  input.in_features = dataset.num_node_types > 0 ? 0 : dataset.graphs.features.size(1);
  input.outputs = dataset.num_outputs;
  input.edge_types = dataset.num_edge_types;
  input.edge_weights = dataset.graphs.edge_weights.defined();
  return input;
}

namespace {

std::vector<ModelEntry>& model_entries() {
  static const std::vector<Task> all{Task::kMultiLabel, Task::kRegression, Task::kGraphClass, Task::kNodeClass};
  static std::vector<ModelEntry> table{
      {"factorgcn",
       "takes each graph apart into weighted factor graphs and aggregates in each",
       "Yang et al., Factorizable Graph Convolutional Networks, NeurIPS 2020",
       {Task::kMultiLabel, Task::kRegression, Task::kGraphClass, Task::kNodeClass},
       make_factor_gcn,
       /*needs_edge_types=*/false,
       /*trained=*/true,
       /*regularised=*/true,
       /*takes_edge_weights=*/true},
      {"aligned",
       "finds the part that each label stands for: one factor graph for a label, from labels of whole graphs alone",
       "this library's own",
       {Task::kMultiLabel},
       aligned::make_aligned,
       /*needs_edge_types=*/false,
       /*trained=*/true,
       /*regularised=*/true,
       /*takes_edge_weights=*/true},
      {"mlp", "looks at each node on its own, edges unseen", "a plain multilayer perceptron", all, baselines::make_mlp},
      {"gcn", "sums neighbours weighted by the degrees",
       "Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017", all,
       baselines::make_gcn, false, true,
       /*regularised=*/false, /*takes_edge_weights=*/true},
      {"gat", "weighs neighbours by attention, several heads side by side",
       "Velickovic et al., Graph Attention Networks, ICLR 2018", all, baselines::make_gat, false, true,
       /*regularised=*/false, /*takes_edge_weights=*/true},
      {"gat_dis", "gat with factorgcn's discriminator on its attention heads",
       "Yang et al., Factorizable Graph Convolutional Networks, NeurIPS 2020", all, baselines::make_gat_dis, false,
       true,
       /*regularised=*/true, /*takes_edge_weights=*/true},
      {"disengcn", "divides each node's neighbours among capsules by routing",
       "Ma et al., Disentangled Graph Convolutional Networks, ICML 2019", all, baselines::make_disengcn},
      {"ipgdn", "disengcn whose capsules are kept independent of each other",
       "Liu et al., Independence Promoted Graph Disentangled Networks, AAAI 2020", all, baselines::make_ipgdn, false,
       true,
       /*regularised=*/true},
      {"monet", "weighs neighbours by learnt Gaussians of the degrees at an edge's ends",
       "Monti et al., Geometric Deep Learning on Graphs and Manifolds Using Mixture Model CNNs, CVPR 2017", all,
       baselines::make_monet},
      {"gatedgcn", "gives every column of every neighbour a gate of its own",
       "Bresson and Laurent, Residual Gated Graph ConvNets, 2017", all, baselines::make_gatedgcn},
      {"gatedgcn_e", "gatedgcn whose gates also see the type of the edge",
       "Dwivedi et al., Benchmarking Graph Neural Networks, 2020", all, baselines::make_gatedgcn_e,
       /*needs_edge_types=*/true},
      {"gin", "sums neighbours and puts a two-layer perceptron on the sum",
       "Xu et al., How Powerful are Graph Neural Networks?, ICLR 2019", all, baselines::make_gin, false, true,
       /*regularised=*/false, /*takes_edge_weights=*/true},
      {"graphsage", "sets the mean of the neighbours beside the node itself",
       "Hamilton et al., Inductive Representation Learning on Large Graphs, NeurIPS 2017", all,
       baselines::make_graphsage, false, true,
       /*regularised=*/false, /*takes_edge_weights=*/true},
      {"random", "draws factor graphs at random: the bottom line of GED_E and C-Score; nothing is trained",
       "Yang et al., Factorizable Graph Convolutional Networks, NeurIPS 2020", all, baselines::make_random,
       /*needs_edge_types=*/false, /*trained=*/false},
  };
  return table;
}

}  // namespace

const std::vector<ModelEntry>& models() { return model_entries(); }

void add_model(ModelEntry entry) {
  const auto same = [&](const ModelEntry& other) { return other.name == entry.name; };
  require_usage(std::none_of(models().begin(), models().end(), same), "model ", entry.name, " is listed already");
  model_entries().push_back(std::move(entry));
}

const ModelEntry& find_model(const std::string& name) {
  std::vector<std::string> names;
  for (const ModelEntry& entry : models()) {
    if (entry.name == name) {
      return entry;
    }
    names.push_back(entry.name);
  }
  std::string known;
  for (const std::string& each : names) {
    known += (known.empty() ? "" : ", ") + each;
  }
  const std::string nearest = nearest_name(name, names);
  throw UsageError(concat("unknown model \"", name, "\"", nearest.empty() ? "" : "; did you mean " + nearest + "?",
                          " known models: ", known));
}

std::string misfit(const ModelEntry& entry, const ModelInput& input) {
  if (std::find(entry.tasks.begin(), entry.tasks.end(), input.task) == entry.tasks.end()) {
    return concat("cannot serve a task of kind ", task_name(input.task));
  }
  if (entry.needs_edge_types && input.edge_types == 0) {
    return "needs edge types, and these data have none; zinc has them";
  }
  return {};
}

namespace {

void check_edge_weights(const ModelEntry& entry, const ModelInput& input, const Settings& settings) {
  const auto setting = settings.find("edge_weights");
  const bool* const asked = setting == settings.end() ? nullptr : std::get_if<bool>(&setting->second);
  if (asked == nullptr || !*asked) {
    return;
  }
  require_usage(input.edge_weights, "model ", entry.name,
                " was asked to use edge weights, but these data have none; import them with --edge-weight COLUMN");
  std::string others;
  for (const ModelEntry& other : models()) {
    others += other.takes_edge_weights ? (others.empty() ? "" : ", ") + other.name : "";
  }
  require_usage(entry.takes_edge_weights, "model ", entry.name, " does not look at edge weights; these do: ", others);
}

}  // namespace

std::shared_ptr<GraphModel> make_model(const std::string& name, const ModelInput& input, const Settings& settings,
                                       std::uint64_t seed) {
  const ModelEntry& entry = find_model(name);
  const std::string reason = misfit(entry, input);
  require_usage(reason.empty(), "model ", name, " ", reason);
  check_edge_weights(entry, input, settings);
  return entry.make(input, settings, seed);
}

}  // namespace factorgcn
