// Slips are the data set's own; only what the split decides is added.
#include "factorgcn/train/protocol.h"

#include "factorgcn/data/registry.h"

namespace factorgcn {

ProtocolSlips protocol_slips(const std::string& protocol, const Dataset& dataset) {
  if (protocol != "published") {
    return {};
  }
  const DatasetEntry* entry = lookup_dataset(dataset.name);
  // Also a file's data keep their name; "Synthetic" in somebody's own file is not the paper's data set.
  ProtocolSlips slips = entry != nullptr && entry->name == dataset.name ? entry->slips : ProtocolSlips{};
  slips.choose_on_test = dataset.task == Task::kGraphClass && dataset.split.validation.empty();
  return slips;
}

}  // namespace factorgcn
