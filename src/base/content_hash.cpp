// Blocks of 1 MiB are hashed on their own and their hashes are joined in order, so the cut, and with it the result,
// does not depend on the threads.
//
// Inside a block, four lanes take turns at words of 8 bytes: a word is added by exclusive or, then the lane is rotated
// and multiplied by an odd number. Four, because one lane waits 5 cycles for its own result while the others work.
// Every step is a bijection of the lane and of the word, and lanes, blocks and length are joined by bijections too:
// what differs in one word only cannot come out equal.
#include "factorgcn/base/content_hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kWordBytes = 8;
constexpr std::size_t kLanes = 4;

// Odd numbers without structure: the first 64 bits behind the point of sqrt(2), sqrt(3), sqrt(5), sqrt(7), last bit
// set.
constexpr std::array<std::uint64_t, kLanes> kLaneFactors{0x6a09e667f3bcc909, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                                         0xa54ff53a5f1d36f1};

std::uint64_t little_endian(std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) {
    return __builtin_bswap64(word);
  }
  return word;
}

std::uint64_t load_word(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, kWordBytes);
  return little_endian(word);
}

/// The last 1 to 7 bytes, filled up with zeros; the length, which is hashed too, tells them from real ones.
std::uint64_t load_rest(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  return little_endian(word);
}

std::uint64_t step(std::uint64_t lane, std::uint64_t word, std::uint64_t factor) {
  return std::rotl(lane ^ word, 29) * factor;
}

/// Joins a value to what was joined before; a bijection of either.
std::uint64_t join(std::uint64_t joined, std::uint64_t value) {
  std::uint64_t mixed = std::rotl(joined, 23) ^ value;
  mixed = (mixed ^ mixed >> 32) * kLaneFactors[0];
  mixed = (mixed ^ mixed >> 29) * kLaneFactors[1];
  return mixed ^ mixed >> 32;
}

std::uint64_t hash_block(const char* bytes, std::size_t size) {
  std::array<std::uint64_t, kLanes> lanes = kLaneFactors;
  const char* const end = bytes + size;
  for (; static_cast<std::size_t>(end - bytes) >= kLanes * kWordBytes; bytes += kLanes * kWordBytes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = step(lanes[lane], load_word(bytes + lane * kWordBytes), kLaneFactors[lane]);
    }
  }
  std::size_t lane = 0;
  for (; static_cast<std::size_t>(end - bytes) >= kWordBytes; bytes += kWordBytes, ++lane) {
    lanes[lane] = step(lanes[lane], load_word(bytes), kLaneFactors[lane]);
  }
  if (bytes != end) {
    lanes[lane] = step(lanes[lane], load_rest(bytes, static_cast<std::size_t>(end - bytes)), kLaneFactors[lane]);
  }
  std::uint64_t hash = size;
  for (const std::uint64_t value : lanes) {
    hash = join(hash, value);
  }
  return hash;
}

}  // namespace

std::uint64_t content_hash(std::string_view bytes) {
  std::vector<std::uint64_t> blocks((bytes.size() + kBlockBytes - 1) / kBlockBytes);
  parallel_tasks(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t index) {
    const std::size_t begin = static_cast<std::size_t>(index) * kBlockBytes;
    blocks[static_cast<std::size_t>(index)] =
        hash_block(bytes.data() + begin, std::min(kBlockBytes, bytes.size() - begin));
  });
  std::uint64_t hash = bytes.size();
  for (const std::uint64_t block : blocks) {
    hash = join(hash, block);
  }
  return join(hash, kLaneFactors[2]);
}

std::string hash_text(std::uint64_t hash) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, hash >>= 4) {
    *digit = kDigits[hash & 15];
  }
  return text;
}

}  // namespace factorgcn
