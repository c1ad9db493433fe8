// `factorgcn data`: holds data make and data info.
#include "cli/commands.h"

namespace factorgcn::cli {

void add_data(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand("data", "make a data-set file, or show what a data set holds");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  factorgcn data info synthetic\n"
      "  factorgcn data make synthetic --factors 4 --out four.safetensors");
  add_data_make(app, program);
  add_data_info(app, program);
}

}  // namespace factorgcn::cli
