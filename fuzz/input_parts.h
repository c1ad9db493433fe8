// Several files in one fuzz input: a line "== NAME" begins a file, and what follows belongs to it. The newline before
// that line is dropped, so a file need not end with one.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace factorgcn {

/// The files by name; of two with one name the last.
inline std::map<std::string, std::string> input_parts(std::string_view bytes) {
  constexpr std::string_view kMark = "\n== ";
  std::map<std::string, std::string> files;
  const std::string all = "\n" + std::string(bytes);
  std::size_t mark = all.find(kMark);
  while (mark != std::string::npos) {
    const std::size_t name = mark + kMark.size();
    const std::size_t line_end = std::min(all.find('\n', name), all.size());
    const std::size_t text = std::min(line_end + 1, all.size());
    // The search starts at the line end, so that a file can be empty.
    mark = all.find(kMark, line_end);
    const std::size_t end = std::max(text, std::min(mark, all.size()));
    files[all.substr(name, line_end - name)] = all.substr(text, end - text);
  }
  return files;
}

}  // namespace factorgcn
