// Who is alive: each rank counts up a number of its own at the meeting point, twice a second, from a thread.
//
// A rank whose number stands still was killed, stopped or cut off. One that computes, reads or writes for minutes goes
// on counting. The thread is left behind at the end, not waited for: where the network is down it may hang in a call.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace factorgcn {

class Heartbeats {
 public:
  /// `store`: a connection that nobody else uses.
  Heartbeats(c10::intrusive_ptr<c10d::Store> store, int rank, int size);
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

  /// The other ranks that are not heard of while this waits, some two seconds. Throws where the meeting point does not
  /// answer.
  std::vector<int> silent() const;

  /// After this nothing more is sent to the meeting point, so that it may close. May hang as long as a call to it does.
  void end();

 private:
  void ask_to_end();

  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace factorgcn
