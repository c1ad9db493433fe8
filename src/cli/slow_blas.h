// The warning about Debian's default BLAS.
#pragma once

namespace factorgcn::cli {

/// Warns on standard error where libtorch is bound to the reference BLAS, which is some 30 times slower than OpenBLAS.
void warn_of_slow_blas();

}  // namespace factorgcn::cli
