// Checksums against published test vectors, and the text they travel in.
#include "factorgcn/shelf/sha256.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "shelf/data_folder.h"

namespace factorgcn {
namespace {

const std::string kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256, OfFilesIsAsPublished) {
  if (!can_compute_sha256()) {
    GTEST_SKIP() << "this build has no OpenSSL";
  }
  const TemporaryFolder folder;
  const auto file = folder.path() / "file";
  write_bytes(file, "abc");
  EXPECT_EQ(sha256_of_file(file), kAbc);
  write_bytes(file, "");
  EXPECT_EQ(sha256_of_file(file), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  write_bytes(file, std::string(1'000'000, 'a'));
  EXPECT_EQ(sha256_of_file(file), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  // More than one piece.
  write_bytes(file, std::string(3 * (1 << 20) + 7, '\0'));
  EXPECT_EQ(sha256_of_file(file).size(), 64U);
}

TEST(Sha256, NamesAFileThatCannotBeRead) {
  const std::string text = error_text([] { sha256_of_file("/nowhere/at/all"); });
  EXPECT_NE(text.find("/nowhere/at/all"), std::string::npos) << text;
}

TEST(Sha256Text, IsSixtyFourDigits) {
  EXPECT_EQ(parse_sha256(kAbc), kAbc);
  std::string upper = kAbc;
  upper[0] = 'B';
  EXPECT_EQ(parse_sha256(upper), kAbc);
  EXPECT_FALSE(parse_sha256(""));
  EXPECT_FALSE(parse_sha256(kAbc.substr(1)));
  EXPECT_FALSE(parse_sha256(kAbc + "0"));
  EXPECT_FALSE(parse_sha256("g" + kAbc.substr(1)));
}

TEST(Sha256Text, IsFoundByFileName) {
  const std::string other(64, '1');
  EXPECT_EQ(find_sha256(kAbc, "A.zip"), kAbc);
  EXPECT_EQ(find_sha256(kAbc + "\r\n", "A.zip"), kAbc);
  EXPECT_EQ(find_sha256(kAbc + "  A.zip\n", "A.zip"), kAbc);
  EXPECT_EQ(find_sha256(kAbc + " *./sub/A.zip", "A.zip"), kAbc);
  EXPECT_EQ(find_sha256(other + "  B.zip\n" + kAbc + "  A.zip\n", "A.zip"), kAbc);
  EXPECT_FALSE(find_sha256(other + "  B.zip\n", "A.zip"));
  EXPECT_FALSE(find_sha256(kAbc + "A.zip\n", "A.zip"));
  EXPECT_FALSE(find_sha256("<html>not here</html>", "A.zip"));
  EXPECT_FALSE(find_sha256("", "A.zip"));
  EXPECT_EQ(find_sha256(sha256_line(kAbc, "A.zip"), "A.zip"), kAbc);
  EXPECT_EQ(sha256_line(kAbc, "A.zip"), kAbc + "  A.zip\n");
}

}  // namespace
}  // namespace factorgcn
