// A graph of more edges than 32 bits can number, as a file with holes in place of its 25 GB.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/surroundings/one_line.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

namespace fs = std::filesystem;

/// The fixture's data set with `edges` edges, of which all are holes. False where the file system cannot hold it.
bool write_large(const Workplace& place, std::int64_t edges) {
  std::ifstream file(fs::path(FACTORGCN_FORMAT_FIXTURES) / "0.1" / "own.safetensors", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  auto header = nlohmann::ordered_json::parse(bytes.substr(sizeof(length), length));
  const std::string data = bytes.substr(sizeof(length) + length);
  std::vector<std::pair<std::uint64_t, std::string>> pieces;
  std::uint64_t end = 0;
  for (auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") {
      continue;
    }
    const auto from = tensor["data_offsets"][0].get<std::uint64_t>(),
               to = tensor["data_offsets"][1].get<std::uint64_t>();
    std::string content = data.substr(from, to - from);
    std::uint64_t size = content.size();
    if (name == "graphs.edge_offsets") {
      std::memcpy(content.data() + sizeof(edges), &edges, sizeof(edges));
    } else if (name == "graphs.in_sources" || name == "graphs.out_targets" || name == "graphs.in_to_out") {
      tensor["shape"] = {edges};
      size = 4 * static_cast<std::uint64_t>(edges);
      content.clear();
    }
    tensor["data_offsets"] = {end, end + size};
    pieces.emplace_back(end, content);
    end += size;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  length = text.size();
  std::ofstream out(place.path("large.safetensors"), std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof(length));
  out << text;
  const auto first = sizeof(length) + text.size();
  for (const auto& [offset, content] : pieces) {
    out.seekp(static_cast<std::streamoff>(first + offset));
    out << content;
  }
  out.close();
  std::error_code error;
  fs::resize_file(place.path("large.safetensors"), first + end, error);
  return !error;
}

TEST(LargeGraph, BeyondThirtyTwoBitsIsRefusedByName) {
  const Workplace place;
  if (!write_large(place, (std::int64_t{1} << 31) + 5)) {
    GTEST_SKIP() << "no file of 25 GB with holes can be made here";
  }
  expect_one_line(place.run("data info large.safetensors"),
                  "own, graph 0: it has 2147483653 edges; a stored graph has at most 2147483647; cut it into parts");
}

}  // namespace
}  // namespace factorgcn::cli
