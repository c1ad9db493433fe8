// Partitions as plain numbers. A store that was damaged is not trusted: the step is done again.
#include "relations/session.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace factorgcn::relations {
namespace {

/// A double as three floats that add up to it: survives any store that keeps finite floats.
void put_double(double value, std::vector<float>& numbers) {
  for (int part = 0; part < 3; ++part) {
    const auto taken = static_cast<float>(value);
    numbers.push_back(taken);
    value -= static_cast<double>(taken);
  }
}

class Numbers {
 public:
  explicit Numbers(const std::vector<float>& numbers) : numbers_(numbers) {}

  bool has(std::size_t count) const { return numbers_.size() - at_ >= count; }
  float take() { return numbers_[at_++]; }
  double take_double() {
    const double first = take(), second = take();
    return first + second + take();
  }
  /// -1 where there is no whole number from 0 to `most`.
  std::int64_t take_whole(std::int64_t most) {
    const float value = has(1) ? take() : -1;
    return value >= 0 && value <= static_cast<float>(most) && value == std::floor(value)
               ? static_cast<std::int64_t>(value)
               : -1;
  }
  bool at_end() const { return at_ == numbers_.size(); }

 private:
  const std::vector<float>& numbers_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<float> pack(const Partitions& partitions) {
  std::vector<float> numbers{static_cast<float>(partitions.relations())};
  put_double(partitions.bits, numbers);
  put_double(partitions.background, numbers);
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    numbers.push_back(static_cast<float>(partitions.groups_in[relation]));
    for (const double rate : partitions.rate[relation]) {
      put_double(rate, numbers);
    }
  }
  numbers.insert(numbers.end(), partitions.group.begin(), partitions.group.end());
  numbers.insert(numbers.end(), partitions.activities.begin(), partitions.activities.end());
  return numbers;
}

std::optional<Partitions> unpack(const std::vector<float>& numbers, std::int64_t nodes) {
  Numbers from(numbers);
  Partitions partitions;
  const std::int64_t relations = from.take_whole(1000);
  if (relations < 0 || !from.has(6)) {
    return std::nullopt;
  }
  partitions.bits = from.take_double();
  partitions.background = from.take_double();
  for (std::int64_t relation = 0; relation < relations; ++relation) {
    const std::int64_t groups = from.take_whole(1'000'000);
    if (groups < 0 || !from.has(3 * static_cast<std::size_t>(groups))) {
      return std::nullopt;
    }
    partitions.groups_in.push_back(static_cast<int>(groups));
    partitions.rate.emplace_back();
    for (std::int64_t group = 0; group < groups; ++group) {
      partitions.rate.back().push_back(from.take_double());
    }
  }
  if (!from.has(static_cast<std::size_t>(nodes * (relations + 1)))) {
    return std::nullopt;
  }
  for (std::int64_t relation = 0; relation < relations; ++relation) {
    for (std::int64_t node = 0; node < nodes; ++node) {
      const std::int64_t group = from.take_whole(partitions.groups_in[relation] - 1);
      if (group < 0) {
        return std::nullopt;
      }
      partitions.group.push_back(static_cast<std::int32_t>(group));
    }
  }
  for (std::int64_t node = 0; node < nodes; ++node) {
    partitions.activities.push_back(from.take());
  }
  return from.at_end() ? std::optional(std::move(partitions)) : std::nullopt;
}

void Session::at(const std::string& step, double done, double then, int rounds) {
  leave_if_stopped();
  step_ = step;
  from_ = done;
  to_ = std::max(done, then);
  rounds_ = rounds;
  asked_ = 0;
  observer_.at(step, done);
}

std::function<bool()> Session::stop() {
  return [this] {
    if (std::this_thread::get_id() == caller_ && !stopped_.load(std::memory_order_relaxed)) {
      if (rounds_ > 0) {
        observer_.at(step_, from_ + (to_ - from_) * std::min(1.0, static_cast<double>(++asked_) / rounds_));
      }
      if (observer_.stop()) {
        stopped_.store(true, std::memory_order_relaxed);
      }
    }
    return stopped_.load(std::memory_order_relaxed);
  };
}

Partitions Session::partitions(const std::string& step, std::int64_t nodes, const std::function<Partitions()>& make) {
  const std::string key = prefix_ + step;
  if (const auto numbers = observer_.kept(key)) {
    if (auto found = unpack(*numbers, nodes)) {
      return std::move(*found);
    }
  }
  Partitions made = make();
  leave_if_stopped();
  observer_.keep(key, pack(made));
  return made;
}

}  // namespace factorgcn::relations
