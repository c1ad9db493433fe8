// The page at the end of a command whose results are written already.
#pragma once

#include <filesystem>
#include <functional>

#include "cli/commands.h"
#include "factorgcn/report/page.h"

namespace factorgcn::cli {

/// Writes FOLDER/page.html and prints where it is. A page that fails takes nothing of the results away: it is
/// complained about, with the command that writes it again, and false is returned for the exit code.
bool write_closing_page(const std::filesystem::path& folder, const std::function<Page()>& make,
                        const Program& program);

}  // namespace factorgcn::cli
