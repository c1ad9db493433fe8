// Lines of numbers in text files: the part of the TU readers that knows nothing of graphs.
//
// Text comes in pieces and is handed on in blocks of whole lines, so that the readers of large files can run over a
// block with plain pointers. Values of a line are separated by blanks, tabs, or one comma with blanks around it. A
// byte-order mark at the start of the file, \r before \n, a missing last newline and empty lines at the end are
// allowed; an empty line between others is not. Every error names source, file and line, what was found and what was
// expected.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "factorgcn/data/file_source.h"

namespace factorgcn {

/// Reads one file and hands on its lines.
class TuText {
 public:
  TuText(const FileSource& files, std::string file) : files_(files), file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  std::string origin() const { return files_.origin(); }

  /// A handler of blocks takes whole lines, the last of which ends in '\n' too, with line() as the first line's number.
  /// It returns how many bytes it has taken: all, or up to the beginning of the line that the handler of lines shall
  /// take.
  using OnBlock = std::function<std::size_t(std::string_view block)>;
  /// A handler of lines takes one line without its end; it is not empty.
  using OnLine = std::function<void(std::string_view line)>;

  /// Reads the file; throws Error where it is missing or holds no line.
  void read_lines(const OnLine& on_line);
  void read_blocks(const OnBlock& on_block, const OnLine& on_line);

  /// Number of the line that is being handled, from 1. A handler of blocks sets it on with pass_lines().
  std::int64_t line() const { return line_; }
  void pass_lines(std::int64_t count) { line_ += count; }

  /// Throws "ORIGIN: FILE line N: found ..., expected ...".
  [[noreturn]] void fail_found(std::string_view found, const std::string& expected) const;
  [[noreturn]] void fail_line(const std::string& what) const;

 private:
  void take_piece(std::string_view piece, const OnBlock& on_block, const OnLine& on_line);
  void take_lines(std::string_view lines, const OnBlock& on_block, const OnLine& on_line);
  void take_line(std::string_view line, const OnLine& on_line);

  const FileSource& files_;
  std::string file_;
  std::string carry_;            ///< the beginning of a line whose end has not come yet
  std::int64_t line_ = 1;        ///< the line being handled
  std::int64_t empty_line_ = 0;  ///< the first of the empty lines just before; 0: none
  bool at_start_ = true;         ///< nothing but, perhaps, a byte-order mark was seen
  bool any_ = false;             ///< a line with something on it was seen
};

/// Takes the values of one line, one after the other.
class LineValues {
 public:
  LineValues(const TuText& text, std::string_view line);

  /// False at the end of the line. Otherwise `word` is the next value, never empty.
  bool next(std::string_view& word);

 private:
  const TuText& text_;
  std::string_view rest_;
  bool first_ = true;
};

/// The value of a word; throws through `text` where it is no integer, or outside least .. most ("expected WHAT").
std::int64_t parse_integer(const TuText& text, std::string_view word, const char* what,
                           std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// The same for a finite number that a float can hold; too small ones become 0.
float parse_real(const TuText& text, std::string_view word, const char* what);

}  // namespace factorgcn
