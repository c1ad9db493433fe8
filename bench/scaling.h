// Time per edge over four decades of graph sizes: does a step cost the same per edge on a small and on a large graph?
//
// One graph, 20 edges a node on average, the widths of the shape given; a whole training step. Ends of edges are drawn
// uniformly, or so that degrees follow a power law (node_spread.h).
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "node_spread.h"
#include "timed_step.h"

namespace factorgcn::bench {

constexpr std::int64_t kScalingDegree = 20;

inline GraphBatch scaling_batch(std::int64_t edges, std::int64_t columns, bool power_law, RandomStream& random) {
  const std::int64_t nodes = std::max<std::int64_t>(edges / kScalingDegree, 1);
  const NodeSpread spread(nodes);
  const auto draw = [&] {
    return power_law ? spread.node_at(random.uniform())
                     : static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
  };
  std::vector<std::int32_t> source(static_cast<std::size_t>(edges)), target(source.size());
  for (std::size_t e = 0; e < source.size(); ++e) {
    source[e] = draw();
    target[e] = draw();
  }
  GraphBatch batch;
  batch.edges = build_adjacency(nodes, source, target, "benchmark graph");
  batch.graph_offsets = at::empty({2}, at::TensorOptions().dtype(at::kLong));
  batch.graph_offsets.data_ptr<std::int64_t>()[0] = 0;
  batch.graph_offsets.data_ptr<std::int64_t>()[1] = nodes;
  batch.features = random_values({nodes, columns}, random);
  return batch;
}

/// One line per size, from 1e5 edges to `most`, half a decade apart.
inline void run_scaling(const Shape& shape, const std::string& device_name, bool power_law, std::int64_t most,
                        const Timing& timing, bool json) {
  const at::Device device = device_from_name(device_name);
  const char* degrees = power_law ? "power" : "uniform";
  if (!json) {
    std::printf("%s, %s degrees\n%12s %10s %10s %10s %10s\n", device_name.c_str(), degrees, "edges", "longest", "ms",
                "ns/edge", "peak MiB");
  }
  double best = 0, worst = 0;
  for (int half = 10; half <= 20; ++half) {
    const auto edges = static_cast<std::int64_t>(std::llround(std::pow(10.0, half / 2.0)));
    if (edges > most + most / 100) {
      break;
    }
    RandomStream random(0, "bench/scaling");
    const GraphBatch here = scaling_batch(edges, shape.in, power_law, random);
    const auto longest = here.edges.in_offsets.diff().max().item<std::int64_t>();
    const GraphBatch there = move_batch(here, device);
    if (!device.is_cpu()) {
      reset_gpu_peak(device);
    }
    const StepTime time = time_training_step(shape, there, timing, random);
    const double per_edge = time.median_ms * 1e6 / static_cast<double>(edges);
    best = best == 0 ? per_edge : std::min(best, per_edge);
    worst = std::max(worst, per_edge);
    std::printf(json ? "{\"edges\": %lld, \"longest_row\": %lld, \"ms\": %.3f, \"ns_per_edge\": %.3f, "
                       "\"peak_mib\": %.0f, \"degrees\": \"%s\"}\n"
                     : "%12lld %10lld %10.3f %10.3f %10.0f\n",
                static_cast<long long>(edges), static_cast<long long>(longest), time.median_ms, per_edge, time.peak_mib,
                degrees);
    std::fflush(stdout);
  }
  if (!json) {
    std::printf("slowest size over fastest: %.2f\n", worst / best);
  }
}

}  // namespace factorgcn::bench
