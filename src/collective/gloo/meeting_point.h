// The one place that all ranks can reach even when their connections to each other fail: PyTorch's TCPStore.
//
// It serves to come together, and to find out afterwards what happened: who gave up and why, who stands still. The
// first rank that comes to a verdict leaves it for the others. Nothing here waits longer than it is told to, even where
// the network is down.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <memory>
#include <string>

#include "collective/gloo/heartbeats.h"
#include "factorgcn/collective/place.h"

namespace factorgcn {

class MeetingPoint : public std::enable_shared_from_this<MeetingPoint> {
 public:
  MeetingPoint(const Place& place, std::chrono::milliseconds timeout);

  const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }

  /// Leaves word of why this rank gives up.
  void give_up(const std::string& reason);

  /// What has happened, for a person: who is lost, or why another gave up. `failure`: what this rank saw of it.
  std::string verdict(const std::string& failure);

  /// To be called last, after all is closed. The process that keeps the meeting point stays until the others have read
  /// there what has happened.
  void take_leave();

 private:
  std::string judge(const std::string& failure);
  std::string reasons();
  void post(const std::string& key, const std::string& text);
  std::string posted(const std::string& key);

  Place place_;
  std::chrono::milliseconds timeout_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::unique_ptr<Heartbeats> beats_;
};

}  // namespace factorgcn
