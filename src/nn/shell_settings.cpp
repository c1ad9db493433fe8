// Reading the settings that all networks have.
#include "nn/shell_settings.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

void read_shell(SettingsReader& reader, const ModelInput& input, const std::string& name, ShellOptions& options) {
  constexpr std::int64_t kWidest = 1 << 16;
  const std::string owner = "model " + name;
  const bool per_node = is_node_task(input.task);
  options.in_features = input.in_features;
  options.node_types = input.node_types;
  options.outputs = input.outputs;
  if (input.node_types > 0) {
    // A published network may have rows for more types than its data.
    options.node_types = reader.integer("node_types", input.node_types, input.node_types, 1 << 24,
                                        "rows of the embedding; more than the data have types do no harm");
    options.embedding = reader.integer("embedding", options.embedding, 0, kWidest,
                                       "width of the node types' embedding; 0: one-hot columns instead");
    reader.idle("scale", "nodes have types; values alone are scaled");
  } else {
    reader.idle("node_types", "nodes have values, not types");
    reader.idle("embedding", "nodes have values, not types");
  }
  options.hidden = reader.integer("hidden", options.hidden, 1, kWidest, "width of each layer");
  options.batch_norm = reader.boolean("batch_norm", options.batch_norm, "batch norm at the end of each layer");
  options.size_norm = reader.boolean("size_norm", options.size_norm,
                                     "values at the end of each layer are divided by the root of the graph's size");
  options.activation =
      activation_from_name(reader.text("activation", activation_name(options.activation),
                                       "at the end of each layer: relu, leaky_relu, elu, tanh or none"),
                           owner + ": activation");
  options.slope = reader.number("slope", options.slope, 0, 1, "of leaky_relu below 0");
  if (options.activation != Activation::kLeakyRelu) {
    reader.idle("slope", concat("the activation is ", activation_name(options.activation)));
  }
  options.readout = readout_from_name(
      reader.text("readout", readout_name(per_node ? Readout::kNodeMlp : options.readout),
                  "from nodes to predictions: mean_tanh, mean_relu, mean_mlp or layer_sum; per node: node_mlp or "
                  "node_linear"),
      owner + ": readout");
  options.dropout = reader.number("dropout", options.dropout, 0, 0.999,
                                  "share of values dropped after each layer; with layer_sum of each layer's scores");
  options.input_dropout =
      reader.number("input_dropout", options.input_dropout, 0, 0.999, "share of the input's values dropped");
  options.scale =
      input_scale_from_name(reader.text("scale", input_scale_name(options.scale),
                                        "of feature values: none, rows (each node's add up to 1) or standard (each "
                                        "column has mean 0 and deviation 1 in the training part)"),
                            owner + ": scale");
  options.edge_weights = reader.boolean("edge_weights", options.edge_weights, "use the weights of edges");
  require_usage(per_node == is_node_readout(options.readout), owner, ": readout ", readout_name(options.readout),
                " does not fit a task of kind ", task_name(input.task));
}

}  // namespace factorgcn
