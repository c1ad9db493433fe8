// STEM.zip.part: an archive on its way, and what must be known to go on with it.
//
// Beside the bytes lies STEM.zip.part.json with the URL and the server's marks of the file. It is written before the
// first byte and taken away before the bytes are, so bytes never stand beside another file's marks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace factorgcn {

/// Which file the bytes belong to.
struct PartMemo {
  std::string url, etag, last_modified;
  std::optional<std::uint64_t> total;
};

class PartFile {
 public:
  /// Of ROOT/STEM.zip. Touches nothing yet.
  explicit PartFile(std::filesystem::path archive);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& path() const { return part_; }

  /// Bytes here now; 0 where there is none.
  std::uint64_t size() const;

  /// What the bytes here are; nothing where that is not known.
  std::optional<PartMemo> memo() const;

  /// Begins anew. Without a memo the bytes cannot be gone on with later.
  void start(const std::optional<PartMemo>& memo);

  /// Goes on after the bytes that are here.
  void resume();

  /// Throws Error with the system's reason; what was written before stays.
  void append(std::string_view bytes);

  void close();
  void discard();

  /// Forces the bytes to disk and gives them the archive's name.
  void publish();

 private:
  void open(int flags);

  std::filesystem::path archive_, part_, memo_;
  int descriptor_ = -1;
};

}  // namespace factorgcn
