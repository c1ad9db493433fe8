// Fills the bundled viewer with a page's data.
#include <string>
#include <string_view>

#include "factorgcn/base/error.h"
#include "report/page_parts.h"
#include "report/viewer/page_template.h"

namespace factorgcn {

std::string assemble_page(const Page& page) {
  std::string html;
  std::size_t done = 0;
  // Markers are looked for in the template alone, never in what is put in.
  const auto fill = [&](std::string_view marker, const std::string& content) {
    const std::size_t at = kPageTemplate.find(marker, done);
    require(at != std::string_view::npos, "page template: there is no ", marker);
    html += kPageTemplate.substr(done, at - done);
    html += content;
    done = at + marker.size();
  };
  fill("<!--factorgcn:title-->", escape_html(page.title));
  fill("<!--factorgcn:plain-->", plain_html(page));
  fill("<!--factorgcn:data-->", script_json(page));
  html += kPageTemplate.substr(done);
  return html;
}

}  // namespace factorgcn
