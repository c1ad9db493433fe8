// The gate of an edge in a factor, the one place where its formula stands:
//
//   logit = left[source] + right[target]
//   c     = sigmoid(gate_scale * logit)                                  the value
//   dc / dlogit = c (1 - c) * gate_scale                                 the derivative: slope(c), then scaled()
//
// The kernels of every back end take all three from here. What they know besides: a logit is the sum of two tables, so
// that both get the same gradient; and the derivative follows from the value alone, as logits are not kept.
//
// To change the gate, change GateFormula below, and then its twins, which are written out on their own because they are
// the check:
//   src/ops/oracle.cpp          in float64, what tests compare every kernel with
//   tests/ops/gate_test.cpp     this file's values and derivatives
//   tests/ops/factor_aggregate_test.cpp (ByHand), tests/nn/dense_twin.h     a case by hand, networks as dense matrices
//   bench/peer_torch.py         the network in PyTorch that speed is compared with
// and the formulas in the heads of include/factorgcn/ops/factor_aggregate.h and nn/disentangle_layer.h. A function that
// no back end has yet goes beside ScaledSigmoid into ops/cpu/kernels/simd.h and ops/cuda/device_math.cuh, which name it
// in their `Gate`. The gates of ops/gated_aggregate.h belong to another model and have their own formula.
//
// Used by code built for several instruction sets and by nvcc: a template over the back end's type, which exists there
// alone, and always inlined, so that no function of one build can serve another. No libtorch.
#pragma once

#if defined(__CUDACC__)
#define FACTORGCN_GATE __device__ __forceinline__
#else
#define FACTORGCN_GATE inline __attribute__((always_inline))
#endif

namespace factorgcn {

/// Sigmoid: made from a scale, gives sigmoid(scale * x) of a number or a vector of numbers; Sigmoid::Value is the
/// number's type.
template <class Sigmoid>
class GateFormula {
 public:
  using T = typename Sigmoid::Value;

  FACTORGCN_GATE explicit GateFormula(T gate_scale) : scale_(gate_scale), sigmoid_(scale_) {}

  /// c of a logit, or of each in a vector.
  template <class V>
  FACTORGCN_GATE V operator()(V logit) const {
    return sigmoid_(logit);
  }

  /// What differs from edge to edge of c's derivative.
  template <class V>
  FACTORGCN_GATE static V slope(V c) {
    return weighted(c, T(1)).slope;
  }

  /// c and its slope, both times the edge's weight.
  template <class V>
  struct Weighted {
    V value, slope;
  };
  template <class V>
  FACTORGCN_GATE static Weighted<V> weighted(V c, T weight) {
    const V value = c * weight;
    return {value, value * (T(1) - c)};
  }

  /// What all edges share of it: to be applied to a sum of slopes, or to a weight of theirs.
  FACTORGCN_GATE T scaled(T sum) const { return sum * scale_; }

 private:
  T scale_;
  Sigmoid sigmoid_;
};

}  // namespace factorgcn
