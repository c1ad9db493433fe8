// Packs graphs into flat arrays and cuts batches out of them. Cutting is part of every training step: raw pointers, one
// pass over what is selected, no sorting, and threads only where there is enough to copy.
#include "factorgcn/graph/graph_store.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/graph/sparse_features.h"
#include "graph/edge_orders.h"
#include "graph/tensor_checks.h"

namespace factorgcn {
namespace {

/// Below about this many bytes of output a task is not worth a thread: waking one costs more than copying them.
constexpr std::int64_t kTaskBytes = std::int64_t{1} << 21;

bool has_types(const GraphStore& store) { return store.features.scalar_type() == at::kLong; }

std::int64_t feature_columns(const at::Tensor& features) { return features.dim() == 2 ? features.size(1) : 1; }

/// Of what is copied row by row; sparse rows are gathered on their own.
std::int64_t feature_row_bytes(const at::Tensor& features) {
  return is_sparse(features) ? 0 : feature_columns(features) * static_cast<std::int64_t>(features.element_size());
}

at::Tensor empty_features(std::int64_t nodes, const at::Tensor& like) {
  return like.dim() == 2 ? at::empty({nodes, like.size(1)}, like.scalar_type())
                         : at::empty({nodes}, like.scalar_type());
}

void check_same_features(const Graph& graph, const Graph& first) {
  require(graph.features.scalar_type() == first.features.scalar_type(), graph.name, ": features have type ",
          c10::toString(graph.features.scalar_type()), ", but those of ", first.name, " have type ",
          c10::toString(first.features.scalar_type()), "; all graphs must have the same");
  require(feature_columns(graph.features) == feature_columns(first.features), graph.name, ": features have ",
          feature_columns(graph.features), " columns, but those of ", first.name, " have ",
          feature_columns(first.features), "; all graphs must have the same");
  require(is_sparse(graph.features) == is_sparse(first.features), graph.name, ": features are ",
          is_sparse(graph.features) ? "sparse" : "dense", ", but those of ", first.name,
          " are not; all graphs must have the same");
  require(graph.source.empty() || first.source.empty() || graph.weight.empty() == first.weight.empty(), graph.name,
          ": its edges have ", graph.weight.empty() ? "no " : "", "weights, but those of ", first.name, " have ",
          first.weight.empty() ? "none" : "some", "; all graphs must have the same");
}

/// The sparse features of all graphs, one below the other.
at::Tensor joined_rows(std::span<const Graph> graphs) {
  std::vector<at::Tensor> offsets, columns, values;
  std::int64_t entries = 0;
  for (const Graph& graph : graphs) {
    const SparseRows rows = sparse_rows(graph.features);
    const bool last = &graph == &graphs.back();
    offsets.push_back((last ? rows.offsets : rows.offsets.narrow(0, 0, rows.rows())) + entries);
    columns.push_back(rows.columns);
    values.push_back(rows.values);
    entries += rows.entries();
    require(entries <= std::numeric_limits<std::int32_t>::max(), graph.name, ": with it there are ", entries,
            " features that are not 0; at most ", std::numeric_limits<std::int32_t>::max(), " are possible");
  }
  return sparse_features({at::cat(offsets), at::cat(columns), at::cat(values), graphs[0].features.size(1)});
}

/// Where a batch is read from and written to.
struct CopyPlan {
  const std::int64_t* node_offsets;
  const std::int64_t* edge_offsets;
  const std::int32_t* in_degrees;
  const std::int32_t* in_sources;
  const std::int32_t* out_degrees;
  const std::int32_t* out_targets;
  const std::int32_t* in_to_out;
  const char* features;
  std::int64_t row_bytes;
  const std::int32_t* edge_types;  // null where there are none
  const float* edge_weights;       // likewise

  std::int64_t* batch_in_offsets;
  std::int32_t* batch_in_sources;
  std::int64_t* batch_out_offsets;
  std::int32_t* batch_out_targets;
  std::int64_t* batch_in_to_out;
  char* batch_features;
  std::int32_t* batch_edge_types;
  float* batch_edge_weights;
};

void write_offsets(const std::int32_t* degrees, std::int64_t count, std::int64_t first,
                   std::int64_t* __restrict__ offsets) {
  for (std::int64_t node = 0; node < count; ++node) {
    offsets[node] = first;
    first += degrees[node];
  }
}

void write_shifted(const std::int32_t* values, std::int64_t count, std::int32_t shift,
                   std::int32_t* __restrict__ shifted) {
  for (std::int64_t index = 0; index < count; ++index) {
    shifted[index] = values[index] + shift;
  }
}

void write_shifted(const std::int32_t* values, std::int64_t count, std::int64_t shift,
                   std::int64_t* __restrict__ shifted) {
  for (std::int64_t index = 0; index < count; ++index) {
    shifted[index] = values[index] + shift;
  }
}

/// Copies one graph to where its nodes and edges start in the batch.
void copy_graph(const CopyPlan& plan, std::int64_t graph, std::int64_t first_node, std::int64_t first_edge) {
  const std::int64_t node = plan.node_offsets[graph];
  const std::int64_t edge = plan.edge_offsets[graph];
  const std::int64_t nodes = plan.node_offsets[graph + 1] - node;
  const std::int64_t edges = plan.edge_offsets[graph + 1] - edge;
  const auto shift = static_cast<std::int32_t>(first_node);
  write_offsets(plan.in_degrees + node, nodes, first_edge, plan.batch_in_offsets + first_node);
  write_offsets(plan.out_degrees + node, nodes, first_edge, plan.batch_out_offsets + first_node);
  write_shifted(plan.in_sources + edge, edges, shift, plan.batch_in_sources + first_edge);
  write_shifted(plan.out_targets + edge, edges, shift, plan.batch_out_targets + first_edge);
  write_shifted(plan.in_to_out + edge, edges, first_edge, plan.batch_in_to_out + first_edge);
  if (plan.row_bytes > 0) {
    std::memcpy(plan.batch_features + first_node * plan.row_bytes, plan.features + node * plan.row_bytes,
                static_cast<std::size_t>(nodes * plan.row_bytes));
  }
  if (plan.edge_types != nullptr) {
    std::copy_n(plan.edge_types + edge, edges, plan.batch_edge_types + first_edge);
  }
  if (plan.edge_weights != nullptr) {
    std::copy_n(plan.edge_weights + edge, edges, plan.batch_edge_weights + first_edge);
  }
}

}  // namespace

GraphStore make_store(std::span<const Graph> graphs) {
  require(!graphs.empty(), "no graphs were given; at least 1 is needed to know the features' type");
  const auto count = static_cast<std::int64_t>(graphs.size());
  GraphStore store;
  store.node_offsets = at::empty({count + 1}, at::kLong);
  store.edge_offsets = at::empty({count + 1}, at::kLong);
  auto* node_offsets = store.node_offsets.data_ptr<std::int64_t>();
  auto* edge_offsets = store.edge_offsets.data_ptr<std::int64_t>();
  node_offsets[0] = 0;
  edge_offsets[0] = 0;
  std::int64_t most_nodes = 0;
  for (std::int64_t index = 0; index < count; ++index) {
    const Graph& graph = graphs[static_cast<std::size_t>(index)];
    check_graph(graph);
    check_same_features(graph, graphs[0]);
    const auto edges = static_cast<std::int64_t>(graph.source.size());
    require(edges <= std::numeric_limits<std::int32_t>::max(), graph.name, ": it has ", edges,
            " edges; a stored graph has at most ", std::numeric_limits<std::int32_t>::max());
    node_offsets[index + 1] = node_offsets[index] + graph.num_nodes;
    edge_offsets[index + 1] = edge_offsets[index] + edges;
    most_nodes = std::max(most_nodes, graph.num_nodes);
  }

  const std::int64_t nodes = node_offsets[count];
  const std::int64_t edges = edge_offsets[count];
  store.in_degrees = at::empty({nodes}, at::kInt);
  store.out_degrees = at::empty({nodes}, at::kInt);
  store.in_sources = at::empty({edges}, at::kInt);
  store.out_targets = at::empty({edges}, at::kInt);
  store.in_to_out = at::empty({edges}, at::kInt);
  if (std::any_of(graphs.begin(), graphs.end(), [](const Graph& graph) { return !graph.weight.empty(); })) {
    store.edge_weights = at::empty({edges}, at::kFloat);
  }
  const bool sparse = is_sparse(graphs[0].features);
  store.features = sparse ? joined_rows(graphs) : empty_features(nodes, graphs[0].features);
  const std::int64_t row_bytes = feature_row_bytes(store.features);
  auto* features = sparse ? nullptr : static_cast<char*>(store.features.data_ptr());
  std::vector<std::int64_t> in_next(static_cast<std::size_t>(most_nodes));
  std::vector<std::int64_t> out_next(static_cast<std::size_t>(most_nodes));
  for (std::int64_t index = 0; index < count; ++index) {
    const Graph& graph = graphs[static_cast<std::size_t>(index)];
    auto* in_degrees = store.in_degrees.data_ptr<std::int32_t>() + node_offsets[index];
    auto* out_degrees = store.out_degrees.data_ptr<std::int32_t>() + node_offsets[index];
    std::fill_n(in_degrees, graph.num_nodes, 0);
    std::fill_n(out_degrees, graph.num_nodes, 0);
    for (std::size_t edge = 0; edge < graph.source.size(); ++edge) {
      ++in_degrees[graph.target[edge]];
      ++out_degrees[graph.source[edge]];
    }
    write_offsets(in_degrees, graph.num_nodes, 0, in_next.data());
    write_offsets(out_degrees, graph.num_nodes, 0, out_next.data());
    place_edges(std::span<const std::int32_t>(graph.source), std::span<const std::int32_t>(graph.target),
                in_next.data(), out_next.data(), store.in_sources.data_ptr<std::int32_t>() + edge_offsets[index],
                store.out_targets.data_ptr<std::int32_t>() + edge_offsets[index],
                store.in_to_out.data_ptr<std::int32_t>() + edge_offsets[index]);
    if (!graph.weight.empty()) {
      auto* const weights = store.edge_weights.data_ptr<float>() + edge_offsets[index];
      write_offsets(in_degrees, graph.num_nodes, 0, in_next.data());
      for (std::size_t edge = 0; edge < graph.weight.size(); ++edge) {
        weights[in_next[graph.target[edge]]++] = graph.weight[edge];
      }
    }
    if (sparse) {
      continue;
    }
    const at::Tensor source = graph.features.contiguous();
    std::memcpy(features + node_offsets[index] * row_bytes, source.data_ptr(),
                static_cast<std::size_t>(graph.num_nodes * row_bytes));
  }
  return store;
}

void check_store(const GraphStore& store, const std::string& name) {
  require(store.node_offsets.defined() && store.node_offsets.numel() > 0, name,
          ": node_offsets is missing or empty; it needs one more entry than there are graphs");
  require(store.features.defined() && store.features.dim() >= 1, name, ": features are missing");
  require(store.in_sources.defined(), name, ": in_sources is missing");
  const std::int64_t graphs = store.num_graphs();
  const std::int64_t nodes = store.num_nodes();
  const std::int64_t edges = store.num_edges();
  require_vector(store.node_offsets, at::kLong, graphs + 1, name, "node_offsets");
  require_vector(store.edge_offsets, at::kLong, graphs + 1, name, "edge_offsets");
  require_vector(store.in_degrees, at::kInt, nodes, name, "in_degrees");
  require_vector(store.out_degrees, at::kInt, nodes, name, "out_degrees");
  require_vector(store.in_sources, at::kInt, edges, name, "in_sources");
  require_vector(store.out_targets, at::kInt, edges, name, "out_targets");
  require_vector(store.in_to_out, at::kInt, edges, name, "in_to_out");
  if (store.edge_types.defined()) {
    require_vector(store.edge_types, at::kInt, edges, name, "edge_types");
  }
  if (store.edge_weights.defined()) {
    require_vector(store.edge_weights, at::kFloat, edges, name, "edge_weights");
  }
  if (has_types(store)) {
    require_vector(store.features, at::kLong, nodes, name, "features");
  } else if (is_sparse(store.features)) {
    check_sparse_rows(sparse_rows(store.features), name);
  } else {
    require_readable(store.features, at::kFloat, name, "features");
    require(store.features.dim() == 2 && store.features.size(1) >= 1, name, ": features have shape ",
            shape_text(store.features), "; it must be [nodes, columns] with at least 1 column");
    require(store.features.is_contiguous(), name, ": features are not contiguous; call contiguous() on them");
  }

  const auto* node_offsets = store.node_offsets.data_ptr<std::int64_t>();
  const auto* edge_offsets = store.edge_offsets.data_ptr<std::int64_t>();
  const auto whole = [&]() -> const std::string& { return name; };
  check_offsets(node_offsets, graphs, nodes, "node_offsets", whole);
  check_offsets(edge_offsets, graphs, edges, "edge_offsets", whole);
  std::vector<std::int64_t> in_offsets;
  std::vector<std::int64_t> out_offsets;
  std::vector<char> seen;
  for (std::int64_t graph = 0; graph < graphs; ++graph) {
    const auto describe = [&] { return concat(name, ", graph ", graph); };
    const std::int64_t first_node = node_offsets[graph];
    const std::int64_t first_edge = edge_offsets[graph];
    const std::int64_t graph_nodes = node_offsets[graph + 1] - first_node;
    if (edge_offsets[graph + 1] - first_edge > std::numeric_limits<std::int32_t>::max()) {
      fail(describe(), ": it has ", edge_offsets[graph + 1] - first_edge, " edges; a stored graph has at most ",
           std::numeric_limits<std::int32_t>::max(), "; cut it into parts (factorgcn data partition)");
    }
    if (graph_nodes < 1) {
      fail(describe(), ": it has no nodes; a graph needs at least 1");
    }
    in_offsets.assign(1, 0);
    out_offsets.assign(1, 0);
    for (std::int64_t node = first_node; node < first_node + graph_nodes; ++node) {
      in_offsets.push_back(in_offsets.back() + store.in_degrees.data_ptr<std::int32_t>()[node]);
      out_offsets.push_back(out_offsets.back() + store.out_degrees.data_ptr<std::int32_t>()[node]);
    }
    check_edge_orders(
        EdgeOrders<std::int32_t>{graph_nodes, edge_offsets[graph + 1] - first_edge, in_offsets.data(),
                                 store.in_sources.data_ptr<std::int32_t>() + first_edge, out_offsets.data(),
                                 store.out_targets.data_ptr<std::int32_t>() + first_edge,
                                 store.in_to_out.data_ptr<std::int32_t>() + first_edge},
        seen, describe);
  }
}

GraphBatch select_graphs(const GraphStore& store, std::span<const std::int64_t> graphs) {
  require(store.features.defined() && store.node_offsets.defined(), "select_graphs(): the store is empty");
  const std::int64_t available = store.num_graphs();
  const auto count = static_cast<std::int64_t>(graphs.size());
  const auto* node_offsets = store.node_offsets.data_ptr<std::int64_t>();
  const auto* edge_offsets = store.edge_offsets.data_ptr<std::int64_t>();

  GraphBatch batch;
  batch.graph_offsets = at::empty({count + 1}, at::kLong);
  auto* first_nodes = batch.graph_offsets.data_ptr<std::int64_t>();
  std::vector<std::int64_t> first_edges(graphs.size() + 1);
  std::int64_t nodes = 0;
  std::int64_t edges = 0;
  for (std::int64_t index = 0; index < count; ++index) {
    const std::int64_t graph = graphs[static_cast<std::size_t>(index)];
    if (graph < 0 || graph >= available) [[unlikely]] {
      fail("select_graphs(): graph ", graph, " was asked for, but there are ", available,
           " graphs; indices must be in 0 .. ", available - 1);
    }
    first_nodes[index] = nodes;
    first_edges[static_cast<std::size_t>(index)] = edges;
    nodes += node_offsets[graph + 1] - node_offsets[graph];
    edges += edge_offsets[graph + 1] - edge_offsets[graph];
  }
  first_nodes[count] = nodes;
  first_edges[graphs.size()] = edges;
  require(nodes <= std::numeric_limits<std::int32_t>::max(), "select_graphs(): the batch would have ", nodes,
          " nodes; node ids are 32-bit, so take fewer graphs at a time");

  Adjacency& adjacency = batch.edges;
  adjacency.in_offsets = at::empty({nodes + 1}, at::kLong);
  adjacency.out_offsets = at::empty({nodes + 1}, at::kLong);
  adjacency.in_sources = at::empty({edges}, at::kInt);
  adjacency.out_targets = at::empty({edges}, at::kInt);
  adjacency.in_to_out = at::empty({edges}, at::kLong);
  const bool sparse = is_sparse(store.features);
  if (sparse) {
    std::vector<std::int64_t> firsts, counts;
    for (const std::int64_t graph : graphs) {
      firsts.push_back(node_offsets[graph]);
      counts.push_back(node_offsets[graph + 1] - node_offsets[graph]);
    }
    batch.features = gathered_rows(store.features, firsts, counts);
  } else {
    batch.features = empty_features(nodes, store.features);
  }
  if (store.edge_types.defined()) {
    batch.edge_types = at::empty({edges}, at::kInt);
  }
  if (store.edge_weights.defined()) {
    batch.edge_weights = at::empty({edges}, at::kFloat);
  }
  const auto types_of = [](const at::Tensor& types) {
    return types.defined() ? types.data_ptr<std::int32_t>() : nullptr;
  };
  const auto weights_of = [](const at::Tensor& weights) {
    return weights.defined() ? weights.data_ptr<float>() : nullptr;
  };
  const CopyPlan plan{node_offsets,
                      edge_offsets,
                      store.in_degrees.data_ptr<std::int32_t>(),
                      store.in_sources.data_ptr<std::int32_t>(),
                      store.out_degrees.data_ptr<std::int32_t>(),
                      store.out_targets.data_ptr<std::int32_t>(),
                      store.in_to_out.data_ptr<std::int32_t>(),
                      sparse ? nullptr : static_cast<const char*>(store.features.data_ptr()),
                      feature_row_bytes(store.features),
                      types_of(store.edge_types),
                      weights_of(store.edge_weights),
                      adjacency.in_offsets.data_ptr<std::int64_t>(),
                      adjacency.in_sources.data_ptr<std::int32_t>(),
                      adjacency.out_offsets.data_ptr<std::int64_t>(),
                      adjacency.out_targets.data_ptr<std::int32_t>(),
                      adjacency.in_to_out.data_ptr<std::int64_t>(),
                      sparse ? nullptr : static_cast<char*>(batch.features.data_ptr()),
                      types_of(batch.edge_types),
                      weights_of(batch.edge_weights)};
  plan.batch_in_offsets[nodes] = edges;
  plan.batch_out_offsets[nodes] = edges;

  // Tasks are runs of graphs with about equally many bytes. Each writes its own places, so how they are cut or run
  // cannot change the result.
  const auto bytes_before = [&](std::int64_t index) {
    return first_nodes[index] * (plan.row_bytes + 16) + first_edges[static_cast<std::size_t>(index)] * 16;
  };
  const std::int64_t total = bytes_before(count);
  const std::int64_t tasks = std::clamp<std::int64_t>(total / kTaskBytes, 1, std::max<std::int64_t>(count, 1));
  const auto first_of_task = [&](std::int64_t task) {
    if (task == tasks) {
      return count;
    }
    const std::int64_t wanted = total / tasks * task;
    std::int64_t low = 0;
    std::int64_t high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (bytes_before(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const auto run = [&](std::int64_t task) {
    const std::int64_t end = first_of_task(task + 1);
    for (std::int64_t index = first_of_task(task); index < end; ++index) {
      copy_graph(plan, graphs[static_cast<std::size_t>(index)], first_nodes[index],
                 first_edges[static_cast<std::size_t>(index)]);
    }
  };
  if (tasks == 1) {
    run(0);
  } else {
    parallel_tasks(tasks, run);
  }
  return batch;
}

}  // namespace factorgcn
