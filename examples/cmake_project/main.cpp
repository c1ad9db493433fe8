// Two small graphs through one disentangle layer: prints how strongly each edge belongs to each factor.
//
// The layer is untrained, so the coefficients only show the mechanics; see `factorgcn train` for a layer that has
// learnt.
#include <ATen/core/Tensor.h>
#include <ATen/ops/eye.h>
#include <c10/core/GradMode.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "factorgcn/base/random.h"
#include "factorgcn/graph/graph.h"
#include "factorgcn/graph/graph_batch.h"
#include "factorgcn/nn/disentangle_layer.h"
#include "factorgcn/ops/factor_aggregate.h"
#include "factorgcn/version.h"

namespace {

constexpr std::int64_t kFeatures = 5;
constexpr std::int64_t kFactors = 2;

/// A ring of `nodes` nodes with self loops; the features of a node are its row of the identity matrix.
factorgcn::Graph make_ring(const char* name, std::int32_t nodes) {
  factorgcn::Graph graph;
  graph.name = name;
  graph.num_nodes = nodes;
  for (std::int32_t node = 0; node < nodes; ++node) {
    graph.source.push_back(node);
    graph.target.push_back((node + 1) % nodes);
  }
  graph.features = at::eye(nodes, kFeatures);
  factorgcn::make_undirected(graph);
  factorgcn::add_self_loops(graph);
  factorgcn::check_graph(graph);
  return graph;
}

void run() {
  const std::array<factorgcn::Graph, 2> graphs = {make_ring("triangle", 3), make_ring("pentagon", 5)};
  const factorgcn::GraphBatch batch = factorgcn::make_batch(graphs);
  std::printf("factorgcn %s: a batch of %lld graphs, %lld nodes, %lld edges\n", FACTORGCN_VERSION,
              static_cast<long long>(batch.num_graphs()), static_cast<long long>(batch.num_nodes()),
              static_cast<long long>(batch.num_edges()));

  const at::NoGradGuard no_grad;
  factorgcn::RandomStream random(0, "example/weights");
  factorgcn::DisentangleLayer layer(factorgcn::DisentangleLayerOptions{.in = kFeatures, .out = 8, .factors = kFactors},
                                    random);
  const auto weights = factorgcn::node_weights(batch.edges, factorgcn::EdgeNorm::kSource);
  const auto output = layer->forward(batch.edges, batch.features, weights);
  const at::Tensor coefficients = layer->coefficients(batch.edges, output).contiguous();

  std::printf("factor coefficients of each edge:\n");
  const auto* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
  const auto* sources = batch.edges.in_sources.data_ptr<std::int32_t>();
  const auto* values = coefficients.data_ptr<double>();
  for (std::int64_t target = 0; target < batch.num_nodes(); ++target) {
    for (std::int64_t edge = offsets[target]; edge < offsets[target + 1]; ++edge) {
      std::printf("  %2d -> %2lld ", sources[edge], static_cast<long long>(target));
      for (std::int64_t factor = 0; factor < kFactors; ++factor) {
        std::printf(" %.3f", values[edge * kFactors + factor]);
      }
      std::printf("\n");
    }
  }
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
