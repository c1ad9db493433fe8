#include "report/packed_numbers.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace factorgcn {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put_varint(std::uint32_t number, Bytes& bytes) {
  while (number >= 0x80) {
    bytes.push_back(static_cast<std::uint8_t>(number | 0x80));
    number >>= 7;
  }
  bytes.push_back(static_cast<std::uint8_t>(number));
}

std::uint8_t in_steps(float share, float steps) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0F, 1.0F) * steps));
}

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t byte = 0; byte < 3; ++byte) {
      group = group << 8 | (byte < left ? bytes[at + byte] : 0U);
    }
    for (std::size_t digit = 0; digit < 4; ++digit) {
      text += digit <= left ? kDigits[group >> (18 - 6 * digit) & 63] : '=';
    }
  }
  return text;
}

std::string pack_deltas(std::span<const std::int32_t> ascending) {
  Bytes bytes;
  std::int32_t before = 0;
  for (const std::int32_t number : ascending) {
    put_varint(static_cast<std::uint32_t>(number - before), bytes);
    before = number;
  }
  return base64(bytes);
}

std::string pack_edges(std::span<const std::int32_t> pairs, std::int32_t nodes) {
  Bytes bytes;
  std::size_t at = 0;
  for (std::int32_t node = 0; node < nodes; ++node) {
    std::size_t end = at;
    while (end < pairs.size() && pairs[end] == node) {
      end += 2;
    }
    put_varint(static_cast<std::uint32_t>((end - at) / 2), bytes);
    std::int32_t before = node;
    for (; at < end; at += 2) {
      put_varint(static_cast<std::uint32_t>(pairs[at + 1] - before), bytes);
      before = pairs[at + 1];
    }
  }
  return base64(bytes);
}

std::string pack_words(std::span<const std::int32_t> numbers) {
  Bytes bytes;
  bytes.reserve(2 * numbers.size());
  for (const std::int32_t number : numbers) {
    bytes.push_back(static_cast<std::uint8_t>(number & 0xff));
    bytes.push_back(static_cast<std::uint8_t>(number >> 8 & 0xff));
  }
  return base64(bytes);
}

std::string pack_bytes(std::span<const float> shares) {
  Bytes bytes(shares.size());
  std::transform(shares.begin(), shares.end(), bytes.begin(), [](float share) { return in_steps(share, 255); });
  return base64(bytes);
}

std::string pack_nibbles(std::span<const float> shares) {
  Bytes bytes((shares.size() + 1) / 2);
  for (std::size_t at = 0; at < shares.size(); ++at) {
    bytes[at / 2] |= static_cast<std::uint8_t>(in_steps(shares[at], 15) << (at % 2 * 4));
  }
  return base64(bytes);
}

}  // namespace factorgcn
