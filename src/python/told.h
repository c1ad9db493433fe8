// Errors on their way to Python, which sees the text alone: each begins with its kind, by which the package chooses the
// exception (python/factorgcn/_door.py).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/relations/progress.h"

namespace factorgcn::python {

/// work(), with errors that say their kind.
template <class Work>
decltype(auto) told(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const StoppedEarly&) {
    throw std::runtime_error("factorgcn.Interrupted: interrupted");
  } catch (const UsageError& error) {
    throw std::runtime_error(std::string("factorgcn.UsageError: ") + error.what());
  } catch (const Error& error) {
    throw std::runtime_error(std::string("factorgcn.Error: ") + error.what());
  }
}

/// The same where whatever is wrong is wrong with the arguments.
template <class Work>
decltype(auto) told_of_arguments(Work&& work) {
  return told([&]() -> decltype(auto) {
    try {
      return std::forward<Work>(work)();
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  });
}

}  // namespace factorgcn::python
