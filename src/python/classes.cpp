// Registration when the library is loaded. Nothing is computed then, and no thread started.
#include "python/classes.h"

namespace factorgcn::python {
namespace {

[[maybe_unused]] const bool registered = [] {
  register_edges();
  register_data_set();
  register_run();
  register_trainer();
  register_disentangling();
  return true;
}();

}  // namespace
}  // namespace factorgcn::python
