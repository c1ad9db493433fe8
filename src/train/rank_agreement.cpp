#include "factorgcn/train/rank_agreement.h"

#include <torch/version.h>

#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/collective/group.h"
#include "factorgcn/ops/instruction_set.h"
#include "factorgcn/version.h"

namespace factorgcn {
namespace {

/// The first key in which two objects differ; keys of objects inside are dotted. Empty where there is none.
std::string first_difference(const nlohmann::ordered_json& left, const nlohmann::ordered_json& right) {
  for (const auto& [key, value] : left.items()) {
    if (!right.contains(key)) {
      return key;
    }
    if (value.is_object() && right[key].is_object()) {
      const std::string inside = first_difference(value, right[key]);
      if (!inside.empty()) {
        return key + "." + inside;
      }
    } else if (value != right[key]) {
      return key;
    }
  }
  for (const auto& [key, value] : right.items()) {
    if (!left.contains(key)) {
      return key;
    }
  }
  return "";
}

std::string shown(const nlohmann::ordered_json& object, const std::string& dotted) {
  const nlohmann::ordered_json* place = &object;
  std::size_t begin = 0;
  while (begin <= dotted.size()) {
    const std::size_t dot = std::min(dotted.find('.', begin), dotted.size());
    const auto found = place->find(dotted.substr(begin, dot - begin));
    if (found == place->end()) {
      return "none";
    }
    place = &*found;
    begin = dot + 1;
  }
  return place->dump();
}

}  // namespace

void check_ranks_agree(Group& group, const nlohmann::ordered_json& own) {
  nlohmann::ordered_json whole = nlohmann::ordered_json::object();
  whole["factorgcn"] = FACTORGCN_VERSION;
  whole["libtorch"] = TORCH_VERSION;
  whole["instruction set"] = instruction_set();  // sums of other widths end in other bits
  whole.update(own);
  const std::vector<std::string> all = all_gather_texts(group, whole.dump());
  const auto first = nlohmann::ordered_json::parse(all.front());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const auto other = nlohmann::ordered_json::parse(all[rank]);
    const std::string key = first_difference(first, other);
    require_usage(key.empty(), "ranks 0 and ", rank, " are not about to do the same: '", key, "' is ",
                  shown(first, key), " and ", shown(other, key),
                  "; start all processes with the same command, program and data");
  }
}

}  // namespace factorgcn
