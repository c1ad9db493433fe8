// `factorgcn compare RUN RUN...`: runs side by side, and whether they differ by more than noise.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/report/compare_runs.h"
#include "factorgcn/report/terminal.h"

namespace factorgcn::cli {
namespace {

struct CompareFlags {
  std::vector<std::string> runs;
  std::string out;
  bool json = false;
};

int compare(const CompareFlags& flags) {
  prepare_process(1);
  const RunComparison comparison =
      compare_runs(std::vector<std::filesystem::path>(flags.runs.begin(), flags.runs.end()));
  print(flags.json ? to_json(comparison).dump(2) + "\n"
                   : comparison_report(comparison, describe_terminal(STDOUT_FILENO)));
  if (!flags.out.empty()) {
    write_page(flags.out, comparison_page(comparison));
    if (!flags.json) {
      print(fmt::format("\nThe page, for a browser: {}\n", shell_word(flags.out)));
    }
  }
  return kSuccess;
}

}  // namespace

void add_compare(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "compare",
      "show runs side by side: scores, whether they differ by more than noise, settings that differ\n\n"
      "A RUN is a run directory, a cross-validation or a folder made by train --seeds. All are compared with the "
      "first. Nothing is trained or scored again.");
  auto flags = std::make_shared<CompareFlags>();
  app.add_option("RUN", flags->runs, "two folders or more")->required();
  app.add_option("--out", flags->out, "also a page for a browser, with the training curves over each other")
      ->type_name("FILE");
  app.add_flag("--json", flags->json, "print JSON instead of tables");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  factorgcn compare runs/gcn runs/factorgcn\n"
      "  factorgcn compare runs/gcn-seeds runs/factorgcn-seeds --out compared.html");
  app.callback([flags, &program] { program.action = [flags] { return compare(*flags); }; });
}

}  // namespace factorgcn::cli
