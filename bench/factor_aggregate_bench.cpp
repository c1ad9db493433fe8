// Micro-benchmark of factor_aggregate and its twins on the shapes of shapes.h: forward, and forward with backward.
//
// Built where Google Benchmark is installed: build/factor_aggregate_bench [--benchmark_filter=zinc]. items_per_second
// is edges times layers per second.
#include <ATen/ops/empty.h>
#include <benchmark/benchmark.h>
#include <torch/csrc/autograd/autograd.h>

#include "factorgcn/base/random.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/ops/factor_aggregate.h"
#include "random_batch.h"
#include "shapes.h"

namespace factorgcn::bench {
namespace {

enum class Kind { kShared, kPair, kEach };

/// The first layer's aggregation of a shape, on random values.
void aggregate(benchmark::State& state, const Shape& shape, Kind kind, bool backward) {
  RandomStream random(0, "bench");
  const GraphBatch batch = random_batch(shape, random);
  const std::int64_t nodes = batch.num_nodes(), factors = shape.factors[0], width = shape.hidden / factors;
  const auto values = [&](at::IntArrayRef size) { return random_values(size, random).requires_grad_(backward); };
  const at::Tensor h = values({nodes, width}), q = values({nodes, std::max<std::int64_t>(width / 2, 1)});
  const at::Tensor p = values({nodes, factors, q.size(1)}), left = values({nodes, factors}),
                   right = values({nodes, factors});
  const NodeWeights weights = node_weights(batch.edges, EdgeNorm::kSource);
  for (auto _ : state) {
    std::vector<at::Tensor> results, inputs{left, right};
    if (kind == Kind::kShared) {
      results = {factor_aggregate(batch.edges, h, left, right, weights, 6.0).out};
      inputs.push_back(h);
    } else if (kind == Kind::kPair) {
      const auto pair = factor_aggregate_pair(batch.edges, h, q, left, right, weights, 6.0);
      results = {pair.out, pair.q_out};
      inputs.insert(inputs.end(), {h, q});
    } else {
      results = {factor_aggregate_each(batch.edges, p, left, right, weights, 6.0)};
      inputs.push_back(p);
    }
    if (backward) {
      // The results themselves serve as upstream gradients: any values of that shape do.
      std::vector<at::Tensor> upstream;
      for (const at::Tensor& result : results) {
        upstream.push_back(result.detach());
      }
      benchmark::DoNotOptimize(torch::autograd::grad(results, inputs, upstream));
    }
    benchmark::DoNotOptimize(results);
  }
  state.SetItemsProcessed(state.iterations() * batch.num_edges());
}

void register_all() {
  const std::pair<const char*, Kind> kinds[]{{"factor_aggregate", Kind::kShared},
                                             {"factor_aggregate_pair", Kind::kPair},
                                             {"factor_aggregate_each", Kind::kEach}};
  for (const Shape& shape : shapes()) {
    if (shape.name == "big") {
      continue;  // minutes and gigabytes: factorgcn-bench --shape big
    }
    for (const auto& [name, kind] : kinds) {
      for (const bool backward : {false, true}) {
        const std::string title = std::string(name) + "/" + shape.name + (backward ? "/forward+backward" : "/forward");
        benchmark::RegisterBenchmark(
            title.c_str(),
            [&shape, kind = kind, backward](benchmark::State& state) { aggregate(state, shape, kind, backward); })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
    }
  }
}

}  // namespace
}  // namespace factorgcn::bench

int main(int count, char** words) {
  factorgcn::prepare_process();
  factorgcn::bench::register_all();
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
