// Checksums as text. Linear in the text; never throws on what it is given.
#include <algorithm>
#include <cctype>

#include "factorgcn/base/error.h"
#include "factorgcn/shelf/sha256.h"

namespace factorgcn {
namespace {

constexpr std::size_t kDigits = 64;

std::string_view without_outer_blanks(std::string_view text) {
  const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::optional<std::string> parse_sha256(std::string_view text) {
  if (text.size() != kDigits) {
    return std::nullopt;
  }
  std::string lower;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) {
      return std::nullopt;
    }
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

std::optional<std::string> find_sha256(std::string_view text, std::string_view file_name) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_outer_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    auto sha256 = parse_sha256(line.substr(0, kDigits));
    if (!sha256) {
      continue;
    }
    std::string_view rest = line.substr(kDigits);
    if (rest.empty()) {
      return sha256;
    }
    // Two signs part digits and name: a blank, then a blank or, for files read as binary, a star.
    if (rest.front() != ' ' && rest.front() != '\t') {
      continue;
    }
    rest = without_outer_blanks(rest);
    rest.remove_prefix(!rest.empty() && rest.front() == '*' ? 1 : 0);
    const std::size_t slash = rest.rfind('/');
    if (rest.substr(slash == std::string_view::npos ? 0 : slash + 1) == file_name) {
      return sha256;
    }
  }
  return std::nullopt;
}

std::string sha256_line(std::string_view sha256, std::string_view file_name) {
  return concat(sha256, "  ", file_name, "\n");
}

}  // namespace factorgcn
