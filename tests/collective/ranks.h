// Ranks as threads of a test program, over the real engine.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "collective/free_port.h"
#include "factorgcn/collective/group.h"

namespace factorgcn::testing {

/// Runs `work` on each of `size` ranks; gives back what each threw, "" where nothing.
inline std::vector<std::string> on_all_ranks(int size, const std::function<void(Group&)>& work) {
  const std::uint16_t port = free_port();
  std::vector<std::string> thrown(static_cast<std::size_t>(size));
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      try {
        Place place;
        place.rank = rank;
        place.size = size;
        place.host = "127.0.0.1";
        place.port = port;
        place.keeps_meeting_point = rank == 0;
        const auto group = join_group(place, std::chrono::seconds(60));
        work(*group);
        all_gather_texts(*group, "");  // nobody leaves early
      } catch (const std::exception& error) {
        thrown[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  return thrown;
}

/// Why there can be no ranks here: built without Gloo. Empty: there can.
inline std::string no_ranks() {
  Place place;
  place.size = 2;
  try {
    place.host = "127.0.0.1";
    place.port = free_port();
    place.keeps_meeting_point = true;
    join_group(place, std::chrono::milliseconds(1));
  } catch (const UsageError& error) {
    return error.what();
  } catch (const Error&) {  // nobody came
  }
  return "";
}

}  // namespace factorgcn::testing
