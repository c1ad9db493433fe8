// A list of names as two tensors, so that a million names are two arrays and no text of the header:
// NAME.bytes (uint8, all names one behind the other) and NAME.offsets (int64, one more than there are names).
//
// The bytes are kept as they are, valid UTF-8 or not. An empty list is stored as no tensors at all.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/io/safetensors.h"

namespace factorgcn {

void pack_names(TensorFile& file, const std::string& name, const std::vector<std::string>& names);

/// Throws Error, naming the file, where one of the two tensors is missing or they do not fit. Cost: O(names + bytes).
std::vector<std::string> unpack_names(const TensorFile& file, const std::string& name);

}  // namespace factorgcn
