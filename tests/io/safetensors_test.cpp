// The file format: bytes written by hand are read, written files have the bytes the format asks for, and no damaged
// file is anything but an error.
#include "factorgcn/io/safetensors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/mapped_file.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  }
  return bytes;
}

std::string file_of(const std::string& header, const std::string& data) {
  return little_endian(header.size()) + header + data;
}

/// The error for a file with that header and `bytes` zero bytes of data; without the common beginning.
std::string refusal(const std::string& header, std::size_t bytes = 0) {
  const std::string text = error_text([&] { parse_safetensors(file_of(header, std::string(bytes, '\0')), "x"); });
  EXPECT_TRUE(text.starts_with("x: ") || text == "no error") << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return text.starts_with("x: ") ? text.substr(3) : text;
}

std::string one_tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

TensorFile round_trip(const TensorFile& file) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "f.safetensors", file);
  return read_safetensors(folder.path() / "f.safetensors");
}

std::string written_bytes(const TensorFile& file) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "f.safetensors", file);
  return read_file(folder.path() / "f.safetensors");
}

TensorFile small_file() {
  TensorFile file;
  file.tensors = {{"weight", at::arange(6, at::kFloat).view({2, 3})},
                  {"flags", at::tensor({1, 0, 1}, at::kInt).to(at::kBool)},
                  {"count", at::tensor({std::int64_t{-7}}, at::kLong)}};
  file.metadata = {{"format", "test"}, {"note", "two\nlines and \"quotes\""}};
  return file;
}

TEST(Safetensors, ReadsBytesWrittenByHand) {
  // 1.5f = 0x3fc00000, -2 as int16 = 0xfffe. Tensor "b" comes first in the header, second in the data.
  const std::string header = R"({"b":{"dtype":"I16","shape":[2],"data_offsets":[4,8]},)"
                             R"("__metadata__":{"made by":"hand \u00e9"},)"
                             R"("a":{"shape":[1,1],"data_offsets":[0,4],"dtype":"F32"}}   )";
  const std::string data("\x00\x00\xc0\x3f\xfe\xff\x07\x00", 8);
  const TensorFile file = parse_safetensors(file_of(header, data), "hand");
  ASSERT_EQ(file.tensors.size(), 2);
  EXPECT_EQ(file.tensors[0].first, "b");
  EXPECT_EQ(file.tensors[1].first, "a");
  EXPECT_EQ(file.at("a").scalar_type(), at::kFloat);
  EXPECT_EQ(file.at("a").sizes(), (at::IntArrayRef{1, 1}));
  EXPECT_EQ(file.at("a").data_ptr<float>()[0], 1.5F);
  EXPECT_EQ(file.at("b").scalar_type(), at::kShort);
  EXPECT_EQ(file.at("b").data_ptr<std::int16_t>()[0], -2);
  EXPECT_EQ(file.at("b").data_ptr<std::int16_t>()[1], 7);
  EXPECT_EQ(file.metadata_at("made by"), "hand \xc3\xa9");
  EXPECT_EQ(file.origin, "hand");
}

TEST(Safetensors, ReadsUnalignedData) {
  // A double at byte 1 of the data, behind a header of odd length.
  const std::string header = R"({"byte":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("real":{"dtype":"F64","shape":[],"data_offsets":[1,9]}})";
  const std::string data("\x05\x00\x00\x00\x00\x00\x00\x04\x40", 9);
  const TensorFile file = parse_safetensors(file_of(header, data), "hand");
  EXPECT_EQ(file.at("real").dim(), 0);
  EXPECT_EQ(file.at("real").data_ptr<double>()[0], 2.5);
  EXPECT_EQ(file.at("byte").data_ptr<std::uint8_t>()[0], 5);
}

TEST(Safetensors, WritesTheBytesTheFormatAsksFor) {
  TensorFile file;
  file.tensors = {{"u", at::tensor({1, 2, 3}, at::kInt).to(at::kByte)}, {"f", at::tensor({1.5F})}};
  // The float goes first in the data, so that it is aligned; the header is padded to a multiple of 8.
  const std::string header = R"({"u":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},)"
                             R"("f":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(written_bytes(file), file_of(padded, std::string("\x00\x00\xc0\x3f\x01\x02\x03", 7)));
}

TEST(Safetensors, EmptyFile) {
  EXPECT_EQ(written_bytes({}), file_of("{}      ", ""));
  const TensorFile file = round_trip({});
  EXPECT_TRUE(file.tensors.empty());
  EXPECT_TRUE(file.metadata.empty());
}

TEST(Safetensors, RoundTripOfEveryType) {
  TensorFile file;
  file.metadata = {{"", ""}, {"key", "\xf0\x9f\x8c\xb3 \t \\ \" \x01"}};
  for (const at::ScalarType type : {at::kByte, at::kDouble, at::kBool, at::kFloat, at::kHalf, at::kChar, at::kBFloat16,
                                    at::kLong, at::kShort, at::kInt}) {
    const std::string name = c10::toString(type);
    const at::Tensor values = at::arange(-3, 4, at::kFloat);
    file.tensors.emplace_back(name, type == at::kBool ? values.gt(0) : values.abs().to(type));
    file.tensors.emplace_back(name + " negative",
                              type == at::kBool || type == at::kByte ? file.tensors.back().second : values.to(type));
    file.tensors.emplace_back(name + " scalar", at::ones({}, type));
    file.tensors.emplace_back(name + " empty", at::empty({0}, type));
    file.tensors.emplace_back(name + " empty matrix", at::empty({3, 0, 2}, type));
    file.tensors.emplace_back(name + " cube", at::ones({2, 3, 4}, type));
  }
  const TensorFile read = round_trip(file);
  EXPECT_EQ(read.metadata, file.metadata);
  ASSERT_EQ(read.tensors.size(), file.tensors.size());
  for (std::size_t i = 0; i < file.tensors.size(); ++i) {
    SCOPED_TRACE(file.tensors[i].first);
    EXPECT_EQ(read.tensors[i].first, file.tensors[i].first);
    const at::Tensor &before = file.tensors[i].second, &after = read.tensors[i].second;
    EXPECT_EQ(after.scalar_type(), before.scalar_type());
    EXPECT_EQ(after.sizes(), before.sizes());
    EXPECT_TRUE(after.is_contiguous());
    EXPECT_TRUE(at::equal(before, after));
  }
}

TEST(Safetensors, KeepsEveryBit) {
  // NaNs with a payload, infinities, denormals and negative zero are bytes like any other.
  at::Tensor values = at::empty({5}, at::kFloat);
  const std::uint32_t patterns[] = {0x7fc12345, 0xff800000, 0x00000001, 0x80000000, 0x7f800001};
  std::memcpy(values.data_ptr(), patterns, sizeof(patterns));
  TensorFile file;
  file.tensors = {{"v", values}};
  EXPECT_EQ(std::memcmp(round_trip(file).at("v").data_ptr(), patterns, sizeof(patterns)), 0);
}

TEST(Safetensors, WritesTheValuesOfViews) {
  const at::Tensor base = at::arange(12, at::kInt).view({3, 4});
  TensorFile file;
  file.tensors = {
      {"transposed", base.t()}, {"column", base.select(1, 2)}, {"expanded", at::ones({1, 1}).expand({2, 3})}};
  const TensorFile read = round_trip(file);
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_TRUE(at::equal(read.at(name), tensor)) << name;
  }
}

TEST(Safetensors, EveryTensorIsAlignedInTheFile) {
  TensorFile file;
  for (const at::ScalarType type : {at::kBool, at::kHalf, at::kDouble, at::kByte, at::kFloat, at::kLong}) {
    file.tensors.emplace_back(c10::toString(type), at::ones({3}, type));
  }
  const std::string bytes = written_bytes(file);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(header.at(name).at("data_offsets").at(0).get<std::uint64_t>() % tensor.element_size(), 0) << name;
  }
}

TEST(Safetensors, SameContentSameBytes) { EXPECT_EQ(written_bytes(small_file()), written_bytes(small_file())); }

TEST(Safetensors, FindAndAt) {
  TensorFile file = small_file();
  EXPECT_EQ(file.find("nothing"), nullptr);
  EXPECT_EQ(file.find("flags"), &file.tensors[1].second);
  file.origin = "model.safetensors";
  EXPECT_EQ(error_text([&] { file.at("nothing"); }), "model.safetensors: it has no tensor \"nothing\" among its 3");
  EXPECT_EQ(error_text([&] { file.metadata_at("author"); }), "model.safetensors: its metadata has no \"author\"");
}

TEST(Safetensors, RefusesToWrite) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "f.safetensors";
  const std::string name = path.string();
  const auto refuse = [&](const TensorFile& file) { return error_text([&] { write_safetensors(path, file); }); };
  TensorFile twice, reserved, undefined, complex_numbers, broken_name, broken_text, sparse;
  twice.tensors = {{"a", at::zeros({1})}, {"b", at::zeros({1})}, {"a", at::zeros({1})}};
  EXPECT_EQ(refuse(twice), name + ": two tensors are named \"a\"");
  reserved.tensors = {{"__metadata__", at::zeros({1})}};
  EXPECT_EQ(refuse(reserved), name + ": no tensor can be named \"__metadata__\", which the format reserves");
  undefined.tensors = {{"a", at::Tensor()}};
  EXPECT_EQ(refuse(undefined), name + ": tensor \"a\" is undefined and cannot be written");
  complex_numbers.tensors = {{"z", at::zeros({1}, at::kComplexFloat)}};
  EXPECT_EQ(refuse(complex_numbers), name + ": tensor \"z\" has the type ComplexFloat, which the format does not know");
  sparse.tensors = {{"s", at::zeros({2, 2}).to_sparse()}};
  EXPECT_EQ(refuse(sparse), name + ": tensor \"s\" is sparse; make it dense to write it");
  broken_name.tensors = {{"a\xff", at::zeros({1})}};
  EXPECT_EQ(refuse(broken_name),
            name + ": the name or text \"a\xef\xbf\xbd\" is not valid UTF-8 and cannot be written");
  broken_text.metadata = {{"a", "\xc3"}};
  EXPECT_EQ(refuse(broken_text), name + ": the name or text \"\xef\xbf\xbd\" is not valid UTF-8 and cannot be written");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Safetensors, RefusesWhatIsNoSuchFile) {
  const auto refuse = [](const std::string& bytes) { return error_text([&] { parse_safetensors(bytes, "x"); }); };
  EXPECT_EQ(refuse(""), "x: not a safetensors file: it has 0 bytes, fewer than the 8 of the header's length");
  EXPECT_EQ(refuse("1234567"), "x: not a safetensors file: it has 7 bytes, fewer than the 8 of the header's length");
  EXPECT_EQ(
      refuse(little_endian(3) + "{}"),
      "x: not a safetensors file: its header should have 3 bytes, but only 2 follow; the file was cut short or is "
      "of another format");
  EXPECT_EQ(
      refuse("PK\x03\x04 a zip archive"),
      "x: not a safetensors file: its header would have 8800140462016121680 bytes; at most 100000000 are allowed");
  EXPECT_EQ(refuse(little_endian(100000001) + "{}"),
            "x: not a safetensors file: its header would have 100000001 bytes; at most 100000000 are allowed");
  EXPECT_EQ(
      refuse(little_endian(~0ULL) + "{}"),
      "x: not a safetensors file: its header would have 18446744073709551615 bytes; at most 100000000 are allowed");
  EXPECT_EQ(refuse(little_endian(0)), "x: not a safetensors file: its header does not begin with '{'");
  EXPECT_EQ(refusal("[]"), "not a safetensors file: its header does not begin with '{'");
  EXPECT_EQ(refusal(" {}"), "not a safetensors file: its header does not begin with '{'");
}

TEST(Safetensors, RefusesBrokenJson) {
  EXPECT_EQ(refusal("{\"a\":}"), "not a safetensors file: its header is no valid JSON at byte 6");
  EXPECT_TRUE(refusal("{").starts_with("not a safetensors file: its header is no valid JSON at byte "));
  EXPECT_TRUE(refusal("{} x").starts_with("not a safetensors file: its header is no valid JSON at byte "));
  EXPECT_TRUE(refusal("{}{}").starts_with("not a safetensors file: its header is no valid JSON at byte "));
  EXPECT_TRUE(refusal("{\"\xff\":{}}").starts_with("not a safetensors file: its header is no valid JSON at byte "));
  EXPECT_EQ(refusal(std::string("{}\0", 3)), "not a safetensors file: its header holds a NUL at byte 2");
}

TEST(Safetensors, RefusesOtherStructures) {
  EXPECT_EQ(refusal(R"({"w":3})"),
            "not a safetensors file: its header's \"w\", which must be an object, holds a number");
  EXPECT_EQ(refusal(R"({"w":[]})"),
            "not a safetensors file: its header's \"w\", which must be an object, holds an array");
  EXPECT_EQ(refusal(R"({"w":null})"),
            "not a safetensors file: its header's \"w\", which must be an object, holds null");
  EXPECT_EQ(refusal(R"({"__metadata__":"text"})"),
            "not a safetensors file: its header's \"__metadata__\", which must be an object, holds a string");
  EXPECT_EQ(refusal(R"({"__metadata__":{"a":1}})"),
            "not a safetensors file: the metadata \"a\", which must be a string, holds a number");
  EXPECT_EQ(refusal(R"({"__metadata__":{"a":{"b":"c"}}})"),
            "not a safetensors file: the metadata \"a\", which must be a string, holds an object");
  EXPECT_EQ(refusal(R"({"w":{"shape":[],"data_offsets":[0,4]}})", 4),
            "not a safetensors file: tensor \"w\" has no dtype");
  EXPECT_EQ(refusal(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", 4),
            "not a safetensors file: tensor \"w\" has no shape");
  EXPECT_EQ(refusal(R"({"w":{"dtype":"F32","shape":[]}})"), "not a safetensors file: tensor \"w\" has no data_offsets");
  EXPECT_EQ(refusal(R"({"w":{"dtype":"F32","color":"red"}})"),
            "not a safetensors file: tensor \"w\" has the unknown field \"color\"");
  EXPECT_EQ(refusal(R"({"w":{"dtype":5}})"), "not a safetensors file: the dtype of tensor \"w\" holds a number");
  EXPECT_EQ(refusal(R"({"w":{"dtype":["F32"]}})"), "not a safetensors file: the dtype of tensor \"w\" holds an array");
  EXPECT_EQ(refusal(R"({"w":{"shape":"[1]"}})"), "not a safetensors file: the shape of tensor \"w\" holds a string");
  EXPECT_EQ(refusal(R"({"w":{"shape":[[1]]}})"),
            "not a safetensors file: the shape of tensor \"w\", which must be whole numbers, holds an array");
  EXPECT_EQ(refusal(R"({"w":{"shape":[-1]}})"),
            "not a safetensors file: the shape of tensor \"w\", which must be whole numbers, holds the negative number "
            "-1");
  EXPECT_EQ(
      refusal(R"({"w":{"shape":[1.5]}})"),
      "not a safetensors file: the shape of tensor \"w\", which must be whole numbers, holds the number 1.5, which "
      "is no whole number of 64 bits");
  EXPECT_EQ(
      refusal(R"({"w":{"data_offsets":[0,true]}})"),
      "not a safetensors file: the data_offsets of tensor \"w\", which must be whole numbers, holds true or false");
  EXPECT_EQ(refusal(R"({"w":{"data_offsets":[0]}})"),
            "not a safetensors file: tensor \"w\" has 1 data_offsets; it must have 2");
  EXPECT_EQ(refusal(R"({"w":{"data_offsets":[0,1,2]}})"),
            "not a safetensors file: tensor \"w\" has more than 2 data_offsets");
}

TEST(Safetensors, RefusesDuplicates) {
  const std::string w = R"("w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_EQ(refusal("{" + w + "," + w + "}", 1), "not a safetensors file: the name \"w\" occurs twice in the header");
  EXPECT_EQ(refusal(R"({"__metadata__":{},"__metadata__":{}})"),
            "not a safetensors file: the name \"__metadata__\" occurs twice in the header");
  EXPECT_EQ(refusal(R"({"__metadata__":{"a":"1","a":"2"}})"),
            "not a safetensors file: the metadata \"a\" occurs twice in the header");
  EXPECT_EQ(refusal(R"({"w":{"dtype":"U8","dtype":"U8"}})"),
            "not a safetensors file: tensor \"w\" has the field \"dtype\" twice");
}

TEST(Safetensors, RefusesWrongNumbers) {
  EXPECT_EQ(
      refusal(one_tensor("F128", "[1]", "[0,16]"), 16),
      "tensor \"w\" has the unknown dtype \"F128\"; known are F64, F32, F16, BF16, I64, I32, I16, I8, U8 and BOOL");
  EXPECT_EQ(refusal(one_tensor("F32", "[2]", "[0,8]"), 7),
            "tensor \"w\" ends at byte 8 of the data, but only 7 bytes are there; the file was cut short or damaged");
  EXPECT_EQ(refusal(one_tensor("F32", "[2]", "[0,18446744073709551615]"), 8),
            "tensor \"w\" ends at byte 18446744073709551615 of the data, but only 8 bytes are there; the file was cut "
            "short or damaged");
  EXPECT_EQ(refusal(one_tensor("F32", "[2]", "[8,0]"), 8),
            "not a safetensors file: tensor \"w\" begins at byte 8 but ends at byte 0");
  EXPECT_EQ(refusal(one_tensor("F32", "[3]", "[0,8]"), 8),
            "not a safetensors file: tensor \"w\" has 8 bytes, but F32 of shape [3] takes 12");
  EXPECT_EQ(refusal(one_tensor("F32", "[]", "[0,8]"), 8),
            "not a safetensors file: tensor \"w\" has 8 bytes, but F32 of shape [] takes 4");
  EXPECT_EQ(refusal(one_tensor("BOOL", "[2]", "[0,2]"), 2), "no error") << "two zero bytes are fine";
}

TEST(Safetensors, RefusesShapesThatOverflow) {
  // 2^32 * 2^32 elements wrap round to 0, and 2^61 * 8 bytes to 0 as well.
  EXPECT_EQ(refusal(one_tensor("U8", "[4294967296,4294967296]", "[0,0]")),
            "tensor \"w\" has the impossible shape [4294967296, 4294967296]");
  EXPECT_EQ(refusal(one_tensor("F64", "[2305843009213693952]", "[0,0]")),
            "tensor \"w\" has the impossible shape [2305843009213693952]");
  EXPECT_EQ(refusal(one_tensor("U8", "[18446744073709551615]", "[0,0]")),
            "tensor \"w\" has the impossible shape [18446744073709551615]");
  EXPECT_EQ(refusal(one_tensor("U8", "[18446744073709551616]", "[0,0]")),
            "not a safetensors file: the shape of tensor \"w\", which must be whole numbers, holds the number "
            "18446744073709551616, which is no whole number of 64 bits");
  // No elements, but strides that overflow.
  EXPECT_EQ(refusal(one_tensor("U8", "[0,4294967296,4294967296]", "[0,0]")),
            "tensor \"w\" has the impossible shape [0, 4294967296, 4294967296]");
  std::string ones = "1";
  for (int i = 0; i < 64; ++i) {
    ones += ",1";
  }
  EXPECT_EQ(refusal(one_tensor("U8", "[" + ones + "]", "[0,1]"), 1), "tensor \"w\" has more than 64 dimensions");
}

TEST(Safetensors, RefusesHolesAndOverlaps) {
  const auto two = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
           R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}";
  };
  EXPECT_EQ(refusal(two("[0,4]", "[4,8]"), 8), "no error");
  EXPECT_EQ(refusal(two("[4,8]", "[0,4]"), 8), "no error");
  EXPECT_EQ(refusal(two("[0,4]", "[5,9]"), 9), "not a safetensors file: bytes 4 to 5 of the data belong to no tensor");
  EXPECT_EQ(refusal(two("[1,5]", "[5,9]"), 9), "not a safetensors file: bytes 0 to 1 of the data belong to no tensor");
  EXPECT_EQ(refusal(two("[0,4]", "[4,8]"), 11),
            "not a safetensors file: bytes 8 to 11 of the data belong to no tensor");
  EXPECT_EQ(refusal(two("[0,4]", "[3,7]"), 8),
            "not a safetensors file: tensor \"b\" begins at byte 3, inside another tensor that ends at byte 4");
  EXPECT_EQ(refusal(two("[0,4]", "[0,4]"), 4),
            "not a safetensors file: tensor \"b\" begins at byte 0, inside another tensor that ends at byte 4");
  EXPECT_EQ(refusal("{}", 3), "not a safetensors file: bytes 0 to 3 of the data belong to no tensor");
}

TEST(Safetensors, RefusesOtherBytesThanZeroAndOneInBool) {
  const std::string header = one_tensor("BOOL", "[3]", "[0,3]");
  EXPECT_EQ(error_text([&] { parse_safetensors(file_of(header, std::string("\x01\x00\xfe", 3)), "x"); }),
            "x: BOOL tensor \"w\" holds the byte 254; it must be 0 or 1");
}

TEST(Safetensors, ErrorsStayShortAndOnOneLine) {
  const std::string text = refusal("{\"line\\nbreak " + std::string(500, 'a') + "\":1}");
  EXPECT_EQ(text, "not a safetensors file: its header's \"line\\nbreak " + std::string(69, 'a') +
                      "\"..., which must be an object, holds a number");
}

TEST(Safetensors, MissingFile) {
  const TemporaryFolder folder;
  const std::string text = error_text([&] { read_safetensors(folder.path() / "absent.safetensors"); });
  EXPECT_NE(text.find("absent.safetensors"), std::string::npos) << text;
}

/// Where in the mapping the tensor lies; -1 where it is a copy.
std::ptrdiff_t place_in(const MappedFile& mapping, const at::Tensor& tensor) {
  const auto* const first = static_cast<const char*>(tensor.data_ptr());
  const bool inside = first >= mapping.data() && first < mapping.data() + mapping.size();
  return inside ? first - mapping.data() : -1;
}

TEST(Safetensors, MappedTensorsAreViewsOfTheFile) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "f.safetensors";
  write_safetensors(path, small_file());
  const auto mapping = std::make_shared<MappedFile>(path);
  const TensorFile mapped = map_safetensors(mapping, "small"), read = read_safetensors(path);
  EXPECT_EQ(mapped.origin, "small");
  EXPECT_EQ(mapped.metadata, read.metadata);
  ASSERT_EQ(mapped.tensors.size(), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(mapped.tensors[i].first, read.tensors[i].first);
    EXPECT_EQ(mapped.tensors[i].second.scalar_type(), read.tensors[i].second.scalar_type());
    EXPECT_TRUE(at::equal(mapped.tensors[i].second, read.tensors[i].second));
    EXPECT_TRUE(mapped.tensors[i].second.is_contiguous());
    EXPECT_GE(place_in(*mapping, mapped.tensors[i].second), 8) << mapped.tensors[i].first;
  }
}

TEST(Safetensors, MappedTensorsOutliveFileAndMapping) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "f.safetensors";
  write_safetensors(path, small_file());
  at::Tensor weight = map_safetensors(path).at("weight").select(0, 1);
  TensorFile other;
  other.tensors = {{"weight", at::zeros({2, 3})}};
  write_safetensors(path, other);
  EXPECT_TRUE(at::equal(weight, at::tensor({3.0F, 4.0F, 5.0F})));
  EXPECT_EQ(map_safetensors(path).origin, path.string());
}

TEST(Safetensors, WritingToMappedTensorsLeavesTheFile) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "f.safetensors";
  write_safetensors(path, small_file());
  const std::string before = read_file(path);
  const TensorFile file = map_safetensors(path);
  at::Tensor weight = file.at("weight");
  weight.fill_(9);
  EXPECT_EQ(weight.sum().item<float>(), 54);
  EXPECT_EQ(read_file(path), before);
  EXPECT_TRUE(at::equal(map_safetensors(path).at("weight"), small_file().at("weight")));
}

TEST(Safetensors, MappedTensorsInOddPlacesAreCopied) {
  const std::string header = R"({"byte":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("real":{"dtype":"F64","shape":[],"data_offsets":[1,9]},)"
                             R"("none":{"dtype":"F64","shape":[0,3],"data_offsets":[9,9]}})";
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "f.safetensors";
  write_file_atomically(path, file_of(header, std::string("\x05\x00\x00\x00\x00\x00\x00\x04\x40", 9)));
  const auto mapping = std::make_shared<MappedFile>(path);
  const TensorFile file = map_safetensors(mapping, "odd");
  EXPECT_EQ(file.at("real").data_ptr<double>()[0], 2.5);
  EXPECT_EQ(place_in(*mapping, file.at("real")), -1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.at("real").data_ptr()) % sizeof(double), 0);
  EXPECT_EQ(place_in(*mapping, file.at("byte")), static_cast<std::ptrdiff_t>(8 + header.size()));
  EXPECT_EQ(file.at("none").sizes(), (at::IntArrayRef{0, 3}));
}

TEST(Safetensors, MappingRefusesWhatReadingRefuses) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "f.safetensors";
  const std::string bytes = written_bytes(small_file());
  const auto compare = [&](const std::string& content) {
    write_file_atomically(path, content);
    const std::string read = error_text([&] { read_safetensors(path); });
    EXPECT_EQ(error_text([&] { map_safetensors(path); }), read);
    return read;
  };
  EXPECT_EQ(compare(bytes), "no error");
  for (const std::size_t length : {0UL, 7UL, 8UL, 100UL, bytes.size() - 1}) {
    EXPECT_NE(compare(bytes.substr(0, length)), "no error") << length;
  }
  EXPECT_EQ(compare(file_of(one_tensor("BOOL", "[3]", "[0,3]"), std::string("\x01\x00\xfe", 3))),
            path.string() + ": BOOL tensor \"w\" holds the byte 254; it must be 0 or 1");
  EXPECT_NE(error_text([&] { map_safetensors(folder.path() / "absent"); }).find("absent"), std::string::npos);
}

TEST(Safetensors, BeginningIsWhatIsWritten) {
  for (const TensorFile& file : {TensorFile{}, small_file()}) {
    std::size_t data = 0;
    for (const auto& [name, tensor] : file.tensors) {
      data += tensor.nbytes();
    }
    const std::string bytes = written_bytes(file);
    EXPECT_EQ(safetensors_beginning(file), bytes.substr(0, bytes.size() - data));
    EXPECT_EQ(safetensors_beginning(parse_safetensors(bytes, "x")), safetensors_beginning(file));
  }
}

TEST(Safetensors, EveryTruncationIsAnError) {
  const std::string bytes = written_bytes(small_file());
  ASSERT_NO_THROW(parse_safetensors(bytes, "x"));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // A copy of exactly that length: reading behind it is seen by the address sanitizer.
    const std::string cut(bytes.data(), length);
    EXPECT_THROW(parse_safetensors(cut, "x"), Error) << length << " of " << bytes.size() << " bytes";
  }
  EXPECT_THROW(parse_safetensors(bytes + '\0', "x"), Error);
}

TEST(Safetensors, FlippedBytesNeverCrash) {
  const std::string bytes = written_bytes(small_file());
  RandomStream random(1, "test/flipped bytes");
  std::set<std::string> kinds;
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    const std::uint64_t flips = 1 + random.below(3);
    for (std::uint64_t i = 0; i < flips; ++i) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    try {
      const TensorFile file = parse_safetensors(damaged, "x");
      ++accepted;  // the flips hit values, names or blanks
      for (const auto& [name, tensor] : file.tensors) {
        ASSERT_LE(tensor.nbytes(), bytes.size());
      }
    } catch (const Error& error) {
      kinds.insert(error.what());
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(kinds.size(), 50);
}

TEST(Safetensors, RandomBytesNeverCrash) {
  RandomStream random(2, "test/random bytes");
  const std::string alphabet = "{}[]\":,0123456789.-eEtrufalsn \\wdtypeshap_offF32U8";
  for (int round = 0; round < 20000; ++round) {
    std::string header = "{";
    const std::uint64_t length = random.below(60);
    for (std::uint64_t i = 0; i < length; ++i) {
      header.push_back(alphabet[random.below(alphabet.size())]);
    }
    try {
      parse_safetensors(file_of(header, std::string(random.below(9), '\0')), "x");
    } catch (const Error&) {
    }
  }
}

TEST(Safetensors, DeepNestingIsRefusedAtOnce) {
  EXPECT_EQ(refusal("{\"w\":" + std::string(1000000, '[')),
            "not a safetensors file: its header's \"w\", which must be an object, holds an array");
}

}  // namespace
}  // namespace factorgcn
