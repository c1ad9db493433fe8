// `factorgcn data verify`: are the stored data sets whole, and what was published?
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/output.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/shelf/data_root.h"
#include "factorgcn/shelf/inventory.h"
#include "factorgcn/shelf/verify.h"

namespace factorgcn::cli {
namespace {

int verify(std::vector<std::string> names, const Program& program) {
  if (names.empty()) {
    for (const InventoryItem& item : take_inventory()) {
      if (item.files) {
        names.push_back(item.name);
      }
    }
    if (names.empty()) {
      print(
          fmt::format("No stored data sets are in {}\nNext: {} data list\n", data_root().string(), program.invoked_as));
      return kSuccess;
    }
  }
  std::vector<DatasetEntry> entries;
  for (const std::string& name : names) {
    entries.push_back(stored_entry(name));
  }
  Table table({{"data set"}, {"files"}, {"result"}, {"finding"}});
  std::string bad;
  for (const DatasetEntry& entry : entries) {
    if (entry.file_stem.empty()) {
      table.add_row({entry.name, "", "good", "generated: it has no files"});
      continue;
    }
    const VerifyResult result = verify_dataset(entry);
    std::string name = entry.name;
    std::string files = !result.files ? "" : result.files->is_zip ? "zip" : "folder";
    for (const Finding& finding : result.findings) {
      table.add_row({std::exchange(name, ""), std::exchange(files, ""), finding.good ? "good" : "BAD", finding.text});
    }
    if (!result.good()) {
      bad += (bad.empty() ? "" : ", ") + entry.name;
    }
  }
  print(fmt::format("Data root: {}\n\n{}", data_root().string(), table.to_text(describe_terminal(STDOUT_FILENO).utf8)));
  if (!bad.empty()) {
    complain(fmt::format("not as it must be: {}", bad));
    return kFailure;
  }
  return kSuccess;
}

}  // namespace

void add_data_verify(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "verify",
      "check stored data sets: checksum, readable, as large as published\n\n"
      "Each archive is compared with the SHA-256 that was kept when it was fetched, then read whole, and its numbers "
      "of graphs, nodes and edges are compared with the published ones. Exit code 1 where something is wrong.");
  auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("NAME", *names, "data sets of `factorgcn data list` (default: all that are here)");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  factorgcn data verify\n"
      "  factorgcn data verify mutag zinc");
  app.callback([names, &program] { program.action = [names, &program] { return verify(*names, program); }; });
}

}  // namespace factorgcn::cli
