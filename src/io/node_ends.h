// Which node of a JSON graph an end of a link means: by id, by name, or by place in the list.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace factorgcn {

class NodeEnds {
 public:
  /// The nodes of one graph, which must outlive this.
  explicit NodeEnds(const nlohmann::json& nodes);

  /// Each node's id: its own, or its place where no node of the graph has one; empty where it alone lacks it.
  const std::vector<std::string>& ids() const { return ids_; }

  /// Decides for all links of the graph, objects with "source" and "target"; true where places were decided on although
  /// nodes have ids or names.
  bool choose(const nlohmann::json& links);

  /// The id of the node that this end means; null where it means none.
  const std::string* id_of(const nlohmann::json& end) const;

  bool have_ids() const { return have_ids_; }

  /// What an end without a node is, where there are no ids: "the name of no node".
  const char* expected() const;

 private:
  enum class Way { kIds, kNames, kPlaces };

  bool fits(const nlohmann::json& links, Way way);
  bool has_place(const nlohmann::json& end, std::size_t& place) const;

  std::vector<std::string> ids_;
  std::unordered_map<std::string, std::size_t> node_of_id_, node_of_name_;
  bool have_ids_ = false, have_names_ = false;
  bool whole_ids_ = false;     ///< some id is a whole number, which a place must not be taken for
  bool shared_names_ = false;  ///< a name is no node's alone
  Way way_ = Way::kIds;
};

}  // namespace factorgcn
