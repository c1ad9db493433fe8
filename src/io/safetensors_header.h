// The JSON header of a safetensors file: its text and what it says.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace factorgcn {

/// One row of the table of types.
struct StoredType {
  c10::ScalarType type;
  const char* name;
  std::uint64_t bytes;
};

/// Null where the format, or this library, does not know the type.
const StoredType* find_stored_type(c10::ScalarType type);
const StoredType* find_stored_type(std::string_view name);

/// What the header says of one tensor.
struct StoredTensor {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;  ///< begin and end in the data behind the header
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;
  std::map<std::string, std::string> metadata;
};

inline constexpr const char* kMetadataName = "__metadata__";
inline constexpr std::uint64_t kLongestHeader = 100'000'000;

/// Reads the JSON text. Names, fields and kinds of values are checked, numbers are not. `file` is used in errors.
SafetensorsHeader parse_header(std::string_view json, const std::string& file);

/// The JSON text, padded with spaces to a multiple of 8 bytes so that the data behind it is aligned.
std::string header_text(const SafetensorsHeader& header, const std::string& file);

}  // namespace factorgcn
