// `factorgcn data list`: which data sets there are, which of them are here, and how to get the others.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "factorgcn/base/text.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/shelf/data_root.h"
#include "factorgcn/shelf/inventory.h"

namespace factorgcn::cli {
namespace {

bool is_generated(const InventoryItem& item) { return item.entry != nullptr && item.entry->file_stem.empty(); }

std::string where(const InventoryItem& item) {
  if (is_generated(item)) {
    return "generated";
  }
  if (item.files) {
    return item.files->is_zip ? "zip" : "folder";
  }
  return item.partial_bytes > 0 ? fmt::format("{} of it", format_bytes(item.partial_bytes)) : "not here";
}

/// The command that makes the data set usable, or that uses it where it is.
std::string next_command(const InventoryItem& item, const std::string& program) {
  if (is_generated(item) || item.files) {
    return fmt::format("{} data info {}", program, item.name);
  }
  const bool on_host = item.entry == nullptr || item.entry->on_tu_host;
  return fmt::format("{} data fetch {}{}", program, item.name, on_host ? "" : " --mirror URL-or-FOLDER");
}

std::string count_or_nothing(std::int64_t count) { return count > 0 ? format_count(count) : ""; }

nlohmann::ordered_json as_json(const std::vector<InventoryItem>& items, const std::string& program) {
  nlohmann::ordered_json json{{"root", data_root().string()}, {"datasets", nlohmann::json::array()}};
  for (const InventoryItem& item : items) {
    const DatasetFacts facts = item.entry != nullptr ? item.entry->facts : DatasetFacts{};
    nlohmann::ordered_json row{{"name", item.name},
                               {"listed", item.entry != nullptr},
                               {"generated", is_generated(item)},
                               {"here", is_generated(item) || item.files.has_value()},
                               {"kind", is_generated(item)   ? "generated"
                                        : !item.files        ? "none"
                                        : item.files->is_zip ? "zip"
                                                             : "folder"},
                               {"path", item.files ? nlohmann::json(item.files->path.string()) : nlohmann::json()},
                               {"bytes", item.bytes},
                               {"partial_bytes", item.partial_bytes},
                               {"graphs", facts.graphs},
                               {"nodes", facts.nodes},
                               {"undirected_edges", facts.undirected_edges},
                               {"summary", item.entry != nullptr ? item.entry->summary : ""},
                               {"next", next_command(item, program)}};
    json["datasets"].push_back(row);
  }
  return json;
}

std::string as_text(const std::vector<InventoryItem>& items, const std::string& program, bool utf8) {
  Table listed({{"data set"},
                {"where"},
                {"on disk", Align::kRight},
                {"graphs", Align::kRight},
                {"nodes", Align::kRight},
                {"edges", Align::kRight},
                {"next"}});
  Table others({{"data set"}, {"where"}, {"on disk", Align::kRight}, {"next"}});
  for (const InventoryItem& item : items) {
    const std::string size = item.bytes > 0 ? format_bytes(item.bytes) : "";
    const std::string next = next_command(item, program);
    if (item.entry == nullptr) {
      others.add_row({item.name, where(item), size, next});
      continue;
    }
    const DatasetFacts& facts = item.entry->facts;
    listed.add_row({item.name, where(item), size, count_or_nothing(facts.graphs), count_or_nothing(facts.nodes),
                    count_or_nothing(facts.undirected_edges), next});
  }
  std::string text = fmt::format("Data root: {}\n\n{}", data_root().string(), listed.to_text(utf8));
  if (!others.empty()) {
    text += "\nAlso in the data root:\n\n" + others.to_text(utf8);
  }
  return text;
}

}  // namespace

void add_data_list(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "list",
      "show the known data sets, and which of them are on this machine\n\n"
      "Generated data sets need no files. The others lie in the data root, as the archive NAME.zip or unpacked in the "
      "folder NAME. Nothing is downloaded by listing.");
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print JSON instead of a table");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "The data root is $FACTORGCN_DATA; where that is not set, factorgcn/ in\n"
      "$XDG_CACHE_HOME or ~/.cache.\n"
      "\n"
      "Examples:\n"
      "  factorgcn data list\n"
      "  FACTORGCN_DATA=/data/graphs factorgcn data list --json");
  app.callback([json, &program] {
    program.action = [json, &program] {
      const std::vector<InventoryItem> items = take_inventory();
      print(*json ? as_json(items, program.invoked_as).dump(2) + "\n"
                  : as_text(items, program.invoked_as, describe_terminal(STDOUT_FILENO).utf8));
      return kSuccess;
    };
  });
}

}  // namespace factorgcn::cli
