// Changes that keep a file's outer form, so that what lies inside is reached. For libFuzzer's programs alone.
//
// A safetensors file: its header's text or one string of the metadata is changed and its length written anew; often the
// tensors' places are then made to fit their types and shapes, and the data cut or filled up to them.
// Several files in one input: one of them is changed, by its own form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

#include "factorgcn/base/error.h"
#include "factorgcn/io/json_text.h"
#include "fuzz/input_parts.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace factorgcn {

using MutatorRandom = std::minstd_rand;

/// libFuzzer's own changes, guided by what it has seen; at most `most` bytes.
inline std::string mutate_plainly(std::string bytes, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  bytes.resize(std::max<std::size_t>(most, 1));
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

struct SafetensorsPieces {
  std::string header, data;

  std::string joined() const {
    const std::uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
  }
};

inline std::uint64_t bytes_of_type(const std::string& type) {
  return type.ends_with("64") ? 8 : type.ends_with("32") ? 4 : type.ends_with("16") ? 2 : 1;
}

/// Places that fit types and shapes, one tensor behind the other, and data of that length.
inline void fit_places(nlohmann::ordered_json& header, std::string& data, std::size_t most) {
  std::uint64_t end = 0;
  for (auto& [name, tensor] : header.items()) {
    if (name == "__metadata__" || !tensor.is_object() || !tensor.contains("shape") || !tensor["shape"].is_array() ||
        !tensor.contains("dtype") || !tensor["dtype"].is_string()) {
      continue;
    }
    std::uint64_t bytes = bytes_of_type(tensor["dtype"].get<std::string>());
    for (const auto& size : tensor["shape"]) {
      if (!size.is_number_unsigned() || size > most) {
        return;
      }
      bytes *= size.get<std::uint64_t>();
      if (bytes > most) {
        return;
      }
    }
    tensor["data_offsets"] = {end, end + bytes};
    end += bytes;
  }
  if (end <= most) {
    data.resize(end);
  }
}

inline std::string mutate_safetensors(std::string_view bytes, std::size_t most, MutatorRandom& random) {
  if (bytes.size() < 9 || most < 64 || random() % 16 == 0) {
    return mutate_plainly(std::string(bytes), most);
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string_view rest = bytes.substr(sizeof length);
  length = std::min<std::uint64_t>(length, rest.size());
  SafetensorsPieces pieces{std::string(rest.substr(0, length)), std::string(rest.substr(length))};
  const std::size_t room = most - sizeof length - std::min(most - sizeof length, pieces.header.size());
  nlohmann::ordered_json header;
  bool is_tree = false;
  try {
    parse_json(pieces.header, "header");
    header = nlohmann::ordered_json::parse(pieces.header);
    is_tree = header.is_object();
  } catch (const Error&) {
  }
  const unsigned choice = random() % 8;
  if (choice == 0 && !pieces.data.empty()) {
    pieces.data = mutate_plainly(pieces.data, std::max(pieces.data.size(), room));
  } else if (choice < 4 && is_tree && header.contains("__metadata__") && header["__metadata__"].is_object() &&
             !header["__metadata__"].empty()) {
    auto entry = header["__metadata__"].begin();
    std::advance(entry, random() % header["__metadata__"].size());
    if (entry.value().is_string()) {
      auto text = entry.value().get<std::string>();
      entry.value() = mutate_plainly(text, text.size() + std::min<std::size_t>(room, 512));
    }
    pieces.header = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  } else {
    pieces.header = mutate_plainly(pieces.header, pieces.header.size() + std::min<std::size_t>(room, 512));
    is_tree = false;
  }
  if (random() % 2 == 0) {
    try {
      parse_json(pieces.header, "header");
      header = nlohmann::ordered_json::parse(pieces.header);
      if (header.is_object()) {
        fit_places(header, pieces.data, most);
        pieces.header = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      }
    } catch (const Error&) {
    }
  }
  return pieces.joined();
}

inline std::string mutate_parts(std::string_view bytes, std::size_t most, MutatorRandom& random) {
  std::map<std::string, std::string> parts = input_parts(bytes);
  if (parts.empty() || random() % 16 == 0) {
    return mutate_plainly(std::string(bytes), most);
  }
  auto part = parts.begin();
  std::advance(part, random() % parts.size());
  const std::size_t room = part->second.size() + (most - std::min(most, bytes.size()));
  part->second = part->first.ends_with(".safetensors") ? mutate_safetensors(part->second, room, random)
                                                       : mutate_plainly(part->second, room);
  std::string all;
  for (const auto& [name, text] : parts) {
    all += (all.empty() ? "== " : "\n== ") + name + "\n" + text;
  }
  return all;
}

/// What libFuzzer asks a program's own mutator for.
template <class Mutate>
std::size_t mutate_in_place(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed, Mutate mutate) {
  MutatorRandom random(seed);
  const std::string changed = mutate(std::string_view(reinterpret_cast<const char*>(data), size), most, random);
  const std::size_t kept = std::min(changed.size(), most);
  std::memcpy(data, changed.data(), kept);
  return kept;
}

}  // namespace factorgcn
