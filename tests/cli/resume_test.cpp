// A real training process, interrupted and killed at several moments, then resumed: it must end in the same bits as one
// that was left alone.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <functional>

#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

// Forty batches of a few milliseconds, with a checkpoint after each: there is always something left to interrupt.
const std::string kRun =
    " --train-size 400 --validation-size 40 --test-size 40 --batch-size 40 --epochs 6 --checkpoint-seconds 0 --out run";

std::size_t epochs_on_disk(const Workplace& place) {
  const std::string text = place.read("run/history.jsonl");
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// What an uninterrupted run leaves; made once.
struct Reference {
  Workplace place;
  std::string model;
  nlohmann::json metrics;
  std::vector<nlohmann::json> history;
};

const Reference& reference() {
  static const auto* made = [] {
    auto* reference = new Reference;
    const Outcome outcome = reference->place.run("train --quiet" + kRun);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    reference->model = reference->place.read("run/model.safetensors");
    reference->metrics = without_time(reference->place.read_json("run/metrics.json"));
    for (const auto& line : reference->place.read_lines("run/history.jsonl")) {
      reference->history.push_back(without_time(line));
    }
    return reference;
  }();
  return *made;
}

void expect_like_reference(const Workplace& place) {
  EXPECT_TRUE(place.read("run/model.safetensors") == reference().model) << "weights differ in their bits";
  EXPECT_EQ(without_time(place.read_json("run/metrics.json")), reference().metrics);
  const auto history = place.read_lines("run/history.jsonl");
  ASSERT_EQ(history.size(), reference().history.size());
  for (std::size_t i = 0; i < history.size(); ++i) {
    EXPECT_EQ(without_time(history[i]), reference().history[i]) << "epoch " << i + 1;
  }
}

void finish_and_compare(const Workplace& place) {
  const Outcome outcome = place.run("train --resume run");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("micro-F1"), std::string::npos);
  expect_like_reference(place);
}

TEST(Resume, AfterSigkillAtSeveralMoments) {
  const Workplace place;
  const std::function<bool()> moments[] = {
      [&] { return place.has("run/config.json"); },
      [&] { return place.has("run/checkpoint.safetensors"); },
      [&] { return epochs_on_disk(place) >= 1; },
      [&] { return epochs_on_disk(place) >= 3; },
  };
  int kills = 0;
  for (const auto& moment : moments) {
    Child child = place.start(kills == 0 ? "train --quiet" + kRun : "train --quiet --resume run");
    ASSERT_TRUE(child.wait_until(moment)) << child.wait().err;
    child.send(SIGKILL);
    const Outcome outcome = child.wait();
    ASSERT_EQ(outcome.signal, SIGKILL) << "it ended before it could be killed";
    EXPECT_FALSE(place.has("run/metrics.json"));
    ++kills;
  }
  finish_and_compare(place);
}

TEST(Resume, AfterCtrlCAndSigterm) {
  const Workplace place;
  Child first = place.start("train --quiet" + kRun);
  ASSERT_TRUE(first.wait_until([&] { return epochs_on_disk(place) >= 1; })) << first.wait().err;
  first.send(SIGINT);
  const Outcome interrupted = first.wait();
  EXPECT_EQ(interrupted.code, 130) << interrupted.err;
  EXPECT_NE(interrupted.err.find("train --resume run"), std::string::npos) << interrupted.err;
  EXPECT_EQ(interrupted.err.find('\n'), interrupted.err.size() - 1) << interrupted.err;
  EXPECT_EQ(interrupted.out, "");
  EXPECT_FALSE(place.has("run/metrics.json"));

  Child second = place.start("train --quiet --resume run --threads 1");
  ASSERT_TRUE(second.wait_until([&] { return epochs_on_disk(place) >= 3; })) << second.wait().err;
  second.send(SIGTERM);
  EXPECT_EQ(second.wait().code, 143);

  const Outcome outcome = place.run("train --quiet --resume run --threads 0");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_like_reference(place);
}

TEST(Resume, OfAFinishedRunChangesNothing) {
  const Workplace place;
  std::filesystem::copy(reference().place.path("run"), place.path("run"), std::filesystem::copy_options::recursive);
  finish_and_compare(place);
}

TEST(Resume, WithMoreEpochsEqualsALongerRun) {
  const Workplace longer, extended;
  ASSERT_EQ(longer.run("train --quiet --out run" + kSmall + "--epochs 5").code, 0);
  ASSERT_EQ(extended.run("train --quiet --out run" + kSmall).code, 0);
  const Outcome outcome = extended.run("train --quiet --resume run --epochs 5");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(extended.read("run/model.safetensors"), longer.read("run/model.safetensors"));
  EXPECT_EQ(without_time(extended.read_json("run/metrics.json")), without_time(longer.read_json("run/metrics.json")));
}

TEST(Resume, RefusesADamagedCheckpoint) {
  const Workplace place;
  ASSERT_EQ(place.run("train --quiet --out run" + kSmall).code, 0);
  const std::string model = place.read("run/model.safetensors");
  place.write("run/checkpoint.safetensors", place.read("run/checkpoint.safetensors").substr(0, 1000));
  const Outcome outcome = place.run("train --quiet --resume run");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("checkpoint.safetensors"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  EXPECT_EQ(place.read("run/model.safetensors"), model);
}

TEST(Resume, RefusesARunThatIsStillGoing) {
  const Workplace place;
  Child child = place.start("train --quiet" + kRun);
  ASSERT_TRUE(child.wait_until([&] { return place.has("run/checkpoint.safetensors"); })) << child.wait().err;
  child.send(SIGSTOP);
  const Outcome outcome = place.run("train --quiet --resume run");
  child.send(SIGCONT);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("in use"), std::string::npos) << outcome.err;
  EXPECT_EQ(child.wait().code, 0);
  expect_like_reference(place);
}

}  // namespace
}  // namespace factorgcn::cli
