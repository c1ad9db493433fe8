// Looks at all links before the first is read. Cost: O(nodes + links).
#include "io/node_ends.h"

#include <algorithm>
#include <cstdint>

#include "io/json_values.h"

namespace factorgcn {
namespace {

using nlohmann::json;

const json* value_or_nothing(const json& node, const char* key) {
  const json* value = find_key(node, key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

/// What a node calls itself: {"name": "Ann"}, "Ann" or 7.
const json* name_of_node(const json& node) {
  return node.is_object() ? value_or_nothing(node, "name") : node.is_array() || node.is_null() ? nullptr : &node;
}

}  // namespace

NodeEnds::NodeEnds(const json& nodes) {
  have_ids_ =
      std::any_of(nodes.begin(), nodes.end(), [](const json& node) { return value_or_nothing(node, "id") != nullptr; });
  ids_.reserve(nodes.size());
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const json* const id = value_or_nothing(nodes[place], "id");
    whole_ids_ = whole_ids_ || (id != nullptr && id->is_number_integer());
    ids_.push_back(id != nullptr ? cell_text(*id) : have_ids_ ? "" : std::to_string(place));
    if (id != nullptr) {
      node_of_id_.try_emplace(ids_.back(), place);
    }
    if (const json* const name = name_of_node(nodes[place])) {
      have_names_ = true;
      shared_names_ = !node_of_name_.try_emplace(cell_text(*name), place).second || shared_names_;
    }
  }
}

bool NodeEnds::has_place(const json& end, std::size_t& place) const {
  if (!end.is_number_integer()) {
    return false;
  }
  const auto number =
      end.is_number_unsigned() ? end.get<std::uint64_t>() : static_cast<std::uint64_t>(end.get<std::int64_t>());
  place = static_cast<std::size_t>(number);  // negative ones become too large
  return number < ids_.size();
}

bool NodeEnds::fits(const json& links, Way way) {
  way_ = way;
  return std::all_of(links.begin(), links.end(), [this](const json& link) {
    return id_of(link.at("source")) != nullptr && id_of(link.at("target")) != nullptr;
  });
}

bool NodeEnds::choose(const json& links) {
  if ((have_ids_ && fits(links, Way::kIds)) || (have_names_ && !shared_names_ && fits(links, Way::kNames))) {
    return false;
  }
  if (!whole_ids_ && fits(links, Way::kPlaces)) {
    return have_ids_ || have_names_;
  }
  // What fits some of them at least, for the message.
  const bool numbers = !links.empty() && links.front().at("source").is_number();
  way_ = have_ids_ ? Way::kIds : have_names_ && !shared_names_ && !numbers ? Way::kNames : Way::kPlaces;
  return false;
}

const std::string* NodeEnds::id_of(const json& end) const {
  if (end.is_object()) {  // d3 puts the node itself there
    const char* const key = way_ == Way::kIds ? "id" : way_ == Way::kNames ? "name" : "index";
    const json* const value = value_or_nothing(end, key);
    return value == nullptr || value->is_object() ? nullptr : id_of(*value);
  }
  std::size_t place = 0;
  if (way_ == Way::kPlaces) {
    return has_place(end, place) ? &ids_[place] : nullptr;
  }
  const auto& known = way_ == Way::kIds ? node_of_id_ : node_of_name_;
  const auto found = known.find(cell_text(end));
  return found == known.end() ? nullptr : &ids_[found->second];
}

const char* NodeEnds::expected() const {
  return way_ == Way::kNames ? "the name of no node" : "no node's place in the list, which counts from 0";
}

}  // namespace factorgcn
