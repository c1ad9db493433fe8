// Reads the header as a stream of JSON events rather than as a tree: names that occur twice are seen, nesting is
// bounded by what the format has, and memory stays in proportion to the text. Cost: O(length of the header).
#include "io/safetensors_header.h"

#include <array>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "factorgcn/base/error.h"
#include "io/quoted_text.h"

namespace factorgcn {
namespace {

constexpr std::array<StoredType, 10> kStoredTypes{{
    {c10::kDouble, "F64", 8},
    {c10::kFloat, "F32", 4},
    {c10::kHalf, "F16", 2},
    {c10::kBFloat16, "BF16", 2},
    {c10::kLong, "I64", 8},
    {c10::kInt, "I32", 4},
    {c10::kShort, "I16", 2},
    {c10::kChar, "I8", 1},
    {c10::kByte, "U8", 1},
    {c10::kBool, "BOOL", 1},
}};

constexpr std::size_t kMostDimensions = 64;

/// Follows where in the header the parser is; every event that has no place there is an error.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t /*elements*/) override {
    if (place_ == Place::kStart) {
      place_ = Place::kTop;
    } else if (place_ == Place::kTop && key_ == kMetadataName) {
      place_ = Place::kMetadata;
    } else if (place_ == Place::kTop) {
      place_ = Place::kTensor;
      fields_ = 0;
      header_.tensors.push_back({key_, {}, {}, {}});
    } else {
      wrong_value("an object");
    }
    return true;
  }

  bool key(string_t& name) override {
    key_ = name;
    if (place_ == Place::kTop) {
      require(names_.insert(name).second, file_, ": not a safetensors file: the name ", quoted_text(name),
              " occurs twice in the header");
    } else if (place_ == Place::kMetadata) {
      require(!header_.metadata.contains(name), file_, ": not a safetensors file: the metadata ", quoted_text(name),
              " occurs twice in the header");
    } else {
      const unsigned field = field_bit(name);
      require(field != 0, file_, ": not a safetensors file: tensor ", tensor_name(), " has the unknown field ",
              quoted_text(name));
      require((fields_ & field) == 0, file_, ": not a safetensors file: tensor ", tensor_name(), " has the field ",
              quoted_text(name), " twice");
      fields_ |= field;
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) {
      for (const char* field : {"dtype", "shape", "data_offsets"}) {
        require((fields_ & field_bit(field)) != 0, file_, ": not a safetensors file: tensor ", tensor_name(),
                " has no ", field);
      }
    }
    place_ = place_ == Place::kTop ? Place::kEnd : Place::kTop;
    return true;
  }

  bool start_array(std::size_t /*elements*/) override {
    if (place_ == Place::kTensor && key_ == "shape") {
      place_ = Place::kShape;
    } else if (place_ == Place::kTensor && key_ == "data_offsets") {
      place_ = Place::kOffsets;
    } else {
      wrong_value("an array");
    }
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kOffsets) {
      const std::size_t count = header_.tensors.back().offsets.size();
      require(count == 2, file_, ": not a safetensors file: tensor ", tensor_name(), " has ", count,
              " data_offsets; it must have 2");
    }
    place_ = Place::kTensor;
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace(key_, text);
    } else if (place_ == Place::kTensor && key_ == "dtype") {
      header_.tensors.back().dtype = text;
    } else {
      wrong_value("a string");
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::kShape) {
      std::vector<std::uint64_t>& shape = header_.tensors.back().shape;
      require(shape.size() < kMostDimensions, file_, ": tensor ", tensor_name(), " has more than ", kMostDimensions,
              " dimensions");
      shape.push_back(value);
    } else if (place_ == Place::kOffsets) {
      std::vector<std::uint64_t>& offsets = header_.tensors.back().offsets;
      require(offsets.size() < 2, file_, ": not a safetensors file: tensor ", tensor_name(),
              " has more than 2 data_offsets");
      offsets.push_back(value);
    } else {
      wrong_value("a number");
    }
    return true;
  }

  bool number_integer(number_integer_t value) override { wrong_value(concat("the negative number ", value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    wrong_value("the number " + text.substr(0, 40) + ", which is no whole number of 64 bits");
  }
  bool boolean(bool /*value*/) override { wrong_value("true or false"); }
  bool null() override { wrong_value("null"); }
  bool binary(binary_t& /*value*/) override { wrong_value("binary data"); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    fail(file_, ": not a safetensors file: its header is no valid JSON at byte ", position);
  }

 private:
  enum class Place { kStart, kTop, kMetadata, kTensor, kShape, kOffsets, kEnd };

  static unsigned field_bit(std::string_view name) {
    return name == "dtype" ? 1U : name == "shape" ? 2U : name == "data_offsets" ? 4U : 0U;
  }

  std::string tensor_name() const { return quoted_text(header_.tensors.back().name); }

  [[noreturn]] void wrong_value(const std::string& found) const {
    std::string where;
    switch (place_) {
      case Place::kStart:
      case Place::kEnd:
        where = "its header, which must be an object,";
        break;
      case Place::kTop:
        where = "its header's " + quoted_text(key_) + ", which must be an object,";
        break;
      case Place::kMetadata:
        where = "the metadata " + quoted_text(key_) + ", which must be a string,";
        break;
      case Place::kTensor:
        where = concat("the ", key_, " of tensor ", tensor_name());
        break;
      case Place::kShape:
      case Place::kOffsets:
        where = concat("the ", key_, " of tensor ", tensor_name(), ", which must be whole numbers,");
        break;
    }
    fail(file_, ": not a safetensors file: ", where, " holds ", found);
  }

  const std::string& file_;
  Place place_ = Place::kStart;
  std::string key_;      ///< the last one read
  unsigned fields_ = 0;  ///< of the tensor being read
  std::unordered_set<std::string> names_;
  SafetensorsHeader header_;
};

std::string json_string(const std::string& text, const std::string& file) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail(file, ": the name or text ", quoted_text(text), " is not valid UTF-8 and cannot be written");
  }
}

std::string json_numbers(const std::vector<std::uint64_t>& values) {
  std::string text = "[";
  for (const std::uint64_t value : values) {
    text += (text.size() == 1 ? "" : ",") + std::to_string(value);
  }
  return text + "]";
}

}  // namespace

const StoredType* find_stored_type(c10::ScalarType type) {
  for (const StoredType& stored : kStoredTypes) {
    if (stored.type == type) {
      return &stored;
    }
  }
  return nullptr;
}

const StoredType* find_stored_type(std::string_view name) {
  for (const StoredType& stored : kStoredTypes) {
    if (name == stored.name) {
      return &stored;
    }
  }
  return nullptr;
}

SafetensorsHeader parse_header(std::string_view json, const std::string& file) {
  // The parser takes a NUL byte for the end of its input and would accept whatever follows.
  const std::size_t nul = json.find('\0');
  require(nul == std::string_view::npos, file, ": not a safetensors file: its header holds a NUL at byte ", nul);
  HeaderReader reader(file);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return reader.take();
}

std::string header_text(const SafetensorsHeader& header, const std::string& file) {
  std::string text = "{";
  const auto begin_member = [&](const std::string& name) {
    text += (text.back() == '{' ? "" : ",") + json_string(name, file) + ":";
  };
  if (!header.metadata.empty()) {
    begin_member(kMetadataName);
    text += "{";
    for (const auto& [name, value] : header.metadata) {
      begin_member(name);
      text += json_string(value, file);
    }
    text += "}";
  }
  for (const StoredTensor& tensor : header.tensors) {
    begin_member(tensor.name);
    text += "{\"dtype\":\"" + tensor.dtype + "\",\"shape\":" + json_numbers(tensor.shape) +
            ",\"data_offsets\":" + json_numbers(tensor.offsets) + "}";
  }
  text += "}";
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace factorgcn
