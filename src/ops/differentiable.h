// What an operation registers under Autograd, made of its C++ type and its torch::autograd::Function.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "ops/edge_argument.h"
#include "ops/registration.h"

namespace factorgcn {

namespace detail {

template <class T>
const T& through_apply(const T& argument) {
  return argument;
}
inline EdgeArgument through_apply(at::TensorList edges) { return {edges}; }

inline at::Tensor as_result(at::Tensor result, const at::Tensor*) { return result; }
template <class... Tensors>
std::tuple<Tensors...> as_result(const std::vector<at::Tensor>& results, const std::tuple<Tensors...>*) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::tuple<Tensors...>(results[I]...); }
  (std::index_sequence_for<Tensors...>());
}

}  // namespace detail

/// What is registered under Autograd for an operation of that C++ type: its torch::autograd::Function, whose forward()
/// takes the operation's arguments in their order, edges as an EdgeArgument.
template <class Function, class Signature>
struct Differentiable;
template <class Function, class Result, class... Arguments>
struct Differentiable<Function, Result(Arguments...)> {
  static Result call(Arguments... arguments) {
    return detail::as_result(Function::apply(detail::through_apply(arguments)...), static_cast<const Result*>(nullptr));
  }
};

}  // namespace factorgcn
