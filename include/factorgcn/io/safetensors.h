// Named tensors in one file, in the safetensors format (readable by the Python package of that name).
//
// Layout: 8 bytes little-endian header length; a JSON header that gives each tensor's type, shape and place, and
// strings under "__metadata__"; the tensors' bytes without gaps. Nothing in such a file is ever executed, so files from
// others can be opened. Types: F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL. Limits: a header of 100,000,000 bytes, 64
// dimensions.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/mapped_file.h"

namespace factorgcn {

struct FACTORGCN_API TensorFile {
  std::vector<std::pair<std::string, at::Tensor>> tensors;  ///< in the order of the header
  std::map<std::string, std::string> metadata;
  std::string origin = "tensor file";  ///< where it was read from; used in errors, not written

  /// The tensor of that name, or null. Cost: O(tensors).
  const at::Tensor* find(std::string_view name) const;
  /// The same; throws Error naming the file where it is missing.
  const at::Tensor& at(std::string_view name) const;
  /// The metadata of that name; throws Error naming the file where it is missing.
  const std::string& metadata_at(const std::string& name) const;
};

/// Writes the file whole or not at all (base/files.h); the same content always gives the same bytes. Tensors on other
/// devices or with gaps are copied first. Refuses names that occur twice or are not UTF-8, undefined and sparse tensors
/// and other types than those above.
FACTORGCN_API void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

/// Reads and checks a file; tensors are contiguous, on the CPU and own their memory. Any file that is cut short,
/// damaged or of another format is an Error of one line that names it. Cost: memory for twice the file.
FACTORGCN_API TensorFile read_safetensors(const std::filesystem::path& path);

/// The same for bytes in memory; `name` stands for the file in errors.
FACTORGCN_API TensorFile parse_safetensors(std::string_view bytes, const std::string& name);

/// The same checks, but the tensors are views of the mapped file (base/mapped_file.h says what becomes of a file that
/// is changed in place) and keep the mapping alive; only tensors that lie where their type cannot be read are copied.
/// Writing to a tensor changes neither the file nor other mappings of it. Cost: that of the header and of BOOL tensors.
FACTORGCN_API TensorFile map_safetensors(const std::filesystem::path& path);
FACTORGCN_API TensorFile map_safetensors(const std::shared_ptr<MappedFile>& mapping, const std::string& name);

/// The bytes in front of the tensors' data, header and its length, as write_safetensors() would write them.
FACTORGCN_API std::string safetensors_beginning(const TensorFile& file);

}  // namespace factorgcn
