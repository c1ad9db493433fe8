// Edit distance with adjacent swaps, by the usual table of prefixes. Meant for a few dozen short names.
#include "factorgcn/base/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace factorgcn {
namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::size_t typing_slips(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> table((left.size() + 1) * width);
  for (std::size_t row = 0; row <= left.size(); ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      std::size_t& best = table[row * width + column];
      if (row == 0 || column == 0) {
        best = row + column;
        continue;
      }
      const bool same = lower(left[row - 1]) == lower(right[column - 1]);
      best = std::min({table[(row - 1) * width + column] + 1, table[row * width + column - 1] + 1,
                       table[(row - 1) * width + column - 1] + (same ? 0 : 1)});
      if (row > 1 && column > 1 && lower(left[row - 1]) == lower(right[column - 2]) &&
          lower(left[row - 2]) == lower(right[column - 1])) {
        best = std::min(best, table[(row - 2) * width + column - 2] + 1);
      }
    }
  }
  return table.back();
}

// Names can come from a stranger's file: a column's name of a megabyte, or a million columns.
constexpr std::size_t kLongestCompared = 256, kMostNames = 60;

/// False where the lengths alone say that it is another word, not a slip.
bool may_be_near(std::string_view left, std::string_view right) {
  const std::size_t least = std::min(left.size(), right.size()), most = std::max(left.size(), right.size());
  return most <= kLongestCompared && (most - least) * 2 <= most;
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_slips = 0;
  for (const std::string_view candidate : known) {
    if (!may_be_near(name, candidate)) {
      continue;
    }
    const std::size_t slips = typing_slips(name, candidate);
    // More slips than half of the longer name is another word, not a slip.
    if (slips * 2 <= std::max(name.size(), candidate.size()) && (best.empty() || slips < best_slips)) {
      best = candidate;
      best_slips = slips;
    }
  }
  return std::string(best);
}

std::string known_names_hint(std::string_view name, std::span<const std::string_view> known) {
  std::string hint;
  const std::string near = nearest_name(name, known);
  if (near.empty()) {
    hint = "; known: ";
  } else {
    hint = "; did you mean '" + near + "'? Known: ";
  }
  for (std::size_t index = 0; index < std::min(known.size(), kMostNames); ++index) {
    hint += index == 0 ? "" : ", ";
    hint += known[index].substr(0, kLongestCompared);
  }
  return known.size() > kMostNames ? hint + " and " + std::to_string(known.size() - kMostNames) + " more" : hint;
}

}  // namespace factorgcn
