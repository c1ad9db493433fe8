// Zip archives made by hand, right or wrong in any detail: what a library that writes archives would not write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace factorgcn {

struct ZipMember {
  std::string name;
  std::string content;
  int method = 0;                          ///< 0: stored; 8: DEFLATE
  std::string packed = {};                 ///< the bytes in the archive where it is not stored
  std::optional<std::uint32_t> size = {};  ///< declared instead of the content's
  std::optional<std::uint32_t> crc = {};   ///< declared instead of the content's
  int flags = 0;                           ///< 1: encrypted
  std::uint32_t unix_mode = 0100644;
};

inline std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ (0xEDB88320U & (0U - (crc & 1U)));
    }
  }
  return ~crc;
}

/// Appends the lowest bytes of a number, lowest first.
inline void append_number(std::string& text, std::uint64_t value, int bytes) {
  for (int index = 0; index < bytes; ++index) {
    text += static_cast<char>(value >> 8 * index & 0xFFU);
  }
}

/// DEFLATE of 1 + 258 * runs equal bytes 'a': a literal and copies of the byte before, in the fixed codes. About 158:1.
inline std::string deflate_of_equal_bytes(int runs) {
  std::string bits;
  bits += "1";         // the last block
  bits += "10";        // fixed codes, lowest bit first
  bits += "10010001";  // the literal 'a': 0x30 + 97, highest bit first
  for (int run = 0; run < runs; ++run) {
    bits += "11000101";  // length 258
    bits += "00000";     // distance 1
  }
  bits += "0000000";  // end
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (std::size_t index = 0; index < bits.size(); ++index) {
    if (bits[index] == '1') {
      bytes[index / 8] = static_cast<char>(static_cast<unsigned char>(bytes[index / 8]) | 1U << index % 8);
    }
  }
  return bytes;
}

inline std::string zip_bytes(const std::vector<ZipMember>& members) {
  std::string archive;
  std::string directory;
  for (const ZipMember& member : members) {
    const std::string& packed = member.method == 0 ? member.content : member.packed;
    std::string common;  // what both headers hold
    append_number(common, 20, 2);
    append_number(common, static_cast<std::uint64_t>(member.flags), 2);
    append_number(common, static_cast<std::uint64_t>(member.method), 2);
    append_number(common, 0x21 << 16, 4);  // 1 January 1980
    append_number(common, member.crc.value_or(crc_of(member.content)), 4);
    append_number(common, packed.size(), 4);
    append_number(common, member.size.value_or(static_cast<std::uint32_t>(member.content.size())), 4);
    append_number(common, member.name.size(), 2);
    append_number(common, 0, 2);  // no extra field

    directory += std::string("PK\1\2") + '\x14' + '\x03';  // version 2.0, written on Unix
    directory += common;
    append_number(directory, 0, 2);  // no comment
    append_number(directory, 0, 2);
    append_number(directory, 0, 2);
    append_number(directory, std::uint64_t{member.unix_mode} << 16, 4);
    append_number(directory, archive.size(), 4);
    directory += member.name;

    archive += "PK\3\4" + common + member.name + packed;
  }
  const std::size_t begin = archive.size();
  archive += directory + "PK\5\6";
  append_number(archive, 0, 4);
  append_number(archive, members.size(), 2);
  append_number(archive, members.size(), 2);
  append_number(archive, directory.size(), 4);
  append_number(archive, begin, 4);
  append_number(archive, 0, 2);
  return archive;
}

}  // namespace factorgcn
