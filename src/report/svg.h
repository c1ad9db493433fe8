// Pieces of SVG as text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace factorgcn {

/// The text with the characters escaped that XML gives a meaning to; control characters are dropped.
inline std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char each : text) {
    switch (each) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(each) >= 0x20) {
          escaped += each;
        }
    }
  }
  return escaped;
}

/// Collects shapes; coordinates are pixels, y grows downwards.
class SvgCanvas {
 public:
  SvgCanvas(double width, double height, std::string title)
      : width_(width), height_(height), title_(std::move(title)) {}

  void rectangle(double x, double y, double width, double height, std::string_view fill, std::string_view more = "") {
    body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" {}/>\n", x, y,
                         width, height, fill, more);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
            std::string_view more = "") {
    body_ += fmt::format(
        "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" stroke-width=\"{:.2f}\" {}/>\n",
        x1, y1, x2, y2, stroke, width, more);
  }
  void circle(double x, double y, double radius, std::string_view fill, std::string_view more = "") {
    body_ +=
        fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\" {}/>\n", x, y, radius, fill, more);
  }
  /// anchor: start, middle or end.
  void text(double x, double y, std::string_view content, double size = 12, std::string_view anchor = "start",
            std::string_view fill = "#222", std::string_view more = "") {
    body_ += fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\" {}>{}</text>\n", x, y,
        size, anchor, fill, more, xml_text(content));
  }

  std::string finish() const {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" role=\"img\">\n"
        "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{3}</svg>\n",
        width_, height_, xml_text(title_), body_);
  }

 private:
  double width_, height_;
  std::string title_, body_;
};

}  // namespace factorgcn
