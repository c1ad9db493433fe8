// Each request for memory that a piece of work makes, refused in a process of its own: a fork of this one, so that a
// try takes milliseconds.
#pragma once

#include <functional>
#include <string>

namespace factorgcn {

struct RefusedRequests {
  long requests = 0;  ///< that the work makes when it is left alone
  long tried = 0;
  long done = 0;   ///< the work did without
  long told = 0;   ///< an exception came
  long ended = 0;  ///< memory ran out in a destructor, which can tell nobody: the process ended

  RefusedRequests& operator+=(const RefusedRequests& other);
};

/// Refuses every `step`-th request of `work`, which returns what must be the same whenever it comes to its end.
/// `before` and `after` run in this process around each try; `after` is told whether the work was done. Reports to
/// GoogleTest where a process crashed, or the work was done with another result. There must be one thread alone.
RefusedRequests refuse_requests(const std::function<std::string()>& work, long step = 1,
                                const std::function<void()>& before = {},
                                const std::function<void(const std::string& when, bool done)>& after = {});

/// The same work in a fork, with nothing refused: what it returns.
std::string in_a_fork(const std::function<std::string()>& work);

}  // namespace factorgcn
