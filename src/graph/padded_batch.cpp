// Packing, capacities and the CPU's way of assembling; the GPU's is in graph/cuda/, on the same arithmetic.
#include "factorgcn/graph/padded_batch.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/graph/sparse_features.h"
#include "graph/gpu_assemble.h"
#include "graph/padding.h"

namespace factorgcn {
namespace {

/// First edges from degrees: running sums that begin again with each graph.
at::Tensor starts_of(const at::Tensor& degrees, const at::Tensor& node_offsets) {
  at::Tensor starts = at::empty(degrees.sizes(), degrees.options());
  const auto* degree = degrees.data_ptr<std::int32_t>();
  const auto* offsets = node_offsets.data_ptr<std::int64_t>();
  auto* start = starts.data_ptr<std::int32_t>();
  for (std::int64_t graph = 0; graph + 1 < node_offsets.numel(); ++graph) {
    std::int32_t sum = 0;
    for (std::int64_t node = offsets[graph]; node < offsets[graph + 1]; ++node) {
      start[node] = sum;
      sum += degree[node];
    }
  }
  return starts;
}

std::int64_t words_of(const at::Tensor& rows) {
  const std::int64_t columns = rows.dim() == 2 ? rows.size(1) : 1;
  return columns * static_cast<std::int64_t>(rows.element_size()) / 4;
}

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

/// Sizes of the graphs that batches are drawn from.
struct Sizes {
  std::vector<std::int64_t> of;
  double mean = 0, deviation = 0;

  Sizes(const at::Tensor& offsets, std::span<const std::int64_t> graphs) {
    const auto* offset = offsets.data_ptr<std::int64_t>();
    for (const std::int64_t graph : graphs) {
      of.push_back(offset[graph + 1] - offset[graph]);
      mean += static_cast<double>(of.back());
    }
    const auto count = static_cast<double>(of.size());
    mean /= count;
    for (const std::int64_t size : of) {
      const double difference = static_cast<double>(size) - mean;
      deviation += difference * difference;
    }
    deviation = std::sqrt(deviation / count);
  }

  /// The sum of the largest.
  std::int64_t most(std::int64_t batch) const {
    std::vector<std::int64_t> sorted = of;
    std::nth_element(sorted.begin(), sorted.begin() + (batch - 1), sorted.end(), std::greater<>());
    std::int64_t sum = 0;
    for (std::int64_t index = 0; index < batch; ++index) {
      sum += sorted[static_cast<std::size_t>(index)];
    }
    return sum;
  }

  /// Mean of a batch's sum plus some standard deviations of it, drawn without replacement.
  std::int64_t likely(std::int64_t batch, double deviations) const {
    const auto count = static_cast<double>(of.size()), size = static_cast<double>(batch);
    const double spread = of.size() < 2 ? 0 : deviation * std::sqrt(size * (count - size) / (count - 1));
    return static_cast<std::int64_t>(std::ceil(mean * size + deviations * spread));
  }
};

/// Room for the padding's own graph and node, and dummy graphs of about the real ones' size.
BatchCapacity with_padding(std::int64_t graphs, std::int64_t nodes, std::int64_t edges, double mean_nodes,
                           double usual_nodes) {
  BatchCapacity capacity;
  capacity.nodes = round_up(nodes + 1, 32);
  capacity.edges = round_up(edges, 32);
  const double spare = (static_cast<double>(capacity.nodes) - usual_nodes) / mean_nodes;
  capacity.graphs = graphs + std::max<std::int64_t>(1, static_cast<std::int64_t>(spare));
  require(capacity.nodes < std::numeric_limits<std::int32_t>::max(), "batches of ", graphs, " graphs may have ",
          capacity.nodes, " nodes; node ids are 32-bit, so choose a smaller batch size");
  return capacity;
}

/// Every tensor of a padded batch as a view of one buffer.
class Carver {
 public:
  /// Without a buffer it only measures.
  explicit Carver(at::Tensor buffer = {}) : buffer_(std::move(buffer)) {}

  at::Tensor take(at::IntArrayRef shape, at::ScalarType type) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
      count *= extent;
    }
    const std::int64_t bytes = count * static_cast<std::int64_t>(c10::elementSize(type)), begin = used_;
    used_ += round_up(std::max<std::int64_t>(bytes, 1), 256);
    return buffer_.defined() ? buffer_.narrow(0, begin, bytes).view(type).view(shape) : at::Tensor();
  }
  std::int64_t used() const { return used_; }

 private:
  at::Tensor buffer_;
  std::int64_t used_ = 0;
};

void carve(const PackedGraphs& packed, Carver& carver, PaddedBatch& batch) {
  const BatchCapacity& size = batch.capacity;
  const auto like = [&](const at::Tensor& rows, std::int64_t count) {
    return rows.dim() == 2 ? carver.take({count, rows.size(1)}, rows.scalar_type())
                           : carver.take({count}, rows.scalar_type());
  };
  batch.graphs.counts = carver.take({3}, at::kLong);
  batch.graphs.graph_offsets = carver.take({size.graphs + 1}, at::kLong);
  batch.graphs.edges.in_offsets = carver.take({size.nodes + 1}, at::kLong);
  batch.graphs.edges.out_offsets = carver.take({size.nodes + 1}, at::kLong);
  batch.graphs.edges.in_sources = carver.take({size.edges}, at::kInt);
  batch.graphs.edges.out_targets = carver.take({size.edges}, at::kInt);
  batch.graphs.edges.in_to_out = carver.take({size.edges}, at::kLong);
  batch.graphs.features = like(packed.features, size.nodes);
  batch.targets = like(packed.targets, packed.node_targets ? size.nodes : size.graphs);
  if (packed.edge_types.defined()) {
    batch.graphs.edge_types = carver.take({size.edges}, at::kInt);
  }
  if (packed.edge_weights.defined()) {
    batch.graphs.edge_weights = carver.take({size.edges}, at::kFloat);
  }
  batch.edge_firsts = carver.take({size.graphs + 1}, at::kLong);
  batch.node_places = carver.take({size.nodes}, at::kLong);
}

AssemblyPlan plan_of(const PackedGraphs& packed, const BatchChoice& choice, const PaddedBatch& batch) {
  AssemblyPlan plan;
  plan.node_offsets = packed.node_offsets.data_ptr<std::int64_t>();
  plan.edge_offsets = packed.edge_offsets.data_ptr<std::int64_t>();
  plan.in_starts = packed.in_starts.data_ptr<std::int32_t>();
  plan.out_starts = packed.out_starts.data_ptr<std::int32_t>();
  plan.in_sources = packed.in_sources.data_ptr<std::int32_t>();
  plan.out_targets = packed.out_targets.data_ptr<std::int32_t>();
  plan.in_to_out = packed.in_to_out.data_ptr<std::int32_t>();
  if (packed.edge_types.defined()) {
    plan.edge_types = packed.edge_types.data_ptr<std::int32_t>();
    plan.batch_edge_types = batch.graphs.edge_types.data_ptr<std::int32_t>();
  }
  if (packed.edge_weights.defined()) {
    plan.edge_weights = packed.edge_weights.data_ptr<float>();
    plan.batch_edge_weights = batch.graphs.edge_weights.data_ptr<float>();
  }
  plan.features = static_cast<const std::uint32_t*>(packed.features.data_ptr());
  plan.feature_words = words_of(packed.features);
  if (packed.targets.scalar_type() == at::kLong) {
    plan.classes = packed.targets.data_ptr<std::int64_t>();
    plan.batch_classes = batch.targets.data_ptr<std::int64_t>();
  } else {
    plan.target_rows = static_cast<const std::uint32_t*>(packed.targets.data_ptr());
    plan.batch_target_rows = static_cast<std::uint32_t*>(batch.targets.data_ptr());
    plan.target_words = words_of(packed.targets);
  }
  plan.node_targets = packed.node_targets;
  plan.counted = choice.counted.defined() ? choice.counted.data_ptr<bool>() : nullptr;
  plan.order = choice.order.data_ptr<std::int64_t>();
  plan.order_size = choice.order.numel();
  plan.batch_size = choice.batch_size;
  plan.position = choice.position.data_ptr<std::int64_t>();
  plan.graphs = batch.capacity.graphs;
  plan.nodes = batch.capacity.nodes;
  plan.edges = batch.capacity.edges;
  plan.counts = batch.graphs.counts.data_ptr<std::int64_t>();
  plan.graph_offsets = batch.graphs.graph_offsets.data_ptr<std::int64_t>();
  plan.edge_firsts = batch.edge_firsts.data_ptr<std::int64_t>();
  plan.node_places = batch.node_places.data_ptr<std::int64_t>();
  plan.in_offsets = batch.graphs.edges.in_offsets.data_ptr<std::int64_t>();
  plan.out_offsets = batch.graphs.edges.out_offsets.data_ptr<std::int64_t>();
  plan.batch_sources = batch.graphs.edges.in_sources.data_ptr<std::int32_t>();
  plan.batch_targets = batch.graphs.edges.out_targets.data_ptr<std::int32_t>();
  plan.batch_in_to_out = batch.graphs.edges.in_to_out.data_ptr<std::int64_t>();
  plan.batch_features = static_cast<std::uint32_t*>(batch.graphs.features.data_ptr());
  return plan;
}

void assemble_on_cpu(const AssemblyPlan& plan) {
  const std::int64_t real = real_graphs_of(plan);
  std::int64_t nodes = 0, edges = 0;
  for (std::int64_t slot = 0; slot < real; ++slot) {
    const std::int64_t graph = graph_at(plan, slot);
    plan.graph_offsets[slot] = nodes;
    plan.edge_firsts[slot] = edges;
    nodes += plan.node_offsets[graph + 1] - plan.node_offsets[graph];
    edges += plan.edge_offsets[graph + 1] - plan.edge_offsets[graph];
  }
  require(BatchCapacity{plan.graphs, plan.nodes, plan.edges}.holds(real, nodes, edges), "a batch of ", real,
          " graphs, ", nodes, " nodes and ", edges, " edges does not fit into one of ", plan.graphs, ", ", plan.nodes,
          " and ", plan.edges);
  plan.counts[0] = real;
  plan.counts[1] = nodes;
  plan.counts[2] = edges;
  for (std::int64_t slot = real; slot <= plan.graphs; ++slot) {
    place_dummy_graph(plan, real, nodes, slot);
    plan.edge_firsts[slot] = edges;
  }
  const std::int64_t words = plan.classes != nullptr ? 1 : plan.target_words;
  for (std::int64_t slot = 0; !plan.node_targets && slot < plan.graphs; ++slot) {
    for (std::int64_t word = 0; word < words; ++word) {
      place_graph_target(plan, real, slot, word);
    }
  }
  const auto copy_features = [&](std::int64_t node) {
    for (std::int64_t word = 0; word < plan.feature_words; ++word) {
      place_feature(plan, node, word);
    }
  };
  // Each graph writes its own places, so how they are spread over threads cannot change the result.
  constexpr std::int64_t kGraphsPerTask = 64;
  parallel_tasks((real + kGraphsPerTask - 1) / kGraphsPerTask, [&](std::int64_t task) {
    for (std::int64_t slot = task * kGraphsPerTask; slot < std::min(real, (task + 1) * kGraphsPerTask); ++slot) {
      const std::int64_t node_end = slot + 1 < real ? plan.graph_offsets[slot + 1] : nodes;
      const std::int64_t edge_end = slot + 1 < real ? plan.edge_firsts[slot + 1] : edges;
      for (std::int64_t node = plan.graph_offsets[slot]; node < node_end; ++node) {
        place_real_node(plan, slot, node);
        copy_features(node);
      }
      for (std::int64_t edge = plan.edge_firsts[slot]; edge < edge_end; ++edge) {
        place_real_edge(plan, slot, edge);
      }
    }
  });
  for (std::int64_t node = nodes; node <= plan.nodes; ++node) {
    place_padding_node(plan, nodes, edges, node);
    if (node < plan.nodes) {
      copy_features(node);
    }
  }
  for (std::int64_t edge = edges; edge < plan.edges; ++edge) {
    place_padding_edge(plan, nodes, edges, edge);
  }
}

}  // namespace

std::int64_t PackedGraphs::bytes() const {
  std::int64_t sum = 0;
  for (const at::Tensor* tensor : {&node_offsets, &edge_offsets, &in_starts, &out_starts, &in_sources, &out_targets,
                                   &in_to_out, &edge_types, &edge_weights, &features, &targets}) {
    sum += tensor->defined() ? static_cast<std::int64_t>(tensor->nbytes()) : 0;
  }
  return sum;
}

PackedGraphs pack_graphs(const GraphStore& store, const at::Tensor& targets, bool node_targets) {
  require(store.num_graphs() > 0, "there are no graphs to pack");
  require(targets.defined() && (targets.scalar_type() == at::kLong ? targets.dim() == 1 : targets.dim() == 2),
          "targets must be int64 [rows] or float [rows, columns]");
  require(targets.size(0) == (node_targets ? store.num_nodes() : store.num_graphs()), "there are ", targets.size(0),
          " targets for ", store.num_graphs(), " graphs of ", store.num_nodes(), " nodes");
  require(!node_targets || targets.scalar_type() == at::kLong, "targets of nodes must be classes, int64");
  PackedGraphs packed;
  packed.node_offsets = store.node_offsets;
  packed.edge_offsets = store.edge_offsets;
  packed.in_starts = starts_of(store.in_degrees, store.node_offsets);
  packed.out_starts = starts_of(store.out_degrees, store.node_offsets);
  packed.in_sources = store.in_sources;
  packed.out_targets = store.out_targets;
  packed.in_to_out = store.in_to_out;
  packed.edge_types = store.edge_types;
  packed.edge_weights = store.edge_weights;
  packed.features = dense_features(store.features).contiguous();
  packed.targets = targets.contiguous();
  packed.node_targets = node_targets;
  return packed;
}

PackedGraphs move_packed(const PackedGraphs& packed, at::Device device) {
  PackedGraphs moved = packed;
  for (at::Tensor* tensor : {&moved.node_offsets, &moved.edge_offsets, &moved.in_starts, &moved.out_starts,
                             &moved.in_sources, &moved.out_targets, &moved.in_to_out, &moved.edge_types,
                             &moved.edge_weights, &moved.features, &moved.targets}) {
    *tensor = tensor->defined() ? tensor->to(device) : *tensor;
  }
  return moved;
}

std::vector<BatchCapacity> drawn_capacities(const GraphStore& store, std::span<const std::int64_t> graphs,
                                            std::int64_t batch_size) {
  require(!graphs.empty() && batch_size >= 1, "batches of ", batch_size, " from ", graphs.size(), " graphs");
  const std::int64_t batch = std::min(batch_size, static_cast<std::int64_t>(graphs.size()));
  const Sizes nodes(store.node_offsets, graphs), edges(store.edge_offsets, graphs);
  const std::int64_t most_nodes = nodes.most(batch), most_edges = edges.most(batch);
  const double usual = nodes.mean * static_cast<double>(batch);
  std::vector<BatchCapacity> capacities;
  // A larger batch than the first holds is one in seven or so: it costs more padding, and another recording.
  for (const double deviations : {1.5, 4.0}) {
    capacities.push_back(with_padding(batch, std::min(most_nodes, nodes.likely(batch, deviations)),
                                      std::min(most_edges, edges.likely(batch, deviations)), nodes.mean, usual));
  }
  capacities.push_back(with_padding(batch, most_nodes, most_edges, nodes.mean, usual));
  capacities.erase(std::unique(capacities.begin(), capacities.end()), capacities.end());
  return capacities;
}

BatchCapacity listed_capacity(const GraphStore& store, std::span<const std::int64_t> graphs, std::int64_t batch_size) {
  require(!graphs.empty() && batch_size >= 1, "batches of ", batch_size, " from ", graphs.size(), " graphs");
  const Sizes nodes(store.node_offsets, graphs), edges(store.edge_offsets, graphs);
  std::int64_t most_nodes = 0, most_edges = 0;
  const auto size = static_cast<std::size_t>(batch_size);
  for (std::size_t begin = 0; begin < graphs.size(); begin += size) {
    std::int64_t node_sum = 0, edge_sum = 0;
    for (std::size_t index = begin; index < std::min(begin + size, graphs.size()); ++index) {
      node_sum += nodes.of[index];
      edge_sum += edges.of[index];
    }
    most_nodes = std::max(most_nodes, node_sum);
    most_edges = std::max(most_edges, edge_sum);
  }
  const std::int64_t batch = std::min(batch_size, static_cast<std::int64_t>(graphs.size()));
  return with_padding(batch, most_nodes, most_edges, nodes.mean, static_cast<double>(most_nodes));
}

std::int64_t padded_batch_bytes(const PackedGraphs& packed, const BatchCapacity& capacity) {
  PaddedBatch batch;
  batch.capacity = capacity;
  Carver ruler;
  carve(packed, ruler, batch);
  return ruler.used();
}

PaddedBatch padded_batch_in(const PackedGraphs& packed, const BatchCapacity& capacity, const at::Tensor& buffer) {
  const std::int64_t bytes = padded_batch_bytes(packed, capacity);
  require(buffer.scalar_type() == at::kByte && buffer.numel() == bytes && buffer.is_contiguous(), "a batch needs ",
          bytes, " bytes; there are ", buffer.numel());
  PaddedBatch batch;
  batch.capacity = capacity;
  batch.buffer = buffer;
  Carver carver(buffer);
  carve(packed, carver, batch);
  return batch;
}

PaddedBatch make_padded_batch(const PackedGraphs& packed, const BatchCapacity& capacity, at::Device device) {
  const auto type = at::TensorOptions().dtype(at::kByte).device(device);
  return padded_batch_in(packed, capacity, at::empty({padded_batch_bytes(packed, capacity)}, type).zero_());
}

void assemble_batch(const PackedGraphs& packed, const BatchChoice& choice, const PaddedBatch& batch) {
  require(choice.batch_size >= 1, "batch size is ", choice.batch_size, "; it must be at least 1");
  const at::Device device = batch.buffer.device();
  for (const at::Tensor* tensor : {&packed.features, &choice.order, &choice.position}) {
    require(tensor->device() == device, "a batch on ", device, " cannot be assembled from data on ", tensor->device());
  }
  const AssemblyPlan plan = plan_of(packed, choice, batch);
  if (device.is_cpu()) {
    assemble_on_cpu(plan);
  } else {
    gpu_assemble(plan, device);
  }
}

}  // namespace factorgcn
