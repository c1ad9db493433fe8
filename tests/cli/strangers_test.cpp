// Files made to exhaust a machine: none of a megabyte may take a gigabyte or ten seconds, and each ends in a result or
// in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "cli/workplace.h"
#include "io/gzip_writer.h"
#include "io/zip_writer.h"

namespace factorgcn::cli {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // which keep what was given back, or shadows of it
constexpr double kMostGigabytes = 4, kMostSeconds = 60;
#else
constexpr double kMostGigabytes = 1, kMostSeconds = 10;
#endif

/// As often as it fits into a megabyte.
std::string megabyte_of(const std::string& piece) {
  std::string text;
  while (text.size() + piece.size() <= 1'000'000) {
    text += piece;
  }
  return text;
}

std::string repeated_text(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t time = 0; time < times; ++time) {
    text += piece;
  }
  return text;
}

/// "c0,c1,c2" for what `name` makes of the numbers.
template <class Name>
std::string listed_items(int count, const char* between, const Name& name) {
  std::string text;
  for (int index = 0; index < count; ++index) {
    text += (index == 0 ? "" : between) + name(index);
  }
  return text;
}

std::string header_file(const std::string& header) {
  std::string bytes;
  append_number(bytes, header.size(), 8);
  return bytes + header;
}

struct Trap {
  const char* name;
  const char* arguments;
  std::function<void(const Workplace&)> set;

  friend void PrintTo(const Trap& trap, std::ostream* out) { *out << trap.name; }
};

class Strangers : public ::testing::TestWithParam<Trap> {};

TEST_P(Strangers, TakeNeitherMemoryNorTime) {
  const Workplace place;
  place.write("loop.csv", "from,to\na,a\n");
  GetParam().set(place);
  const Outcome outcome = place.run(GetParam().arguments);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_LT(outcome.peak_gigabytes, kMostGigabytes) << outcome.err;
  EXPECT_LT(outcome.processor_seconds, kMostSeconds) << outcome.err;
  EXPECT_LT(outcome.err.size(), 1000U);
  if (outcome.code == 0) {
    EXPECT_EQ(outcome.err, "");
  } else {
    EXPECT_TRUE(outcome.code == 1 || outcome.code == 2) << outcome.code;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

/// A trap of one file.
Trap trap_file(const char* name, const char* arguments, const char* file_name, std::function<std::string()> content) {
  return {name, arguments, [file_name, content](const Workplace& place) { place.write(file_name, content()); }};
}

std::string digits_of(int index) { return std::to_string(index); }

INSTANTIATE_TEST_SUITE_P(
    Text, Strangers,
    ::testing::Values(
        trap_file("a line of a megabyte", "data import g.csv --out x", "g.csv", [] { return megabyte_of("a"); }),
        trap_file("an open quote", "data import g.csv --out x", "g.csv", [] { return "\"" + megabyte_of("a"); }),
        trap_file("commas alone", "data import g.csv --out x", "g.csv", [] { return megabyte_of(","); }),
        trap_file("a hundred thousand columns", "data import g.csv --out x", "g.csv",
                  [] {
                    return listed_items(90'000, ",", [](int index) { return "c" + digits_of(index); }) + "\n" +
                           listed_items(90'000, ",", digits_of) + "\n";
                  }),
        trap_file("a slip among a hundred thousand columns", "data import g.csv --source cc --out x", "g.csv",
                  [] {
                    return listed_items(90'000, ",", [](int index) { return "c" + digits_of(index); }) + "\n" +
                           listed_items(90'000, ",", digits_of) + "\n";
                  }),
        trap_file("a graph per line", "data import g.csv --out x", "g.csv",
                  [] {
                    return "source,target,graph\n" +
                           listed_items(90'000, "\n", [](int index) { return "a,b," + digits_of(index); });
                  }),
        trap_file("a relation per line", "data import g.csv --out x", "g.csv",
                  [] {
                    return "source,target,relation\n" +
                           listed_items(90'000, "\n", [](int index) { return "a,b," + digits_of(index); });
                  }),
        trap_file("a long name for each of two million sparse columns", "data import loop.csv --nodes n.csv --out x",
                  "n.csv", [] { return "node," + std::string(500'000, 'x') + "\na,1:1 2000000:1\n"; }),
        trap_file("a long name for each digits_of of a list", "data import loop.csv --nodes n.csv --out x", "n.csv",
                  [] { return "node," + std::string(500'000, 'x') + "\na," + repeated_text("1 ", 240'000) + "\n"; }),
        trap_file("forty thousand columns of two million each", "data import loop.csv --nodes n.csv --out x", "n.csv",
                  [] {
                    return "node," + listed_items(40'000, ",", [](int index) { return "s" + digits_of(index); }) +
                           "\na" + repeated_text(",0:1 2000000:1", 40'000) + "\n";
                  }),
        Trap{"a list that all other nodes lack", "data import g.csv --nodes n.csv --missing mean --out x",
             [](const Workplace& place) {
               place.write("g.csv", "0,1\n");
               place.write("n.csv",
                           "0," + repeated_text("1 ", 150'000) + ",0\n" + listed_items(50'000, "\n", [](int index) {
                             return digits_of(index + 1) + ",," + digits_of(index);
                           }));
             }},
        trap_file(
            "entries in far columns", "data import loop.csv --nodes n.csv --sparse-features e.mtx --out x", "e.mtx",
            [] { return "%%MatrixMarket matrix coordinate pattern general\n1 1000000000000000 1\n1 99999999999\n"; }),
        trap_file("a matrix of 2^60 rows", "data import g.mtx --out x", "g.mtx", [] {
          return "%%MatrixMarket matrix coordinate pattern general\n1152921504606846976 1152921504606846976 0\n";
        })));

INSTANTIATE_TEST_SUITE_P(Packed, Strangers,
                         ::testing::Values(trap_file("gzip of equal bytes", "data import g.csv.gz --out x", "g.csv.gz",
                                                     [] { return gzip_trap(600'000); }),
                                           trap_file("gzip within gzip", "data import g.csv.gz --out x", "g.csv.gz",
                                                     [] { return gzip_bytes(gzip_bytes(gzip_trap(600'000))); }),
                                           trap_file("fifty thousand empty members", "data import g.csv.gz --out x",
                                                     "g.csv.gz", [] { return megabyte_of(gzip_bytes("")); }),
                                           trap_file("a zip bomb", "data info t.zip", "t.zip", [] {
                                             const int runs = 600'000;
                                             const std::string content(1 + 258 * static_cast<std::size_t>(runs), 'a');
                                             return zip_bytes({{.name = "T_A.txt",
                                                                .content = content,
                                                                .method = 8,
                                                                .packed = deflate_of_equal_bytes(runs)}});
                                           })));

const std::string kNestedEntities = [] {
  std::string text = "<?xml version=\"1.0\"?><!DOCTYPE g [<!ENTITY e0 \"aaaaaaaaaa\">";
  for (int index = 1; index < 12; ++index) {
    text += "<!ENTITY e" + digits_of(index) + " \"" + repeated_text("&e" + digits_of(index - 1) + ";", 10) + "\">";
  }
  return text + "]>";
}();

INSTANTIATE_TEST_SUITE_P(
    Trees, Strangers,
    ::testing::Values(
        trap_file("XML entities within entities", "data import g.graphml --out x", "g.graphml",
                  [] {
                    return kNestedEntities +
                           "<graphml><graph edgedefault=\"directed\"><node id=\"&e11;\"/></graph></graphml>";
                  }),
        trap_file("XML entities in GEXF", "data import g.gexf --out x", "g.gexf",
                  [] { return kNestedEntities + "<gexf><graph><nodes><node id=\"&e11;\"/></nodes></graph></gexf>"; }),
        trap_file("deep GraphML", "data import g.graphml --out x", "g.graphml",
                  [] { return "<graphml>" + megabyte_of("<graph edgedefault='directed'>"); }),
        trap_file("deep GEXF", "data import g.gexf --out x", "g.gexf",
                  [] { return "<gexf>" + megabyte_of("<nodes>"); }),
        trap_file("deep GML", "data import g.gml --out x", "g.gml",
                  [] { return "graph [ node [ id 1 " + megabyte_of("a [ "); }),
        trap_file("deep JSON", "data import g.json --out x", "g.json",
                  [] {
                    return "{\"nodes\":[{\"id\":1,\"x\":" + repeated_text("[", 400'000) + repeated_text("]", 400'000) +
                           "}]}";
                  }),
        trap_file("a key per node", "data import g.json --out x", "g.json",
                  [] {
                    return "{\"links\":[],\"nodes\":[" +
                           listed_items(30'000, ",",
                                        [](int index) {
                                          return "{\"id\":" + digits_of(index) + ",\"k" + digits_of(index) + "\":1}";
                                        }) +
                           "]}";
                  }),
        trap_file("a long default for each node", "data import g.graphml --out x", "g.graphml",
                  [] {
                    return "<graphml><key id='k' for='node' attr.name='k' attr.type='string'><default>" +
                           std::string(500'000, 'x') + "</default></key><graph edgedefault='directed'>" +
                           listed_items(25'000, "", [](int index) { return "<node id='" + digits_of(index) + "'/>"; }) +
                           "</graph></graphml>";
                  }),
        trap_file("vertices of a Pajek file", "data import g.net --out x", "g.net",
                  [] { return std::string("*Vertices 1000000000000\n*Edges\n1 2\n"); })));

INSTANTIATE_TEST_SUITE_P(
    Tensors, Strangers,
    ::testing::Values(trap_file("a header of 2^60 bytes", "data info t.safetensors", "t.safetensors",
                                [] {
                                  std::string bytes;
                                  append_number(bytes, std::uint64_t{1} << 60, 8);
                                  return bytes + "{}";
                                }),
                      trap_file("a tensor of 2^60 values", "data info t.safetensors", "t.safetensors",
                                [] {
                                  return header_file(
                                      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1152921504606846976],\"data_offsets\":[0,"
                                      "4611686018427387904]}}");
                                }),
                      trap_file("seventeen thousand tensors", "data info t.safetensors", "t.safetensors",
                                [] {
                                  return header_file(
                                      "{" +
                                      listed_items(
                                          17'000, ",",
                                          [](int index) {
                                            return "\"t" + digits_of(index) +
                                                   "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}";
                                          }) +
                                      "}");
                                }),
                      trap_file("a deep header", "data info t.safetensors", "t.safetensors",
                                [] { return header_file("{\"a\":" + megabyte_of("[")); })));

void write_config_alone(const Workplace& place, const std::string& config) {
  std::filesystem::create_directories(place.path("run"));
  place.write("run/config.json", config);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, Strangers,
    ::testing::Values(
        Trap{"a deep config.json", "evaluate run",
             [](const Workplace& place) {
               write_config_alone(place,
                                  "{\"dataset\":" + repeated_text("[", 450'000) + repeated_text("]", 450'000) + "}");
             }},
        Trap{"counted names that stand for 10^12", "evaluate run",
             [](const Workplace& place) {
               write_config_alone(
                   place, "{\"trained_on\":{\"name\":\"x\",\"features\":5,\"feature_names\":[" +
                              listed_items(50'000, ",", [](int) { return std::string("\"f[1..16000000]\""); }) + "]}}");
             }},
        Trap{"a key of a megabyte", "evaluate run",
             [](const Workplace& place) { write_config_alone(place, "{\"" + megabyte_of("k") + "\":1}"); }},
        Trap{"a deep parts.json", "train --dataset parts --out x", [](const Workplace& place) {
               std::filesystem::create_directories(place.path("parts"));
               place.write("parts/parts.json",
                           "{\"format\":" + repeated_text("[", 450'000) + repeated_text("]", 450'000) + "}");
             }}));

}  // namespace
}  // namespace factorgcn::cli
