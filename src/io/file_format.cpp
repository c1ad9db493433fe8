// The tags "format" and "format_version".
#include "factorgcn/io/file_format.h"

#include <charconv>

#include "factorgcn/base/error.h"
#include "io/quoted_text.h"

namespace factorgcn {

void set_format(TensorFile& file, const std::string& format, int version) {
  file.metadata["format"] = format;
  file.metadata["format_version"] = std::to_string(version);
}

int check_format(const TensorFile& file, const std::string& format, int newest) {
  const auto tag = file.metadata.find("format");
  require(tag != file.metadata.end(), file.origin, ": not a ", format, " file: its metadata names no format");
  require(tag->second == format, file.origin, ": not a ", format, " file: its format is ", quoted_text(tag->second));
  const std::string& text = file.metadata_at("format_version");
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  require(error == std::errc() && end == text.data() + text.size() && version >= 1, file.origin, ": format_version is ",
          quoted_text(text), "; it must be a whole number from 1");
  require(version <= newest, file.origin, ": written by a newer version of this program (format_version ", version,
          ", this one reads up to ", newest, "); update it to read the file");
  return version;
}

}  // namespace factorgcn
