#include "cli/closing_page.h"

#include <fmt/format.h>

#include "cli/output.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn::cli {

bool write_closing_page(const std::filesystem::path& folder, const std::function<Page()>& make,
                        const Program& program) {
  try {
    const std::filesystem::path file = RunPaths(folder).page;
    write_page(file, make());
    print(fmt::format("The page, for a browser: {}\n", shell_word(file.string())));
    return true;
  } catch (const std::exception& error) {
    complain(fmt::format("the page was not written: {}; all else is there, and `{} page {}` tries again", error.what(),
                         program.invoked_as, shell_word(folder.string())));
    return false;
  }
}

}  // namespace factorgcn::cli
