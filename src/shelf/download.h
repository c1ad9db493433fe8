// One HTTP request for one file, with its answer handed on piece by piece. Built with libcurl in shelf/http/, without
// it in shelf/no_http/.
//
// download() neither repeats nor stores anything: fetch.cpp does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace factorgcn {

struct DownloadRequest {
  std::string url;            ///< http or https
  std::uint64_t offset = 0;   ///< go on after so many bytes; 0: the whole file
  std::string etag;           ///< with an offset: of the file whose first bytes are here (strong), or
  std::string last_modified;  ///< its time; one of them must be known
  double connect_seconds = 20;
  double stall_seconds = 30;
  std::uint64_t max_bytes = 0;
};

/// What the server says before the first byte.
struct DownloadReply {
  bool resumed = false;                ///< the bytes follow the request's offset; otherwise they are the file's first
  std::optional<std::uint64_t> total;  ///< bytes of the whole file
  std::string etag, last_modified, content_type;
};

/// Takes the answer. What its functions throw ends the transfer and leaves download().
class DownloadSink {
 public:
  virtual ~DownloadSink() = default;
  virtual void begin(const DownloadReply& reply) = 0;
  virtual void append(std::string_view bytes) = 0;

  /// Called some ten times a second; false ends the transfer.
  virtual bool go_on() = 0;
};

struct DownloadOutcome {
  enum class Kind {
    kDone,
    kStopped,    ///< go_on() said so
    kRestart,    ///< the server's file is not the one whose first bytes are here: ask again, without an offset
    kTemporary,  ///< a later try may succeed
    kPermanent,  ///< it will not
  };
  Kind kind = Kind::kDone;
  int http_status = 0;  ///< 0 where no answer came
  std::string reason;   ///< for people, without the URL; empty where done
};

DownloadOutcome download(const DownloadRequest& request, DownloadSink& sink);

}  // namespace factorgcn
