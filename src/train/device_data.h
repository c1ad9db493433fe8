// A data set where batches of fixed shape are put together (graph/padded_batch.h): in a GPU's memory where it fits,
// else in main memory, from where batches are sent one by one.
#pragma once

#include <memory>
#include <string>

#include "factorgcn/data/dataset.h"
#include "factorgcn/graph/padded_batch.h"

namespace factorgcn {

/// The data may take this share of the memory that is free before training; the rest is for the training step.
inline constexpr double kDataShare = 0.5;

struct DeviceData {
  at::Device device = at::Device(at::kCPU);  ///< where the model is
  bool resident = true;                      ///< `packed` is there too; else it is in main memory
  PackedGraphs packed;
};

/// `policy`: auto (where it fits), always or never in the device's memory.
std::shared_ptr<const DeviceData> place_data(const Dataset& dataset, at::Device device, const std::string& policy);

}  // namespace factorgcn
