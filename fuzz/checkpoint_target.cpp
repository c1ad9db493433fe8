// model.safetensors and checkpoint.safetensors; what a file's metadata say it is decides which.
#include "factorgcn/io/safetensors.h"
#include "factorgcn/train/checkpoint.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_checkpoint(std::string_view bytes) {
  allow_one_line_error([bytes] {
    const TensorFile file = parse_safetensors(bytes, "input");
    const auto format = file.metadata.find("format");
    if (format != file.metadata.end() && format->second == kModelFormat) {
      model_of(file);
    } else {
      checkpoint_of(file);
    }
  });
}

}  // namespace factorgcn
