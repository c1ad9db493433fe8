// Names one behind the other, and where each begins.
#include "io/name_table.h"

#include <ATen/ops/empty.h>

#include <cstdint>
#include <cstring>

#include "factorgcn/base/error.h"
#include "graph/tensor_checks.h"

namespace factorgcn {

void pack_names(TensorFile& file, const std::string& name, const std::vector<std::string>& names) {
  if (names.empty()) {
    return;
  }
  const auto count = static_cast<std::int64_t>(names.size());
  at::Tensor offsets = at::empty({count + 1}, at::TensorOptions().dtype(at::kLong));
  auto* const ends = offsets.data_ptr<std::int64_t>();
  ends[0] = 0;
  for (std::int64_t index = 0; index < count; ++index) {
    ends[index + 1] = ends[index] + static_cast<std::int64_t>(names[static_cast<std::size_t>(index)].size());
  }
  at::Tensor bytes = at::empty({ends[count]}, at::TensorOptions().dtype(at::kByte));
  for (std::int64_t index = 0; index < count; ++index) {
    const std::string& each = names[static_cast<std::size_t>(index)];
    if (!each.empty()) {
      std::memcpy(bytes.data_ptr<std::uint8_t>() + ends[index], each.data(), each.size());
    }
  }
  file.tensors.emplace_back(name + ".bytes", std::move(bytes));
  file.tensors.emplace_back(name + ".offsets", std::move(offsets));
}

std::vector<std::string> unpack_names(const TensorFile& file, const std::string& name) {
  const std::string bytes_name = name + ".bytes", offsets_name = name + ".offsets";
  if (file.find(bytes_name) == nullptr && file.find(offsets_name) == nullptr) {
    return {};
  }
  const at::Tensor &bytes = file.at(bytes_name), &offsets = file.at(offsets_name);
  require_vector(bytes, at::kByte, bytes.numel(), file.origin, bytes_name.c_str());
  require_vector(offsets, at::kLong, offsets.numel(), file.origin, offsets_name.c_str());
  const auto* const ends = offsets.data_ptr<std::int64_t>();
  const std::int64_t count = offsets.numel() - 1;
  require(count >= 0 && ends[0] == 0 && ends[count] == bytes.numel(), file.origin, ": ", offsets_name,
          " must rise from 0 to ", bytes.numel(), ", the number of bytes of the names");

  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  const auto* const first = static_cast<const char*>(bytes.data_ptr());
  for (std::int64_t index = 0; index < count; ++index) {
    // Neither end alone bounds an offset in the middle.
    require(ends[index] <= ends[index + 1] && ends[index + 1] <= bytes.numel(), file.origin, ": ", offsets_name,
            " goes from ", ends[index], " to ", ends[index + 1], " at name ", index, "; it must rise from 0 to ",
            bytes.numel());
    names.emplace_back(first + ends[index], first + ends[index + 1]);
  }
  return names;
}

}  // namespace factorgcn
