// Endings, in any case of letters.
#include "io/file_ending.h"

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/io/gzip_writer.h"

namespace factorgcn {
namespace {

std::string ending_word(const std::filesystem::path& path) {
  std::string word = path.extension().string();
  word.erase(0, 1);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  return word;
}

}  // namespace

FileEnding file_ending(const std::filesystem::path& path) {
  const std::string last = ending_word(path);
  return last == "gz" ? FileEnding{ending_word(path.stem()), true} : FileEnding{last, false};
}

void check_can_compress(const std::filesystem::path& path, const FileEnding& ending) {
  require_usage(!ending.gzip || can_write_gzip(), path.string(),
                ": this build cannot write gzip files; leave .gz out of the name, or build with zlib "
                "(-DFACTORGCN_WITH_ZIP=ON)");
}

}  // namespace factorgcn
