// The streams of the stand-in for a GPU (device.h), and the marks at which they wait for each other.
//
// The null stream is the caller's. Each stream has a queue; when its steps are done is set by the pace, between the two
// extremes that a GPU allows: all others as late or as early as they may run, seen from the caller. That shows what
// somebody should have waited for, and memory that was given back although a stream still reads or writes it
// (stream_memory.h), on every run, where a GPU shows them once in a while. Steps are whole launches: what two kernels
// that run at the same time do to each other is not shown.
#pragma once

#include <cstdint>
#include <functional>

namespace factorgcn::cuda_on_cpu {

class Stream;
class Event;

/// But for kAhead, what is asked of the caller's stream is done before the call returns.
enum class Pace {
  kAtOnce,  ///< nothing is ever left in a queue
  kLate,    ///< nothing is done before the caller's stream waits for it, and then no more than it waits for
  kAhead,   ///< the others do all at once, and the caller's nothing before they wait for it or catch_up()
  kDrawn,   ///< some steps of the others, drawn whenever anything is asked of any stream
};

/// Does what is left in the queues, and goes on at that pace; kAtOnce until this is called.
void set_pace(Pace pace, std::uint64_t seed = 0);

/// Streams and events are the program's: they are never taken back, as libtorch does not take back its own.
Stream* new_stream();
Event* new_event();

/// The stream that tensors' memory is taken for, and that launches without a stream of their own go to; null at first.
Stream* current_stream();
void set_current_stream(Stream* stream);

void submit(Stream* stream, std::function<void()> step);
/// The same for memory that is given back, which must not fail, nor set others going. Memory of the caller's stream is
/// gone when its turn comes; that of another stream when that stream does something else afterwards, which may be in
/// the same place.
void submit_release(Stream* stream, std::function<void()> step);

/// The event stands for all that was asked of the stream so far.
void record(Event* event, Stream* stream);
/// What is asked of the stream from here on comes after what the event stands for now; nothing if it was not recorded.
void wait(Stream* stream, const Event* event);

/// Does all that was asked of the caller's stream: to be called before anything else touches what it computes.
void catch_up();

/// Steps left in all queues.
std::int64_t steps_left();
/// Does them.
void finish_streams();

}  // namespace factorgcn::cuda_on_cpu
