// Text on its way to a file: gathered, compressed where asked for, handed on in large pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "factorgcn/base/files.h"
#include "factorgcn/io/columns.h"
#include "factorgcn/io/gzip_writer.h"

namespace factorgcn {

class TextOutput {
 public:
  /// `append` must outlive the output.
  TextOutput(const AppendBytes& append, bool gzip);

  void put(char letter) { text_ += letter; }
  void put(std::string_view text) { text_ += text; }

  /// A number as the fewest digits that give it back: 0.25, 1e-07, 12; nan, inf and -inf.
  void put_number(std::int64_t value);
  void put_number(float value);
  void put_number(double value);

  /// As a field of a separated file: quoted where it holds the separator, quotes or line breaks, blanks at its ends,
  /// or nothing.
  void put_field(std::string_view text, char separator);
  /// Inside XML, as text or in a value in double quotes.
  void put_xml(std::string_view text);
  /// A JSON string with its quotes.
  void put_json(std::string_view text);

  /// Any value; what is not known is nothing in a field and in XML, null in JSON.
  void put_field_value(const CellValue& value, char separator);
  void put_xml_value(const CellValue& value);
  void put_json_value(const CellValue& value);

  /// Hands on what has gathered, where that is enough. To be called now and then, after each row say.
  void flush_when_full() {
    if (text_.size() >= kFull) {
      flush();
    }
  }

  /// Hands on everything, the end of the compressed stream included. Nothing may follow.
  void finish();

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 18;

  void flush();

  const AppendBytes& append_;
  std::unique_ptr<GzipWriter> gzip_;
  std::string text_;
};

/// True for std::monostate.
inline bool is_unknown(const CellValue& value) { return std::holds_alternative<std::monostate>(value); }

}  // namespace factorgcn
