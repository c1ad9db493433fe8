// Streams: a line at a time is in memory.
#include "partition/streamed_table.h"

#include <charconv>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\"";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

char separator_of(std::string_view line) {
  for (const char candidate : {'\t', ',', ';'}) {
    if (line.find(candidate) != std::string_view::npos) {
      return candidate;
    }
  }
  return ' ';
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const LinePlace& place) {
  return stream << place.file << ", line " << place.line;
}

StreamedTable::StreamedTable(const std::filesystem::path& path) : name_(path.string()), stream_(path) {
  require(stream_.good(), "cannot read ", name_);
  all_bytes_ = static_cast<std::int64_t>(std::filesystem::file_size(path));
}

bool StreamedTable::next() {
  while (std::getline(stream_, line_)) {
    ++number_;
    bytes_ += static_cast<std::int64_t>(line_.size()) + 1;
    const std::string_view text = trimmed(line_);
    if (!text.empty() && text.front() != '#' && text.front() != '%') {
      separator_ = separator_ == '\0' ? separator_of(text) : separator_;
      return true;
    }
  }
  require(!stream_.bad(), "cannot read on in ", name_, " after line ", number_);
  return false;
}

const std::vector<std::string_view>& StreamedTable::columns() {
  columns_.clear();
  std::string_view rest = line_;
  if (separator_ == ' ') {
    for (rest = trimmed(rest); !rest.empty(); rest = trimmed(rest)) {
      const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      columns_.push_back(trimmed(rest.substr(0, end)));
      rest.remove_prefix(end);
    }
    return columns_;
  }
  for (;;) {
    const std::size_t end = rest.find(separator_);
    columns_.push_back(trimmed(rest.substr(0, end)));
    if (end == std::string_view::npos) {
      return columns_;
    }
    rest.remove_prefix(end + 1);
  }
}

double StreamedTable::share_read() const {
  return all_bytes_ == 0 ? 1 : static_cast<double>(bytes_) / static_cast<double>(all_bytes_);
}

bool read_node_number(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

}  // namespace factorgcn
