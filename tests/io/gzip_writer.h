// gzip files made by hand: text in stored blocks, and a trap that is small.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "io/zip_writer.h"

namespace factorgcn {

/// One member around bytes of DEFLATE.
inline std::string gzip_member(std::string_view deflated, std::uint32_t crc, std::uint64_t size) {
  std::string member("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  member += deflated;
  append_number(member, crc, 4);
  append_number(member, size, 4);
  return member;
}

inline std::string gzip_bytes(std::string_view text) {
  constexpr std::size_t kLongestBlock = 65535;
  std::string blocks;
  std::string_view rest = text;
  do {
    const std::string_view block = rest.substr(0, kLongestBlock);
    rest.remove_prefix(block.size());
    blocks += static_cast<char>(rest.empty());  // the last block, stored
    append_number(blocks, block.size(), 2);
    append_number(blocks, ~block.size() & 0xFFFFU, 2);
    blocks += block;
  } while (!rest.empty());
  return gzip_member(blocks, crc_of(text), text.size());
}

/// 1 + 258 * runs equal bytes in 1/158 of the space.
inline std::string gzip_trap(int runs) { return gzip_member(deflate_of_equal_bytes(runs), 0, 0); }

}  // namespace factorgcn
