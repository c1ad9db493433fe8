// A data set in this process's memory, or on its GPU.
#include "train/train_work.h"

#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/objective.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {

TrainWork work_on_dataset(GraphModel& model, const Dataset& dataset, const TrainOptions& options) {
  TrainWork work;
  work.name = dataset.name;
  work.task = dataset.task;
  work.train = data_part(dataset, Part::kTrain);
  work.monitored = options.slips.choose_on_test ? Part::kTest : Part::kValidation;
  const at::Device device = device_of(model);
  std::shared_ptr<const DeviceData> data;
  if (options.padded || (!device.is_cpu() && model.can_be_recorded() && options.shards == 1)) {
    data = place_data(dataset, device, options.data_on_device);
  }
  work.make_runner = [&model, &dataset, &options, data, device](Adam& adam, const DataPart& train) {
    const at::Tensor weights = class_weight_values(options.class_weights, dataset);
    const StepParts parts{model, dataset, train, options, adam, weights.defined() ? weights.to(device) : weights};
    return options.shards > 1 || options.group != nullptr ? make_sharded_runner(parts)
           : data == nullptr                              ? make_plain_runner(parts)
                                                          : make_padded_runner(parts, data);
  };
  work.make_scorer = [&model, &dataset, &options, data](Part which) -> std::unique_ptr<PartScorer> {
    const DataPart part = data_part(dataset, which);
    return part.empty() ? nullptr
                        : make_part_scorer(model, dataset, part, options.batch_size,
                                           options.slips.choose_on_last_batch, data,
                                           options.slips.dropout_at_evaluation ? nullptr : options.group);
  };
  work.score_objective = [&model, &dataset, &options, monitored = work.monitored](std::uint64_t seed) {
    return score_objective(model, dataset, data_part(dataset, monitored), options.batch_size, seed);
  };
  return work;
}

}  // namespace factorgcn
