// Pairs go to tasks by their number, nodes and graphs likewise: the same bits for any number of threads.
#include "nn/aligned/pair_view.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/aligned/gather.h"
#include "ops/cpu/row_ranges.h"
#include "ops/registration.h"

namespace factorgcn::aligned {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor pair_columns(const PairGraphs& graphs, at::ScalarType type) {
  const at::Tensor multiplicity = graphs.multiplicity.to(type), walks = graphs.walks.to(type);
  const at::Tensor two = walks.select(1, 0);
  return at::stack({multiplicity, two / 3, walks.select(1, 1) / 10, walks.select(1, 2) / 30, two.gt(0).to(type)}, 1);
}

/// Rows that a thread takes at a time.
constexpr std::int64_t kRows = 128;

/// Sizes of a view's rows.
struct Widths {
  std::int64_t ends, whole;
  std::int64_t row() const { return 3 * ends + whole + kPairColumns; }
};

template <class T>
void write_view(const PairGraphs& graphs, const at::Tensor& context, const at::Tensor& whole, const at::Tensor& columns,
                const Widths& widths, at::Tensor& view) {
  const T* const x = context.data_ptr<T>();
  const T* const of_graphs = widths.whole > 0 ? whole.data_ptr<T>() : nullptr;
  const T* const column = columns.data_ptr<T>();
  const auto *left = graphs.left.data_ptr<std::int64_t>(), *right = graphs.right.data_ptr<std::int64_t>(),
             *graph = graphs.graph_of_pair.data_ptr<std::int64_t>();
  T* const out = view.data_ptr<T>();
  const std::int64_t h = widths.ends;
  cpu::parallel_rows(graphs.num_pairs(), kRows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pair = begin; pair < end; ++pair) {
      const T *a = x + left[pair] * h, *b = x + right[pair] * h;
      T* const row = out + pair * widths.row();
      T *sum = row, *difference = row + h, *product = row + 2 * h;
      for (std::int64_t c = 0; c < h; ++c) {
        sum[c] = a[c] + b[c];
        difference[c] = std::abs(a[c] - b[c]);
        product[c] = a[c] * b[c];
      }
      if (widths.whole > 0) {
        std::copy_n(of_graphs + graph[pair] * widths.whole, widths.whole, row + 3 * h);
      }
      std::copy_n(column + pair * kPairColumns, kPairColumns, row + 3 * h + widths.whole);
    }
  });
}

template <class T>
void context_gradient(const PairGraphs& graphs, const at::Tensor& context, const at::Tensor& upstream,
                      const Widths& widths, at::Tensor& gradient) {
  const T *const x = context.data_ptr<T>(), *const from = upstream.data_ptr<T>();
  T* const to = gradient.data_ptr<T>();
  const auto *first = graphs.arcs.in_offsets.data_ptr<std::int64_t>(),
             *pair = graphs.pair_of_arc.data_ptr<std::int64_t>();
  const auto* const source = graphs.arcs.in_sources.data_ptr<std::int32_t>();
  const std::int64_t h = widths.ends;
  cpu::parallel_rows(graphs.num_nodes(), kRows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t node = begin; node < end; ++node) {
      T* const total = to + node * h;
      const T* const own = x + node * h;
      std::fill_n(total, h, T(0));
      for (std::int64_t arc = first[node]; arc < first[node + 1]; ++arc) {
        const T* const other = x + source[arc] * h;
        const T* const sum = from + pair[arc] * widths.row();
        const T *difference = sum + h, *product = sum + 2 * h;
        for (std::int64_t c = 0; c < h; ++c) {
          const T sign = static_cast<T>(own[c] > other[c]) - static_cast<T>(own[c] < other[c]);
          total[c] += sum[c] + sign * difference[c] + other[c] * product[c];
        }
      }
    }
  });
}

template <class T>
void whole_gradient(const PairGraphs& graphs, const at::Tensor& upstream, const Widths& widths, at::Tensor& gradient) {
  const T* const from = upstream.data_ptr<T>();
  T* const to = gradient.data_ptr<T>();
  const auto* const first = graphs.pair_offsets.data_ptr<std::int64_t>();
  cpu::parallel_rows(graphs.num_graphs(), kRows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t graph = begin; graph < end; ++graph) {
      T* const total = to + graph * widths.whole;
      std::fill_n(total, widths.whole, T(0));
      for (std::int64_t pair = first[graph]; pair < first[graph + 1]; ++pair) {
        const T* const row = from + pair * widths.row() + 3 * widths.ends;
        for (std::int64_t c = 0; c < widths.whole; ++c) {
          total[c] += row[c];
        }
      }
    }
  });
}

struct PairView : torch::autograd::Function<PairView> {
  /// whole: [0, 0] for none.
  static at::Tensor forward(AutogradContext* saved, const at::Tensor& context, const at::Tensor& whole,
                            const PairGraphs& graphs) {
    const Widths widths{context.size(1), whole.size(1)};
    saved->save_for_backward({context, graphs.arcs.in_offsets, graphs.arcs.in_sources, graphs.pair_of_arc,
                              graphs.pair_offsets, graphs.graph_offsets});
    saved->saved_data["whole"] = widths.whole;
    at::Tensor view = at::empty({graphs.num_pairs(), widths.row()}, context.options());
    const at::Tensor columns = pair_columns(graphs, context.scalar_type());
    with_floating(context, "pair_view",
                  [&](auto zero) { write_view<decltype(zero)>(graphs, context, whole, columns, widths, view); });
    return view;
  }

  static variable_list backward(AutogradContext* saved, const variable_list& gradients) {
    const variable_list kept = saved->get_saved_variables();
    PairGraphs graphs;
    graphs.arcs.in_offsets = kept[1];
    graphs.arcs.in_sources = kept[2];
    graphs.pair_of_arc = kept[3];
    graphs.pair_offsets = kept[4];
    graphs.graph_offsets = kept[5];
    const at::Tensor& context = kept[0];
    const Widths widths{context.size(1), saved->saved_data["whole"].toInt()};
    const at::Tensor upstream = gradients[0].contiguous();
    at::Tensor of_context = at::empty(context.sizes(), context.options()), of_whole;
    if (widths.whole > 0) {
      of_whole = at::empty({graphs.num_graphs(), widths.whole}, context.options());
    }
    with_floating(context, "pair_view", [&](auto zero) {
      using T = decltype(zero);
      context_gradient<T>(graphs, context, upstream, widths, of_context);
      if (widths.whole > 0) {
        whole_gradient<T>(graphs, upstream, widths, of_whole);
      }
    });
    return {of_context, of_whole, {}};
  }
};

}  // namespace

at::Tensor composed_pair_view(const PairGraphs& graphs, const at::Tensor& context, const at::Tensor& whole) {
  const std::int64_t pairs = graphs.num_pairs();
  const at::Tensor ends = gather_rows(context, graphs.ends, {graphs.arcs.in_offsets, graphs.end_of_arc});
  const at::Tensor left = ends.narrow(0, 0, pairs), right = ends.narrow(0, pairs, pairs);
  std::vector<at::Tensor> known{left + right, (left - right).abs(), left * right};
  if (whole.defined()) {
    known.push_back(gather_rows(whole, graphs.graph_of_pair, {graphs.pair_offsets, {}}));
  }
  known.push_back(pair_columns(graphs, context.scalar_type()));
  return at::cat(known, 1);
}

at::Tensor pair_view(const PairGraphs& graphs, const at::Tensor& context, const at::Tensor& whole) {
  if (!context.is_cpu()) {
    return composed_pair_view(graphs, context, whole);
  }
  const at::Tensor given = whole.defined() ? whole.contiguous() : at::empty({0, 0}, context.options());
  return PairView::apply(context.contiguous(), given, graphs);
}

}  // namespace factorgcn::aligned
