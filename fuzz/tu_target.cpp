// Several files of the TU layout packed into one input: a line "== KIND" begins the file T_KIND.txt, and what follows
// it belongs to that file. The last byte before a separator's line break is part of the file, so files without a last
// newline can be written too: "== KIND" may begin anywhere after "\n" and the newline before it is dropped.
#include <map>
#include <string>

#include "factorgcn/data/dataset.h"
#include "factorgcn/data/file_source.h"
#include "factorgcn/data/tu.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {
namespace {

std::map<std::string, std::string> unpack(std::string_view bytes) {
  constexpr std::string_view kMark = "\n== ";
  std::map<std::string, std::string> files;
  const std::string all = "\n" + std::string(bytes);
  std::size_t mark = all.find(kMark);
  while (mark != std::string::npos) {
    const std::size_t kind = mark + kMark.size();
    const std::size_t line_end = std::min(all.find('\n', kind), all.size());
    const std::size_t text = std::min(line_end + 1, all.size());
    // The search starts at the line end, so that a file can be empty.
    mark = all.find(kMark, line_end);
    const std::size_t end = std::max(text, std::min(mark, all.size()));
    files["T_" + all.substr(kind, line_end - kind) + ".txt"] = all.substr(text, end - text);
  }
  return files;
}

}  // namespace

void fuzz_tu(std::string_view bytes) {
  allow_one_line_error([bytes] {
    const MemorySource files(unpack(bytes), "input");
    TuTables tables = read_tu(files, "T");
    // The first byte chooses the options, so that an input stays readable text.
    TuDatasetOptions options;
    options.self_loops = bytes.empty() || bytes.front() != ' ';
    options.degree_columns = bytes.size() % 3;
    const Dataset dataset = make_tu_dataset(std::move(tables), options);
    check_dataset(dataset);
  });
}

}  // namespace factorgcn
