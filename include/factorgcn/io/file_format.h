// How this project's own safetensors files say what they hold: metadata "format" and "format_version".
//
// Older versions stay readable; a file of a newer one is refused by a message that says to update.
#pragma once

#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/io/safetensors.h"

namespace factorgcn {

FACTORGCN_API void set_format(TensorFile& file, const std::string& format, int version);

/// The file's version, 1 .. newest. Throws Error, naming the file, where it is of another format or newer.
FACTORGCN_API int check_format(const TensorFile& file, const std::string& format, int newest);

}  // namespace factorgcn
