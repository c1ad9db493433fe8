// The bundled viewer: HTML, style and script in one text, made from viewer/ at build time (cmake/Viewer.cmake).
#pragma once

#include <string_view>

namespace factorgcn {

extern const std::string_view kPageTemplate;

}  // namespace factorgcn
