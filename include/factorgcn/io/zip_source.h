// The files of a data set in a zip archive, read without unpacking it to the disk.
//
// Offered are the files directly in the archive and those in its one top folder (NAME/NAME_A.txt), by their plain
// names; deeper ones are left out, as is macOS's folder __MACOSX. Archives come from the network, so nothing in them is
// trusted: refused are member paths that lead out of the archive, encrypted members, symbolic links, two files of one
// name, and sizes, declared or real, beyond the limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/file_source.h"

namespace factorgcn {

/// Beyond these an archive is refused before, or while, its bytes are unpacked.
struct FACTORGCN_API ZipLimits {
  std::uint64_t members = 10'000;
  std::uint64_t member_bytes = std::uint64_t{4} << 30;  ///< of one file, unpacked
  std::uint64_t total_bytes = std::uint64_t{8} << 30;   ///< of all files, unpacked
  std::uint64_t ratio = 1100;  ///< unpacked to packed bytes of one file above 1 MiB; honest DEFLATE reaches 1032
  std::uint64_t total_ratio = 100;  ///< the same of all files together, above total_free_bytes; graphs reach some 15
  std::uint64_t total_free_bytes = std::uint64_t{16} << 20;
};

/// True where this build has libzip; without it, every archive is refused by an Error that says so.
FACTORGCN_API bool can_read_zip();

/// Reads are one after the other: not for several threads at once.
class FACTORGCN_API ZipSource : public FileSource {
 public:
  /// Opens an archive and checks its directory. Throws Error naming the file and what is wrong with it.
  explicit ZipSource(const std::filesystem::path& archive, const ZipLimits& limits = {});

  /// The same for an archive in memory; `origin` stands for the file in errors.
  static ZipSource from_bytes(std::string bytes, std::string origin, const ZipLimits& limits = {});

  ~ZipSource() override;
  ZipSource(ZipSource&& other) noexcept;
  ZipSource& operator=(ZipSource&& other) noexcept;

  std::string origin() const override;
  std::vector<std::string> names() const override;

  /// Unpacks one file. A file whose bytes are damaged (checksum, size) is an Error that names it, also where `consume`
  /// had thrown before: nonsense in a damaged file is not the fault of who wrote it.
  void read(const std::string& name, const Consume& consume) const override;

 private:
  struct Archive;
  explicit ZipSource(std::unique_ptr<Archive> archive);

  std::unique_ptr<Archive> archive_;
};

}  // namespace factorgcn
