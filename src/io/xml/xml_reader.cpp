// expat, fed a megabyte at a time.
#include "io/xml/xml_reader.h"

#include <algorithm>
#include <memory>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

std::string_view local_xml_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

}  // namespace

std::string_view XmlAttributes::operator[](std::string_view name) const {
  for (const XML_Char** place = attributes_; *place != nullptr; place += 2) {
    if (place[0] == name) {
      return place[1];
    }
  }
  return {};
}

bool XmlAttributes::has(std::string_view name) const {
  for (const XML_Char** place = attributes_; *place != nullptr; place += 2) {
    if (place[0] == name) {
      return true;
    }
  }
  return false;
}

template <class Call>
void XmlReader::guarded(void* reader, const Call& call) noexcept {
  auto& self = *static_cast<XmlReader*>(reader);
  if (self.failure_) {
    return;
  }
  try {
    call(self);
  } catch (...) {
    self.failure_ = std::current_exception();
    XML_StopParser(self.parser_, XML_FALSE);
  }
}

void XmlReader::read_document(std::string_view text) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr), &XML_ParserFree);
  require(parser != nullptr, origin_, ": out of memory");
  parser_ = parser.get();
  XML_SetUserData(parser_, this);
  XML_SetElementHandler(
      parser_,
      [](void* reader, const XML_Char* name, const XML_Char** attributes) {
        guarded(reader, [&](XmlReader& self) { self.start(local_xml_name(name), XmlAttributes(attributes)); });
      },
      [](void* reader, const XML_Char*) { guarded(reader, [](XmlReader& self) { self.end(); }); });
  XML_SetCharacterDataHandler(parser_, [](void* reader, const XML_Char* letters, int length) {
    guarded(reader, [&](XmlReader& self) { self.characters({letters, static_cast<std::size_t>(length)}); });
  });
  XML_SetStartDoctypeDeclHandler(parser_, [](void* reader, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    guarded(reader, [](XmlReader& self) {
      fail(self.where(), ": a document type declaration (<!DOCTYPE ...>) is not accepted; remove it");
    });
  });
  parse(text);
}

void XmlReader::parse(std::string_view text) {
  constexpr std::size_t kPiece = 1 << 20;
  for (std::size_t place = 0;; place += kPiece) {
    const std::string_view piece = text.substr(std::min(place, text.size()), kPiece);
    const bool last = place + kPiece >= text.size();
    const XML_Status status = XML_Parse(parser_, piece.data(), static_cast<int>(piece.size()), last);
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    if (status != XML_STATUS_OK) {
      fail(where(), ": not valid XML: ", XML_ErrorString(XML_GetErrorCode(parser_)));
    }
    if (last) {
      return;
    }
  }
}

std::uint64_t XmlReader::line() const { return XML_GetCurrentLineNumber(parser_); }

std::string XmlReader::where() const { return concat(origin_, ", line ", line()); }

std::string_view XmlReader::needed(const XmlAttributes& attributes, const char* element, const char* name) const {
  const std::string_view value = attributes[name];
  if (value.empty()) {
    fail(where(), ": <", element, "> has no ", name, "; ", name, "=\"...\" was expected");
  }
  return value;
}

std::string trimmed_xml_text(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace factorgcn
