// DisenGCN (Ma et al.): a node's neighbours are divided among K capsules by routing.
//
//   z_k = unit(W_k x + b_k)                                                   [N, d], d = hidden / K
//   u = z; then in each round   p_ij = softmax over k of <z_k[j], u_k[i]>,  u_k[i] = unit(z_k[i] + sum_j p_ijk z_k[j])
//   y_i = concatenation over k of u_k[i]; with `keep_length` the last round leaves its sums as they are, as the
//   authors'
//         program does, so that y_i tells how many neighbours a node has
#pragma once

#include "nn/baselines/stack.h"

namespace factorgcn::baselines {

struct DisenOptions {
  StackOptions stack;
  std::int64_t capsules = 4, rounds = 8;
  bool keep_length = false;
};
DisenOptions read_disen(SettingsReader& reader, const ModelInput& input, const std::string& name);

class DisenGcn : public StackModel {
 public:
  DisenGcn(const DisenOptions& options, std::uint64_t seed);

  int num_factor_layers() const override { return static_cast<int>(num_layers()); }

 protected:
  NodeTables map_nodes(std::size_t layer, const at::Tensor& x, StackPass& pass) override;
  at::Tensor gather(std::size_t layer, const NodeTables& nodes, StackPass& pass) override;
  std::int64_t sent_width(std::size_t /*layer*/) const override { return options().hidden; }
  at::Tensor coefficients(std::size_t layer, const at::Tensor& x, StackPass& pass) override;

  std::int64_t capsules() const { return capsules_; }

 private:
  at::Tensor capsules_of(std::size_t layer, const at::Tensor& x) const;

  std::int64_t capsules_, rounds_;
  bool keep_length_;
  std::vector<LinearMap> maps_;
};

}  // namespace factorgcn::baselines
