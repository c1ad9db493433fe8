// Archives give their files byte by byte; damaged and hostile ones give one line that says what is wrong.
#include "factorgcn/io/zip_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"
#include "io/zip_writer.h"

namespace factorgcn {
namespace {

class ZipSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_zip()) {
      GTEST_SKIP() << "this build has no libzip";
    }
  }
};

using Names = std::vector<std::string>;

ZipSource open_zip(const std::vector<ZipMember>& members, const ZipLimits& limits = {}) {
  return ZipSource::from_bytes(zip_bytes(members), "a.zip", limits);
}

std::string refusal(const std::vector<ZipMember>& members, const ZipLimits& limits = {}) {
  return error_text([&] { open_zip(members, limits); });
}

std::string read_refusal(const ZipMember& member) {
  const ZipSource source = open_zip({member});
  return error_text([&] { source.read_all(member.name); });
}

TEST_F(ZipSourceTest, OffersRootAndTopFolder) {
  const ZipSource source = open_zip({{"T/", ""},
                                     {"T/T_A.txt", "1, 2\n"},
                                     {"./README", "read"},
                                     {"T/deep/T_B.txt", "hidden"},
                                     {"__MACOSX/T_A.txt", "fork"}});
  EXPECT_EQ(source.origin(), "a.zip");
  EXPECT_EQ(source.names(), (Names{"README", "T_A.txt"}));
  EXPECT_EQ(source.read_all("T_A.txt"), "1, 2\n");
  EXPECT_EQ(source.read_all("README"), "read");
  EXPECT_EQ(source.read_all("T_A.txt"), "1, 2\n") << "a second time";
  EXPECT_EQ(error_text([&] { source.read_all("T_B.txt"); }), "a.zip: the file T_B.txt is missing");
}

TEST_F(ZipSourceTest, ReadsArchivesOnTheDisk) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "x.zip").string();
  const std::string content(258 * 4000 + 1, 'a');
  const std::string packed = deflate_of_equal_bytes(4000);
  ASSERT_LT(packed.size(), content.size() / 150);
  write_file_atomically(path, zip_bytes({{"T/T_A.txt", content, 8, packed}, {"T/empty", ""}}));
  const ZipSource source(path);
  int pieces = 0;
  std::string joined;
  source.read("T_A.txt", [&](std::string_view piece) {
    ++pieces;
    joined += piece;
  });
  EXPECT_GT(pieces, 1) << "in pieces";
  EXPECT_EQ(joined, content);
  EXPECT_EQ(source.read_all("empty"), "");
  EXPECT_EQ(source.origin(), path);
}

TEST_F(ZipSourceTest, RefusesWhatIsNoArchive) {
  const TemporaryFolder folder;
  const auto open = [](const std::filesystem::path& path) { return error_text([&] { ZipSource{path}; }); };
  write_file_atomically(folder.path() / "text.zip", "hello, this is text\n");
  write_file_atomically(folder.path() / "empty.zip", "");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe.zip").c_str(), 0600), 0);
  EXPECT_NE(open(folder.path() / "text.zip").find("text.zip: it is no zip archive"), std::string::npos);
  EXPECT_NE(open(folder.path() / "empty.zip").find("empty.zip: it is no zip archive"), std::string::npos);
  EXPECT_NE(open(folder.path() / "pipe.zip").find("pipe.zip: it is no zip archive"), std::string::npos);
  EXPECT_NE(open(folder.path()).find("it is no regular file"), std::string::npos);
  EXPECT_NE(open(folder.path() / "absent.zip").find("absent.zip: the zip archive cannot be opened: No such file"),
            std::string::npos);
  const std::string whole = zip_bytes({{"T_A.txt", std::string(1000, 'x')}});
  write_file_atomically(folder.path() / "cut.zip", whole.substr(0, 600));
  EXPECT_NE(open(folder.path() / "cut.zip").find("cut.zip: the zip archive is cut short or damaged"),
            std::string::npos);
}

TEST_F(ZipSourceTest, RefusesEveryCutAsOneLine) {
  const std::string whole = zip_bytes({{"T/T_A.txt", "1, 2\n2, 1\n"}, {"T/T_graph_labels.txt", "1\n"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string text = error_text([&] { ZipSource::from_bytes(whole.substr(0, size), "a.zip"); });
    EXPECT_TRUE(text.starts_with("a.zip: ") && text.find('\n') == std::string::npos) << size << ": " << text;
  }
}

TEST_F(ZipSourceTest, NamesDamagedMembers) {
  EXPECT_EQ(read_refusal({.name = "T_A.txt", .content = "1, 2\n", .crc = 1}),
            "a.zip: T_A.txt cannot be unpacked: its checksum is wrong (CRC error); the archive is damaged: fetch it "
            "again");
  EXPECT_NE(read_refusal({.name = "T_A.txt", .content = "1, 2\n", .method = 8, .packed = "\x07garbage"})
                .find("a.zip: T_A.txt cannot be unpacked: "),
            std::string::npos);
  EXPECT_EQ(read_refusal({.name = "T_A.txt", .content = "1, 2\n", .method = 77, .packed = "12345"}),
            "a.zip: T_A.txt cannot be unpacked: it is packed by a method that this build of libzip does not know");
}

TEST_F(ZipSourceTest, BlamesTheDamageBeforeTheContent) {
  const ZipSource damaged = open_zip({{.name = "T_A.txt", .content = "1, 2\n", .crc = 1}});
  const auto refuse = [](std::string_view) { fail("nonsense"); };
  EXPECT_NE(error_text([&] { damaged.read("T_A.txt", refuse); }).find("CRC error"), std::string::npos);
  const ZipSource whole = open_zip({{"T_A.txt", "1, 2\n"}});
  EXPECT_EQ(error_text([&] { whole.read("T_A.txt", refuse); }), "nonsense");
}

TEST_F(ZipSourceTest, RefusesPathsThatLeadOut) {
  const auto path = [](const std::string& name) { return refusal({{name, "x"}}); };
  EXPECT_EQ(path("../T_A.txt"),
            "a.zip: the member \"../T_A.txt\" climbs out of the archive; an archive with such a path is refused");
  EXPECT_NE(path("T/../../x").find("climbs out"), std::string::npos);
  EXPECT_NE(path("T/..").find("climbs out"), std::string::npos);
  EXPECT_NE(path("/etc/passwd").find("has an absolute path"), std::string::npos);
  EXPECT_NE(path("..\\T_A.txt").find("has a backslash in its path"), std::string::npos);
  EXPECT_NE(path("C:T_A.txt").find("has a drive in its path"), std::string::npos);
  EXPECT_NE(path("T//x").find("has an empty folder name"), std::string::npos);
  EXPECT_NE(path("T/x\n").find("has a control character"), std::string::npos);
  EXPECT_NE(path("").find("has no name"), std::string::npos);
  EXPECT_EQ(refusal({{"..x/..y..", "x"}}), "no error");
}

TEST_F(ZipSourceTest, RefusesLinksAndEncryption) {
  EXPECT_EQ(refusal({{.name = "T_A.txt", .content = "/etc/passwd", .unix_mode = 0120777}}),
            "a.zip: the member \"T_A.txt\" is a symbolic link; expected plain files only");
  EXPECT_EQ(refusal({{.name = "T_A.txt", .content = "0123456789ab", .flags = 1}}),
            "a.zip: the member \"T_A.txt\" is encrypted; expected an archive without a password");
}

TEST_F(ZipSourceTest, RefusesNamesThatAreNotOne) {
  EXPECT_EQ(refusal({{"T_A.txt", "1"}, {"T/T_A.txt", "2"}}), "a.zip: two members are named \"T_A.txt\"; expected one");
  EXPECT_EQ(refusal({{"T_A.txt", "1"}, {"./T_A.txt", "2"}}), "a.zip: two members are named \"T_A.txt\"; expected one");
  EXPECT_EQ(refusal({{"T/T_A.txt", "1"}, {"U/U_A.txt", "2"}}),
            "a.zip: it has files in the folders \"T\" and \"U\"; expected one top folder");
}

TEST_F(ZipSourceTest, RefusesSizesBeyondTheLimits) {
  ZipLimits limits;
  limits.members = 2;
  EXPECT_EQ(refusal({{"a", ""}, {"b", ""}, {"c", ""}}, limits),
            "a.zip: the archive has 3 members, more than the 2 that are allowed");
  limits = {};
  limits.member_bytes = 100;
  EXPECT_EQ(refusal({{"a", std::string(101, 'x')}}, limits),
            "a.zip: the member \"a\" would unpack to 101 bytes, more than the 100 that are allowed");
  limits.total_bytes = 150;
  EXPECT_EQ(refusal({{"a", std::string(100, 'x')}}, limits), "no error");
  EXPECT_EQ(refusal({{"a", std::string(100, 'x')}, {"b", std::string(51, 'x')}}, limits),
            "a.zip: the archive's members would unpack to more than the 150 bytes that are allowed in all");
  limits = {};
  limits.total_free_bytes = 150;
  limits.total_ratio = 2;
  EXPECT_EQ(refusal({{"a", std::string(100, 'x')}, {"b", std::string(100, 'x')}}, limits), "no error");
  const std::string many(258 * 5000 + 1, 'a');
  const std::string few = deflate_of_equal_bytes(5000);
  EXPECT_EQ(refusal({{"a", many, 8, few}}, limits),
            "a.zip: the archive's members would unpack from " + std::to_string(few.size()) + " to " +
                std::to_string(many.size()) +
                " bytes, more than 2-fold, as no honest data set does; if it is one, unpack it yourself and give the "
                "folder");
  // Declared: four gigabytes from a few bytes.
  EXPECT_EQ(refusal({{.name = "bomb", .content = "", .method = 8, .packed = "1234", .size = 0xFFFFFFF0U}}),
            "a.zip: the member \"bomb\" would unpack from 4 to 4294967280 bytes, more than 1100-fold; no honest text "
            "packs that well");
  limits = {};
  limits.ratio = 100;
  const std::string content(258 * 5000 + 1, 'a');
  EXPECT_NE(refusal({{"a", content, 8, deflate_of_equal_bytes(5000)}}, limits).find("more than 100-fold"),
            std::string::npos);
  EXPECT_EQ(refusal({{"a", content, 8, deflate_of_equal_bytes(5000)}}), "no error");
}

TEST_F(ZipSourceTest, StopsAtTheDeclaredSize) {
  // The member declares 1,000 bytes and unpacks to more than a million: reading ends at once.
  const std::string packed = deflate_of_equal_bytes(5000);
  const std::string content(258 * 5000 + 1, 'a');
  const ZipSource source = open_zip({{.name = "a", .content = content, .method = 8, .packed = packed, .size = 1000}});
  std::size_t taken = 0;
  const std::string text =
      error_text([&] { source.read("a", [&](std::string_view piece) { taken += piece.size(); }); });
  EXPECT_TRUE(text.starts_with("a.zip: a ")) << text;
  EXPECT_LE(taken, 1000U);
  // And one that unpacks to less.
  const ZipSource less =
      open_zip({{.name = "a", .content = content, .method = 8, .packed = packed, .size = 2'000'000}});
  const std::string short_text = error_text([&] { less.read_all("a"); });
  EXPECT_TRUE(short_text.starts_with("a.zip: a ")) << short_text;
}

TEST(NoZip, SaysWhatIsMissing) {
  if (can_read_zip()) {
    GTEST_SKIP() << "this build has libzip";
  }
  EXPECT_EQ(error_text([] { ZipSource("a.zip"); }),
            "a.zip: this build cannot read zip archives: build with libzip (-DFACTORGCN_WITH_ZIP=ON) or unpack the "
            "archive into a folder");
}

}  // namespace
}  // namespace factorgcn
