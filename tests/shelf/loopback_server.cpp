// Blocking POSIX sockets in one thread; waits are cut into short pieces so that the end of a test is noticed.
#include "shelf/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace factorgcn {
namespace {

constexpr int kWaitMilliseconds = 20;

bool readable(int socket) {
  pollfd waiting{socket, POLLIN, 0};
  return ::poll(&waiting, 1, kWaitMilliseconds) > 0;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

std::size_t HttpRequest::range_start() const {
  const auto found = headers.find("range");
  return found == headers.end() ? 0 : std::strtoull(found->second.c_str() + std::string("bytes=").size(), nullptr, 10);
}

void HttpConnection::send(const std::string& bytes) const {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) {
      return;  // the client has gone
    }
    sent += static_cast<std::size_t>(count);
  }
}

void HttpConnection::answer(const std::string& status, const std::vector<std::string>& headers,
                            const std::string& body) const {
  std::string text = "HTTP/1.1 " + status + "\r\nConnection: close\r\n";
  for (const std::string& header : headers) {
    text += header + "\r\n";
  }
  send(text + "\r\n" + body);
}

void HttpConnection::stall() const {
  char byte = 0;
  while (!stopping_) {
    if (readable(socket_) && ::recv(socket_, &byte, 1, 0) <= 0) {
      return;
    }
  }
}

LoopbackServer::LoopbackServer(Handler handler) : handler_(std::move(handler)) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (socket_ < 0 || ::bind(socket_, plain, length) != 0 || ::listen(socket_, 16) != 0 ||
      ::getsockname(socket_, plain, &length) != 0) {
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

LoopbackServer::~LoopbackServer() {
  stopping_ = true;
  thread_.join();
  ::close(socket_);
}

std::string LoopbackServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/" + path;
}

std::vector<HttpRequest> LoopbackServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<HttpRequest> LoopbackServer::requests(const std::string& path) const {
  std::vector<HttpRequest> result;
  for (const HttpRequest& request : requests()) {
    if (request.path == path) {
      result.push_back(request);
    }
  }
  return result;
}

void LoopbackServer::serve() {
  while (!stopping_) {
    if (!readable(socket_)) {
      continue;
    }
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) {
      serve_one(connection);
      ::close(connection);
    }
  }
}

void LoopbackServer::serve_one(int socket) {
  std::string text;
  while (text.find("\r\n\r\n") == std::string::npos) {
    char piece[4096];
    if (stopping_) {
      return;
    }
    if (!readable(socket)) {
      continue;
    }
    const ssize_t count = ::recv(socket, piece, sizeof(piece), 0);
    if (count <= 0) {
      return;
    }
    text.append(piece, static_cast<std::size_t>(count));
  }
  HttpRequest request;
  std::istringstream lines(text);
  std::string method;
  lines >> method >> request.path;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) {
      std::string name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      request.headers[name] = trimmed(line.substr(colon + 1));
    }
  }
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  handler_(HttpConnection(socket, stopping_), request);
  ::shutdown(socket, SHUT_WR);
}

bool ServedFile::goes_on(const HttpRequest& request) const {
  const auto marked = request.headers.find("if-range");
  return request.has("range") && (marked == request.headers.end() || marked->second == etag) &&
         request.range_start() < bytes.size();
}

std::string ServedFile::head(bool partial, std::size_t start) const {
  std::string text = partial ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n";
  text += "Connection: close\r\nContent-Type: " + type + "\r\n";
  text += "Content-Length: " + std::to_string(bytes.size() - start) + "\r\n";
  text += etag.empty() ? "" : "ETag: " + etag + "\r\n";
  if (partial) {
    text += "Content-Range: bytes " + std::to_string(start) + "-" + std::to_string(bytes.size() - 1) + "/" +
            std::to_string(bytes.size()) + "\r\n";
  }
  return text + "\r\n";
}

void ServedFile::answer(const HttpConnection& connection, const HttpRequest& request) const {
  answer_cut(connection, request, bytes.size());
}

void ServedFile::answer_cut(const HttpConnection& connection, const HttpRequest& request,
                            std::size_t body_bytes) const {
  const bool partial = goes_on(request);
  const std::size_t start = partial ? request.range_start() : 0;
  connection.send(head(partial, start));
  connection.send(bytes.substr(start, body_bytes));
}

void ServedFile::answer_slowly(const HttpConnection& connection, const HttpRequest& request, std::size_t piece_bytes,
                               std::chrono::milliseconds pause) const {
  const bool partial = goes_on(request);
  const std::size_t start = partial ? request.range_start() : 0;
  connection.send(head(partial, start));
  for (std::size_t at = start; at < bytes.size(); at += piece_bytes) {
    std::this_thread::sleep_for(pause);
    connection.send(bytes.substr(at, piece_bytes));
  }
}

void answer_not_found(const HttpConnection& connection) {
  connection.answer("404 Not Found", {"Content-Type: text/html", "Content-Length: 13"}, "<html></html>");
}

}  // namespace factorgcn
