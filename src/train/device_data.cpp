// Cost: one pass over the nodes and, where the data go to a GPU, one copy.
#include "train/device_data.h"

#include "factorgcn/base/error.h"
#include "factorgcn/gpu/device.h"

namespace factorgcn {

std::shared_ptr<const DeviceData> place_data(const Dataset& dataset, at::Device device, const std::string& policy) {
  require_usage(dataset.task != Task::kNone, "data set ", dataset.name,
                " has no labels to learn from; import it again with a label column");
  auto data = std::make_shared<DeviceData>();
  data->device = device;
  data->packed = pack_graphs(dataset.graphs, dataset.targets, is_node_task(dataset.task));
  data->resident = policy == "always";
  if (policy == "auto") {
    const auto bytes = static_cast<double>(data->packed.bytes());
    data->resident = device.is_cpu() || bytes <= kDataShare * static_cast<double>(gpu_memory(device).free);
  }
  if (data->resident) {
    data->packed = move_packed(data->packed, device);
  }
  return data;
}

}  // namespace factorgcn
