// Records of a file in rising order, with a bounded part of them in memory: sorted pieces in files, which are then
// merged. Cost: two passes over the file, O(n log n) comparisons.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "factorgcn/base/error.h"
#include "partition/scratch.h"

namespace factorgcn {

template <class Record>
class ExternalSort {
 public:
  ExternalSort(ScratchFolder& folder, std::int64_t memory)
      : folder_(folder),
        most_(static_cast<std::size_t>(
            std::max<std::int64_t>(memory / static_cast<std::int64_t>(sizeof(Record)), 1024))) {}

  /// Sorts the file's records and hands them to `take`, one by one. The file is removed.
  void run(const std::filesystem::path& file, const std::function<void(const Record&)>& take) {
    const std::vector<std::filesystem::path> pieces = sorted_pieces(file);
    std::filesystem::remove(file);
    merge(pieces, take);
    for (const auto& piece : pieces) {
      std::filesystem::remove(piece);
    }
  }

 private:
  /// A sorted piece, some records of which are in memory.
  struct Piece {
    std::ifstream stream;
    std::vector<Record> some;
    std::size_t next = 0;

    bool fill(std::size_t most) {
      some.resize(most);
      stream.read(reinterpret_cast<char*>(some.data()), static_cast<std::streamsize>(most * sizeof(Record)));
      some.resize(static_cast<std::size_t>(stream.gcount()) / sizeof(Record));
      next = 0;
      return !some.empty();
    }
  };

  std::vector<std::filesystem::path> sorted_pieces(const std::filesystem::path& file) {
    std::vector<std::filesystem::path> pieces;
    Piece all{std::ifstream(file, std::ios::binary), {}, 0};
    while (all.fill(most_)) {
      std::sort(all.some.begin(), all.some.end());
      pieces.push_back(folder_.new_file());
      std::ofstream stream(pieces.back(), std::ios::binary);
      stream.write(reinterpret_cast<const char*>(all.some.data()),
                   static_cast<std::streamsize>(all.some.size() * sizeof(Record)));
      stream.close();
      require(stream.good(), "cannot write ", pieces.back().string(), "; is the disk full?");
    }
    constexpr std::size_t kMostPieces = 500;  // files that are open at a time
    require_usage(pieces.size() <= kMostPieces, "--memory: one part's edges are ", pieces.size(),
                  " times as large as what may be sorted at once; give ", pieces.size() / kMostPieces + 1,
                  " times as much memory, or cut the graph into more parts");
    return pieces;
  }

  void merge(const std::vector<std::filesystem::path>& files, const std::function<void(const Record&)>& take) {
    if (files.empty()) {
      return;
    }
    const std::size_t each = std::max<std::size_t>(most_ / files.size(), 16);
    std::vector<std::unique_ptr<Piece>> pieces;
    const auto later = [&](std::size_t left, std::size_t right) {
      const Record &one = pieces[left]->some[pieces[left]->next], &other = pieces[right]->some[pieces[right]->next];
      return other < one || (!(one < other) && right < left);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> queue(later);
    for (const auto& file : files) {
      pieces.push_back(std::make_unique<Piece>());
      pieces.back()->stream.open(file, std::ios::binary);
      require(pieces.back()->stream.good(), "cannot read ", file.string());
      if (pieces.back()->fill(each)) {
        queue.push(pieces.size() - 1);
      }
    }
    while (!queue.empty()) {
      const std::size_t first = queue.top();
      queue.pop();
      Piece& piece = *pieces[first];
      take(piece.some[piece.next]);
      if (++piece.next < piece.some.size() || piece.fill(each)) {
        queue.push(first);
      }
    }
  }

  ScratchFolder& folder_;
  std::size_t most_;  // records in memory
};

}  // namespace factorgcn
