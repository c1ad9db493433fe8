// A safetensors file from anywhere, and the data set in it.
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/safetensors.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_safetensors(std::string_view bytes) {
  allow_one_line_error([bytes] {
    const TensorFile file = parse_safetensors(bytes, "input");
    unpack_dataset(file);
  });
}

}  // namespace factorgcn
