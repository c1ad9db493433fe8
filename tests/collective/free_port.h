// A port of this machine that nobody listens at, for a moment at least.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace factorgcn::testing {

inline std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  const bool found =
      socket >= 0 && ::bind(socket, plain, length) == 0 && ::getsockname(socket, plain, &length) == 0;
  ::close(socket);
  if (!found) {
    throw std::runtime_error("no port is free");
  }
  return ntohs(address.sin_port);
}

}  // namespace factorgcn::testing
