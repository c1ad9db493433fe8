// The pieces a page is put together from. Internal to report/.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/report/page.h"

namespace factorgcn {

/// Text for an HTML element or attribute: & < > " ' are escaped, bytes that are not UTF-8 become U+FFFD.
std::string escape_html(std::string_view text);

/// JSON that may stand in a script element: no "<" (so neither "</script>" nor "<!--") and no U+2028 or U+2029.
std::string script_json(const Page& page);

/// Title, facts, notes and tables as plain HTML without script; headings start at h1.
std::string plain_html(const Page& page);

/// The whole file: report/viewer fills the bundled template, report/no_viewer sets the plain parts.
std::string assemble_page(const Page& page);

}  // namespace factorgcn
