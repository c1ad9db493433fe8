// `factorgcn data`: holds the commands about data sets.
#include "cli/commands.h"

namespace factorgcn::cli {

void add_data(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand("data", "data sets: list, get, check, make and look at them");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  factorgcn data list\n"
      "  factorgcn data fetch mutag\n"
      "  factorgcn data info synthetic\n"
      "  factorgcn data make synthetic --factors 4 --out four.safetensors\n"
      "  factorgcn data import edges.csv --nodes nodes.csv --out my.safetensors\n"
      "  factorgcn data partition my.safetensors --parts 4 --out my-4");
  add_data_list(app, program);
  add_data_fetch(app, program);
  add_data_verify(app, program);
  add_data_make(app, program);
  add_data_import(app, program);
  add_data_partition(app, program);
  add_data_info(app, program);
}

}  // namespace factorgcn::cli
