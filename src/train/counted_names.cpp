// Runs of counted names, found and written out again.
#include "train/counted_names.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kLargestNumber = std::int64_t{1} << 40;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 28;  // a stranger's file must not ask for all memory

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool plain = code == std::errc() && end == text.data() + text.size() && std::to_string(value) == text;
  return plain ? std::optional(value) : std::nullopt;
}

/// "f[3]" as "f" and 3.
struct CountedName {
  std::string_view stem;
  std::int64_t first = 0, last = 0;
};

/// "f[3]" or "f[1..3]"; nothing for other names.
std::optional<CountedName> counted_name(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos || name.back() != ']') {
    return {};
  }
  const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
  const std::size_t dots = inside.find("..");
  const auto first = whole_number(inside.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : whole_number(inside.substr(dots + 2));
  if (!first || !last || *first < 0 || *last < *first || *last > kLargestNumber) {
    return {};
  }
  return CountedName{name.substr(0, open), *first, *last};
}

/// Adds what `count` names with this stem take when written out; false, and nothing added, where that is too much.
bool fits(std::string_view stem, std::int64_t count, std::int64_t& bytes) {
  const auto each = static_cast<std::int64_t>(stem.size() + 24 + sizeof(std::string));
  if (count > (kMostBytes - bytes) / each) {
    return false;
  }
  bytes += count * each;
  return true;
}

}  // namespace

std::vector<std::string> shorten_names(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  std::int64_t bytes = 0;
  for (std::size_t index = 0; index < names.size();) {
    const auto begin = counted_name(names[index]);
    if (begin && begin->first != begin->last) {
      return names;
    }
    std::size_t next = index + 1;
    for (; begin && next < names.size(); ++next) {
      const auto other = counted_name(names[next]);
      if (!other || other->stem != begin->stem || other->first != other->last ||
          other->first != begin->first + static_cast<std::int64_t>(next - index)) {
        break;
      }
    }
    const auto count = static_cast<std::int64_t>(next - index);
    if (count > 1 && !fits(begin->stem, count, bytes)) {
      return names;  // they would not be written out again
    }
    result.push_back(count > 1 ? concat(begin->stem, "[", begin->first, "..", begin->first + count - 1, "]")
                               : names[index]);
    index = next;
  }
  return result;
}

std::vector<std::string> lengthen_names(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  std::int64_t bytes = 0;
  for (const std::string& name : names) {
    const auto counted = counted_name(name);
    if (!counted || counted->first == counted->last ||
        !fits(counted->stem, counted->last - counted->first + 1, bytes)) {
      result.push_back(name);
      continue;
    }
    for (std::int64_t number = counted->first; number <= counted->last; ++number) {
      result.push_back(concat(counted->stem, "[", number, "]"));
    }
  }
  return result;
}

}  // namespace factorgcn
