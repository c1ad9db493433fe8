// A zip archive with a data set of four graphs in the TU layout, made byte by byte.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace factorgcn {

/// The files of a data set called `name`: four graphs (two triangles, two paths of three nodes), 12 nodes, 10
/// undirected edges, two classes.
inline std::map<std::string, std::string> tiny_files(const std::string& name) {
  return {
      {name + "_A.txt",
       "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n4, 5\n5, 4\n5, 6\n6, 5\n7, 8\n8, 7\n8, 9\n9, 8\n7, 9\n9, 7\n10, 11\n11, "
       "10\n11, 12\n12, 11\n"},
      {name + "_graph_indicator.txt", "1\n1\n1\n2\n2\n2\n3\n3\n3\n4\n4\n4\n"},
      {name + "_graph_labels.txt", "1\n-1\n1\n-1\n"}};
}

namespace tiny_archive_detail {

inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
    }
  }
  return ~crc;
}

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return text;
}

}  // namespace tiny_archive_detail

/// The files in the folder `folder` of an archive, stored without compression.
inline std::string make_archive(const std::map<std::string, std::string>& files, const std::string& folder) {
  using tiny_archive_detail::little;
  std::string archive;
  std::string directory;
  for (const auto& [name, content] : files) {
    const std::string path = folder + "/" + name;
    // Version 2.0, no flags, stored; midnight of 1 January 1980.
    const std::string common = little(20, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0x21, 2) +
                               little(tiny_archive_detail::crc32(content), 4) + little(content.size(), 4) +
                               little(content.size(), 4) + little(path.size(), 2) + little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
                 little(archive.size(), 4) + path;
    archive += "PK\x03\x04" + common + path + content;
  }
  return archive + directory + "PK\x05\x06" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
         little(directory.size(), 4) + little(archive.size(), 4) + little(0, 2);
}

/// NAME.zip as a user downloads it.
inline std::string tiny_archive(const std::string& name) { return make_archive(tiny_files(name), name); }

}  // namespace factorgcn
