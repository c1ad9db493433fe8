// Wrong commands: exit code 2, one line that names the thing and what to do, and nothing left behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

struct Mistake {
  const char* arguments;
  std::vector<std::string> texts;

  friend void PrintTo(const Mistake& mistake, std::ostream* out) { *out << '"' << mistake.arguments << '"'; }
};

class Misuse : public ::testing::TestWithParam<Mistake> {};

TEST_P(Misuse, GetsOneClearLine) {
  const Workplace place;
  place.write("broken.json", "{\"epochs\": ");
  place.write("unknown_key.json", "{\"epohcs\": 3}");
  place.write("wrong_type.json", "{\"epochs\": \"many\"}");
  place.write("list.json", "[1, 2]");
  place.write("afile", "text");
  expect_refused(place.run(GetParam().arguments), GetParam().texts);
  EXPECT_FALSE(place.has("runs"));
  EXPECT_FALSE(place.has("x"));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, Misuse,
    ::testing::Values(
        Mistake{"", {"say what to do", "train", "evaluate", "factorgcn --help"}},
        Mistake{"data",
                {"say what to do", "list, fetch, verify, make, import, partition, info", "factorgcn data --help"}},
        Mistake{"trian", {"unknown command 'trian'", "did you mean train?"}},
        Mistake{"data mkae", {"unknown command 'mkae'", "factorgcn data --help"}},
        Mistake{"train --epohcs 3", {"unknown option --epohcs", "did you mean --epochs?", "factorgcn train --help"}},
        Mistake{"train --epohcs=3", {"unknown option --epohcs;", "did you mean --epochs?"}},
        Mistake{"models extra", {"unknown model \"extra\""}},
        Mistake{"models gcn --dataset zinc", {"exclude each other"}},
        Mistake{"train --set activation=relu --set slope=0.1 --out x",
                {"setting 'slope' has no effect", "activation is relu"}},
        Mistake{"train --set activation=relu --set slope=0.1 --seeds 2 --out x",
                {"setting 'slope' has no effect", "activation is relu"}},
        Mistake{"search --quiet --set activation=relu --over slope=0.1,0.2 --out x",
                {"setting 'slope' has no effect", "activation is relu"}},
        Mistake{"search --quiet --model gcn --lambda 0.3 --over hidden=8,16 --out x",
                {"'lambda' has no effect", "model gcn"}},
        Mistake{"train --changed-data --out x", {"--changed-data goes with --resume"}},
        Mistake{"train --set embedding=4 --out x", {"setting 'embedding' has no effect", "values, not types"}},
        Mistake{"train --model gcn --lambda 0.3 --out x", {"'lambda' has no effect", "model gcn"}},
        Mistake{"train --set schedule.every=5 --out x", {"'schedule.every' has no effect", "none"}},
        Mistake{"train --dataset pattern --edge-weights --out x", {"edge weights", "--edge-weight COLUMN"}},
        Mistake{"train --scale columns --out x", {"columns", "rows or standard"}},
        Mistake{"train --patience -1 --out x", {"patience", "-1"}},
        Mistake{"train --class-weights some --out x", {"class_weights", "balanced"}},
        Mistake{"train --set hidden=30 --out x", {"hidden width 30", "such as 32"}},
        Mistake{"train --epochs", {"--epochs"}},
        Mistake{"train --epochs many --out x", {"--epochs 'many'", "whole number"}},
        Mistake{"train --epochs 3.5 --out x", {"--epochs '3.5'", "whole number"}},
        Mistake{"train --epochs 0 --out x", {"epochs", "0", "at least 1"}},
        Mistake{"train --epochs 99999999999999999999 --out x", {"--epochs", "whole number"}},
        Mistake{"train --learning-rate fast --out x", {"--learning-rate 'fast'", "number"}},
        Mistake{"train --learning-rate nan --out x", {"--learning-rate 'nan'", "number"}},
        Mistake{"train --learning-rate -1 --out x", {"learning_rate", "-1"}},
        Mistake{"train --lambda -0.5 --out x", {"lambda", "-0.5"}}, Mistake{"train --seed -1 --out x", {"seed", "-1"}},
        Mistake{"train --threads -2 --out x", {"threads", "-2"}},
        Mistake{"train --batch-size 0 --out x", {"batch_size", "0"}},
        Mistake{"train --factors 7 --out x", {"factors", "7", "6"}},
        Mistake{"train --factors 1 --out x", {"factors", "1", "2"}},
        Mistake{"train --train-size -5 --out x", {"train", "-5"}},
        Mistake{"train --dataset synthetik --out x", {"synthetik", "synthetic"}},
        Mistake{"train --model factorgnc --out x", {"factorgnc", "factorgcn"}},
        Mistake{"train --preset publishd --out x", {"publishd", "published"}},
        Mistake{"train --protocol corect --out x", {"corect", "corrected"}},
        Mistake{"train --device tpu --out x", {"tpu", "cpu"}},
        Mistake{"train --device cuda:99 --out x", {"cuda:99", "GPU"}},
        Mistake{"train --data-on-device maybe --out x", {"maybe", "never"}},
        Mistake{"train --set hidden --out x", {"--set 'hidden'", "NAME=VALUE"}},
        Mistake{"train --set hiden=64 --out x", {"hiden", "hidden"}}, Mistake{"train --set hidden=33 --out x", {"33"}},
        Mistake{"train --set factors=3,2 --out x", {"3", "32"}},
        Mistake{"train --config missing.json --out x", {"--config missing.json", "no such file"}},
        Mistake{"train --config broken.json --out x", {"broken.json"}},
        Mistake{"train --config unknown_key.json --out x", {"epohcs", "epochs"}},
        Mistake{"train --config wrong_type.json --out x", {"epochs", "many"}},
        Mistake{"train --config list.json --out x", {"list.json"}}, Mistake{"train --out afile", {"afile"}},
        Mistake{"train --resume nowhere", {"nowhere"}}, Mistake{"train --resume .", {"config.json"}},
        Mistake{"train --resume . --lambda 1", {"--lambda does not go with --resume"}},
        Mistake{"train --resume . --force", {"--force does not go with --resume"}},
        Mistake{"train --resume . --set hidden=3", {"--set does not go with --resume"}}, Mistake{"evaluate", {"RUN"}},
        Mistake{"evaluate nowhere", {"nowhere"}}, Mistake{"evaluate .", {"config.json"}},
        Mistake{"evaluate . --split all", {"--split 'all'", "train, validation or test"}},
        Mistake{"evaluate . --split test --protocol corrected", {"exclude each other"}},
        Mistake{"evaluate . --threads some", {"--threads 'some'"}}, Mistake{"data make", {"NAME"}},
        Mistake{"data make synthetic", {"--out"}}, Mistake{"data make sinthetic --out x", {"sinthetic", "synthetic"}},
        Mistake{"data make synthetic --factors 9 --out x", {"factors", "9"}},
        Mistake{"data make synthetic --out afile", {"afile", "--force"}}, Mistake{"data info", {"NAME-or-FILE"}},
        Mistake{"data info nothing.safetensors", {"there is no file nothing.safetensors"}},
        Mistake{"train --dataset data/nothing --out x", {"there is no file data/nothing"}}));

TEST(Failure, OutsideTheCommandExitsWithOne) {
  const Workplace place;
  place.write("afile", "this is no data set");
  for (const char* arguments : {"data info afile", "train --dataset afile --out x"}) {
    const Outcome outcome = place.run(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_NE(outcome.err.find("afile"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  }
  EXPECT_FALSE(place.has("x"));
}

TEST(Failure, ARunDirectoryThatCannotBeMade) {
  if (::geteuid() == 0) {
    // Root may write anywhere: a path through a file is refused to everyone.
    const Workplace place;
    place.write("afile", "");
    const Outcome outcome = place.run("train" + kSmall + "--out afile/run");
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find("afile/run"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.rfind("factorgcn: ", 0), 0U) << outcome.err;
    return;
  }
  const Workplace place;
  std::filesystem::create_directory(place.path("locked"));
  std::filesystem::permissions(place.path("locked"),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const Outcome outcome = place.run("train" + kSmall + "--out locked/run");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("locked/run"), std::string::npos) << outcome.err;
}

TEST(Failure, OutputThatCannotBeWritten) {
  const Workplace place;
  std::filesystem::create_symlink("/dev/full", place.path(".stdout-0"));
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "this system has no /dev/full";
  }
  const Outcome outcome = place.run("models");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace factorgcn::cli
