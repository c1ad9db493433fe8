// What a person sees of a search: trials by their validation score, the chosen one, and its test score once.
#pragma once

#include <filesystem>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/report/page.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/reproduce/search.h"

namespace factorgcn {

/// The best `most` trials and all that failed or diverged, then the chosen one in words.
FACTORGCN_API std::string search_report(const SearchResult& result, const SearchPlan& plan, const Terminal& terminal,
                                        std::size_t most = 20);

/// All trials, each numeric setting against the validation score, and the chosen one's training curves.
FACTORGCN_API Page search_page(const std::filesystem::path& folder);

}  // namespace factorgcn
