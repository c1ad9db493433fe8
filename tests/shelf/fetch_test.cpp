// Fetching against a server and folders that behave in every way they can: each case ends in the whole, checked archive
// or in one clear error, and never in a STEM.zip that is neither.
#include "factorgcn/shelf/fetch.h"
#include "base/holds.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "base/error_text.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/shelf/sha256.h"
#include "shelf/data_folder.h"
#include "shelf/loopback_server.h"

namespace factorgcn {
namespace {

constexpr std::size_t kSize = 300'000;

/// Begins like a zip archive; the rest is different for each `mark`, and no two places are alike.
std::string payload(char mark) {
  std::string bytes = "PK\x03\x04";
  std::uint32_t state = 12345U + static_cast<unsigned char>(mark);
  while (bytes.size() < kSize) {
    state = state * 1664525U + 1013904223U;
    bytes += static_cast<char>(state >> 24);
  }
  return bytes;
}

using factorgcn::testing::holds;

struct Heard : FetchObserver {
  std::vector<std::string> messages;
  std::uint64_t bytes = 0, total = 0;
  std::function<void()> on_progress;

  void message(std::string_view line) override { messages.emplace_back(line); }
  void progress(std::uint64_t now, std::uint64_t all) override {
    bytes = now;
    total = all;
    if (on_progress) {
      on_progress();
    }
  }
  std::string all() const {
    std::string text;
    for (const auto& line : messages) {
      text += line + "\n";
    }
    return text;
  }
};

class FetchTest : public ::testing::Test {
 protected:
  FetchTest() {
    clear_interrupt();
    entry.name = "tiny";
    entry.file_stem = "TINY";
    options.public_host = "";
    options.first_pause_seconds = 0.01;
    options.stall_seconds = options.connect_seconds = 10;
    options.validate = [this](const std::filesystem::path& archive) {
      ++validations;
      EXPECT_EQ(archive, data.root("TINY.zip.part"));
      if (!options.force) {
        EXPECT_FALSE(data.has("TINY.zip")) << "it must not have its name before it was looked at";
      }
      require(read_bytes(archive) == good, "these are other bytes");
    };
  }
  void SetUp() override {
    if (!can_download() || !can_compute_sha256()) {
      GTEST_SKIP() << "this build cannot download";
    }
  }
  ~FetchTest() override {
    clear_interrupt();
    EXPECT_FALSE(data.has("TINY.zip.lock"));
    if (data.has("TINY.zip")) {
      EXPECT_TRUE(read_bytes(data.root("TINY.zip")) == good) << "STEM.zip is not the archive";
    }
  }

  FetchResult fetch() { return fetch_dataset(entry, options, heard); }
  FetchResult fetch(const LoopbackServer& server) {
    options.mirrors = {server.url()};
    return fetch();
  }

  /// The error's text, after a check that nothing unfinished has the archive's name.
  std::string failure() {
    const std::string text = error_text([this] { fetch(); });
    EXPECT_FALSE(data.has("TINY.zip")) << text;
    EXPECT_FALSE(data.has("TINY.zip.sha256")) << text;
    EXPECT_FALSE(holds(text, "\n")) << text;
    return text;
  }
  std::string failure(const LoopbackServer& server) {
    options.mirrors = {server.url()};
    return failure();
  }

  void expect_fetched(const FetchResult& result) {
    EXPECT_EQ(result.status, FetchStatus::kFetched);
    EXPECT_EQ(result.path, data.root("TINY.zip"));
    EXPECT_EQ(result.bytes, kSize);
    EXPECT_TRUE(read_bytes(data.root("TINY.zip")) == good);
    EXPECT_EQ(read_bytes(data.root("TINY.zip.sha256")), sha256_of_file(data.root("TINY.zip")) + "  TINY.zip\n");
    EXPECT_EQ(result.sha256, sha256_of_file(data.root("TINY.zip")));
    EXPECT_FALSE(data.has("TINY.zip.part"));
    EXPECT_FALSE(data.has("TINY.zip.part.json"));
    EXPECT_GE(validations, 1);
  }

  /// Answers requests for TINY.zip, the first with answers[0] and so on, the last one for all that follow; anything
  /// else is not found.
  using Answer = LoopbackServer::Handler;
  static Answer script(std::vector<Answer> answers) {
    auto count = std::make_shared<std::size_t>(0);
    return [answers = std::move(answers), count](const HttpConnection& connection, const HttpRequest& request) {
      if (request.path != "/TINY.zip") {
        answer_not_found(connection);
        return;
      }
      answers[std::min((*count)++, answers.size() - 1)](connection, request);
    };
  }
  static Answer whole(ServedFile file) {
    return [file](const HttpConnection& c, const HttpRequest& r) { file.answer(c, r); };
  }
  static Answer cut(ServedFile file, std::size_t bytes) {
    return [file, bytes](const HttpConnection& c, const HttpRequest& r) { file.answer_cut(c, r, bytes); };
  }
  static Answer plain(std::string status, std::vector<std::string> headers, std::string body) {
    return [=](const HttpConnection& c, const HttpRequest&) { c.answer(status, headers, body); };
  }

  DataFolder data;
  DatasetEntry entry;
  FetchOptions options;
  Heard heard;
  std::string good = payload('g');
  std::string evil = payload('e');
  ServedFile good_file{good};
  ServedFile evil_file{evil};
  int validations = 0;
  std::atomic<bool> interrupted_once{false};
};

TEST(FetchFromAFolder, WorksInEveryBuild) {
  const DataFolder data;
  write_bytes(data.path("mirror/TINY.zip"), payload('g'));
  DatasetEntry entry;
  entry.name = "tiny";
  entry.file_stem = "TINY";
  FetchOptions options;
  options.mirrors = {data.path("mirror").string()};
  FetchObserver silent;
  EXPECT_EQ(fetch_dataset(entry, options, silent).status, FetchStatus::kFetched);
  EXPECT_TRUE(read_bytes(data.root("TINY.zip")) == payload('g'));
  EXPECT_EQ(data.has("TINY.zip.sha256"), can_compute_sha256());
}

TEST(FetchFromAFolder, IsWhatABuildWithoutDownloadsAdvises) {
  if (can_download()) {
    GTEST_SKIP() << "this build can download";
  }
  const DataFolder data;
  DatasetEntry entry;
  entry.name = "tiny";
  entry.file_stem = "TINY";
  entry.on_tu_host = true;
  FetchObserver silent;
  const std::string text = error_text([&] { fetch_dataset(entry, {}, silent); });
  EXPECT_TRUE(holds(text, "this build cannot download")) << text;
  EXPECT_TRUE(holds(text, "-DFACTORGCN_WITH_HTTP=ON")) << text;
}

TEST_F(FetchTest, BringsTheArchive) {
  const LoopbackServer server(script({whole(good_file)}));
  const FetchResult result = fetch(server);
  expect_fetched(result);
  EXPECT_EQ(result.source, server.url("TINY.zip"));
  EXPECT_EQ(heard.bytes, kSize);
  EXPECT_EQ(heard.total, kSize);
  EXPECT_EQ(validations, 1);
  EXPECT_FALSE(server.requests("/TINY.zip").at(0).has("range"));
  EXPECT_EQ(server.requests("/TINY.zip.sha256").size(), 1U);
}

TEST_F(FetchTest, TakesTheUrlOfTheArchiveItself) {
  const LoopbackServer server([this](const HttpConnection& c, const HttpRequest& r) {
    r.path == "/files/renamed.zip" ? good_file.answer(c, r) : answer_not_found(c);
  });
  options.mirrors = {server.url("files/renamed.zip")};
  expect_fetched(fetch());
}

TEST_F(FetchTest, AsksThePublicHostLast) {
  const LoopbackServer server(script({whole(good_file)}));
  options.public_host = server.url();
  options.mirrors = {data.path("nowhere").string()};
  EXPECT_TRUE(holds(failure(), "there is no folder " + data.path("nowhere").string())) << "the host does not have it";
  EXPECT_TRUE(server.requests().empty());
  entry.on_tu_host = true;
  expect_fetched(fetch());
}

TEST_F(FetchTest, GoesOnWhereTheConnectionWasCut) {
  const LoopbackServer server(script({cut(good_file, 100'000), whole(good_file)}));
  expect_fetched(fetch(server));
  const auto requests = server.requests("/TINY.zip");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].headers.at("range"), "bytes=100000-");
  EXPECT_EQ(requests[1].headers.at("if-range"), "\"one\"");
  EXPECT_TRUE(holds(heard.all(), "the connection was cut")) << heard.all();
}

TEST_F(FetchTest, GoesOnTheNextTime) {
  const LoopbackServer server(script({cut(good_file, 100'000), whole(good_file)}));
  options.tries = 1;
  EXPECT_TRUE(holds(failure(server), "the connection was cut"));
  EXPECT_TRUE(read_bytes(data.root("TINY.zip.part")) == good.substr(0, 100'000));
  expect_fetched(fetch(server));
  EXPECT_EQ(server.requests("/TINY.zip").at(1).range_start(), 100'000U);
}

TEST_F(FetchTest, GoesOnByTheTimeOfChangeToo) {
  const std::string time = "Last-Modified: Tue, 01 Sep 2020 10:00:00 GMT";
  const LoopbackServer server(script(
      {plain("200 OK", {time, "Content-Length: 300000", "ETag: W/\"weak\""}, good.substr(0, 5000)),
       [&](const HttpConnection& c, const HttpRequest& r) {
         EXPECT_EQ(r.headers.at("if-range"), "Tue, 01 Sep 2020 10:00:00 GMT");
         c.answer("206 Partial Content", {time, "Content-Length: 295000", "Content-Range: bytes 5000-299999/300000"},
                  good.substr(r.range_start()));
       }}));
  expect_fetched(fetch(server));
}

TEST_F(FetchTest, BeginsAgainWithAServerThatIgnoresRanges) {
  const LoopbackServer server(
      script({cut(good_file, 100'000), plain("200 OK", {"Content-Length: 300000", "ETag: \"one\""}, good)}));
  expect_fetched(fetch(server));
  EXPECT_TRUE(server.requests("/TINY.zip").at(1).has("range"));
}

TEST_F(FetchTest, BeginsAgainWithoutAMarkOfTheFile) {
  ServedFile unmarked{good, ""};
  const LoopbackServer server(script({cut(unmarked, 100'000), whole(unmarked)}));
  expect_fetched(fetch(server));
  EXPECT_FALSE(server.requests("/TINY.zip").at(1).has("range")) << "the file may have changed, and nobody could tell";
}

TEST_F(FetchTest, BeginsAgainWhenTheFileChanged) {
  evil_file.etag = "\"former\"";
  const LoopbackServer server(script({cut(evil_file, 100'000), whole(good_file)}));
  expect_fetched(fetch(server));
  EXPECT_EQ(server.requests("/TINY.zip").at(1).headers.at("if-range"), "\"former\"");
}

TEST_F(FetchTest, BeginsAgainWhenTheFileChangedAndTheServerDoesNotCare) {
  evil_file.etag = "\"former\"";
  // The rest of another file, with its own mark, though If-Range named the former one.
  const LoopbackServer server(script({cut(evil_file, 100'000),
                                      [this](const HttpConnection& c, const HttpRequest& r) {
                                        HttpRequest careless = r;
                                        careless.headers.erase("if-range");
                                        good_file.answer(c, careless);
                                      },
                                      whole(good_file)}));
  expect_fetched(fetch(server));
  EXPECT_EQ(server.requests("/TINY.zip").size(), 3U);
  EXPECT_FALSE(server.requests("/TINY.zip").at(2).has("range"));
  EXPECT_EQ(validations, 1) << "mixed bytes must not come as far as the validation";
}

TEST_F(FetchTest, BeginsAgainWhenJoinedBytesAreWrong) {
  // The mark is the same, the bytes are not: only the validation can tell.
  const LoopbackServer server(script({cut(evil_file, 100'000), whole(good_file)}));
  expect_fetched(fetch(server));
  EXPECT_EQ(validations, 2);
  EXPECT_TRUE(holds(heard.all(), "beginning again")) << heard.all();
}

TEST_F(FetchTest, EndsWhenJoinedBytesStayWrong) {
  const LoopbackServer server(script({cut(evil_file, 100'000), whole(evil_file), cut(evil_file, 100'000),
                                      whole(evil_file), cut(evil_file, 10), whole(evil_file)}));
  EXPECT_TRUE(holds(failure(server), "these are other bytes"));
  EXPECT_EQ(server.requests("/TINY.zip").size(), 4U);
  EXPECT_FALSE(data.has("TINY.zip.part"));
}

TEST_F(FetchTest, BeginsAgainWhenTheServerHasNoMoreBytes) {
  const LoopbackServer server(script(
      {cut(good_file, 100'000), plain("416 Range Not Satisfiable", {"Content-Length: 0"}, ""), whole(good_file)}));
  expect_fetched(fetch(server));
  EXPECT_FALSE(server.requests("/TINY.zip").at(2).has("range"));
}

TEST_F(FetchTest, DoesNotTrustAPartOfAnotherUrl) {
  const LoopbackServer first(script({cut(evil_file, 100'000)}));
  options.tries = 1;
  failure(first);
  ASSERT_TRUE(data.has("TINY.zip.part"));
  const LoopbackServer second(script({whole(good_file)}));
  expect_fetched(fetch(second));
  EXPECT_FALSE(second.requests("/TINY.zip").at(0).has("range"));
}

TEST_F(FetchTest, DoesNotTrustAPartWithoutItsMemo) {
  write_bytes(data.root("TINY.zip.part"), evil.substr(0, 1000));
  write_bytes(data.root("TINY.zip.part.json"), "[1, {");
  const LoopbackServer server(script({whole(good_file)}));
  expect_fetched(fetch(server));
  EXPECT_FALSE(server.requests("/TINY.zip").at(0).has("range"));
}

TEST_F(FetchTest, GivesUpAtOnceWhereThereIsNoSuchFile) {
  const LoopbackServer server(script({[](const HttpConnection& c, const HttpRequest&) { answer_not_found(c); }}));
  const std::string text = failure(server);
  EXPECT_TRUE(holds(text, server.url("TINY.zip") + ": HTTP 404 (not found)")) << text;
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(FetchTest, TriesAgainAfterTheServersFailure) {
  const LoopbackServer server(
      script({plain("500 Internal Server Error", {"Content-Length: 4"}, "oops"), whole(good_file)}));
  expect_fetched(fetch(server));
  EXPECT_TRUE(holds(heard.all(), "HTTP 500")) << heard.all();
  EXPECT_TRUE(holds(heard.all(), "try 2 of 3")) << heard.all();
}

TEST_F(FetchTest, GivesUpAfterThreeTries) {
  const LoopbackServer server(script({plain("503 Service Unavailable", {"Content-Length: 0"}, "")}));
  const std::string text = failure(server);
  EXPECT_TRUE(holds(text, server.url("TINY.zip") + ": HTTP 503")) << text;
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST_F(FetchTest, GivesUpWhereNobodyListens) {
  std::string url;
  {
    const LoopbackServer server(script({whole(good_file)}));
    url = server.url();
  }
  options.mirrors = {url};
  const std::string text = failure();
  EXPECT_TRUE(holds(text, url + "TINY.zip")) << text;
  EXPECT_TRUE(holds(text, "(3 tries)")) << text;
}

TEST_F(FetchTest, FindsOutWrongBytesByTheMirrorsChecksum) {
  options.validate = nullptr;
  const LoopbackServer server([this](const HttpConnection& c, const HttpRequest& r) {
    if (r.path == "/TINY.zip.sha256") {
      c.answer("200 OK", {}, std::string(64, 'a') + "  TINY.zip\n");
    } else {
      good_file.answer(c, r);
    }
  });
  const std::string text = failure(server);
  EXPECT_TRUE(holds(text, std::string(64, 'a') + " was expected (" + server.url("TINY.zip.sha256") + ")")) << text;
  EXPECT_FALSE(data.has("TINY.zip.part"));
}

TEST_F(FetchTest, TakesAPageInPlaceOfTheChecksumForNone) {
  const LoopbackServer server([this](const HttpConnection& c, const HttpRequest& r) {
    if (r.path == "/TINY.zip.sha256") {
      c.answer("200 OK", {"Content-Type: text/html"}, "<html>Nothing here</html>");
    } else {
      good_file.answer(c, r);
    }
  });
  expect_fetched(fetch(server));
}

TEST_F(FetchTest, FindsOutWrongBytesByTheGivenChecksum) {
  write_bytes(data.path("evil.zip"), evil);
  write_bytes(data.path("good.zip"), good);
  options.sha256 = sha256_of_file(data.path("good.zip"));
  options.validate = nullptr;
  const LoopbackServer server(script({whole(evil_file)}));
  const std::string text = failure(server);
  EXPECT_TRUE(holds(text, sha256_of_file(data.path("evil.zip")))) << text;
  EXPECT_TRUE(holds(text, options.sha256 + " was expected (the one given)")) << text;
  EXPECT_TRUE(server.requests("/TINY.zip.sha256").empty()) << "the one given counts";

  const LoopbackServer honest(script({whole(good_file)}));
  EXPECT_EQ(fetch(honest).sha256, options.sha256);
}

TEST_F(FetchTest, TriesTheNextMirrorAfterWrongBytes) {
  const LoopbackServer bad(script({whole(evil_file)}));
  const LoopbackServer fine(script({whole(good_file)}));
  options.mirrors = {bad.url(), fine.url()};
  const FetchResult result = fetch();
  expect_fetched(result);
  EXPECT_EQ(result.source, fine.url("TINY.zip"));
  EXPECT_EQ(bad.requests("/TINY.zip").size(), 1U);
  EXPECT_TRUE(holds(heard.all(), bad.url("TINY.zip") + ": the archive is not as it must be: these are other bytes"))
      << heard.all();
}

TEST_F(FetchTest, NamesEveryMirrorThatFailed) {
  const LoopbackServer bad(script({whole(evil_file)}));
  const LoopbackServer none(script({[](const HttpConnection& c, const HttpRequest&) { answer_not_found(c); }}));
  options.mirrors = {bad.url(), none.url(), data.path("missing").string()};
  const std::string text = failure();
  EXPECT_TRUE(holds(text, "cannot fetch tiny: " + bad.url("TINY.zip") + ": the archive")) << text;
  EXPECT_TRUE(holds(text, none.url("TINY.zip") + ": HTTP 404")) << text;
  EXPECT_TRUE(holds(text, "there is no folder " + data.path("missing").string())) << text;
  EXPECT_FALSE(data.has("TINY.zip.part"));
}

TEST_F(FetchTest, KnowsAWebPage) {
  const LoopbackServer server(script(
      {plain("200 OK", {"Content-Type: text/html; charset=utf-8"}, "<!DOCTYPE html><html>Please log in</html>")}));
  EXPECT_TRUE(holds(failure(server), "a web page came instead of a zip archive"));
  EXPECT_EQ(server.requests().size(), 1U);
  EXPECT_FALSE(data.has("TINY.zip.part"));
  EXPECT_EQ(validations, 0);
}

TEST_F(FetchTest, KnowsWhatIsNoArchive) {
  const LoopbackServer text(script({plain("200 OK", {}, "\x1f\x8bgz and more")}));
  EXPECT_TRUE(holds(failure(text), "not a zip archive: it begins with '??gz'"));
  const LoopbackServer nothing(script({plain("200 OK", {"Content-Length: 0"}, "")}));
  EXPECT_TRUE(holds(failure(nothing), "an empty file came"));
  const LoopbackServer letter(script({plain("200 OK", {"Content-Length: 1"}, "P")}));
  EXPECT_TRUE(holds(failure(letter), "not a zip archive: it begins with 'P'"));
  const LoopbackServer no_file(script({plain("204 No Content", {}, "")}));
  EXPECT_TRUE(holds(failure(no_file), "HTTP 204"));
}

TEST_F(FetchTest, FollowsRedirects) {
  const LoopbackServer server([this](const HttpConnection& c, const HttpRequest& r) {
    if (r.path == "/TINY.zip") {
      c.answer("302 Found", {"Location: /elsewhere/T.zip", "ETag: \"of the redirect\"", "Content-Length: 3"}, "no!");
    } else if (r.path == "/elsewhere/T.zip") {
      good_file.answer(c, r);
    } else {
      answer_not_found(c);
    }
  });
  expect_fetched(fetch(server));
}

TEST_F(FetchTest, DoesNotFollowRedirectsForEver) {
  const LoopbackServer server(script({plain("302 Found", {"Location: /TINY.zip", "Content-Length: 0"}, "")}));
  EXPECT_TRUE(holds(failure(server), "more than 10 redirects"));
  EXPECT_EQ(server.requests().size(), 11U);
}

TEST_F(FetchTest, DoesNotFollowRedirectsToFiles) {
  write_bytes(data.path("TINY.zip"), good);
  const LoopbackServer server(
      script({plain("302 Found", {"Location: file://" + data.path("TINY.zip").string(), "Content-Length: 0"}, "")}));
  EXPECT_TRUE(holds(failure(server), server.url("TINY.zip")));
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(FetchTest, GivesUpAStalledConnection) {
  const LoopbackServer server(script({[this](const HttpConnection& c, const HttpRequest& r) {
    good_file.answer_cut(c, r, 50'000);
    c.stall();
  }}));
  options.stall_seconds = 0.3;
  options.tries = 2;
  const std::string text = failure(server);
  EXPECT_TRUE(holds(text, "stalled")) << text;
  EXPECT_EQ(server.requests("/TINY.zip").at(1).range_start(), 50'000U);
  EXPECT_TRUE(read_bytes(data.root("TINY.zip.part")) == good.substr(0, 100'000));
}

TEST_F(FetchTest, GivesUpASilentServer) {
  const LoopbackServer server(script({[](const HttpConnection& c, const HttpRequest&) { c.stall(); }}));
  options.stall_seconds = 0.3;
  options.tries = 1;
  EXPECT_TRUE(holds(failure(server), "stalled"));
}

TEST_F(FetchTest, EndsWhereTheLengthIsAnnouncedTooLarge) {
  const LoopbackServer server(script({plain("200 OK", {"Content-Length: 300001", "ETag: \"one\""}, good)}));
  EXPECT_TRUE(holds(failure(server), "the connection was cut"));
  EXPECT_EQ(server.requests("/TINY.zip").size(), 3U);
}

TEST_F(FetchTest, EndsWhereTheLengthIsAnnouncedTooSmall) {
  const LoopbackServer server(script({plain("200 OK", {"Content-Length: 299999"}, good)}));
  EXPECT_TRUE(holds(failure(server), "these are other bytes"));
}

TEST_F(FetchTest, NeedsNoLength) {
  const LoopbackServer server(script({plain("200 OK", {}, good)}));
  expect_fetched(fetch(server));
  EXPECT_EQ(heard.total, 0U);
}

TEST_F(FetchTest, RefusesWhatIsTooLarge) {
  options.max_bytes = 1000;
  const LoopbackServer announced(script({whole(good_file)}));
  EXPECT_TRUE(holds(failure(announced), "the file has 300000 bytes, more than the 1000 allowed"));
  const LoopbackServer sudden(script({plain("200 OK", {}, good)}));
  EXPECT_TRUE(holds(failure(sudden), "larger than the 1000 bytes allowed"));
  write_bytes(data.path("mirror/TINY.zip"), good);
  options.mirrors = {data.path("mirror").string()};
  EXPECT_TRUE(holds(failure(), "has 300000 bytes, more than the 1000 allowed"));
}

TEST_F(FetchTest, NeverShowsAPassword) {
  const LoopbackServer server(script({[](const HttpConnection& c, const HttpRequest&) { answer_not_found(c); }}));
  options.mirrors = {"http://someone:secret@127.0.0.1:" + std::to_string(server.port())};
  const std::string text = failure();
  EXPECT_TRUE(holds(text, server.url("TINY.zip"))) << text;
  EXPECT_FALSE(holds(text + heard.all(), "secret")) << text;
  EXPECT_TRUE(server.requests().at(0).has("authorization"));
}

TEST_F(FetchTest, CopiesFromAFolder) {
  write_bytes(data.path("mirror/TINY.zip"), good);
  options.mirrors = {data.path("mirror").string()};
  const FetchResult result = fetch();
  expect_fetched(result);
  EXPECT_EQ(result.source, data.path("mirror/TINY.zip").string());
  EXPECT_EQ(heard.bytes, kSize);
}

TEST_F(FetchTest, CopiesAFile) {
  write_bytes(data.path("Downloads/renamed.zip"), good);
  options.mirrors = {data.path("Downloads/renamed.zip").string()};
  expect_fetched(fetch());
}

TEST_F(FetchTest, ChecksWhatItCopies) {
  write_bytes(data.path("mirror/TINY.zip"), evil);
  options.mirrors = {data.path("mirror").string()};
  EXPECT_TRUE(holds(failure(), "these are other bytes"));
  write_bytes(data.path("mirror/TINY.zip"), good);
  write_bytes(data.path("mirror/TINY.zip.sha256"), std::string(64, '0') + "  TINY.zip\n");
  EXPECT_TRUE(holds(failure(), std::string(64, '0') + " was expected"));
  EXPECT_FALSE(data.has("TINY.zip.part"));
}

TEST_F(FetchTest, NamesAFolderThatDoesNotHaveIt) {
  std::filesystem::create_directories(data.path("empty"));
  options.mirrors = {data.path("empty").string()};
  EXPECT_TRUE(holds(failure(), "there is no TINY.zip in the folder " + data.path("empty").string()));
}

TEST_F(FetchTest, SaysWhatToGiveWhereNoHostIsKnown) {
  const std::string text = failure();
  EXPECT_TRUE(holds(text, "tiny is on no public host")) << text;
  EXPECT_TRUE(holds(text, "--mirror")) << text;
  EXPECT_TRUE(holds(text, "TINY.zip")) << text;
  EXPECT_TRUE(holds(text, data.root().string())) << text;
  EXPECT_FALSE(std::filesystem::exists(data.root()));
}

TEST_F(FetchTest, RefusesMirrorsAndChecksumsThatAreNone) {
  const auto refusal = [this](const std::string& mirror) {
    options.mirrors = {mirror};
    return usage_error_text([this] { fetch(); });
  };
  EXPECT_TRUE(holds(refusal("file:///tmp"), "give the folder itself"));
  EXPECT_TRUE(holds(refusal("FILE:///tmp"), "give the folder itself"));
  EXPECT_TRUE(holds(refusal("ftp://example.org/"), "only http://, https:// and folders"));
  EXPECT_TRUE(holds(refusal("http://example.org/a b/"), "no blanks"));
  EXPECT_TRUE(holds(refusal(""), "an empty mirror"));
  options.sha256 = "abc";
  EXPECT_TRUE(holds(refusal("/tmp"), "'abc' is not a SHA-256"));
  options.sha256.clear();
  entry.file_stem.clear();
  EXPECT_TRUE(holds(refusal("/tmp"), "nothing to fetch"));
}

TEST_F(FetchTest, LeavesWhatIsHereAlone) {
  write_bytes(data.root("TINY.zip"), good);
  const LoopbackServer server(script({whole(good_file)}));
  const FetchResult result = fetch(server);
  EXPECT_EQ(result.status, FetchStatus::kHereAlready);
  EXPECT_EQ(result.path, data.root("TINY.zip"));
  EXPECT_TRUE(server.requests().empty());

  options.force = true;
  write_bytes(data.root("TINY.zip"), evil);
  expect_fetched(fetch(server));
}

TEST_F(FetchTest, KeepsTheFormerArchiveWhereTheNewOneIsBad) {
  write_bytes(data.root("TINY.zip"), good);
  write_bytes(data.root("TINY.zip.sha256"), "kept");
  const LoopbackServer server(script({whole(evil_file)}));
  options.force = true;
  options.mirrors = {server.url()};
  EXPECT_TRUE(holds(error_text([this] { fetch(); }), "these are other bytes"));
  EXPECT_TRUE(read_bytes(data.root("TINY.zip")) == good);
  EXPECT_EQ(read_bytes(data.root("TINY.zip.sha256")), "kept");
}

TEST_F(FetchTest, SaysThatTheRootCannotBeMade) {
  write_bytes(data.path("file"), "not a folder");
  const std::string below = (data.path("file") / "root").string();
  const EnvironmentVariable root("FACTORGCN_DATA", below.c_str());
  const LoopbackServer server(script({whole(good_file)}));
  const std::string text = failure(server);
  EXPECT_TRUE(holds(text, "cannot make the data root")) << text;
  EXPECT_TRUE(holds(text, below)) << text;
  EXPECT_TRUE(holds(text, "set FACTORGCN_DATA")) << text;
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(FetchTest, SaysThatTheRootCannotBeWrittenTo) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "the super-user may write everywhere";
  }
  std::filesystem::create_directories(data.root());
  std::filesystem::permissions(data.root(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const LoopbackServer server(script({whole(good_file)}));
  EXPECT_TRUE(holds(failure(server), "cannot write in the data root"));
  std::filesystem::permissions(data.root(), std::filesystem::perms::owner_all);
}

/// Files of this process may not grow beyond so many bytes while this lives: a full disk, as far as writes can tell.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    former_handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &former_);
    const rlimit limit{bytes, former_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &former_);
    ::signal(SIGXFSZ, former_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit former_{};
  void (*former_handler_)(int) = nullptr;
};

TEST_F(FetchTest, KeepsThePartWhenTheDiskIsFull) {
  const LoopbackServer server(script({whole(good_file)}));
  {
    const FullDisk full(100'000);
    const std::string text = failure(server);
    EXPECT_TRUE(holds(text, "cannot write")) << text;
    EXPECT_TRUE(holds(text, "TINY.zip.part")) << text;
    EXPECT_TRUE(holds(text, "make room")) << text;
  }
  EXPECT_EQ(server.requests().size(), 1U) << "no other try fills the disk less";
  EXPECT_TRUE(read_bytes(data.root("TINY.zip.part")) == good.substr(0, 100'000));
  expect_fetched(fetch(server));
  EXPECT_EQ(server.requests("/TINY.zip").at(1).range_start(), 100'000U);
}

TEST_F(FetchTest, RemovesTheCopyWhenTheDiskIsFull) {
  write_bytes(data.path("mirror/TINY.zip"), good);
  options.mirrors = {data.path("mirror").string()};
  {
    const FullDisk full(100'000);
    EXPECT_TRUE(holds(failure(), "make room"));
  }
  EXPECT_FALSE(data.has("TINY.zip.part"));
}

TEST_F(FetchTest, IsRefusedWhileAnotherProcessFetches) {
  std::filesystem::create_directories(data.root());
  const LoopbackServer server(script({whole(good_file)}));
  const int lock = ::open(data.root("TINY.zip.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const std::string text = failure(server);
  EXPECT_TRUE(holds(text, "another process is fetching TINY")) << text;
  EXPECT_TRUE(holds(text, "wait until it has ended")) << text;
  EXPECT_TRUE(server.requests().empty());
  ::close(lock);  // as the end of a killed process does; its file stays
  expect_fetched(fetch(server));
}

TEST_F(FetchTest, KeepsThePartWhenInterrupted) {
  const LoopbackServer server(script({[this](const HttpConnection& c, const HttpRequest& r) {
                                        good_file.answer_cut(c, r, 70'000);
                                        c.stall();
                                      },
                                      whole(good_file)}));
  heard.on_progress = [this] {
    if (heard.bytes == 70'000) {
      request_interrupt(SIGINT);
    }
  };
  const FetchResult result = fetch(server);
  EXPECT_EQ(result.status, FetchStatus::kInterrupted);
  EXPECT_EQ(result.signal, SIGINT);
  EXPECT_EQ(result.bytes, 70'000U);
  EXPECT_FALSE(data.has("TINY.zip"));

  clear_interrupt();
  heard.on_progress = nullptr;
  expect_fetched(fetch(server));
  EXPECT_EQ(server.requests("/TINY.zip").at(1).range_start(), 70'000U);
}

TEST_F(FetchTest, IsInterruptedWhileItWaits) {
  const LoopbackServer server(script({[](const HttpConnection& c, const HttpRequest&) {
    c.answer("500 Internal Server Error", {"Content-Length: 0"}, "");
    request_interrupt(SIGTERM);
  }}));
  options.first_pause_seconds = 600;
  const FetchResult result = fetch(server);
  EXPECT_EQ(result.status, FetchStatus::kInterrupted);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.bytes, 0U);
}

TEST_F(FetchTest, LooksAtAWholePartThatWasNotLookedAt) {
  const LoopbackServer server([this](const HttpConnection& c, const HttpRequest& r) {
    if (r.path == "/TINY.zip") {
      good_file.answer(c, r);
    } else {
      if (!interrupted_once.exchange(true)) {
        request_interrupt(SIGINT);
      }
      answer_not_found(c);
    }
  });
  EXPECT_EQ(fetch(server).status, FetchStatus::kInterrupted);
  EXPECT_TRUE(read_bytes(data.root("TINY.zip.part")) == good);
  clear_interrupt();
  expect_fetched(fetch(server));
  EXPECT_EQ(server.requests("/TINY.zip").size(), 1U);
}

}  // namespace
}  // namespace factorgcn
