// One table of names and endings. Content is looked at only where an ending does not tell.
#include "factorgcn/io/input_format.h"

#include <algorithm>
#include <array>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/io/matrix_market.h"
#include "io/file_ending.h"

namespace factorgcn {
namespace {

struct FormatName {
  std::string_view name;  ///< of --format, and an ending
  InputFormat format;
  std::string_view called;
  bool is_shown = true;  ///< in the list of names
};

constexpr std::array<FormatName, 18> kFormatNames{{{"csv", InputFormat::kEdgeList, "an edge list"},
                                                   {"tsv", InputFormat::kEdgeList, "an edge list"},
                                                   {"txt", InputFormat::kEdgeList, "an edge list"},
                                                   {"tab", InputFormat::kEdgeList, "an edge list", false},
                                                   {"edges", InputFormat::kEdgeList, "an edge list", false},
                                                   {"edgelist", InputFormat::kEdgeList, "an edge list", false},
                                                   {"multilayer", InputFormat::kMultilayer, "a multilayer edge list"},
                                                   {"adjlist", InputFormat::kAdjacencyList, "an adjacency list"},
                                                   {"graphml", InputFormat::kGraphml, "GraphML"},
                                                   {"gexf", InputFormat::kGexf, "GEXF"},
                                                   {"gml", InputFormat::kGml, "GML"},
                                                   {"net", InputFormat::kPajek, "a Pajek network", false},
                                                   {"paj", InputFormat::kPajek, "a Pajek project", false},
                                                   {"pajek", InputFormat::kPajek, "a Pajek network"},
                                                   {"mpx", InputFormat::kMpx, "a multilayer network"},
                                                   {"json", InputFormat::kJson, "node-link JSON"},
                                                   {"mtx", InputFormat::kMatrixMarket, "a Matrix Market file"},
                                                   {"adj", InputFormat::kAdjacencyList, "an adjacency list", false}}};

/// Endings that several formats share: the content decides.
constexpr std::array<std::string_view, 5> kSharedEndings{"txt", "xml", "dat", "graph", ""};

const FormatName* find_format(std::string_view name) {
  const auto* const found = std::find_if(kFormatNames.begin(), kFormatNames.end(),
                                         [&](const FormatName& known) { return known.name == name; });
  return found == kFormatNames.end() ? nullptr : found;
}

std::string small_word(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  return small;
}

/// What a text looks like from its first letters; nothing where it may be lines of anything.
std::optional<InputFormat> format_of_text(std::string_view text) {
  constexpr std::size_t kLookedAt = 4096;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::string front = small_word(text.substr(0, kLookedAt));
  const auto holds = [&](std::string_view part) { return front.find(part) != std::string::npos; };
  if (front.starts_with("<")) {
    return holds("<gexf") ? InputFormat::kGexf : InputFormat::kGraphml;
  }
  if (front.starts_with("{") || front.starts_with("[")) {
    return InputFormat::kJson;
  }
  if (is_matrix_market(front)) {
    return InputFormat::kMatrixMarket;
  }
  if (front.starts_with("*vertices") || front.starts_with("*network")) {
    return InputFormat::kPajek;
  }
  // Headings that are no likely comments of an edge list.
  constexpr std::array<std::string_view, 7> kHeadings{
      "#type", "#version", "#layers", "#actors", "#actor attributes", "#node attributes", "#edge attributes"};
  const std::string first_line = front.substr(0, front.find_first_of("\r\n"));
  if (std::find(kHeadings.begin(), kHeadings.end(), first_line) != kHeadings.end()) {
    return InputFormat::kMpx;
  }
  const std::size_t graph = front.find("graph");
  if (graph != std::string::npos && (graph == 0 || front[graph - 1] == '\n' || front[graph - 1] == ' ')) {
    const std::size_t behind = front.find_first_not_of(" \t\r\n", graph + 5);
    if (behind != std::string::npos && front[behind] == '[') {
      return InputFormat::kGml;
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_edge_list(InputFormat format) { return format == InputFormat::kEdgeList || format == InputFormat::kMultilayer; }

bool names_alone(InputFormat format) {
  return is_edge_list(format) || format == InputFormat::kAdjacencyList || format == InputFormat::kMatrixMarket;
}

std::string input_format_names() {
  std::string names;
  for (const FormatName& known : kFormatNames) {
    if (known.is_shown) {
      names += concat(names.empty() ? "" : ", ", known.name);
    }
  }
  return names;
}

void check_input_format(const std::string& name) {
  std::vector<std::string_view> names;
  for (const FormatName& known : kFormatNames) {
    if (known.is_shown) {
      names.push_back(known.name);
    }
  }
  require_usage(find_format(small_word(name)) != nullptr, "--format '", name, "' is unknown",
                known_names_hint(name, names));
}

InputFormat input_format(const std::filesystem::path& path, const std::string& name, std::string_view text) {
  if (!name.empty()) {
    check_input_format(name);
    return find_format(small_word(name))->format;
  }
  const std::string ending = file_ending(path).word;
  const FormatName* const known = find_format(ending);
  const bool shared = std::find(kSharedEndings.begin(), kSharedEndings.end(), ending) != kSharedEndings.end();
  if (known != nullptr && !shared) {
    return known->format;
  }
  if (const std::optional<InputFormat> seen = format_of_text(text)) {
    return *seen;
  }
  require_usage(known != nullptr, path.string(), ": the format is not clear from its ending or content; give --format ",
                input_format_names());
  return known->format;
}

std::optional<std::string> input_ending(const std::filesystem::path& path) {
  const FormatName* const known = find_format(file_ending(path).word);
  return known == nullptr ? std::nullopt : std::optional<std::string>(known->called);
}

}  // namespace factorgcn
