// A web server for tests: on 127.0.0.1, one request after the other, each answered by what the test scripted.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace factorgcn {

struct HttpRequest {
  std::string path;
  std::map<std::string, std::string> headers;  ///< names in lower case

  bool has(const std::string& name) const { return headers.count(name) != 0; }
  /// The first byte asked for; 0 without a Range header.
  std::size_t range_start() const;
};

/// One connection, to be answered. It is closed when the handler returns.
class HttpConnection {
 public:
  HttpConnection(int socket, const std::atomic<bool>& stopping) : socket_(socket), stopping_(stopping) {}

  void send(const std::string& bytes) const;
  /// Status line, headers ("Name: value" each) and body, as given: nothing is added or checked.
  void answer(const std::string& status, const std::vector<std::string>& headers, const std::string& body) const;
  /// Sends nothing until the client goes away.
  void stall() const;

 private:
  int socket_;
  const std::atomic<bool>& stopping_;
};

class LoopbackServer {
 public:
  using Handler = std::function<void(const HttpConnection&, const HttpRequest&)>;

  explicit LoopbackServer(Handler handler);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  /// "http://127.0.0.1:PORT/" and the path.
  std::string url(const std::string& path = "") const;
  int port() const { return port_; }

  /// All requests so far, and those for one path.
  std::vector<HttpRequest> requests() const;
  std::vector<HttpRequest> requests(const std::string& path) const;

 private:
  void serve();
  void serve_one(int socket);

  Handler handler_;
  int socket_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

/// A file as an honest server offers it: with its mark, and from any byte on.
struct ServedFile {
  std::string bytes;
  std::string etag = "\"one\"";
  std::string type = "application/zip";

  /// Answers with the whole file or, where the request's If-Range names this file, with the rest of it.
  void answer(const HttpConnection& connection, const HttpRequest& request) const;
  /// The same, cut off after so many bytes of the body.
  void answer_cut(const HttpConnection& connection, const HttpRequest& request, std::size_t body_bytes) const;
  /// As answer(), in pieces with a pause before each.
  void answer_slowly(const HttpConnection& connection, const HttpRequest& request, std::size_t piece_bytes,
                     std::chrono::milliseconds pause) const;

 private:
  std::string head(bool partial, std::size_t start) const;
  bool goes_on(const HttpRequest& request) const;
};

void answer_not_found(const HttpConnection& connection);

}  // namespace factorgcn
