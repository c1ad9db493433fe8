// Pages of a build without the viewer: the tables, and the data for a program that wants them.
#include "report/page_parts.h"

namespace factorgcn {

std::string assemble_page(const Page& page) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         escape_html(page.title) + "</title>\n</head>\n<body>\n" + plain_html(page) +
         "<p>The interactive parts (curves, heat maps, factor graphs) were not built: build with Node.js and npm "
         "(-DFACTORGCN_WITH_VIEWER=ON) and write the page again with `factorgcn page RUN`.</p>\n"
         "<script type=\"application/json\" id=\"factorgcn-data\">" +
         script_json(page) + "</script>\n</body>\n</html>\n";
}

}  // namespace factorgcn
