// What a group can do by its other calls. Texts are rows of bytes, padded to the longest.
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "factorgcn/collective/group.h"

namespace factorgcn {

at::Tensor Group::all_to_all(const at::Tensor& rows, std::span<const std::int64_t> send,
                             std::span<const std::int64_t> receive) {
  std::vector<std::int64_t> shape = rows.sizes().vec();
  shape.front() = std::accumulate(receive.begin(), receive.end(), std::int64_t{0});
  at::Tensor result = at::empty(shape, rows.options());
  all_to_all(rows.contiguous(), send, receive, result);
  return result;
}

std::vector<std::string> all_gather_texts(Group& group, const std::string& own) {
  const at::Tensor lengths = group.all_gather(at::full({1}, static_cast<std::int64_t>(own.size()), at::kLong));
  const std::int64_t longest = std::max<std::int64_t>(lengths.max().item<std::int64_t>(), 1);
  at::Tensor padded = at::zeros({longest}, at::kByte);
  std::memcpy(padded.data_ptr<std::uint8_t>(), own.data(), own.size());
  const at::Tensor all = group.all_gather(padded);
  std::vector<std::string> texts;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto* const begin = reinterpret_cast<const char*>(all.data_ptr<std::uint8_t>()) + rank * longest;
    texts.emplace_back(begin, static_cast<std::size_t>(lengths.data_ptr<std::int64_t>()[rank]));
  }
  return texts;
}

}  // namespace factorgcn
