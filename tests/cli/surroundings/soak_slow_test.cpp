// A run of 10,000 epochs: memory grows by the records of the epochs alone, no descriptor is left open, and what is
// written can still be read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

namespace fs = std::filesystem;

struct Sample {
  std::size_t epochs = 0;  // that the history on disk has
  long kibibytes = 0, descriptors = 0;
};

Sample sample(const Workplace& place, const std::string& process) {
  Sample now;
  const std::string history = place.read("run/history.jsonl");
  now.epochs = static_cast<std::size_t>(std::count(history.begin(), history.end(), '\n'));
  long pages = 0;
  std::ifstream("/proc/" + process + "/statm") >> pages >> pages;
  now.kibibytes = pages * ::sysconf(_SC_PAGESIZE) / 1024;
  std::error_code ended;
  for (const auto& entry : fs::directory_iterator("/proc/" + process + "/fd", ended)) {
    now.descriptors += !entry.path().empty();
  }
  return now;
}

TEST(Soak, TenThousandEpochs) {
  const Workplace place;
  const std::string line =
      "\"$FACTORGCN\" train --train-size 8 --validation-size 4 --test-size 4 --batch-size 8 "
      "--epochs 10000 --threads 1 --checkpoint-seconds 0.3 --out run 2>err &"
      " echo $! >pid; wait $!";
  Outcome outcome;
  std::thread training([&] { outcome = place.shell(line); });
  Sample early, late;
  long most_descriptors = 0;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(30);
  while (late.epochs < 10000 && !place.has("run/metrics.json") && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::string process = place.read("pid");
    process = process.substr(0, process.find('\n'));
    const Sample now = process.empty() ? Sample{} : sample(place, process);
    if (now.kibibytes > 0 && now.epochs > 0) {
      early = early.epochs < 1000 ? now : early;
      late = now;
      most_descriptors = std::max(most_descriptors, now.descriptors);
    }
  }
  training.join();
  ASSERT_EQ(outcome.code, 0) << place.read("err");
  EXPECT_GT(late.epochs, early.epochs + 4000) << "too few samples to see a trend";
  const double per_epoch =
      1024.0 * static_cast<double>(late.kibibytes - early.kibibytes) / static_cast<double>(late.epochs - early.epochs);
  EXPECT_LT(per_epoch, 6000) << early.kibibytes << " KiB after " << early.epochs << " epochs, " << late.kibibytes
                             << " after " << late.epochs;
  EXPECT_LE(most_descriptors, early.descriptors + 3);  // one or two files that are being written
  EXPECT_EQ(place.read_lines("run/history.jsonl").size(), 10000U);
  const auto page = fs::file_size(place.path("run/page.html"));
  EXPECT_LT(page, 2'000'000U);
  EXPECT_EQ(place.run("train --resume run --epochs 10001 --quiet").code, 0);
  std::cout << "10,000 epochs: " << per_epoch << " bytes an epoch, " << late.kibibytes << " KiB at the end, at most "
            << most_descriptors << " descriptors, page " << page << " bytes, checkpoint "
            << fs::file_size(place.path("run/checkpoint.safetensors")) << " bytes" << std::endl;
}

}  // namespace
}  // namespace factorgcn::cli
