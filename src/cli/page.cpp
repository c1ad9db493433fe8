// `factorgcn page RUN`: writes a run's page again.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/reproduce/search.h"
#include "factorgcn/reproduce/search_report.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn::cli {
namespace {

struct PageFlags {
  std::string run, out, samples;
  bool changed_data = false;
};

int page(const PageFlags& flags) {
  RunPageOptions options;
  if (!flags.samples.empty()) {
    options.samples = parse_whole("--samples", flags.samples);
    require_usage(options.samples >= 0 && options.samples <= 100000, "--samples ", options.samples,
                  ": give 0 to 100000");
  }
  const std::filesystem::path file = flags.out.empty() ? RunPaths(flags.run).page : std::filesystem::path(flags.out);
  prepare_process(0);
  OpenedData data;
  if (flags.changed_data) {
    data.accept_changed_data();
  }
  write_page(file, is_search_folder(flags.run) ? search_page(flags.run) : run_page(flags.run, options, data));
  print(fmt::format("The page is {}\n", shell_word(file.string())));
  return kSuccess;
}

}  // namespace

void add_page(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "page",
      "write the page of a run again: scores beside the paper, curves and factor graphs in one HTML file\n\n"
      "It opens in any browser, from disk and without a network. Also for runs of earlier versions, "
      "cross-validations, folders of several seeds and searches.");
  auto flags = std::make_shared<PageFlags>();
  app.add_option("RUN", flags->run, "a run directory made by `factorgcn train`")->required();
  app.add_option("--out", flags->out, "the file (default: RUN/page.html)")->type_name("FILE");
  app.add_option("--samples", flags->samples, "graphs whose factor graphs are shown (default: 200)")->type_name("N");
  app.add_flag("--changed-data", flags->changed_data, "go on where the run's data have changed since it was trained");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  factorgcn page runs/x\n"
      "  factorgcn page runs/x --samples 2000 --out /tmp/x.html");
  app.callback([flags, &program] { program.action = [flags] { return page(*flags); }; });
}

}  // namespace factorgcn::cli
