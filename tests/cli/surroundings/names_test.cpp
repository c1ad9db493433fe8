// Names of files and folders as people give them, and as a stranger's archive may have them: spaces, any language, ends
// of lines, a dash in front, as long as the system takes.
#include <gtest/gtest.h>

#include "cli/surroundings/one_line.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

class Names : public ::testing::TestWithParam<std::string> {
 protected:
  /// $N is the name, from a place where a leading dash is no option.
  Outcome shell(const std::string& line) const {
    return place.shell(line, {"N=./" + GetParam(), "BARE=" + GetParam()});
  }
  void expect_good(const std::string& line) const {
    const Outcome outcome = shell("\"$FACTORGCN\" " + line);
    EXPECT_EQ(outcome.code, 0) << line << ": " << outcome.err;
  }

  Workplace place;
};

TEST_P(Names, AreTakenAsTheyAre) {
  const std::string train = "train --quiet --threads 1" + kSmall;
  expect_good(train + "--out=\"$BARE\"");
  EXPECT_TRUE(place.has(GetParam() + "/metrics.json"));
  EXPECT_TRUE(place.has(GetParam() + "/page.html"));
  expect_one_line(shell("\"$FACTORGCN\" " + train + "--out=\"$BARE\""), "is not empty");
  const std::string file = "\"$N/../${BARE:0:200}";  // an ending fits
  expect_good("factors \"$N\" --out " + file + ".graphml\"");
  EXPECT_TRUE(place.has(GetParam().substr(0, 200) + ".graphml"));

  place.write("edges.csv", "a,b\nx,y\ny,z\nz,x\nz,w\n");
  EXPECT_EQ(shell("cp edges.csv " + file + ".edges.csv\"").code, 0);
  expect_good("data import " + file + ".edges.csv\" --out " + file + ".safetensors\"");
  expect_good("data info " + file + ".safetensors\"");
  expect_good("disentangle " + file + ".edges.csv\" --relations 1 --groups 2 --out \"$N/parts\" --quiet");
  EXPECT_TRUE(place.has(GetParam() + "/parts/page.html"));
}

std::vector<std::string> names() {
  return {"-dash and words", "\u00fc\u4f8b \u043f\u0440\u0438\u043c\u0435\u0440", "line\nbreak%s%n{}$(id)`id`'\"\\&<b>",
          std::string(255, 'x')};
}

INSTANTIATE_TEST_SUITE_P(Kinds, Names, ::testing::ValuesIn(names()),
                         [](const auto& info) { return "number" + std::to_string(info.index); });

TEST(WrongNames, AreRefusedInOneLine) {
  const Workplace place;
  const std::string train = "\"$FACTORGCN\" train --quiet --threads 1" + kSmall;
  expect_one_line(place.shell(train + "--out \"$N\"", {"N=" + std::string(256, 'x')}), "File name too long");
  std::string deep = "x";
  for (int level = 0; level < 30; ++level) {
    deep.append("/").append(200, 'x');
  }
  expect_one_line(place.shell(train + "--out \"$N\"", {"N=" + deep}), "File name too long");
  const std::string latin = "caf\xe9";
  expect_one_line(place.shell(train + "--out \"$N\"", {"N=" + latin}), "its name is not UTF-8");
  EXPECT_FALSE(place.has(latin));
  ASSERT_EQ(place.shell(train + "--out run && mv run \"$N\"", {"N=" + latin}).code, 0);
  EXPECT_EQ(place.shell("\"$FACTORGCN\" evaluate \"$N\"", {"N=" + latin}).code, 0);
  expect_one_line(place.shell("\"$FACTORGCN\" train --resume \"$N\" --quiet", {"N=" + latin}), "its name is not UTF-8");
  expect_one_line(place.shell("\"$FACTORGCN\" data info \"$N\"", {"N=a\x1b[31mb\nc"}), "a?[31mb?c");
  for (const std::string arguments : {"evaluate ''", "data info ''", "page ''", "data import '' --out x"}) {
    expect_one_line(place.shell("\"$FACTORGCN\" " + arguments), "factorgcn: ");
  }
}

}  // namespace
}  // namespace factorgcn::cli
