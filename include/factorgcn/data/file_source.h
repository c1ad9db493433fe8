// The files of a data set by name, wherever they lie: in a folder, in a zip archive (io/zip_source.h) or in memory.
//
// Readers of data sets take their text from here piece by piece, so that a file of any size needs no memory of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

class FACTORGCN_API FileSource {
 public:
  using Consume = std::function<void(std::string_view piece)>;

  virtual ~FileSource() = default;

  /// The folder or archive, for errors.
  virtual std::string origin() const = 0;

  /// Plain file names, sorted; files in deeper folders are not offered.
  virtual std::vector<std::string> names() const = 0;

  /// Calls `consume` with one piece of the file after the other. Throws Error, naming origin and file, where the file
  /// is missing, cannot be read or is larger than the source allows.
  virtual void read(const std::string& name, const Consume& consume) const = 0;

  bool has(const std::string& name) const;

  /// The whole file; for small ones.
  std::string read_all(const std::string& name) const;
};

/// The files that lie directly in a folder.
class FACTORGCN_API FolderSource : public FileSource {
 public:
  explicit FolderSource(std::filesystem::path folder);
  std::string origin() const override;
  std::vector<std::string> names() const override;
  void read(const std::string& name, const Consume& consume) const override;

 private:
  std::filesystem::path folder_;
};

/// Files in memory; for tests.
class FACTORGCN_API MemorySource : public FileSource {
 public:
  explicit MemorySource(std::map<std::string, std::string> files, std::string origin = "memory");
  std::string origin() const override;
  std::vector<std::string> names() const override;
  void read(const std::string& name, const Consume& consume) const override;

 private:
  std::map<std::string, std::string> files_;
  std::string origin_;
};

}  // namespace factorgcn
