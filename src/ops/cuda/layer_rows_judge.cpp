// The discriminator of layer_in_rows. Its loss is a scalar, so its gradient is computed along with it and only scaled
// in the layer's backward pass:
//
//   p = tanh(L1 out + l1 g),  q = tanh(L2 A(p) + l2 g),  judge_graphs(mean of q)  and back to p,
//
// with A the gated sum and g the sum of the gates. p and q are found by the passes that sum what they map, p by the
// layer's own, where the maps are small.
#include <ATen/ops/empty.h>

#include "ops/cuda/elementwise.h"
#include "ops/cuda/judge_graphs.h"
#include "ops/cuda/layer_rows.h"

namespace factorgcn::cuda {

template <class T>
void RowsLayer<T>::make_room_to_judge(KeptRows& kept, bool training) const {
  if (!maps_in_pass(in.judge[0])) {
    kept.p = new_p();
  }
  if (training) {
    kept.judge_gate_sum = at::empty(kept.gate_sum.sizes(), options());
    kept.judge_p = at::empty(kept.p.sizes(), options());
    kept.judge_gates = at::empty(kept.gates.sizes(), options());
    kept.first_partials = new_partials(node_factors(), in.judge[0]);
    kept.second_partials = new_partials(node_factors(), in.judge[2]);
    kept.classifier_partials = at::empty({judge_blocks(in.graphs()) * in.factors() * (in.width() + 1)}, options());
  }
}

template <class T>
void RowsLayer<T>::judge(const KeptRows& kept, const at::Tensor& loss, bool training, Beside* beside) const {
  const std::int64_t nodes = in.nodes(), k = in.factors(), rows = node_factors(), columns = k * in.width();
  if (!maps_in_pass(in.judge[0])) {
    dense(kept.out, rows, in.judge[0], in.judge[1], kept.gate_sum, true, kept.p);
  }
  const at::Tensor sums = at::empty(kept.p.sizes(), options());
  const at::Tensor slopes = training ? at::empty(sums.sizes(), options()) : at::Tensor();
  const at::Tensor q = at::empty({nodes, k, in.width()}, options());
  const bool maps = maps_in_pass(in.judge[2]);
  sum_forward(kept.p, kept.gates, sums, slopes, {}, {}, maps ? row_map(in.judge[2], in.judge[3], q) : RowMap<T>{},
              long_rows(in.long_targets, kJudge));
  if (!maps) {
    dense(sums, rows, in.judge[2], in.judge[3], kept.gate_sum, true, q);
  }
  JudgeGraphs<T> judged;
  judged.graphs = in.graphs();
  judged.graph_offsets = in.graph_offsets.template data_ptr<std::int64_t>();
  judged.real_graphs = values_or_null<std::int64_t>(in.real_graphs);
  judged.factors = factors();
  judged.width = width();
  judged.parts = segment_parts(in.graphs(), nodes);
  const at::Tensor parts = at::empty({in.graphs() * judged.parts * columns}, options());
  reduce_segment_parts<T>(place(q), judged.graph_offsets, in.graphs(), nodes, columns, place(parts), stream);
  const int blocks = judge_blocks(in.graphs());
  const at::Tensor losses = at::empty({blocks}, options().dtype(at::kDouble));
  at::Tensor grad_means;
  if (training) {
    grad_means = at::empty({in.graphs(), k, in.width()}, options());
  }
  judged.sums = place(parts);
  judged.weight = place(in.judge[4]);
  judged.bias = place(in.judge[5]);
  judged.losses = losses.template data_ptr<double>();
  judged.loss = place(loss);
  judged.grad_means = place(grad_means);
  judged.partials = place(kept.classifier_partials);
  judge_graphs(judged, stream);
  if (beside != nullptr) {
    beside->mark_loss();
  }
  if (training) {
    judge_backward(kept, slopes, sums, q, grad_means, beside);
  }
}

template <class T>
void RowsLayer<T>::judge_backward(const KeptRows& kept, const at::Tensor& slopes, const at::Tensor& sums,
                                  const at::Tensor& q, const at::Tensor& grad_means, Beside* beside) const {
  const std::int64_t rows = node_factors();
  const at::Tensor grad_sums = at::empty(sums.sizes(), options());
  auto second = dense_backward(grad_means, q, sums, rows, in.judge[2], in.judge[3], kept.gate_sum);
  second.graph_offsets = in.graph_offsets.template data_ptr<std::int64_t>();
  second.graphs = in.graphs();
  second.factors = factors();
  auto map = second;
  map.grad_x = place(grad_sums);
  map.grad_bias_scale = place(kept.judge_gate_sum);
  run_dense_backward(map, stream);

  const Inputs inputs = gated(kept.p, kept.gates);
  auto pass = back_problem(inputs, grad_sums, slopes, kept.judge_p, kept.judge_gates);
  inputs.run(pass, Pass::kSources, long_rows(in.long_sources, kJudge), stream);
  if (beside != nullptr) {
    beside->mark_gradient();
  }

  auto first = judge_first(kept);
  leave_partials(first, kept.first_partials);
  leave_partials(second, kept.second_partials);
  run_dense_backward(second, first, stream);
  if (beside != nullptr) {
    beside->mark_weights();
  }
}

template <class T>
DenseBackward<T> RowsLayer<T>::judge_first(const KeptRows& kept) const {
  return dense_backward(kept.judge_p, kept.p, kept.out, node_factors(), in.judge[0], in.judge[1], kept.gate_sum);
}

template void RowsLayer<float>::make_room_to_judge(KeptRows&, bool) const;
template void RowsLayer<float>::judge(const KeptRows&, const at::Tensor&, bool, Beside*) const;
template DenseBackward<float> RowsLayer<float>::judge_first(const KeptRows&) const;
template void RowsLayer<double>::make_room_to_judge(KeptRows&, bool) const;
template void RowsLayer<double>::judge(const KeptRows&, const at::Tensor&, bool, Beside*) const;
template DenseBackward<double> RowsLayer<double>::judge_first(const KeptRows&) const;

}  // namespace factorgcn::cuda
