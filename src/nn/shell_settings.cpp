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
    options.node_types = reader.integer("node_types", input.node_types, input.node_types, 1 << 24);
    options.embedding = reader.integer("embedding", options.embedding, 0, kWidest);
  }
  options.hidden = reader.integer("hidden", options.hidden, 1, kWidest);
  options.batch_norm = reader.boolean("batch_norm", options.batch_norm);
  options.size_norm = reader.boolean("size_norm", options.size_norm);
  options.activation =
      activation_from_name(reader.text("activation", activation_name(options.activation)), owner + ": activation");
  options.slope = reader.number("slope", options.slope, 0, 1);
  options.readout = readout_from_name(
      reader.text("readout", readout_name(per_node ? Readout::kNodeMlp : options.readout)), owner + ": readout");
  options.dropout = reader.number("dropout", options.dropout, 0, 0.999);
  require_usage(per_node == is_node_readout(options.readout), owner, ": readout ", readout_name(options.readout),
                " does not fit a task of kind ", task_name(input.task));
}

}  // namespace factorgcn
