// Small helpers for operations that are registered with libtorch's dispatcher.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include "factorgcn/base/error.h"

namespace factorgcn {

namespace detail {
template <class>
struct OptionalOf;
template <template <class...> class O, class X>
struct OptionalOf<O<X>> {
  template <class T>
  using type = O<T>;
};
}  // namespace detail

/// The optional type of the libtorch at hand: its own class in 1.x, std::optional in later 2.x.
using OptionalTensor = detail::OptionalOf<decltype(at::TensorOptions().dtype_opt())>::type<at::Tensor>;

inline at::Tensor value_or_undefined(const OptionalTensor& tensor) {
  return tensor.has_value() ? *tensor : at::Tensor();
}

inline OptionalTensor optional(const at::Tensor& tensor) {
  return tensor.defined() ? OptionalTensor(tensor) : OptionalTensor();
}

/// A registered operation, to be called through the dispatcher.
template <class Signature>
c10::TypedOperatorHandle<Signature> find_operation(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

/// Our gradients are not themselves differentiable; say so rather than return a wrong second derivative.
inline void refuse_second_derivative(const char* operation) {
  require(!at::GradMode::is_enabled(), operation,
          ": second derivatives are not supported; call backward() without create_graph");
}

/// Calls body with a value of type float or double for the tensor's scalar type.
template <class Body>
void with_floating(const at::Tensor& tensor, const char* operation, const Body& body) {
  if (tensor.scalar_type() == at::kFloat) {
    body(float{});
  } else {
    require(tensor.scalar_type() == at::kDouble, operation, ": type ", tensor.scalar_type(),
            " is not supported; use float32 or float64");
    body(double{});
  }
}

/// The tensor's values, or null where it is undefined.
template <class T>
const T* values_or_null(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

}  // namespace factorgcn
