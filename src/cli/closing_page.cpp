#include "cli/closing_page.h"

#include <fmt/format.h>

#include <new>

#include "cli/output.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn::cli {

bool write_closing_page(const std::filesystem::path& folder, const std::function<Page()>& make,
                        const Program& program) {
  const auto not_written = [&](const char* why) {
    complain(fmt::format("the page was not written: {}; all else is there, and `{} page {}` tries again", why,
                         program.invoked_as, shell_word(folder.string())));
    return false;
  };
  try {
    const std::filesystem::path file = RunPaths(folder).page;
    write_page(file, make());
    print(fmt::format("The page, for a browser: {}\n", shell_word(file.string())));
    return true;
  } catch (const std::bad_alloc&) {
    return not_written("out of memory");
  } catch (const std::exception& error) {
    return not_written(error.what());
  }
}

}  // namespace factorgcn::cli
