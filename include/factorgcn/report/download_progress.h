// Progress of a download: one redrawn line on a terminal, a plain line every few seconds anywhere else.
//
//   MUTAG.zip  ██████████░░░░░░░░  12.4 MB of 30.1 MB  3.2 MB/s  6 s left
//
// The line is drawn at most ten times a second and never wider than the terminal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/report/terminal.h"

namespace factorgcn {

struct FACTORGCN_API DownloadState {
  std::uint64_t bytes = 0;
  std::uint64_t total = 0;  ///< 0 where it is not known
};

/// Of one file. Speed counts from the first state it is given, so that a resumed download shows its own. Not
/// thread-safe.
class FACTORGCN_API DownloadProgress {
 public:
  using Write = std::function<void(std::string_view)>;
  using Look = std::function<Terminal()>;
  using Clock = std::function<double()>;  ///< seconds, steady

  DownloadProgress(std::string name, Write write, Look look, Clock clock);

  /// To standard error, whatever it is.
  explicit DownloadProgress(std::string name);

  /// Takes the line off the screen.
  ~DownloadProgress();
  DownloadProgress(const DownloadProgress&) = delete;
  DownloadProgress& operator=(const DownloadProgress&) = delete;

  /// Shows the state, where it is time to. Fewer bytes than before: the download has begun again.
  void update(const DownloadState& state);

  /// Prints a line above the progress line.
  void message(std::string_view line);

  /// Takes the line off the screen.
  void finish();

 private:
  std::string text(bool with_name) const;
  std::string draw_line(const Terminal& terminal) const;

  std::string name_;
  Write write_;
  Look look_;
  Clock clock_;
  std::optional<DownloadState> state_;
  std::uint64_t start_bytes_ = 0;
  double start_time_ = 0;
  double now_ = 0;
  double last_shown_ = 0;
  bool line_on_screen_ = false;
};

}  // namespace factorgcn
