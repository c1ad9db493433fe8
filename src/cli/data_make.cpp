// `factorgcn data make`: a data set as a file.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/data_settings.h"
#include "cli/options.h"
#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/io/dataset_file.h"

namespace factorgcn::cli {
namespace {

struct MakeFlags {
  explicit MakeFlags(CLI::App& app) : options(app) {}
  LayerOptions options;
  std::string name, out;
  bool force = false;
};

int make(const MakeFlags& flags, const Program& program) {
  // A wrong name is said before a wrong setting.
  const DatasetEntry& entry = find_dataset(flags.name);
  require_usage(entry.is_generated(), flags.name,
                " is not generated but stored: see factorgcn data fetch --help, and factorgcn data info ", flags.name);
  const Settings settings = generator_settings(entry, data_settings(flags.options.layer()));
  require_usage(flags.force || !std::filesystem::exists(flags.out), "--out ", flags.out,
                " exists already: choose another name, or give --force to replace it");
  const Dataset dataset = make_dataset(entry.name, settings);
  save_dataset(flags.out, dataset);
  const auto size = static_cast<double>(std::filesystem::file_size(flags.out));
  print(fmt::format("{} graphs in {} ({:.1f} MB)\nNext: {} {} {}\n",
                    format_count(dataset.graphs.num_graphs()), flags.out, size / 1e6, program.invoked_as,
                    dataset.task == Task::kNone ? "data info" : "train --dataset", shell_word(flags.out)));
  return kSuccess;
}

std::string generated_names() {
  std::string names;
  for (const DatasetEntry& entry : dataset_registry()) {
    if (entry.is_generated()) {
      names += (names.empty() ? "" : " or ") + entry.name;
    }
  }
  return names;
}

}  // namespace

void add_data_make(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand("make", "generate a data set and keep it as a file (safetensors)");
  auto flags = std::make_shared<MakeFlags>(app);
  app.add_option("NAME", flags->name, "a data set that can be generated: " + generated_names())->required();
  add_data_options(flags->options, "Data");
  flags->options.add("--seed", "N", "data.seed", LayerOptions::Kind::kWhole, "Data",
                     "the same seed gives the same data on every machine (default: 0)");
  app.add_option("--out", flags->out, "the file to write (required)")->required()->type_name("FILE");
  app.add_flag("--force", flags->force, "replace that file where it exists");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  factorgcn data make synthetic --factors 4 --seed 0 --out four.safetensors\n"
      "  factorgcn train --dataset four.safetensors");
  app.callback([flags, &program] { program.action = [flags, &program] { return make(*flags, program); }; });
}

}  // namespace factorgcn::cli
