// A text file line by line, and lines as columns, for files of any size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace factorgcn {

/// A line of a file, which is put into words only where something is wrong with it.
struct LinePlace {
  const std::string& file;
  std::int64_t line;
};
std::ostream& operator<<(std::ostream& stream, const LinePlace& place);

class StreamedTable {
 public:
  explicit StreamedTable(const std::filesystem::path& path);

  /// The next line that is neither empty nor a remark; false at the end.
  bool next();

  std::string_view line() const { return line_; }
  /// The line's columns without quotes and blanks around them. Which character separates follows from the first line.
  const std::vector<std::string_view>& columns();

  /// "edges.csv, line 12"
  LinePlace where() const { return {name_, number_}; }
  std::int64_t lines() const { return number_; }
  double share_read() const;  ///< of the file

 private:
  std::string name_;
  std::ifstream stream_;
  std::string line_;
  std::vector<std::string_view> columns_;
  std::int64_t number_ = 0, bytes_ = 0, all_bytes_ = 0;
  char separator_ = '\0';  ///< not known yet; ' ': blanks
};

/// False where the text is no whole number of at least 0.
bool read_node_number(std::string_view text, std::int64_t& number);

}  // namespace factorgcn
