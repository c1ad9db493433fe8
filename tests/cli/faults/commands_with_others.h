// Commands that do not work alone: they start children, or ask a server.
#pragma once

#include <vector>

#include "cli/faults/watched_command.h"
#include "shelf/loopback_server.h"

namespace factorgcn::cli {

/// A web server with one small archive, which takes some tenths of a second to be fetched.
class SlowMirror {
 public:
  SlowMirror();
  std::string url() const { return server_.url(); }

 private:
  LoopbackServer server_;
};

/// search, reproduce and, where this build can download, data fetch over HTTP. `with_folds`: also reproduce with ten
/// folds of trainings, which takes some ten seconds of processor time.
std::vector<WatchedCommand> commands_with_others(const SlowMirror& mirror, bool with_folds);

}  // namespace factorgcn::cli
