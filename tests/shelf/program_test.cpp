// data list, data fetch and data verify through the real program.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "base/holds.h"
#include "cli/workplace.h"
#include "factorgcn/io/zip_source.h"
#include "factorgcn/shelf/fetch.h"
#include "shelf/data_folder.h"
#include "shelf/loopback_server.h"
#include "shelf/tiny_archive.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

class DataCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_zip() || !can_download()) {
      GTEST_SKIP() << "this build has no libzip or no libcurl";
    }
  }

  /// No server outside this machine is ever asked: the public host is `host`, where nobody listens unless set.
  std::vector<std::string> environment() const {
    return {"FACTORGCN_DATA=" + place.path("root").string(), "FACTORGCN_TU_HOST=" + host, "NO_PROXY=*", "no_proxy=*"};
  }
  Outcome run(const std::string& arguments) const { return place.run(arguments, environment()); }

  /// Serves TINY.zip, and nothing else.
  static void serve_tiny(const HttpConnection& connection, const HttpRequest& request) {
    if (request.path == "/TINY.zip") {
      ServedFile{tiny_archive("TINY")}.answer(connection, request);
    } else {
      answer_not_found(connection);
    }
  }

  Workplace place;
  std::string host = "http://127.0.0.1:1/";
};

TEST_F(DataCommands, ListWhatThereIs) {
  const Outcome text = run("data list");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(holds(text.out, "Data root: " + place.path("root").string())) << text.out;
  EXPECT_TRUE(holds(text.out, "data fetch mutag")) << text.out;
  EXPECT_TRUE(holds(text.out, "data fetch zinc --mirror")) << text.out;
  EXPECT_TRUE(holds(text.out, "3,371")) << text.out;
  EXPECT_FALSE(holds(text.out, "Also in")) << text.out;
  EXPECT_FALSE(place.has("root")) << "listing must not make anything";

  write_bytes(place.path("root/TINY.zip"), tiny_archive("TINY"));
  EXPECT_TRUE(holds(run("data list").out, "Also in the data root")) << text.out;
  const Outcome json = run("data list --json");
  ASSERT_EQ(json.code, 0) << json.err;
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed.at("root"), place.path("root").string());
  bool mutag = false;
  bool tiny = false;
  for (const auto& row : parsed.at("datasets")) {
    if (row.at("name") == "mutag") {
      mutag = true;
      EXPECT_EQ(row.at("kind"), "none");
      EXPECT_EQ(row.at("graphs"), 188);
      EXPECT_FALSE(row.at("here"));
    } else if (row.at("name") == "TINY") {
      tiny = true;
      EXPECT_EQ(row.at("kind"), "zip");
      EXPECT_FALSE(row.at("listed"));
      EXPECT_EQ(row.at("bytes"), tiny_archive("TINY").size());
    } else if (row.at("name") == "synthetic") {
      EXPECT_EQ(row.at("kind"), "generated");
    }
  }
  EXPECT_TRUE(mutag && tiny) << json.out;
}

TEST_F(DataCommands, FetchThenVerify) {
  const LoopbackServer server(serve_tiny);
  host = server.url();
  const Outcome fetched = run("data fetch TINY");
  EXPECT_EQ(fetched.code, 0) << fetched.err;
  EXPECT_TRUE(holds(fetched.out, "TINY is here: " + place.path("root/TINY.zip").string())) << fetched.out;
  EXPECT_TRUE(holds(fetched.err, "fetching TINY from " + server.url("TINY.zip"))) << fetched.err;
  EXPECT_EQ(place.read("root/TINY.zip"), tiny_archive("TINY"));

  EXPECT_TRUE(holds(run("data fetch TINY").out, "is here already"));
  EXPECT_EQ(server.requests("/TINY.zip").size(), 1U);
  const Outcome again = run("data fetch TINY --force --quiet");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out + again.err, "");
  EXPECT_EQ(server.requests("/TINY.zip").size(), 2U);

  const Outcome good = run("data verify");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(holds(good.out, "TINY")) << good.out;
  EXPECT_TRUE(holds(good.out, "4 graphs, 12 nodes and 10 undirected edges")) << good.out;

  std::string damaged = tiny_archive("TINY");
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  write_bytes(place.path("root/TINY.zip"), damaged);
  const Outcome bad = run("data verify TINY");
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(holds(bad.out, "BAD")) << bad.out;
  EXPECT_EQ(bad.err, "factorgcn: not as it must be: TINY\n");
}

TEST_F(DataCommands, FetchGoesOnAfterAFailure) {
  const LoopbackServer server(serve_tiny);
  const Outcome outcome =
      run("data fetch zinc mutg TINY synthetic --mirror " + server.url() + " --mirror " + place.path("none").string());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(holds(outcome.err, server.url("ZINC.zip") + ": HTTP 404")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "did you mean mutag?")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "factorgcn: 2 of 4 data sets could not be fetched: zinc, mutg\n")) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "TINY is here")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "synthetic is generated")) << outcome.out;
  EXPECT_TRUE(place.has("root/TINY.zip"));
  EXPECT_FALSE(place.has("root/ZINC.zip"));
}

TEST_F(DataCommands, FetchChecksAgainstWhatIsPublished) {
  // A sound archive of four graphs under the name of another data set.
  write_bytes(place.path("mirror/ZINC.zip"), tiny_archive("ZINC"));
  write_bytes(place.path("mirror/MUTAG.zip"), tiny_archive("MUTAG"));
  host = place.path("none").string();
  const Outcome outcome = run("data fetch mutag zinc --mirror mirror");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(holds(outcome.err, "4 graphs, but 188 are published")) << outcome.err;
  EXPECT_FALSE(place.has("root/MUTAG.zip"));
  EXPECT_FALSE(place.has("root/ZINC.zip"));
  EXPECT_FALSE(place.has("root/MUTAG.zip.part"));
}

TEST_F(DataCommands, FetchSaysWhatZincNeeds) {
  const Outcome outcome = run("data fetch zinc");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(holds(outcome.err, "zinc is on no public host")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "--mirror")) << outcome.err;
}

TEST_F(DataCommands, FetchRefusesWrongUse) {
  expect_refused(run("data fetch ../etc"), {"cannot be a data set's name"});
  expect_refused(run("data fetch zinc --mirror file:///tmp"), {"give the folder itself"});
  expect_refused(run("data fetch zinc --mirror /tmp --sha256 12"), {"not a SHA-256"});
  expect_refused(run("data fetch zinc mutag --sha256 12"), {"one data set"});
  expect_refused(run("data fetch zinc mutag --mirror /tmp/one.zip"), {"one data set"});
  expect_refused(run("data fetch zinc --timeout 0"), {"--timeout"});
}

TEST_F(DataCommands, FetchKeepsThePartOnCtrlC) {
  const std::string archive = tiny_archive("TINY");
  const LoopbackServer server([&](const HttpConnection& connection, const HttpRequest& request) {
    if (request.path == "/TINY.zip" && !request.has("range")) {
      ServedFile{archive}.answer_cut(connection, request, 200);
      connection.stall();
    } else {
      serve_tiny(connection, request);
    }
  });
  host = server.url();
  Child child = place.start("data fetch TINY", environment());
  EXPECT_TRUE(child.wait_until([&] { return place.read("root/TINY.zip.part").size() == 200; }));
  child.send(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "200 B are kept, go on with: ")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "data fetch TINY")) << outcome.err;
  EXPECT_FALSE(place.has("root/TINY.zip"));
  EXPECT_FALSE(place.has("root/TINY.zip.lock"));
  EXPECT_TRUE(holds(run("data list").out, "200 B of it"));

  EXPECT_EQ(run("data fetch TINY").code, 0);
  EXPECT_EQ(server.requests("/TINY.zip").back().range_start(), 200U);
  EXPECT_EQ(place.read("root/TINY.zip"), archive);
}

TEST_F(DataCommands, FetchGivesUpAfterTheTimeout) {
  const LoopbackServer server([](const HttpConnection& connection, const HttpRequest&) { connection.stall(); });
  Child child = place.start("data fetch zinc --timeout 0.2 --mirror " + server.url(), environment());
  EXPECT_TRUE(child.wait_until([&] { return holds(place.read(".stderr-0"), "try 2 of 3"); }));
  EXPECT_TRUE(holds(place.read(".stderr-0"), "stalled")) << place.read(".stderr-0");
}

TEST_F(DataCommands, VerifySaysWhatIsMissing) {
  const Outcome none = run("data verify");
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_TRUE(holds(none.out, "No stored data sets")) << none.out;
  const Outcome missing = run("data verify mutag");
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(holds(missing.out, "not here")) << missing.out;
}

TEST_F(DataCommands, ExplainThemselves) {
  const std::string above = run("data --help").out;
  for (const char* command : {"list", "fetch", "verify"}) {
    const Outcome help = run(std::string("data ") + command + " --help");
    EXPECT_EQ(help.code, 0) << help.err;
    EXPECT_TRUE(holds(help.out, "Examples:")) << help.out;
    EXPECT_TRUE(holds(above, command));
  }
}

}  // namespace
}  // namespace factorgcn::cli
