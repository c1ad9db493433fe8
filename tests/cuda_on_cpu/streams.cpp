// The queues; see streams.h.
#include "cuda_on_cpu/streams.h"

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "factorgcn/base/random.h"

namespace factorgcn::cuda_on_cpu {

class Stream {
 public:
  void add(std::function<void()> step) { steps_.push_back(std::move(step)); }

  /// Does the first steps, so that `end` have been done since the program began. A step that waits for another stream
  /// comes here again: it waits for what was asked for before it, so that this ends.
  void run_to(std::int64_t end) {
    while (done_ < end) {
      const std::function<void()> step = std::move(steps_.front());
      steps_.pop_front();
      ++done_;
      step();
    }
  }
  std::int64_t done() const { return done_; }
  std::int64_t asked() const { return done_ + static_cast<std::int64_t>(steps_.size()); }

 private:
  std::deque<std::function<void()>> steps_;
  std::int64_t done_ = 0;
};

class Event {
 public:
  Stream* stream = nullptr;
  std::int64_t asked = 0;  // of that stream, when this was recorded
};

namespace {

struct Streams {
  std::vector<std::unique_ptr<Stream>> all;
  std::vector<std::unique_ptr<Event>> events;
  Stream* current = nullptr;
  Pace pace = Pace::kAtOnce;
  RandomStream random{0, "cuda_on_cpu/streams"};

  /// What the pace demands after something was asked for.
  void proceed() {
    if (pace == Pace::kAtOnce) {
      finish_streams();
    }
    while (pace == Pace::kDrawn && steps_left() > 0 && random.chance(0.5)) {
      Stream& stream = *all[random.below(all.size())];
      if (stream.asked() > stream.done()) {
        stream.run_to(stream.done() + 1);
      }
    }
  }
};

Streams& streams() {
  static Streams only;
  return only;
}

}  // namespace

void set_pace(Pace pace, std::uint64_t seed) {
  finish_streams();
  streams().pace = pace;
  streams().random = RandomStream(seed, "cuda_on_cpu/streams");
}

Stream* new_stream() { return streams().all.emplace_back(std::make_unique<Stream>()).get(); }
Event* new_event() { return streams().events.emplace_back(std::make_unique<Event>()).get(); }

Stream* current_stream() { return streams().current; }
void set_current_stream(Stream* stream) { streams().current = stream; }

void submit(Stream* stream, std::function<void()> step) {
  if (stream == nullptr) {
    streams().proceed();
    step();
  } else {
    stream->add(std::move(step));
    streams().proceed();
  }
}

void submit_release(Stream* stream, std::function<void()> step) {
  if (stream == nullptr || stream->asked() == stream->done()) {
    step();
  } else {
    stream->add(std::move(step));
  }
}

void record(Event* event, Stream* stream) {
  event->stream = stream;
  event->asked = stream != nullptr ? stream->asked() : 0;
}

void wait(Stream* stream, const Event* event) {
  if (event->stream == nullptr) {
    return;  // never recorded, or by the caller's stream, which is always done
  }
  submit(stream, [from = event->stream, asked = event->asked] { from->run_to(asked); });
}

std::int64_t steps_left() {
  std::int64_t left = 0;
  for (const auto& stream : streams().all) {
    left += stream->asked() - stream->done();
  }
  return left;
}

void finish_streams() {
  for (const auto& stream : streams().all) {
    stream->run_to(stream->asked());
  }
}

}  // namespace factorgcn::cuda_on_cpu
