// c10d's Gloo group. What is added to it: rows instead of buffers, bytes counted, and a name for what was lost.
//
// When a call fails, this rank first closes its own connections, so that ranks that wait for it fail at once too and
// not after a timeout of their own; then the meeting point is asked what has happened.
#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <cstdlib>
#include <utility>

#include "collective/gloo/meeting_point.h"
#include "factorgcn/collective/group.h"

namespace factorgcn {
namespace {

std::shared_ptr<::gloo::transport::Device> network_device() {
  const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");  // as PyTorch has it
  return interface != nullptr && *interface != '\0' ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                                    : c10d::ProcessGroupGloo::createDefaultDevice();
}

class GlooGroup : public Group {
 public:
  GlooGroup(const Place& place, std::chrono::milliseconds timeout)
      : rank_(place.rank), size_(place.size), meeting_point_(std::make_shared<MeetingPoint>(place, timeout)) {
    const auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    options->devices.push_back(network_device());
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>("factorgcn", meeting_point_->store()), rank_, size_, options);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::int64_t bytes_sent() const override { return sent_; }

  std::function<at::Tensor()> start_all_gather(const at::Tensor& own) override {
    std::vector<std::int64_t> shape = own.sizes().vec();
    shape.insert(shape.begin(), size_);
    const at::Tensor all = at::empty(shape, own.options());
    std::vector<std::vector<at::Tensor>> outputs{all.unbind(0)};
    std::vector<at::Tensor> inputs{own.contiguous()};
    auto work = started([&] { return group_->allgather(outputs, inputs); });
    sent_ += static_cast<std::int64_t>(own.nbytes()) * (size_ - 1);
    return [this, work, all]() mutable {
      wait_for(std::move(work));
      return all;
    };
  }

  using Group::all_to_all;
  void all_to_all(const at::Tensor& rows, std::span<const std::int64_t> send, std::span<const std::int64_t> receive,
                  at::Tensor& result) override {
    at::Tensor input = rows;
    std::vector<std::int64_t> out(receive.begin(), receive.end()), in(send.begin(), send.end());
    wait_for(started([&] { return group_->alltoall_base(result, input, out, in); }));
    if (rows.size(0) > 0) {
      const std::int64_t leaving = rows.size(0) - send[static_cast<std::size_t>(rank_)];
      sent_ += static_cast<std::int64_t>(rows.nbytes()) / rows.size(0) * leaving;
    }
  }

  void give_up(const std::string& reason) noexcept override {
    try {
      if (group_ != nullptr) {
        meeting_point_->give_up(reason);
        group_.reset();
        meeting_point_->take_leave();
      }
    } catch (...) {  // then the others find this rank silent
    }
  }

 private:
  template <class Start>
  auto started(const Start& start) -> decltype(start()) {
    require(group_ != nullptr, "this group of processes has come apart");
    try {
      return start();
    } catch (const std::exception& failure) {
      come_apart(failure.what());
    }
  }

  template <class Work>
  void wait_for(Work work) {
    std::string failure;
    try {
      work->wait();
      return;
    } catch (const std::exception& error) {
      failure = error.what();
    }
    work.reset();  // it holds the connections, too, which are to close now
    come_apart(failure);
  }

  [[noreturn]] void come_apart(const std::string& failure) {
    group_.reset();
    const std::string what = meeting_point_->verdict(failure);
    meeting_point_->take_leave();
    throw LostRank(what);
  }

  int rank_, size_;
  std::shared_ptr<MeetingPoint> meeting_point_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  std::int64_t sent_ = 0;
};

}  // namespace

std::unique_ptr<Group> join_group(const Place& place, std::chrono::milliseconds timeout) {
  try {
    return std::make_unique<GlooGroup>(place, timeout);
  } catch (const std::exception& failure) {
    const std::string text = failure.what();
    throw Error(concat("rank ", place.rank, " of ", place.size, ": the ranks did not come together at ", place.host,
                       ":", place.port, " within ", timeout.count() / 1000, " s: ", text.substr(0, text.find('\n'))));
  }
}

}  // namespace factorgcn
