// Reads amounts out of libtorch's message: "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity
// of 139.81 GiB of which 1.50 GiB is free. ..."; older versions write "(GPU 0; 139.81 GiB total capacity; ... 1.50 GiB
// free; ...)".
#include "factorgcn/gpu/out_of_memory.h"

#include <regex>

namespace factorgcn {
namespace {

std::string find(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : std::string();
}

}  // namespace

std::string describe_out_of_memory(const std::string& text, const std::string& advice) {
  const std::string amount = "([0-9.]+ (?:bytes|[KMG]iB))";
  const std::string needed = find(text, ("Tried to allocate " + amount).c_str()), gpu = find(text, "GPU ([0-9]+)");
  std::string free = find(text, (amount + "(?: is)? free").c_str()),
              total = find(text, ("total capacity of " + amount).c_str());
  if (total.empty()) {
    total = find(text, (amount + " total capacity").c_str());
  }
  std::string line = "out of memory on " + (gpu.empty() ? std::string("the GPU") : "GPU " + gpu);
  if (!needed.empty()) {
    line += ": " + needed + " more were needed";
  }
  if (!free.empty()) {
    line += (needed.empty() ? ": " : ", ") + free + (total.empty() ? "" : " of " + total) + " are free";
  }
  return line + "; " + advice;
}

}  // namespace factorgcn
