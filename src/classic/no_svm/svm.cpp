// Stands in for classic/svm in builds without libsvm: says what is missing. Trained models still predict.
#include "factorgcn/classic/svm.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

[[noreturn]] void refuse() {
  fail(
      "this build cannot train support vector machines: build with libsvm (Debian: libsvm-dev, "
      "-DFACTORGCN_WITH_SVM=ON)");
}

}  // namespace

struct SvmKernel::Matrix {};

bool can_train_svm() { return false; }

SvmKernel::SvmKernel(std::int64_t) { refuse(); }
SvmKernel::~SvmKernel() = default;
SvmKernel::SvmKernel(SvmKernel&&) noexcept = default;
SvmKernel& SvmKernel::operator=(SvmKernel&&) noexcept = default;

std::int64_t SvmKernel::size() const { return 0; }
void SvmKernel::set_row(std::int64_t, std::span<const double>) { refuse(); }
void SvmKernel::get_row(std::int64_t, std::span<double>) const { refuse(); }

SvmModel train_svm(const SvmKernel&, std::span<const std::int64_t>, std::span<const std::int64_t>, const SvmOptions&) {
  refuse();
}

}  // namespace factorgcn
