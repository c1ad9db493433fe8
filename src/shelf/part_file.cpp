// POSIX files: the system's reason for a failure is part of every message.
#include "shelf/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/descriptor.h"
#include "base/retried.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/json_text.h"

namespace factorgcn {
namespace {

constexpr std::uint64_t kLargestMemo = 1 << 16;

/// Pass errno only after the failed call has returned.

std::filesystem::path with_ending(const std::filesystem::path& path, const char* ending) {
  return path.string() + ending;
}

std::string text_of(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

PartFile::PartFile(std::filesystem::path archive)
    : archive_(std::move(archive)), part_(with_ending(archive_, ".part")), memo_(with_ending(archive_, ".part.json")) {}

PartFile::~PartFile() { close(); }

std::uint64_t PartFile::size() const {
  struct stat status {};
  return ::stat(part_.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size)
                                                                        : 0;
}

std::optional<PartMemo> PartFile::memo() const {
  nlohmann::json json;
  try {
    json = read_json(memo_, kLargestMemo);
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!json.is_object()) {
    return std::nullopt;
  }
  PartMemo memo{text_of(json, "url"), text_of(json, "etag"), text_of(json, "last_modified"), std::nullopt};
  if (const auto total = json.find("total"); total != json.end() && total->is_number_unsigned()) {
    memo.total = total->get<std::uint64_t>();
  }
  return memo;
}

void PartFile::start(const std::optional<PartMemo>& memo) {
  discard();
  if (memo) {
    nlohmann::ordered_json json{{"url", memo->url}, {"etag", memo->etag}, {"last_modified", memo->last_modified}};
    if (memo->total) {
      json["total"] = *memo->total;
    }
    // A server's marks may hold any bytes; those that are no text come back changed, match nothing and so cost a fresh
    // start, not a failure.
    write_file_atomically(memo_, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }
  open(O_CREAT | O_TRUNC);
}

void PartFile::resume() {
  close();
  open(O_APPEND);
}

void PartFile::open(int flags) {
  descriptor_ = retried([&] { return ::open(part_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666); });
  if (descriptor_ < 0) {
    fail("cannot write ", part_, ": ", system_reason(errno));
  }
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retried([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (written < 0) {
      const int code = errno;
      const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
      fail("cannot write ", part_, " (", size(), " bytes so far): ", system_reason(code),
           full ? "; make room there or set FACTORGCN_DATA to another folder, then fetch again" : "");
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PartFile::close() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

void PartFile::discard() {
  close();
  ::unlink(memo_.c_str());
  ::unlink(part_.c_str());
}

void PartFile::publish() {
  close();
  open(0);
  if (retried([&] { return ::fsync(descriptor_); }) != 0) {
    fail("cannot write ", part_, ": ", system_reason(errno));
  }
  close();
  if (::rename(part_.c_str(), archive_.c_str()) != 0) {
    fail("cannot write ", archive_, ": ", system_reason(errno));
  }
  ::unlink(memo_.c_str());
  // Some file systems do not sync folders; there the rename is as safe as it can be.
  const Descriptor folder(
      retried([&] { return ::open(archive_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (folder.value() >= 0) {
    retried([&] { return ::fsync(folder.value()); });
  }
}

}  // namespace factorgcn
