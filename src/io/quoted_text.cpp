// Quoting by the rules of JSON strings.
#include "io/quoted_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace factorgcn {

std::string quoted_text(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string shown(text.substr(0, kLongest));
  std::replace(shown.begin(), shown.end(), '\x7f', '?');  // the one control character that JSON leaves as it is
  const std::string quoted = nlohmann::json(shown).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() > kLongest ? quoted + "..." : quoted;
}

}  // namespace factorgcn
