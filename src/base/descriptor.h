// An open file of the system, and the system's words for what went wrong with it.
#pragma once

#include <unistd.h>

#include <string>
#include <system_error>

namespace factorgcn {

/// Pass errno only after the failed call has returned: inside one argument list the order is open.
inline std::string system_reason(int code) { return std::generic_category().message(code); }

/// Closes a file descriptor when its scope ends.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }

  /// Closes now; false with errno set where the system reports a late write failure.
  bool close() {
    const int value = value_;
    value_ = -1;
    return ::close(value) == 0;
  }

 private:
  int value_;
};

}  // namespace factorgcn
