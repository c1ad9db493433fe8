// Checks every number of the header against the file before any memory is taken or any byte is copied.
//
// Tensors keep the caller's order in the header, while their bytes are laid out by falling size of an element: with the
// padded header every tensor then begins at a multiple of its element size, which readers that map the file need.
#include "factorgcn/io/safetensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <unordered_set>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/mapped_file.h"
#include "io/quoted_text.h"
#include "io/safetensors_header.h"

namespace factorgcn {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian; bytes are copied as they are");

constexpr std::size_t kLengthBytes = 8;

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "[";
  for (const std::uint64_t size : shape) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(size);
  }
  return text + "]";
}

/// Bytes of a tensor of that shape. The product is taken with empty dimensions counted as 1, since strides are products
/// too and must not overflow even where the tensor has no elements.
std::uint64_t checked_bytes(const StoredTensor& tensor, const StoredType& type, const std::string& file) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = type.bytes;
  bool empty = false;
  for (const std::uint64_t size : tensor.shape) {
    empty = empty || size == 0;
    const std::uint64_t factor = std::max<std::uint64_t>(size, 1);
    require(bytes <= kMost / factor, file, ": tensor ", quoted_text(tensor.name), " has the impossible shape ",
            shape_text(tensor.shape));
    bytes *= factor;
  }
  return empty ? 0 : bytes;
}

void check_tensor(const StoredTensor& tensor, std::uint64_t data_bytes, const std::string& file) {
  const StoredType* const type = find_stored_type(tensor.dtype);
  require(type != nullptr, file, ": tensor ", quoted_text(tensor.name), " has the unknown dtype ",
          quoted_text(tensor.dtype), "; known are F64, F32, F16, BF16, I64, I32, I16, I8, U8 and BOOL");
  const std::uint64_t begin = tensor.offsets[0], end = tensor.offsets[1];
  require(begin <= end, file, ": not a safetensors file: tensor ", quoted_text(tensor.name), " begins at byte ", begin,
          " but ends at byte ", end);
  require(end <= data_bytes, file, ": tensor ", quoted_text(tensor.name), " ends at byte ", end,
          " of the data, but only ", data_bytes, " bytes are there; the file was cut short or damaged");
  const std::uint64_t needed = checked_bytes(tensor, *type, file);
  require(end - begin == needed, file, ": not a safetensors file: tensor ", quoted_text(tensor.name), " has ",
          end - begin, " bytes, but ", tensor.dtype, " of shape ", shape_text(tensor.shape), " takes ", needed);
}

/// The tensors must cover the data exactly once.
void check_cover(const std::vector<StoredTensor>& tensors, std::uint64_t data_bytes, const std::string& file) {
  std::vector<const StoredTensor*> by_place;
  by_place.reserve(tensors.size());
  for (const StoredTensor& tensor : tensors) {
    by_place.push_back(&tensor);
  }
  std::sort(by_place.begin(), by_place.end(),
            [](const StoredTensor* a, const StoredTensor* b) { return a->offsets < b->offsets; });
  std::uint64_t covered = 0;
  for (const StoredTensor* tensor : by_place) {
    const std::uint64_t begin = tensor->offsets[0];
    require(begin >= covered, file, ": not a safetensors file: tensor ", quoted_text(tensor->name), " begins at byte ",
            begin, ", inside another tensor that ends at byte ", covered);
    require(begin == covered, file, ": not a safetensors file: bytes ", covered, " to ", begin,
            " of the data belong to no tensor");
    covered = tensor->offsets[1];
  }
  require(covered == data_bytes, file, ": not a safetensors file: bytes ", covered, " to ", data_bytes,
          " of the data belong to no tensor");
}

std::string_view tensor_bytes(const StoredTensor& stored, std::string_view data) {
  return data.substr(stored.offsets[0], stored.offsets[1] - stored.offsets[0]);
}

/// Any other byte in a bool than 0 and 1 is undefined behaviour for whoever reads it.
void check_bools(const StoredTensor& stored, std::string_view bytes, const std::string& file) {
  const auto wrong = std::find_if(bytes.begin(), bytes.end(), [](char byte) { return byte != 0 && byte != 1; });
  require(wrong == bytes.end(), file, ": BOOL tensor ", quoted_text(stored.name), " holds the byte ",
          wrong == bytes.end() ? 0 : static_cast<int>(static_cast<unsigned char>(*wrong)), "; it must be 0 or 1");
}

std::vector<std::int64_t> tensor_shape(const StoredTensor& stored) {
  return {stored.shape.begin(), stored.shape.end()};
}

at::Tensor copy_tensor(const StoredTensor& stored, std::string_view data) {
  at::Tensor tensor = at::empty(tensor_shape(stored), at::TensorOptions().dtype(find_stored_type(stored.dtype)->type));
  const std::string_view bytes = tensor_bytes(stored, data);
  if (!bytes.empty()) {
    std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  }
  return tensor;
}

/// The tensor's bytes where they lie in the mapping, which lives as long as the tensor. Copied where their place does
/// not suit the type; the files written here never need that.
at::Tensor view_tensor(const StoredTensor& stored, std::string_view data, const std::shared_ptr<MappedFile>& mapping) {
  const std::string_view bytes = tensor_bytes(stored, data);
  const StoredType& type = *find_stored_type(stored.dtype);
  const std::size_t place = static_cast<std::size_t>(bytes.data() - mapping->data());
  if (bytes.empty() || place % type.bytes != 0) {
    return copy_tensor(stored, data);
  }
  // A context and no deleter, which libtorch would copy where it cannot say that memory has run out.
  const std::vector<std::int64_t> shape = tensor_shape(stored);
  auto keeper = std::make_unique<std::shared_ptr<MappedFile>>(mapping);
  return at::for_blob(mapping->data() + place, shape)
      .context(keeper.release(), [](void* kept) { delete static_cast<std::shared_ptr<MappedFile>*>(kept); })
      .options(at::TensorOptions().dtype(type.type))
      .make_tensor();
}

/// What a file's first bytes say, checked against each other and the file's size; `data` are the bytes behind them.
struct CheckedFile {
  SafetensorsHeader header;
  std::string_view data;
};

CheckedFile check_file(std::string_view bytes, const std::string& name) {
  require(bytes.size() >= kLengthBytes, name, ": not a safetensors file: it has ", bytes.size(),
          " bytes, fewer than the 8 of the header's length");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  require(length <= kLongestHeader, name, ": not a safetensors file: its header would have ", length,
          " bytes; at most ", kLongestHeader, " are allowed");
  bytes.remove_prefix(kLengthBytes);
  require(length <= bytes.size(), name, ": not a safetensors file: its header should have ", length,
          " bytes, but only ", bytes.size(), " follow; the file was cut short or is of another format");
  const std::string_view json = bytes.substr(0, length), data = bytes.substr(length);
  require(json.starts_with('{'), name, ": not a safetensors file: its header does not begin with '{'");

  CheckedFile file{parse_header(json, name), data};
  for (const StoredTensor& tensor : file.header.tensors) {
    check_tensor(tensor, data.size(), name);
  }
  check_cover(file.header.tensors, data.size(), name);
  for (const StoredTensor& tensor : file.header.tensors) {
    if (find_stored_type(tensor.dtype)->type == at::kBool) {
      check_bools(tensor, tensor_bytes(tensor, data), name);
    }
  }
  return file;
}

/// The named tensors of a checked file, each made by `make`.
template <class Make>
TensorFile tensor_file(CheckedFile&& checked, const std::string& name, const Make& make) {
  TensorFile file;
  file.origin = name;
  file.metadata = std::move(checked.header.metadata);
  file.tensors.reserve(checked.header.tensors.size());
  for (const StoredTensor& tensor : checked.header.tensors) {
    file.tensors.emplace_back(tensor.name, make(tensor));
  }
  return file;
}

/// A tensor whose memory can be written as it is.
at::Tensor plain_tensor(const std::string& name, const at::Tensor& tensor, const std::string& file) {
  require(tensor.defined(), file, ": tensor ", quoted_text(name), " is undefined and cannot be written");
  require(tensor.layout() == at::kStrided, file, ": tensor ", quoted_text(name),
          " is sparse; make it dense to write it");
  require(find_stored_type(tensor.scalar_type()) != nullptr, file, ": tensor ", quoted_text(name), " has the type ",
          c10::toString(tensor.scalar_type()), ", which the format does not know");
  return tensor.detach().to(at::Device(at::kCPU)).contiguous();
}

/// A file's bytes as they will be written: the beginning, then the tensors in an order of their own.
struct Layout {
  std::string beginning;  ///< length and header
  std::vector<at::Tensor> tensors;
};

Layout lay_out(const TensorFile& file, const std::string& name) {
  SafetensorsHeader header{{}, file.metadata};
  std::vector<at::Tensor> plain;
  std::unordered_set<std::string> names;
  for (const auto& [tensor_name, tensor] : file.tensors) {
    require(tensor_name != kMetadataName, name, ": no tensor can be named ", quoted_text(tensor_name),
            ", which the format reserves");
    require(names.insert(tensor_name).second, name, ": two tensors are named ", quoted_text(tensor_name));
    plain.push_back(plain_tensor(tensor_name, tensor, name));
    const at::IntArrayRef sizes = tensor.sizes();
    header.tensors.push_back(
        {tensor_name, find_stored_type(tensor.scalar_type())->name, {sizes.begin(), sizes.end()}, {}});
  }

  std::vector<std::size_t> order(plain.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return plain[a].element_size() > plain[b].element_size(); });
  Layout layout;
  std::uint64_t end = 0;
  for (const std::size_t index : order) {
    const std::uint64_t begin = end;
    end += plain[index].nbytes();
    header.tensors[index].offsets = {begin, end};
    layout.tensors.push_back(plain[index]);
  }

  const std::string text = header_text(header, name);
  require(text.size() <= kLongestHeader, name, ": its header would have ", text.size(), " bytes, more than the ",
          kLongestHeader, " that the format allows; write fewer tensors or less metadata");
  const auto length = static_cast<std::uint64_t>(text.size());
  layout.beginning.assign(reinterpret_cast<const char*>(&length), kLengthBytes);
  layout.beginning += text;
  return layout;
}

}  // namespace

const at::Tensor* TensorFile::find(std::string_view name) const {
  for (const auto& [each, tensor] : tensors) {
    if (each == name) {
      return &tensor;
    }
  }
  return nullptr;
}

const at::Tensor& TensorFile::at(std::string_view name) const {
  const at::Tensor* const tensor = find(name);
  require(tensor != nullptr, origin, ": it has no tensor ", quoted_text(name), " among its ", tensors.size());
  return *tensor;
}

const std::string& TensorFile::metadata_at(const std::string& name) const {
  const auto found = metadata.find(name);
  require(found != metadata.end(), origin, ": its metadata has no ", quoted_text(name));
  return found->second;
}

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  const Layout layout = lay_out(file, path.string());
  write_file_atomically(path, [&](const AppendBytes& append) {
    append(layout.beginning);
    for (const at::Tensor& tensor : layout.tensors) {
      append({static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()});
    }
  });
}

std::string safetensors_beginning(const TensorFile& file) { return lay_out(file, file.origin).beginning; }

TensorFile parse_safetensors(std::string_view bytes, const std::string& name) {
  CheckedFile checked = check_file(bytes, name);
  const std::string_view data = checked.data;
  return tensor_file(std::move(checked), name, [&](const StoredTensor& tensor) { return copy_tensor(tensor, data); });
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(read_file(path), path.string());
}

TensorFile map_safetensors(const std::filesystem::path& path) {
  return map_safetensors(std::make_shared<MappedFile>(path), path.string());
}

TensorFile map_safetensors(const std::shared_ptr<MappedFile>& mapping, const std::string& name) {
  CheckedFile checked = check_file(mapping->bytes(), name);
  const std::string_view data = checked.data;
  return tensor_file(std::move(checked), name,
                     [&](const StoredTensor& tensor) { return view_tensor(tensor, data, mapping); });
}

}  // namespace factorgcn
