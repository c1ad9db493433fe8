// Tables in delimited text: CSV, TSV, semicolons or blanks between the columns.
//
// Lines end in \n, \r\n or \r; the last newline may be missing; a byte-order mark, empty lines and lines that start
// with # or % are skipped. A field in double quotes may hold separators, newlines and doubled quotes. Blanks around a
// field without quotes are not part of it. Every row must have as many fields as the first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

enum class Separator {
  kDetect,  ///< what the first row holds outside quotes: a tab, else the more frequent of ; and , or else blanks
  kComma,
  kTab,
  kSemicolon,
  kBlanks,  ///< any run of blanks and tabs
};

enum class Header { kDetect, kYes, kNo };

struct FACTORGCN_API DelimitedOptions {
  Separator separator = Separator::kDetect;

  /// kDetect takes the first row for names where it holds a name that was asked for, or enough known names, or where no
  /// field of it is a number and some column holds numbers alone below it.
  Header header = Header::kDetect;
  std::vector<std::string> asked_names;  ///< columns the user named
  std::vector<std::string> known_names;  ///< as plain_column_name() writes them
  std::size_t enough_known = 1;          ///< how many known names make a header

  /// In a table with a header and blanks between columns, further words of a line belong to its last column ("24 ann
  /// PhD (visiting)"); a note says so. Otherwise such a line is an error.
  bool words_join_last = false;
};

/// Throws Error (file, line, what was found) for bytes that are not UTF-8, an open quote, a row of another length, no
/// rows at all. `origin` is the file's name. Cost: O(text), memory for the text and 8 bytes per field.
FACTORGCN_API TextTable read_delimited(std::string_view text, const std::string& origin,
                                       const DelimitedOptions& options = {});

/// The number that `text` is, as a whole; false where it is none. Too large ones are infinite, too small ones 0.
FACTORGCN_API bool parse_decimal(std::string_view text, double& value);

}  // namespace factorgcn
