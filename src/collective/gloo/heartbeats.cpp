#include "collective/gloo/heartbeats.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace factorgcn {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenBeats = 500ms;
constexpr auto kSilence = 4 * kBetweenBeats;

std::string beat_key(int rank) { return "factorgcn/beat/" + std::to_string(rank); }

}  // namespace

struct Heartbeats::Shared {
  c10::intrusive_ptr<c10d::Store> store;
  int rank, size;
  std::mutex store_in_use;
  std::mutex mutex;
  std::condition_variable wake;
  bool ended = false;

  std::int64_t add(int to, std::int64_t value) {
    const std::lock_guard use(store_in_use);
    return store->add(beat_key(to), value);
  }

  /// False once it is to end.
  bool beat_once() {
    const std::lock_guard use(store_in_use);
    {
      const std::lock_guard lock(mutex);
      if (ended) {
        return false;
      }
    }
    store->add(beat_key(rank), 1);
    return true;
  }

  void beat() {
    std::unique_lock lock(mutex);
    while (!ended) {
      lock.unlock();
      try {
        if (!beat_once()) {
          return;
        }
      } catch (const std::exception&) {
        return;  // the meeting point is gone: whoever waits for another rank will hear of it there
      }
      lock.lock();
      wake.wait_for(lock, kBetweenBeats, [this] { return ended; });
    }
  }

  std::vector<std::int64_t> counts() {
    std::vector<std::int64_t> result;
    for (int each = 0; each < size; ++each) {
      result.push_back(add(each, 0));
    }
    return result;
  }
};

Heartbeats::Heartbeats(c10::intrusive_ptr<c10d::Store> store, int rank, int size)
    : shared_(std::make_shared<Shared>()) {
  shared_->store = std::move(store);
  shared_->rank = rank;
  shared_->size = size;
  std::thread([shared = shared_] { shared->beat(); }).detach();
}

Heartbeats::~Heartbeats() { ask_to_end(); }

void Heartbeats::ask_to_end() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ended = true;
  }
  shared_->wake.notify_one();
}

void Heartbeats::end() {
  ask_to_end();
  const std::lock_guard last_is_through(shared_->store_in_use);
}

std::vector<int> Heartbeats::silent() const {
  const std::vector<std::int64_t> before = shared_->counts();
  std::this_thread::sleep_for(kSilence);
  const std::vector<std::int64_t> after = shared_->counts();
  std::vector<int> ranks;
  for (int rank = 0; rank < shared_->size; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (rank != shared_->rank && before[index] == after[index]) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

}  // namespace factorgcn
