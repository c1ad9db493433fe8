// Multilayer networks, line by line: headings choose what the lines below them mean.
#include "factorgcn/io/mpx.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/keyed_tables.h"
#include "io/text_lines.h"

namespace factorgcn {
namespace {

enum class MpxSection {
  kVersion,
  kType,
  kLayers,
  kActorAttributes,
  kNodeAttributes,
  kEdgeAttributes,
  kActors,
  kNodes,
  kEdges
};

struct MpxHeading {
  std::string_view name;
  MpxSection section;
};

constexpr std::array<MpxHeading, 13> kMpxHeadings{{{"VERSION", MpxSection::kVersion},
                                                   {"TYPE", MpxSection::kType},
                                                   {"LAYERS", MpxSection::kLayers},
                                                   {"ACTOR ATTRIBUTES", MpxSection::kActorAttributes},
                                                   {"NODE ATTRIBUTES", MpxSection::kNodeAttributes},
                                                   {"VERTEX ATTRIBUTES", MpxSection::kNodeAttributes},
                                                   {"EDGE ATTRIBUTES", MpxSection::kEdgeAttributes},
                                                   {"ACTORS", MpxSection::kActors},
                                                   {"NODES", MpxSection::kNodes},
                                                   {"VERTICES", MpxSection::kNodes},
                                                   {"EDGES", MpxSection::kEdges},
                                                   {"INTRALAYER EDGES", MpxSection::kEdges},
                                                   {"INTERLAYER EDGES", MpxSection::kEdges}}};

std::string capital_letters(std::string_view text) {
  std::string capital(text);
  std::transform(capital.begin(), capital.end(), capital.begin(),
                 [](char letter) { return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter; });
  return capital;
}

/// Names of attributes: those of all layers, and those of each.
struct MpxAttributes {
  std::vector<std::string> everywhere;
  std::unordered_map<std::string, std::vector<std::string>> of_layer;

  /// The attribute that a line's value of that number belongs to; null where there are fewer.
  const std::string* name(const std::string& layer, std::size_t index) const {
    if (index < everywhere.size()) {
      return &everywhere[index];
    }
    const auto own = of_layer.find(layer);
    index -= everywhere.size();
    return own != of_layer.end() && index < own->second.size() ? &own->second[index] : nullptr;
  }
};

/// Its values may come in several places, so rows are made at the end.
struct MpxActor {
  std::string_view name;
  std::uint64_t line = 0;
  bool listed = false;  ///< among #ACTORS
  std::vector<std::pair<std::string, std::string_view>> values;
};

class MpxReader {
 public:
  MpxReader(std::string_view text, const std::string& origin)
      : origin_(origin), bytes_(text.size()), lines_(text), tables_(origin) {}

  GraphTables read() {
    tables_.begin_graph(1);
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (line.empty() || line.front() == '%' || line.starts_with("--")) {
        continue;
      }
      if (line.front() == '#') {
        begin_section(line.substr(1));
        continue;
      }
      split_fields(line, ',', fields_);
      read_line();
    }
    require(!actors_.empty(), origin_, ": it holds neither actors nor edges");
    for (const MpxActor& actor : actors_) {
      tables_.begin_node(actor.line, actor.name);
      for (const auto& [key, value] : actor.values) {
        tables_.node_values().set(key, value);
      }
    }
    if (coupled_ > 0) {
      tables_.note(concat(origin_, ": ", coupled_, coupled_ == 1 ? " edge" : " edges",
                          " between an actor's own layers left out"));
    }
    return tables_.finish(bytes_);
  }

 private:
  std::string where() const { return concat(origin_, ", line ", lines_.number()); }

  void begin_section(std::string_view heading) {
    const std::string name = capital_letters(trimmed_line(heading));
    const auto found = std::find_if(kMpxHeadings.begin(), kMpxHeadings.end(),
                                    [&](const MpxHeading& known) { return known.name == name; });
    if (found == kMpxHeadings.end()) {
      fail(where(), ": the heading ", shown_text(lines_.line()),
           " is not understood; #TYPE, #LAYERS, #ACTOR ATTRIBUTES, #NODE ATTRIBUTES, #EDGE ATTRIBUTES, #ACTORS, "
           "#NODES and #EDGES are");
    }
    section_ = found->section;
    two_layers_ = name == "INTERLAYER EDGES" || (multilayer_ && name == "EDGES");
  }

  void require_fields(std::size_t least, const char* expected) const {
    const bool good =
        fields_.size() >= least && std::none_of(fields_.begin(), fields_.begin() + static_cast<std::ptrdiff_t>(least),
                                                [](std::string_view field) { return field.empty(); });
    if (!good) {
      fail(where(), ": found ", shown_text(lines_.line()), "; ", expected, " was expected");
    }
  }

  void read_line() {
    switch (section_) {
      case MpxSection::kVersion:
        return;
      case MpxSection::kType:
        return read_type();
      case MpxSection::kLayers:
        return read_layer();
      case MpxSection::kActorAttributes:
        require_fields(1, "NAME, TYPE");
        actor_attributes_.everywhere.emplace_back(fields_[0]);
        return;
      case MpxSection::kNodeAttributes:
        return read_attribute(node_attributes_);
      case MpxSection::kEdgeAttributes:
        return read_attribute(edge_attributes_);
      case MpxSection::kActors:
        return read_actor();
      case MpxSection::kNodes:
        return read_node();
      case MpxSection::kEdges:
        return read_edge();
    }
  }

  void read_type() {
    const std::string type = capital_letters(fields_[0]);
    if (type != "MULTIPLEX" && type != "MULTILAYER") {
      fail(where(), ": the type is ", shown_text(fields_[0]), "; multiplex or multilayer was expected");
    }
    multilayer_ = type == "MULTILAYER";
  }

  /// NAME, DIRECTED, or of a multilayer network NAME, NAME, DIRECTED; LOOPS may follow.
  void read_layer() {
    require_fields(1, "a layer, and DIRECTED or UNDIRECTED,");
    bool directed = false;
    for (std::size_t index = 1; index < fields_.size(); ++index) {
      directed = directed || capital_letters(fields_[index]) == "DIRECTED";
    }
    if (fields_.size() == 1 || fields_[1] == fields_[0] || !is_other_layer(fields_[1])) {
      directed_layers_[std::string(fields_[0])] = directed;
    } else {
      directed_layers_[concat(fields_[0], " to ", fields_[1])] = directed;
    }
  }

  bool is_other_layer(std::string_view field) const {
    const std::string word = capital_letters(field);
    return multilayer_ && word != "DIRECTED" && word != "UNDIRECTED";
  }

  void read_attribute(MpxAttributes& attributes) {
    require_fields(2, "LAYER, NAME, TYPE");
    if (fields_.size() == 2) {
      attributes.everywhere.emplace_back(fields_[0]);
    } else {
      attributes.of_layer[std::string(fields_[0])].emplace_back(fields_[1]);
    }
  }

  MpxActor& actor(std::string_view name) {
    const auto [place, fresh] = actor_of_name_.try_emplace(name, actors_.size());
    if (fresh) {
      actors_.push_back({name, lines_.number(), false, {}});
    }
    return actors_[place->second];
  }

  /// Calls `set` with each field from `first` on and its attribute's name.
  template <class Set>
  void read_values(std::size_t first, const MpxAttributes& attributes, const std::string& layer, const Set& set) const {
    for (std::size_t index = first; index < fields_.size(); ++index) {
      const std::string* const name = attributes.name(layer, index - first);
      require(name != nullptr, where(), ": ", fields_.size() - first, " values, but only ", index - first,
              " attributes are declared for this line");
      set(*name, fields_[index]);
    }
  }

  void read_actor() {
    require_fields(1, "an actor");
    MpxActor& found = actor(fields_[0]);
    if (std::exchange(found.listed, true)) {
      fail(where(), ": the actor ", shown_text(fields_[0]), " is listed already");
    }
    read_values(1, actor_attributes_, "",
                [&](const std::string& name, std::string_view value) { found.values.emplace_back(name, value); });
  }

  void read_node() {
    require_fields(2, "an actor and a layer");
    MpxActor& found = actor(fields_[0]);
    const std::string layer(fields_[1]);
    read_values(2, node_attributes_, layer, [&](const std::string& name, std::string_view value) {
      found.values.emplace_back(concat(layer, " ", name), value);
    });
  }

  void read_edge() {
    require_fields(two_layers_ ? 4 : 3, two_layers_ ? "ACTOR, LAYER, ACTOR, LAYER" : "ACTOR, ACTOR, LAYER");
    const std::string_view source = fields_[0];
    const std::string_view target = fields_[two_layers_ ? 2 : 1];
    const std::string layer(fields_[two_layers_ ? 1 : 2]);
    const std::string other(two_layers_ ? fields_[3] : std::string_view(layer));
    actor(source);
    actor(target);
    if (layer != other && source == target) {
      ++coupled_;
      return;
    }
    const std::string relation = layer == other ? layer : concat(layer, " to ", other);
    const auto known = directed_layers_.find(relation);
    tables_.begin_edge(lines_.number(), source, target, known != directed_layers_.end() && known->second);
    SparseTable& values = tables_.edge_values();
    values.set("relation", relation);
    read_values(two_layers_ ? 4 : 3, edge_attributes_, relation,
                [&](const std::string& name, std::string_view value) { values.set(name, value); });
  }

  const std::string& origin_;
  std::size_t bytes_;
  TextLines lines_;
  KeyedTables tables_;
  std::vector<std::string_view> fields_;  ///< of the line we are at
  MpxSection section_ = MpxSection::kEdges;
  bool multilayer_ = false, two_layers_ = false;
  std::size_t coupled_ = 0;
  MpxAttributes actor_attributes_, node_attributes_, edge_attributes_;
  std::unordered_map<std::string, bool> directed_layers_;
  std::vector<MpxActor> actors_;
  std::unordered_map<std::string_view, std::size_t> actor_of_name_;
};

}  // namespace

GraphTables read_mpx(std::string_view text, const std::string& origin) {
  require_utf8(text, origin);
  return MpxReader(text, origin).read();
}

}  // namespace factorgcn
