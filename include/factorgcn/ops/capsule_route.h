// One round of neighbourhood routing, as DisenGCN has it: each neighbour is divided among K capsules.
//
//   p[e,:]   = softmax over k of <x[j,k,:], u[i,k,:]>               for the edge e: j -> i
//   v[i,k,:] = x[i,k,:] + sum over e of p[e,k] * x[j,k,:]
//   next[i,k,:] = v[i,k,:] / |v[i,k,:]|, or v[i,k,:] itself
//
// A neighbour's row is read once for both the products and the sum. p is recomputed in the backward pass: nothing of
// size E * K * d is stored, and of size E * K only scratch. Rows by one thread in a fixed order: the same bits for any
// number of threads. float32 and float64. Cost: forward 2 E K d multiply-adds and E K exponentials, backward three
// times that.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/adjacency.h"

namespace factorgcn {

/// Most capsules a node may have.
inline constexpr std::int64_t kMostCapsules = 64;

/// What becomes of a capsule's length, which grows with the number of neighbours.
enum class CapsuleLength { kUnit, kKept };

/// x, u: [N, K, d]. Returns next, [N, K, d]; a capsule of zeros stays zero. Differentiable in x and u. Of two tables x
/// has a row for each source, the targets' own first among them; u and the result have one for each target.
FACTORGCN_API at::Tensor capsule_route(const Adjacency& edges, const at::Tensor& x, const at::Tensor& u,
                                       CapsuleLength length = CapsuleLength::kUnit);

/// The shares p, [E, K] in the order of in-edges; for metrics, not differentiable.
FACTORGCN_API at::Tensor capsule_shares(const Adjacency& edges, const at::Tensor& x, const at::Tensor& u);

/// Each capsule of x [N, K, d] at unit length; zeros stay zero. Differentiable.
FACTORGCN_API at::Tensor unit_capsules(const at::Tensor& x);

}  // namespace factorgcn
