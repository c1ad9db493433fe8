// The aligned model's training step with all mechanisms at work, on the shape of peer_aligned.py: 500 graphs of 15
// nodes and 20 pairs, two of four labels each.
#pragma once

#include <ATen/core/grad_mode.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "factorgcn/gpu/device.h"
#include "timed_step.h"

namespace factorgcn::bench {

struct AlignedShape {
  std::int64_t graphs = 500, nodes = 15, pairs = 20, labels = 4, present = 2;
};

/// `count` of 0 .. all - 1.
inline std::vector<std::int64_t> draw(std::int64_t all, std::int64_t count, RandomStream& random) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(all));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  random.shuffle(std::span(numbers));
  numbers.resize(static_cast<std::size_t>(count));
  return numbers;
}

/// Each pair in both directions; one in ten has two parts on it.
inline GraphBatch aligned_batch(const AlignedShape& shape, RandomStream& random) {
  std::vector<Graph> graphs(static_cast<std::size_t>(shape.graphs));
  for (Graph& graph : graphs) {
    graph.num_nodes = shape.nodes;
    graph.features = at::zeros({shape.nodes, 1}, at::TensorOptions().dtype(at::kFloat));
    for (const std::int64_t number : draw(shape.nodes * (shape.nodes - 1) / 2, shape.pairs, random)) {
      // Pairs are numbered row by row below the diagonal.
      std::int32_t right = 1;
      while (right * (right + 1) / 2 <= number) {
        ++right;
      }
      const auto left = static_cast<std::int32_t>(number - right * (right - 1) / 2);
      const float weight = random.chance(0.1) ? 2.0F : 1.0F;
      graph.source.insert(graph.source.end(), {left, right});
      graph.target.insert(graph.target.end(), {right, left});
      graph.weight.insert(graph.weight.end(), {weight, weight});
    }
  }
  return make_batch(graphs);
}

inline StepTime time_aligned_step(const AlignedShape& shape, const at::Device& device, const Timing& timing,
                                  RandomStream& random) {
  const GraphBatch batch = aligned_batch(shape, random);  // in main memory, as in training
  Lesson lesson{at::zeros({shape.graphs, shape.labels}, at::TensorOptions().dtype(at::kFloat)), 1, 0};
  for (std::int64_t graph = 0; graph < shape.graphs; ++graph) {
    for (const std::int64_t label : draw(shape.labels, shape.present, random)) {
      lesson.targets.data_ptr<float>()[graph * shape.labels + label] = 1.0F;
    }
  }
  ModelInput input;
  input.task = Task::kMultiLabel;
  input.in_features = 1;
  input.outputs = shape.labels;
  input.edge_weights = true;
  const auto model = make_model("aligned", input, {{"edge_weights", true}}, 0);
  {
    // As many factors hold edges as labels are present, so that new graphs are as large as the others.
    const at::NoGradGuard no_gradient;
    const at::Tensor bias = model->named_parameters()["score3_bias"];
    for (std::int64_t label = 0; label < shape.labels; ++label) {
      bias[label] = label % 2 == 0 ? 3.0 : -3.0;
    }
  }
  model->to(device);
  const at::Tensor targets = lesson.targets.to(device);
  Adam adam(model->parameters(), {});
  const auto step = [&] {
    adam.zero_gradients();
    ++lesson.seed;
    const ModelOutput output = model->lesson(batch, lesson);
    const at::Tensor loss = at::binary_cross_entropy_with_logits(output.prediction, targets) + output.regulariser;
    loss.backward();
    adam.limit_gradients(5);
    adam.step();
    loss.item<double>();
  };
  StepTime result;
  std::vector<double> times = time_on_cpu(step, timing);  // on a GPU, too: the host waits for each step's loss
  std::sort(times.begin(), times.end());
  result.median_ms = times[times.size() / 2];
  result.best_ms = times.front();
  result.peak_mib = device.is_cpu() ? peak_memory_mib() : gpu_peak_mib(device);
  return result;
}

}  // namespace factorgcn::bench
