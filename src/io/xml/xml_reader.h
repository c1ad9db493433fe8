// Walks over an XML document with expat and calls a reader's functions; what all XML formats here refuse and report is
// done in one place.
//
// Depth costs memory in proportion to the text, and no stack. A document type declaration is refused, so no entity can
// be declared or expanded. expat is C: an exception must not pass through it, so the first one is kept, the parser is
// stopped, and read_document() throws it.
#pragma once

#include <expat.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace factorgcn {

/// The attributes of one element.
class XmlAttributes {
 public:
  explicit XmlAttributes(const XML_Char** attributes) : attributes_(attributes) {}

  /// The value; empty where it is not there.
  std::string_view operator[](std::string_view name) const;
  bool has(std::string_view name) const;

 private:
  const XML_Char** attributes_;
};

class XmlReader {
 public:
  explicit XmlReader(const std::string& origin) : origin_(origin) {}
  virtual ~XmlReader() = default;
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

 protected:
  /// `name` is without its namespace's prefix. Every start() has its end().
  virtual void start(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void end() = 0;
  virtual void characters(std::string_view letters) = 0;

  /// Throws Error (file, line, what was found) for what is not XML, and what the functions above throw.
  void read_document(std::string_view text);

  const std::string& origin() const { return origin_; }
  std::uint64_t line() const;
  /// "graph.gexf, line 12".
  std::string where() const;
  /// The attribute's value; throws Error where it is missing or empty.
  std::string_view needed(const XmlAttributes& attributes, const char* element, const char* name) const;

 private:
  template <class Call>
  static void guarded(void* reader, const Call& call) noexcept;
  void parse(std::string_view text);

  const std::string& origin_;
  XML_Parser parser_ = nullptr;
  std::exception_ptr failure_;
};

/// Without blanks and line ends on both sides.
std::string trimmed_xml_text(const std::string& text);

}  // namespace factorgcn
