// The reader is composed; orders are found in main memory, as assignments of factors to names.
#include "nn/aligned/namer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/zeros.h>

#include <vector>

#include "factorgcn/eval/assignment.h"
#include "factorgcn/ops/activation.h"
#include "nn/aligned/split_losses.h"

namespace factorgcn::aligned {
namespace {

bool is_usual(const Assignment& order) {
  for (std::size_t row = 0; row < order.column_of_row.size(); ++row) {
    if (order.column_of_row[row] != static_cast<int>(row)) {
      return false;
    }
  }
  return true;
}

}  // namespace

PartNames usual_names(std::int64_t graphs, std::int64_t factors) {
  PartNames result;
  result.names = at::arange(factors, at::TensorOptions().dtype(at::kLong)).expand({graphs, factors}).contiguous();
  result.turned = at::zeros({graphs}, at::TensorOptions().dtype(at::kBool));
  return result;
}

PartNames name_parts(std::span<const Piece> pieces, const at::Tensor& log_probabilities, std::int64_t graphs) {
  const std::int64_t factors = log_probabilities.size(1);
  PartNames result = usual_names(graphs, factors);
  const float* const log_probability = log_probabilities.data_ptr<float>();
  std::vector<double> costs;
  for (std::size_t begin = 0; begin < pieces.size();) {
    const std::int64_t graph = pieces[begin].graph;
    std::size_t end = begin;
    while (end < pieces.size() && pieces[end].graph == graph) {
      ++end;
    }
    // Row: a name; column: the factor whose content shall bear it.
    costs.clear();
    double usual = 0;
    for (std::size_t name = begin; name < end; ++name) {
      for (std::size_t content = begin; content < end; ++content) {
        costs.push_back(-log_probability[static_cast<std::int64_t>(content) * factors + pieces[name].factor]);
      }
      usual += costs[costs.size() - (end - name)];
    }
    const int parts = static_cast<int>(end - begin);
    const Assignment best = assign(parts, parts, costs);
    if (best.cost < usual && !is_usual(best)) {
      for (int name = 0; name < parts; ++name) {
        const std::int64_t content = pieces[begin + static_cast<std::size_t>(best.column_of_row[name])].factor;
        result.names.data_ptr<std::int64_t>()[graph * factors + pieces[begin + static_cast<std::size_t>(name)].factor] =
            content;
      }
      result.turned.data_ptr<bool>()[graph] = true;
      ++result.count;
    }
    begin = end;
  }
  return result;
}

at::Tensor exchange_loss(const PairGraphs& graphs, const at::Tensor& coefficients, const PartNames& names) {
  const at::Device device = coefficients.device();
  // Found in main memory, so that nobody waits for a GPU to say how many there are.
  const at::Tensor turned = names.turned.index_select(0, graphs.graph_of_pair).nonzero().flatten();
  const at::Tensor order = names.names.index_select(0, graphs.graph_of_pair.index_select(0, turned));
  const at::Tensor own = coefficients.index_select(0, turned.to(device));
  const at::Tensor wanted = own.detach().gather(1, order.to(device));
  const double share =
      static_cast<double>(own.size(0)) / static_cast<double>(std::max<std::int64_t>(graphs.num_pairs(), 1));
  return coefficient_loss(own, wanted) * share;
}

Namer::Namer(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t factors)
    : reader_(maker, "namer", blocks, width),
      first_(maker.linear("namer_head1", width, width)),
      last_(maker.linear("namer_head2", width, factors)) {}

Namer::Answer Namer::read(const FactorShelf& shelf, std::span<const Piece> pieces, const at::Tensor& held,
                          Moments moments) const {
  const auto count = static_cast<std::int64_t>(pieces.size());
  at::Tensor own = at::empty({count}, at::TensorOptions().dtype(at::kLong));
  for (std::int64_t index = 0; index < count; ++index) {
    own.data_ptr<std::int64_t>()[index] = pieces[static_cast<std::size_t>(index)].factor;
  }
  const at::Tensor read = reader_.read(shelf, held, moments);
  Answer answer;
  answer.log_probabilities = at::log_softmax(linear(last_, activate(linear(first_, read), Activation::kRelu)), 1);
  answer.loss = at::nll_loss(answer.log_probabilities, own.to(held.device()));
  return answer;
}

}  // namespace factorgcn::aligned
