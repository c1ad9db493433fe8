// A data root of its own for a test, and files in it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/temporary_folder.h"

namespace factorgcn {

/// Sets an environment variable (or takes it away, with nullptr) and puts the former value back at the end.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    const char* former = ::getenv(name);
    was_set_ = former != nullptr;
    former_ = was_set_ ? former : "";
    set(value);
  }
  ~EnvironmentVariable() { set(was_set_ ? former_.c_str() : nullptr); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  void set(const char* value) const { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }

  const char* name_;
  bool was_set_ = false;
  std::string former_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// FACTORGCN_DATA is the folder `root` while this lives; no proxy stands between a test and its own server.
class DataFolder {
 public:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  std::filesystem::path root(const std::string& name = "") const { return name.empty() ? root_ : root_ / name; }
  bool has(const std::string& name) const { return std::filesystem::exists(root_ / name); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path root_ = folder_.path() / "root";
  EnvironmentVariable data_{"FACTORGCN_DATA", root_.c_str()};
  EnvironmentVariable no_proxy_{"NO_PROXY", "*"}, no_proxy_lower_{"no_proxy", "*"};
};

}  // namespace factorgcn
