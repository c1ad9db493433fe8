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
  enum class Kind { kWork, kWait, kRelease };

  void add(Kind kind, std::function<void()> run) { steps_.push_back({kind, std::move(run)}); }

  /// Does the first steps, so that `end` have been done since the program began. A step that waits for another stream
  /// comes here again: it waits for what was asked for before it, so that this ends.
  void run_to(std::int64_t end) {
    while (done_ < end) {
      Step step = std::move(steps_.front());
      steps_.pop_front();
      ++done_;
      if (step.kind == Kind::kRelease) {
        releases_.push_back(std::move(step.run));
        continue;
      }
      if (step.kind == Kind::kWork) {
        release();
      }
      step.run();
    }
  }
  void finish() {
    run_to(asked());
    release();
  }
  std::int64_t done() const { return done_; }
  std::int64_t asked() const { return done_ + static_cast<std::int64_t>(steps_.size()); }

 private:
  struct Step {
    Kind kind;
    std::function<void()> run;
  };

  void release() {
    for (const auto& run : std::exchange(releases_, {})) {
      run();
    }
  }

  std::deque<Step> steps_;
  std::int64_t done_ = 0;
  std::vector<std::function<void()>> releases_;  // come before the next work
};

class Event {
 public:
  Stream* stream = nullptr;
  std::int64_t asked = 0;  // of that stream, when this was recorded
};

namespace {

struct StreamTable {
  Stream caller;
  std::vector<std::unique_ptr<Stream>> others;
  std::vector<std::unique_ptr<Event>> events;
  Stream* current = nullptr;
  Pace pace = Pace::kAtOnce;
  RandomStream random{0, "cuda_on_cpu/streams"};

  Stream& named(Stream* stream) { return stream != nullptr ? *stream : caller; }

  std::int64_t left_of_others() const {
    std::int64_t left = 0;
    for (const auto& other : others) {
      left += other->asked() - other->done();
    }
    return left;
  }

  void add(Stream* stream, Stream::Kind kind, std::function<void()> run) {
    named(stream).add(kind, std::move(run));
    if (pace == Pace::kAtOnce || pace == Pace::kAhead) {
      for (const auto& other : others) {
        other->run_to(other->asked());
      }
    }
    while (pace == Pace::kDrawn && left_of_others() > 0 && random.chance(0.5)) {
      Stream& other = *others[random.below(others.size())];
      if (other.asked() > other.done()) {
        other.run_to(other.done() + 1);
      }
    }
    if (pace != Pace::kAhead) {
      caller.run_to(caller.asked());
    }
  }
};

StreamTable& streams() {
  static StreamTable only;
  return only;
}

}  // namespace

void set_pace(Pace pace, std::uint64_t seed) {
  finish_streams();
  streams().pace = pace;
  streams().random = RandomStream(seed, "cuda_on_cpu/streams");
}

Stream* new_stream() { return streams().others.emplace_back(std::make_unique<Stream>()).get(); }
Event* new_event() { return streams().events.emplace_back(std::make_unique<Event>()).get(); }

Stream* current_stream() { return streams().current; }
void set_current_stream(Stream* stream) { streams().current = stream; }

void submit(Stream* stream, std::function<void()> step) { streams().add(stream, Stream::Kind::kWork, std::move(step)); }

void submit_release(Stream* stream, std::function<void()> step) {
  Stream& from = streams().named(stream);
  const bool idle = from.asked() == from.done();
  if (stream == nullptr && idle) {
    step();
    return;
  }
  from.add(stream == nullptr ? Stream::Kind::kWork : Stream::Kind::kRelease, std::move(step));
  if (idle) {
    from.run_to(from.asked());
  }
}

void record(Event* event, Stream* stream) {
  event->stream = &streams().named(stream);
  event->asked = event->stream->asked();
}

void wait(Stream* stream, const Event* event) {
  if (event->stream != nullptr) {
    streams().add(stream, Stream::Kind::kWait, [from = event->stream, asked = event->asked] { from->run_to(asked); });
  }
}

void catch_up() { streams().caller.run_to(streams().caller.asked()); }

std::int64_t steps_left() {
  const StreamTable& all = streams();
  return all.caller.asked() - all.caller.done() + all.left_of_others();
}

void finish_streams() {
  catch_up();
  for (const auto& stream : streams().others) {
    stream->finish();
  }
}

}  // namespace factorgcn::cuda_on_cpu
