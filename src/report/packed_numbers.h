// Lists of numbers as short texts, for the graphs of a page: base64 of bytes that viewer/src/graphs/unpack.ts reads.
//
//   varint   7 bits a byte, the lowest first, the top bit set where another byte follows
//   deltas   ascending numbers: the first, then the differences, as varints
//   edges    for each node in order: the number of its edges to greater nodes, then those nodes, the first as its
//            difference to the node, the others to the one before, all as varints
//   words    numbers from -1 to 65534 as two bytes, the low one first; -1 as 65535
//   raw      numbers from 0 to 255 as they are
//   bytes    values in 0 .. 1 as round(255 v); nibbles: as round(15 v), two in a byte, the first in the low half
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

FACTORGCN_API std::string base64(std::span<const std::uint8_t> bytes);

FACTORGCN_API std::string pack_deltas(std::span<const std::int32_t> ascending);

/// `pairs`: s, t, s, t, ... in ascending order with s < t < nodes.
FACTORGCN_API std::string pack_edges(std::span<const std::int32_t> pairs, std::int32_t nodes);

FACTORGCN_API std::string pack_words(std::span<const std::int32_t> numbers);
FACTORGCN_API std::string pack_bytes(std::span<const float> shares);
FACTORGCN_API std::string pack_nibbles(std::span<const float> shares);

}  // namespace factorgcn
