// A page as a file.
#include "factorgcn/report/page.h"

#include <ctime>

#include "factorgcn/base/files.h"
#include "report/page_parts.h"

namespace factorgcn {

std::string page_html(const Page& page) {
  check_page(page);
  return assemble_page(page);
}

void write_page(const std::filesystem::path& path, const Page& page) { write_file_atomically(path, page_html(page)); }

std::string page_time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

}  // namespace factorgcn
