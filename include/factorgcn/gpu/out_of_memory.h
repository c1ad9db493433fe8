// A GPU that is short of memory: one line for the user instead of libtorch's paragraph.
#pragma once

#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// From the text of a c10::OutOfMemoryError: "out of memory on GPU 0: 2.00 GiB more were needed, 1.50 GiB of 139.81 GiB
/// are free; " and then what to do about it. Amounts that the text does not name are left out.
FACTORGCN_API std::string describe_out_of_memory(
    const std::string& text, const std::string& advice = "take a smaller --batch-size or --device cpu");

}  // namespace factorgcn
