// libsvm behind classic/svm.h.
//
// libsvm reads a precomputed kernel as rows of (index, value) pairs whose first pair holds the row's own number; of
// another row it takes that number alone. So one matrix over all items serves every training on a part of them, and a
// training only lists rows. Training draws no random numbers and shares nothing but the print function, so trainings
// may run in parallel. A model refers to the matrix's rows: it is copied into an SvmModel and freed here.
#include <svm.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>

#include "factorgcn/base/error.h"
#include "factorgcn/classic/svm.h"

namespace factorgcn {

struct SvmKernel::Matrix {
  std::int64_t items = 0;
  std::vector<svm_node> nodes;  // items rows of items + 1

  svm_node* row(std::int64_t item) { return nodes.data() + item * (items + 1); }
  const svm_node* row(std::int64_t item) const { return nodes.data() + item * (items + 1); }
};

namespace {

struct ModelDeleter {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

void be_quiet() {
  static std::once_flag once;
  std::call_once(once, [] { svm_set_print_string_function([](const char*) {}); });
}

}  // namespace

bool can_train_svm() { return true; }

SvmKernel::SvmKernel(std::int64_t items) : matrix_(std::make_unique<Matrix>()) {
  constexpr std::int64_t kMost = 100000;  // 160 GB; libsvm counts in int
  require(items >= 1 && items <= kMost, "a kernel matrix of ", items, " graphs; 1 to ", kMost, " are possible");
  matrix_->items = items;
  try {
    matrix_->nodes.resize(static_cast<std::size_t>(items * (items + 1)));
  } catch (const std::bad_alloc&) {
    fail("no memory for a kernel matrix of ", items, " graphs: it takes ", items * items * 16 / 1000000, " MB");
  }
  for (std::int64_t item = 0; item < items; ++item) {
    matrix_->row(item)[0] = {0, static_cast<double>(item + 1)};
  }
}

SvmKernel::~SvmKernel() = default;
SvmKernel::SvmKernel(SvmKernel&&) noexcept = default;
SvmKernel& SvmKernel::operator=(SvmKernel&&) noexcept = default;

std::int64_t SvmKernel::size() const { return matrix_->items; }

void SvmKernel::set_row(std::int64_t item, std::span<const double> values) {
  require(item >= 0 && item < size() && static_cast<std::int64_t>(values.size()) == size(), "row ", item, " with ",
          values.size(), " values does not fit a kernel of ", size(), " graphs");
  svm_node* const row = matrix_->row(item);
  for (std::size_t column = 0; column < values.size(); ++column) {
    require(std::isfinite(values[column]), "the kernel of graphs ", item, " and ", column, " is ", values[column]);
    row[column + 1] = {static_cast<int>(column) + 1, values[column]};
  }
}

void SvmKernel::get_row(std::int64_t item, std::span<double> out) const {
  const svm_node* const row = matrix_->row(item);
  for (std::size_t column = 0; column < out.size(); ++column) {
    out[column] = row[column + 1].value;
  }
}

SvmModel train_svm(const SvmKernel& kernel, std::span<const std::int64_t> items, std::span<const std::int64_t> classes,
                   const SvmOptions& options) {
  be_quiet();
  require(!items.empty(), "a support vector machine needs graphs to train on; there are none");
  require(static_cast<std::int64_t>(classes.size()) == kernel.size(), classes.size(), " classes for a kernel of ",
          kernel.size(), " graphs");
  std::vector<double> targets;
  std::vector<svm_node*> rows;
  for (const std::int64_t item : items) {
    require(item >= 0 && item < kernel.size(), "graph ", item, " is not in a kernel of ", kernel.size(), " graphs");
    targets.push_back(static_cast<double>(classes[static_cast<std::size_t>(item)]));
    rows.push_back(const_cast<svm_node*>(kernel.matrix().row(item)));  // libsvm's interface; it only reads
  }
  if (std::all_of(targets.begin(), targets.end(), [&](double target) { return target == targets.front(); })) {
    return {{static_cast<std::int64_t>(targets.front())}, {}, {0}, {}, {}};
  }
  svm_problem problem{};
  problem.l = static_cast<int>(items.size());
  problem.y = targets.data();
  problem.x = rows.data();
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = PRECOMPUTED;
  parameter.cache_size = 100;
  parameter.eps = options.tolerance;
  parameter.C = options.cost;
  parameter.shrinking = 1;
  const char* const wrong = svm_check_parameter(&problem, &parameter);
  require(wrong == nullptr, "libsvm refuses: ", wrong == nullptr ? "" : wrong, " (C ", options.cost, ", tolerance ",
          options.tolerance, ")");
  const std::unique_ptr<svm_model, ModelDeleter> trained(svm_train(&problem, &parameter));
  require(trained != nullptr, "libsvm gave no model");

  SvmModel model;
  for (int index = 0; index < trained->nr_class; ++index) {
    model.classes.push_back(trained->label[index]);
    model.support_counts.push_back(trained->nSV[index]);
  }
  for (int index = 0; index < trained->l; ++index) {
    model.support.push_back(items[static_cast<std::size_t>(trained->sv_indices[index]) - 1]);
  }
  for (int index = 0; index + 1 < trained->nr_class; ++index) {
    model.coefficients.insert(model.coefficients.end(), trained->sv_coef[index], trained->sv_coef[index] + trained->l);
  }
  model.offsets.assign(trained->rho, trained->rho + trained->nr_class * (trained->nr_class - 1) / 2);
  return model;
}

}  // namespace factorgcn
