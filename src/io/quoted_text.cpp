// Quoting by the rules of JSON strings.
#include "io/quoted_text.h"

#include <nlohmann/json.hpp>

namespace factorgcn {

std::string quoted_text(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  const std::string shown(text.substr(0, kLongest));
  const std::string quoted = nlohmann::json(shown).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() > kLongest ? quoted + "..." : quoted;
}

}  // namespace factorgcn
