// Several files of the TU layout packed into one input (fuzz/input_parts.h): "== KIND" begins the file T_KIND.txt.
#include <map>
#include <string>

#include "factorgcn/data/dataset.h"
#include "factorgcn/data/file_source.h"
#include "factorgcn/data/tu.h"
#include "fuzz/input_parts.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {
namespace {

std::map<std::string, std::string> unpack(std::string_view bytes) {
  std::map<std::string, std::string> files;
  for (auto& [kind, text] : input_parts(bytes)) {
    files["T_" + kind + ".txt"] = text;
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
