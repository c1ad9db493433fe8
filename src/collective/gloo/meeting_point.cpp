#include "collective/gloo/meeting_point.h"

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto kPatience = 10s;  // with a meeting point that may not answer
constexpr const char* kVerdict = "factorgcn/verdict";

std::string reason_key(int rank) { return concat("factorgcn/gave_up/", rank); }
std::string farewell_key(int rank) { return concat("factorgcn/farewell/", rank); }

c10::intrusive_ptr<c10d::Store> connect(const Place& place, milliseconds timeout, bool serve) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = serve;
  options.waitWorkers = false;
  options.timeout = timeout;
  return c10::make_intrusive<c10d::TCPStore>(place.host, options);
}

std::string names_of(const std::vector<int>& ranks) {
  std::string names = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t index = 0; index < ranks.size(); ++index) {
    names += concat(index == 0 ? "" : ", ", ranks[index]);
  }
  return names;
}

/// What `work` returns; nothing where it throws or takes longer. It then goes on in a thread that is left behind.
std::optional<std::string> within(std::chrono::seconds patience, std::function<std::string()> work) {
  std::packaged_task<std::string()> task(std::move(work));
  std::future<std::string> result = task.get_future();
  std::thread(std::move(task)).detach();
  if (result.wait_for(patience) != std::future_status::ready) {
    return {};
  }
  try {
    return result.get();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

MeetingPoint::MeetingPoint(const Place& place, milliseconds timeout)
    : place_(place),
      timeout_(timeout),
      store_(connect(place, timeout, place.keeps_meeting_point)),
      beats_(std::make_unique<Heartbeats>(connect(place, timeout, false), place.rank, place.size)) {}

void MeetingPoint::give_up(const std::string& reason) {
  within(kPatience, [own = shared_from_this(), reason] {
    own->post(reason_key(own->place_.rank), reason);
    return std::string();
  });
}

std::string MeetingPoint::verdict(const std::string& failure) {
  const auto found = within(kPatience, [own = shared_from_this(), failure] { return own->judge(failure); });
  return found.value_or(concat(place_.keeps_meeting_point ? "the other ranks do not answer at "
                                                          : "rank 0 does not answer: nobody is at the meeting point ",
                               place_.host, ":", place_.port, " (killed, stopped, or the network is down)"));
}

void MeetingPoint::take_leave() {
  if (!place_.keeps_meeting_point) {
    within(kPatience, [own = shared_from_this()] {
      own->beats_->end();  // rank 0 closes the meeting point once it has heard all farewells
      own->post(farewell_key(own->place_.rank), "1");
      return std::string();
    });
    return;
  }
  within(std::chrono::duration_cast<std::chrono::seconds>(timeout_) + kPatience, [own = shared_from_this()] {
    std::vector<int> awaited;
    for (int rank = 1; rank < own->place_.size; ++rank) {
      awaited.push_back(rank);
    }
    for (;;) {
      std::erase_if(awaited, [&](int rank) { return !own->posted(farewell_key(rank)).empty(); });
      if (awaited.empty()) {
        return std::string();
      }
      const std::vector<int> gone = own->beats_->silent();
      std::erase_if(awaited, [&](int rank) { return std::find(gone.begin(), gone.end(), rank) != gone.end(); });
    }
  });
}

std::string MeetingPoint::judge(const std::string& failure) {
  const auto told = [this] {
    const std::string verdict = posted(kVerdict);
    return verdict.empty() ? reasons() : verdict;
  };
  std::string found = told();
  if (found.empty()) {
    const std::vector<int> silent = beats_->silent();
    found = told();  // meanwhile another may have said
    if (found.empty() && !silent.empty()) {
      found = concat(names_of(silent), " of ", place_.size, silent.size() == 1 ? " does" : " do",
                     " not answer (killed, stopped, or the network is down)");
    } else if (found.empty()) {
      found = concat("a connection between the ", place_.size, " processes failed: ",
                     failure.substr(0, failure.find('\n')));
    }
  }
  post(kVerdict, found);
  return found;
}

std::string MeetingPoint::reasons() {
  std::string all;
  for (int rank = 0; rank < place_.size; ++rank) {
    const std::string reason = posted(reason_key(rank));
    all += reason.empty() ? "" : concat(all.empty() ? "" : "; ", "rank ", rank, " gave up: ", reason);
  }
  return all;
}

void MeetingPoint::post(const std::string& key, const std::string& text) {
  store_->set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string MeetingPoint::posted(const std::string& key) {
  const std::vector<std::uint8_t> bytes = store_->check({key}) ? store_->get(key) : std::vector<std::uint8_t>();
  return {bytes.begin(), bytes.end()};
}

}  // namespace factorgcn
