// The streams of the stand-in for a GPU (device.h), and the marks at which they wait for each other.
//
// The null stream is the caller's: what is asked of it is done before the call returns. Any other stream has a queue;
// when its steps are done is set by the pace. A late stream shows what others should have waited for, and memory that
// was given back although the stream still reads or writes it (stream_memory.h): both are seen on every run, where a
// GPU would show them once in a while. Steps are whole launches: what two kernels that run at the same time do to each
// other is not shown, nor is what comes of a caller's stream that lags behind the others.
#pragma once

#include <cstdint>
#include <functional>

namespace factorgcn::cuda_on_cpu {

class Stream;
class Event;

enum class Pace {
  kAtOnce,  ///< nothing is ever left in a queue
  kLate,    ///< nothing is done before the caller's stream waits for it, and then no more than it waits for
  kDrawn,   ///< some steps from the fronts of the queues, drawn whenever anything is asked of any stream
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
/// The same for what must not fail, nor set others going: giving memory back.
void submit_release(Stream* stream, std::function<void()> step);

/// The event stands for all that was asked of the stream so far.
void record(Event* event, Stream* stream);
/// What is asked of the stream from here on comes after what the event stands for now; nothing if it was not recorded.
void wait(Stream* stream, const Event* event);

/// Steps left in all queues.
std::int64_t steps_left();
/// Does them.
void finish_streams();

}  // namespace factorgcn::cuda_on_cpu
