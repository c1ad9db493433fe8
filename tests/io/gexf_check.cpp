// By expat where the tests are built with it. The tables below are the schema's.
#include "io/gexf_check.h"

#include <expat.h>

#include <charconv>
#include <map>
#include <set>

namespace factorgcn {
namespace {

using Attributes = std::map<std::string, std::string>;

/// Elements and those they may stand in.
const std::map<std::string, std::set<std::string>>& gexf_parents() {
  static const std::map<std::string, std::set<std::string>> parents{{"gexf", {""}},
                                                                    {"meta", {"gexf"}},
                                                                    {"creator", {"meta"}},
                                                                    {"graph", {"gexf"}},
                                                                    {"attributes", {"graph"}},
                                                                    {"attribute", {"attributes"}},
                                                                    {"nodes", {"graph"}},
                                                                    {"edges", {"graph"}},
                                                                    {"node", {"nodes"}},
                                                                    {"edge", {"edges"}},
                                                                    {"attvalues", {"node", "edge"}},
                                                                    {"attvalue", {"attvalues"}}};
  return parents;
}

const std::map<std::string, std::set<std::string>>& gexf_needed() {
  static const std::map<std::string, std::set<std::string>> needed{
      {"gexf", {"version", "xmlns"}},         {"attributes", {"class"}},
      {"attribute", {"id", "title", "type"}}, {"node", {"id", "label"}},
      {"edge", {"id", "source", "target"}},   {"attvalue", {"for", "value"}}};
  return needed;
}

class GexfCheck {
 public:
  GexfContent check(const std::string& text) {
    XML_Parser parser = XML_ParserCreate(nullptr);
    XML_SetUserData(parser, this);
    XML_SetElementHandler(
        parser,
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          Attributes given;
          for (; *attributes != nullptr; attributes += 2) {
            given[attributes[0]] = attributes[1];
          }
          static_cast<GexfCheck*>(self)->start(name, given);
        },
        [](void* self, const XML_Char*) { static_cast<GexfCheck*>(self)->path_.pop_back(); });
    if (XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK) {
      wrong(XML_ErrorString(XML_GetErrorCode(parser)));
    }
    XML_ParserFree(parser);
    return content_;
  }

 private:
  void wrong(const std::string& what) {
    if (content_.error.empty()) {
      content_.error = what;
    }
  }

  void start(const std::string& name, const Attributes& given) {
    const std::string parent = path_.empty() ? "" : path_.back();
    path_.push_back(name);
    const auto parents = gexf_parents().find(name);
    if (parents == gexf_parents().end() || !parents->second.contains(parent)) {
      wrong("<" + name + "> inside <" + parent + ">");
      return;
    }
    if (const auto needed = gexf_needed().find(name); needed != gexf_needed().end()) {
      for (const std::string& attribute : needed->second) {
        if (!given.contains(attribute)) {
          wrong("<" + name + "> without " + attribute);
          return;
        }
      }
    }
    if (name == "attributes") {
      class_ = given.at("class");
      if (class_ != "node" && class_ != "edge") {
        wrong("attributes of class " + class_);
      }
    } else if (name == "attribute") {
      static const std::set<std::string> types{"integer", "long", "double", "float", "boolean", "string"};
      if (!types.contains(given.at("type")) || !declared_[class_].emplace(given.at("id"), given.at("type")).second) {
        wrong("attribute " + given.at("id") + " of type " + given.at("type"));
      }
    } else if (name == "node") {
      if (!nodes_.insert(given.at("id")).second) {
        wrong("two nodes " + given.at("id"));
      }
      content_.node_labels.push_back(given.at("label"));
    } else if (name == "edge") {
      ++content_.edges;
      if (!nodes_.contains(given.at("source")) || !nodes_.contains(given.at("target"))) {
        wrong("edge " + given.at("id") + " has an end that is no node");
      }
      if (!edge_ids_.insert(given.at("id")).second) {
        wrong("two edges " + given.at("id"));
      }
      if (given.contains("weight") && !is_number(given.at("weight"))) {
        wrong("weight " + given.at("weight"));
      }
    } else if (name == "attvalue") {
      const auto& of = declared_[path_[path_.size() - 3]];
      const auto found = of.find(given.at("for"));
      if (found == of.end()) {
        wrong("a value for " + given.at("for") + ", which is not declared");
      } else if ((found->second == "double" || found->second == "long") && !is_number(given.at("value"))) {
        wrong("value " + given.at("value") + " of type " + found->second);
      }
    }
  }

  static bool is_number(const std::string& text) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size();
  }

  GexfContent content_;
  std::vector<std::string> path_;
  std::string class_;
  std::map<std::string, std::map<std::string, std::string>> declared_;
  std::set<std::string> nodes_, edge_ids_;
};

}  // namespace

GexfContent check_gexf(const std::string& text) { return GexfCheck().check(text); }

}  // namespace factorgcn
