// Nodes in libtorch's graph of gradients that take tensors of several parts at once.
#include "nn/part_operations.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <utility>

#include "factorgcn/base/error.h"
#include "ops/cpu/batch_norm_pieces.h"

namespace factorgcn {
namespace {

using torch::autograd::variable_list;

bool wants_gradients(const variable_list& inputs) {
  return at::GradMode::is_enabled() &&
         std::any_of(inputs.begin(), inputs.end(), [](const at::Tensor& each) { return each.requires_grad(); });
}

/// Makes `node` the origin of `results`, which were computed from `inputs`.
template <class Node>
void set_origin(const std::shared_ptr<Node>& node, const variable_list& inputs, variable_list& results) {
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  for (at::Tensor& result : results) {
    torch::autograd::set_history(result, node);
  }
}

template <class Node>
std::shared_ptr<Node> new_node() {
  return std::shared_ptr<Node>(new Node(), torch::autograd::deleteNode);
}

variable_list all_of(const std::vector<RowTables>& tables) {
  variable_list all;
  for (const RowTables& each : tables) {
    all.insert(all.end(), each.begin(), each.end());
  }
  return all;
}

/// The inverse: as many tables to each part.
std::vector<RowTables> by_part(const variable_list& all, std::size_t parts) {
  const std::size_t tables = all.size() / std::max<std::size_t>(parts, 1);
  std::vector<RowTables> result(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    result[part].assign(all.begin() + static_cast<std::ptrdiff_t>(part * tables),
                        all.begin() + static_cast<std::ptrdiff_t>((part + 1) * tables));
  }
  return result;
}

struct HaloBackward : torch::autograd::Node {
  PartExchange* exchange = nullptr;
  std::vector<std::vector<std::int64_t>> shapes;  // of the inputs
  std::vector<std::int64_t> rows_with_halo;       // of each input's result
  at::TensorOptions type;
  std::size_t parts = 0;

  std::string name() const override { return "HaloBackward"; }

  variable_list apply(variable_list&& grads) override {
    variable_list rows, copies;
    for (std::size_t index = 0; index < grads.size(); ++index) {
      const std::int64_t own = shapes[index][0], halo = rows_with_halo[index] - own;
      if (grads[index].defined()) {
        rows.push_back(grads[index].narrow(0, 0, own).clone(at::MemoryFormat::Contiguous));
        copies.push_back(grads[index].narrow(0, own, halo).clone(at::MemoryFormat::Contiguous));
        grads[index].reset();  // its memory, where nobody else has it
      } else {  // a part on whose rows nothing depends still hands on what others' rows depend on
        std::vector<std::int64_t> shape = shapes[index];
        rows.push_back(at::zeros(shape, type));
        shape[0] = halo;
        copies.push_back(at::zeros(shape, type));
      }
    }
    std::vector<RowTables> sums = by_part(rows, parts);
    exchange->give_back(by_part(copies, parts), sums);
    return all_of(sums);
  }
};

/// Added in the order of the parts.
at::Tensor added_up(const at::Tensor& of_parts) {
  at::Tensor sum = of_parts[0].clone();
  for (std::int64_t part = 1; part < of_parts.size(0); ++part) {
    sum.add_(of_parts[part]);
  }
  return sum;
}

variable_list summed(const variable_list& each, PartExchange& exchange) {
  const at::Tensor sum = added_up(exchange.gather(each));
  variable_list result;
  for (std::size_t part = 0; part < each.size(); ++part) {
    result.push_back(sum.clone());
  }
  return result;
}

struct SumBackward : torch::autograd::Node {
  PartExchange* exchange = nullptr;
  std::vector<std::int64_t> shape;
  at::TensorOptions type;

  std::string name() const override { return "SumOverPartsBackward"; }

  variable_list apply(variable_list&& grads) override {
    for (at::Tensor& grad : grads) {
      grad = grad.defined() ? grad : at::zeros(shape, type);
    }
    return summed(grads, *exchange);  // every part's result depends on every part's value
  }
};

/// What each part keeps of its batch norm for the way back.
struct NormBackward : torch::autograd::Node {
  PartExchange* exchange = nullptr;
  std::vector<at::Tensor> x, gamma, beta, row_scale;
  at::Tensor mean, variance;
  double eps = 0, slope = 1, rows = 0;

  std::string name() const override { return "BatchNormOverPartsBackward"; }

  variable_list apply(variable_list&& grads) override {
    require(mean.defined(), "batch norm over parts: gone back a second time");
    std::vector<at::Tensor> sums;
    for (std::size_t part = 0; part < x.size(); ++part) {
      grads[part] = grads[part].defined() ? grads[part].contiguous() : at::zeros_like(x[part]);
      sums.push_back(
          cpu::norm_backward_sums(grads[part], x[part], gamma[part], beta[part], mean, variance, row_scale[part], eps,
                                  slope));
    }
    const at::Tensor all = added_up(exchange->gather(sums));
    variable_list result;
    for (std::size_t part = 0; part < x.size(); ++part) {
      result.push_back(cpu::norm_backward_rows(grads[part], x[part], gamma[part], beta[part], mean, variance,
                                               row_scale[part], eps, slope, all, rows));
      const at::ScalarType type = x[part].scalar_type();
      result.push_back(sums[part][1].to(type));
      result.push_back(sums[part][0].to(type));
    }
    return result;
  }

  void release_variables() override {
    x.clear();
    mean.reset();
  }
};

struct MergedMoments {
  at::Tensor mean, variance;
  double rows = 0;
};

/// From each part's rows, mean and variance, merged in the order of the parts in double precision.
MergedMoments merged_moments(const at::Tensor& of_parts, at::ScalarType type) {
  const std::int64_t columns = (of_parts.size(1) - 1) / 2;
  MergedMoments merged;
  std::vector<double> mean(static_cast<std::size_t>(columns), 0.0), squares(mean);
  for (std::int64_t part = 0; part < of_parts.size(0); ++part) {
    const double* const row = of_parts.data_ptr<double>() + part * of_parts.size(1);
    const double count = row[0], before = merged.rows;
    merged.rows += count;
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto place = static_cast<std::size_t>(column);
      const double difference = row[1 + column] - mean[place];
      mean[place] += difference * count / merged.rows;
      squares[place] += row[1 + columns + column] * count + difference * difference * before * count / merged.rows;
    }
  }
  merged.mean = at::empty({columns}, at::kDouble);
  merged.variance = at::empty({columns}, at::kDouble);
  for (std::int64_t column = 0; column < columns; ++column) {
    merged.mean.data_ptr<double>()[column] = mean[static_cast<std::size_t>(column)];
    merged.variance.data_ptr<double>()[column] = squares[static_cast<std::size_t>(column)] / merged.rows;
  }
  merged.mean = merged.mean.to(type);
  merged.variance = merged.variance.to(type);
  return merged;
}

}  // namespace

std::vector<RowTables> with_halo(const std::vector<RowTables>& rows, const std::vector<std::int64_t>& halo,
                                 PartExchange& exchange) {
  const variable_list inputs = all_of(rows);
  std::vector<RowTables> results(rows.size()), tails(rows.size());
  {
    const at::NoGradGuard no_gradient;
    for (std::size_t part = 0; part < rows.size(); ++part) {
      for (const at::Tensor& table : rows[part]) {
        std::vector<std::int64_t> shape = table.sizes().vec();
        shape[0] += halo[part];
        at::Tensor result = at::empty(shape, table.options().requires_grad(false));
        result.narrow(0, 0, table.size(0)).copy_(table);
        tails[part].push_back(result.narrow(0, table.size(0), halo[part]));
        results[part].push_back(result);
      }
    }
    exchange.fetch(rows, tails);
  }
  if (!wants_gradients(inputs)) {
    return results;
  }
  const auto node = new_node<HaloBackward>();
  node->exchange = &exchange;
  node->parts = rows.size();
  node->type = inputs.front().options().requires_grad(false);
  variable_list flat = all_of(results);
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    node->shapes.push_back(inputs[index].sizes().vec());
    node->rows_with_halo.push_back(flat[index].size(0));
  }
  set_origin(node, inputs, flat);
  return by_part(flat, rows.size());
}

std::vector<at::Tensor> sum_over_parts(const std::vector<at::Tensor>& each, PartExchange& exchange) {
  variable_list results;
  {
    const at::NoGradGuard no_gradient;
    results = summed(each, exchange);
  }
  if (wants_gradients(each)) {
    const auto node = new_node<SumBackward>();
    node->exchange = &exchange;
    node->shape = each.front().sizes().vec();
    node->type = each.front().options().requires_grad(false);
    set_origin(node, each, results);
  }
  return results;
}

std::vector<at::Tensor> batch_norm_over_parts(const std::vector<at::Tensor>& x,
                                              const std::vector<BatchNormState>& states, PartExchange& exchange,
                                              Activation activation, double slope,
                                              const std::vector<at::Tensor>& row_scales) {
  require(is_leaky(activation), "batch norm over parts: activation ", activation_name(activation),
          " is not supported; use none, relu or leaky_relu");
  variable_list inputs, results;
  std::vector<at::Tensor> moments;
  MergedMoments all;
  {
    const at::NoGradGuard no_gradient;
    for (std::size_t part = 0; part < x.size(); ++part) {
      const std::int64_t columns = x[part].size(1);
      const auto [mean, variance] = cpu::norm_moments(x[part], row_scales[part]);
      at::Tensor row = at::empty({2 * columns + 1}, at::kDouble);
      row.data_ptr<double>()[0] = static_cast<double>(x[part].size(0));
      row.narrow(0, 1, columns).copy_(mean);
      row.narrow(0, 1 + columns, columns).copy_(variance);
      moments.push_back(row);
    }
    all = merged_moments(exchange.gather(moments), x.front().scalar_type());
    require(all.rows > 1, "batch norm: training needs at least 2 rows to estimate a variance, got ", all.rows);
    for (std::size_t part = 0; part < x.size(); ++part) {
      BatchNormState state = states[part];
      state.running_mean = all.mean;
      state.running_variance = all.variance;
      results.push_back(batch_norm(x[part], state, /*training=*/false, activation, slope, row_scales[part]));
      inputs.insert(inputs.end(), {x[part], state.gamma, state.beta});
    }
    update_running_moments(states.front(), all.mean, all.variance, static_cast<std::int64_t>(all.rows));
  }
  if (wants_gradients(inputs)) {
    const auto node = new_node<NormBackward>();
    node->exchange = &exchange;
    node->mean = all.mean;
    node->variance = all.variance;
    node->rows = all.rows;
    node->eps = states.front().eps;
    node->slope = slope_below_zero(activation, slope);
    node->row_scale = row_scales;
    for (std::size_t part = 0; part < x.size(); ++part) {
      node->x.push_back(x[part].detach().contiguous());
      node->gamma.push_back(states[part].gamma.detach());
      node->beta.push_back(states[part].beta.detach());
    }
    set_origin(node, inputs, results);
  }
  return results;
}

}  // namespace factorgcn
