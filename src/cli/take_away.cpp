// Interrupts end the work by an exception from its own progress calls, so that unfinished files are removed on the way.
#include "cli/take_away.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/slow_blas.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/base/text.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/train/weights.h"

namespace factorgcn::cli {
namespace {

/// The signal that ended the work.
struct Stopped {
  int signal;
};

}  // namespace

void add_take_away_options(CLI::App& app, TakeAwayFlags& flags) {
  app.add_option("RUN", flags.run, "a run directory made by `factorgcn train`")->required();
  app.add_option("--dataset", flags.dataset,
                 "other data than the run's own: a data-set file (factorgcn data import), or a data set's name")
      ->type_name("FILE");
  app.add_option("--split", flags.split, "one part of the data only: train, validation or test")->type_name("NAME");
  app.add_flag("--changed-data", flags.changed_data, "go on where the run's data have changed since it was trained");
  app.add_option("--threads", flags.threads, "0: all cores; the numbers do not depend on it (default: 0)")
      ->type_name("N");
  app.add_option("--device", flags.device, "cpu, cuda, cuda:N or auto (default: cpu)")->type_name("NAME");
  app.add_flag("--force", flags.force, "replace the file where it is there already");
  app.add_flag("-q,--quiet", flags.quiet, "print nothing but errors");
  app.set_help_flag("-h,--help", "show this help");
}

void begin_take_away(const TakeAwayFlags& flags) {
  require_usage(flags.force || !std::filesystem::exists(flags.out), flags.out,
                " is there already; replace it with --force, or choose another name");
  const std::int64_t threads = flags.threads.empty() ? 0 : parse_whole("--threads", flags.threads);
  require_usage(threads >= 0 && threads <= 4096, "--threads ", threads, ": give 0 (all cores) or a number up to 4096");
  prepare_process(static_cast<int>(threads));
  warn_of_slow_blas();
}

void accept_data(const TakeAwayFlags& flags, OpenedData& data) {
  if (flags.changed_data) {
    data.accept_changed_data();
  }
}

LoadedRun take_run(const TakeAwayFlags& flags, const OpenedData& data) {
  LoadedRun run;
  if (flags.dataset.empty()) {
    run = load_run(flags.run, data);
  } else {
    RunOnData applied = load_run_on(flags.run, flags.dataset, data);
    for (const std::string& note : applied.notes) {
      complain(flags.dataset + ": " + note);
    }
    run = std::move(applied.run);
  }
  const at::Device device = device_from_name(flags.device.empty() ? "cpu" : flags.device);
  use_device(device);
  run.model->to(device);
  return run;
}

int interruptible(const TakeAwayFlags& flags, const std::string& what,
                  const std::function<void(const BatchSink&)>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPause = std::chrono::seconds(2);
  const InterruptGuard guard;
  auto last = Clock::now();
  bool shown = false;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto wipe = [&] {
    if (shown) {
      std::fputs("\r\033[K", stderr);
    }
  };
  try {
    work([&](std::int64_t done, std::int64_t all) {
      if (const int signal = interrupt_signal(); signal != 0) {
        throw Stopped{signal};
      }
      if (terminal && !flags.quiet && Clock::now() - last >= kPause) {
        std::fputs(fmt::format("\r{} of {} {}", format_count(done), format_count(all), what).c_str(), stderr);
        shown = true;
        last = Clock::now();
      }
    });
  } catch (const Stopped& stopped) {
    wipe();
    complain("interrupted; nothing was written");
    return 128 + stopped.signal;
  }
  wipe();
  return kSuccess;
}

std::string written_text(const std::string& file) {
  return fmt::format("{} ({})", file, format_bytes(std::filesystem::file_size(file)));
}

}  // namespace factorgcn::cli
