// SHA-256 with OpenSSL. Cost: one pass over the file in pieces of 1 MiB.
#include "factorgcn/shelf/sha256.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <vector>

#include "base/retried.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::size_t kHashedBytes = std::size_t{1} << 20;

struct CloseDescriptor {
  int value;
  ~CloseDescriptor() { ::close(value); }
};

}  // namespace

bool can_compute_sha256() { return true; }

std::string sha256_of_file(const std::filesystem::path& path) {
  const int opened = retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (opened < 0) {
    fail("cannot read ", path, ": ", std::generic_category().message(errno));
  }
  const CloseDescriptor file{opened};
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  require(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1,
          "cannot compute SHA-256: OpenSSL does not offer it");
  std::vector<unsigned char> piece(kHashedBytes);
  while (true) {
    const ssize_t got = retried([&] { return ::read(file.value, piece.data(), piece.size()); });
    if (got < 0) {
      fail("cannot read ", path, ": ", std::generic_category().message(errno));
    }
    if (got == 0) {
      break;
    }
    require(EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(got)) == 1,
            "cannot compute SHA-256 of ", path, ": OpenSSL failed");
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(context.get(), digest.data(), &length) == 1, "cannot compute SHA-256 of ", path,
          ": OpenSSL failed");
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

}  // namespace factorgcn
