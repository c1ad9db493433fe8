// One transfer with libcurl. Certificates are verified; http and https alone are spoken, also after a redirect, and
// never http after https. Cost: what comes over the wire; nothing is buffered here.
//
// The transfer runs under our own loop (the multi interface), because a stall and a Ctrl-C are to be noticed within a
// tenth of a second, whatever libcurl is waiting for.
#include "shelf/download.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t is POSIX, not in <csignal>
#include <time.h>    // NOLINT(modernize-deprecated-headers): timespec for sigtimedwait

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>

#include "factorgcn/base/error.h"
#include "factorgcn/shelf/fetch.h"
#include "factorgcn/version.h"

namespace factorgcn {
namespace {

using Kind = DownloadOutcome::Kind;

constexpr long kMostRedirects = 10;
constexpr int kPollMilliseconds = 100;
/// Slower than this over a whole stall time is as good as dead.
constexpr double kSlowestBytesPerSecond = 100;

/// Writing to a connection that the other side has closed must not end the process. libcurl is told to leave signal
/// handlers alone (they belong to the program), so SIGPIPE is held back in this thread instead.
class HoldBackSigpipe {
 public:
  HoldBackSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~HoldBackSigpipe() {
    if (sigismember(&before_, SIGPIPE) == 0) {
      const timespec now{};
      while (::sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
      }
      ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
  }
  HoldBackSigpipe(const HoldBackSigpipe&) = delete;
  HoldBackSigpipe& operator=(const HoldBackSigpipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value) : std::nullopt;
}

/// "bytes 100-199/200"
struct ContentRange {
  std::optional<std::uint64_t> first, total;
};

ContentRange parse_content_range(std::string_view text) {
  ContentRange range;
  if (lower(text.substr(0, 6)) != "bytes ") {
    return range;
  }
  text = trimmed(text.substr(6));
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    range.total = whole_number(trimmed(text.substr(slash + 1)));
    if (dash < slash) {
      range.first = whole_number(trimmed(text.substr(0, dash)));
    }
  }
  return range;
}

const char* name_of_status(long status) {
  switch (status) {
    case 401:
      return " (a password is wanted)";
    case 403:
      return " (forbidden)";
    case 404:
      return " (not found)";
    case 410:
      return " (gone)";
    case 429:
      return " (too many requests)";
    case 500:
      return " (the server's own failure)";
    case 503:
      return " (the server is busy)";
    default:
      return "";
  }
}

bool worth_another_try(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return false;
    default:
      return true;
  }
}

class Transfer {
 public:
  Transfer(const DownloadRequest& request, DownloadSink& sink) : request_(request), sink_(sink) {
    require(started_ && easy_ != nullptr && multi_ != nullptr, "cannot download: libcurl does not start");
    configure();
  }
  ~Transfer() { curl_multi_remove_handle(multi_.get(), easy_.get()); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  DownloadOutcome run() {
    const HoldBackSigpipe held;
    require(curl_multi_add_handle(multi_.get(), easy_.get()) == CURLM_OK, "cannot download: libcurl does not start");
    int running = 1;
    while (true) {
      const CURLMcode code = curl_multi_perform(multi_.get(), &running);
      if (error_) {
        std::rethrow_exception(error_);
      }
      if (code != CURLM_OK) {
        return {Kind::kTemporary, status(), curl_multi_strerror(code)};
      }
      if (running == 0) {
        break;
      }
      if (!sink_.go_on()) {
        return {Kind::kStopped, status(), "stopped"};
      }
      if (stalled()) {
        return {Kind::kTemporary, status(),
                concat("stalled: less than ", kSlowestBytesPerSecond, " bytes a second for ", request_.stall_seconds,
                       " s")};
      }
      curl_multi_poll(multi_.get(), nullptr, 0, kPollMilliseconds, nullptr);
    }
    return conclude();
  }

 private:
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  static bool start_libcurl() {
    static const bool kStarted = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return kStarted;
  }

  void configure() {
    CURL* easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_URL, request_.url.c_str());
    const bool secure = lower(request_.url.substr(0, 8)) == "https://";
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS,
                     static_cast<long>(secure ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, kMostRedirects);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "factorgcn/" FACTORGCN_VERSION);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(std::ceil(std::min(request_.connect_seconds, 86400.0) * 1000)));
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, message_.data());
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::take_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
    if (request_.offset > 0) {
      const std::string& validator = request_.etag.empty() ? request_.last_modified : request_.etag;
      require(!validator.empty(), "cannot go on with ", request_.url, ": nothing tells which file the first bytes are");
      range_ = concat(request_.offset, "-");
      curl_easy_setopt(easy, CURLOPT_RANGE, range_.c_str());
      headers_.reset(curl_slist_append(nullptr, ("If-Range: " + validator).c_str()));
      curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    }
  }

  static std::size_t take_header(const char* data, std::size_t size, std::size_t count, void* self) {
    static_cast<Transfer*>(self)->note_header({data, size * count});
    return size * count;
  }

  static std::size_t take_bytes(const char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    try {
      return transfer.note_bytes({data, size * count}) ? size * count : 0;
    } catch (...) {
      transfer.error_ = std::current_exception();  // must not pass through libcurl's frames
      return 0;
    }
  }

  void note_header(std::string_view line) {
    if (line.substr(0, 5) == "HTTP/") {  // another answer begins: after a redirect, say
      reply_ = {};
      content_range_ = {};
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return;
    }
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "etag") {
      reply_.etag = value;
    } else if (name == "last-modified") {
      reply_.last_modified = value;
    } else if (name == "content-type") {
      reply_.content_type = value;
    } else if (name == "content-range") {
      content_range_ = parse_content_range(value);
    }
  }

  bool note_bytes(std::string_view bytes) {
    if (!begin()) {
      return false;
    }
    received_ += bytes.size();
    if ((reply_.resumed ? request_.offset : 0) + received_ > request_.max_bytes) {
      refuse(Kind::kPermanent, concat("the file is larger than the ", request_.max_bytes, " bytes allowed"));
      return false;
    }
    sink_.append(bytes);
    return true;
  }

  /// Judges the answer's head, once; false where the body is not wanted.
  bool begin() {
    if (begun_) {
      return true;
    }
    const int code = status();
    curl_off_t length = -1;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (code == 206 && request_.offset > 0) {
      const bool same_etag = request_.etag.empty() || reply_.etag.empty() || reply_.etag == request_.etag;
      const bool same_time = request_.last_modified.empty() || reply_.last_modified.empty() ||
                             reply_.last_modified == request_.last_modified;
      if (content_range_.first != request_.offset || !same_etag || !same_time) {
        refuse(Kind::kRestart, "the file on the server has changed");
        return false;
      }
      reply_.resumed = true;
      reply_.total = content_range_.total;
      if (!reply_.total && length >= 0) {
        reply_.total = request_.offset + static_cast<std::uint64_t>(length);
      }
    } else if (code == 200) {
      if (length >= 0) {
        reply_.total = static_cast<std::uint64_t>(length);
      }
    } else {
      refuse(Kind::kPermanent, concat("the server answered with HTTP ", code, ", which is not a file"));
      return false;
    }
    if (reply_.total && *reply_.total > request_.max_bytes) {
      refuse(Kind::kPermanent,
             concat("the file has ", *reply_.total, " bytes, more than the ", request_.max_bytes, " allowed"));
      return false;
    }
    begun_ = true;
    sink_.begin(reply_);
    return true;
  }

  void refuse(Kind kind, std::string reason) { refusal_ = DownloadOutcome{kind, status(), std::move(reason)}; }

  DownloadOutcome conclude() {
    CURLcode code = CURLE_OK;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg == CURLMSG_DONE) {
        code = message->data.result;
      }
    }
    if (refusal_) {
      return *refusal_;
    }
    if (code == CURLE_OK) {
      if (!begin()) {  // an empty body
        return *refusal_;
      }
      return {Kind::kDone, status(), ""};
    }
    const int answer = status();
    if (code == CURLE_HTTP_RETURNED_ERROR) {
      if (answer == 416 && request_.offset > 0) {
        return {Kind::kRestart, answer, "the server has no more bytes of it"};
      }
      const bool temporary = answer >= 500 || answer == 408 || answer == 425 || answer == 429;
      return {temporary ? Kind::kTemporary : Kind::kPermanent, answer, concat("HTTP ", answer, name_of_status(answer))};
    }
    std::string reason = message_[0] != '\0' ? message_.data() : curl_easy_strerror(code);
    if (code == CURLE_TOO_MANY_REDIRECTS) {
      reason = concat("more than ", kMostRedirects, " redirects");
    } else if (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR) {
      reason = concat("the connection was cut (", reason, ")");
    }
    return {worth_another_try(code) ? Kind::kTemporary : Kind::kPermanent, answer, reason};
  }

  int status() const {
    long code = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
  }

  /// Counts from the moment the connection stands: until then the connection's own time-out rules.
  bool stalled() {
    const auto now = std::chrono::steady_clock::now();
    curl_off_t connected = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONNECT_TIME_T, &connected);
    const double waited = std::chrono::duration<double>(now - window_start_).count();
    if (connected == 0 || received_ - window_received_ >= kSlowestBytesPerSecond * request_.stall_seconds) {
      window_start_ = now;
      window_received_ = received_;
      return false;
    }
    return waited >= request_.stall_seconds;
  }

  const DownloadRequest& request_;
  DownloadSink& sink_;
  const bool started_ = start_libcurl();  // before the handles below
  std::array<char, CURL_ERROR_SIZE> message_{};
  std::string range_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi_{curl_multi_init(), curl_multi_cleanup};
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy_{curl_easy_init(), curl_easy_cleanup};

  DownloadReply reply_;
  ContentRange content_range_;
  bool begun_ = false;
  std::uint64_t received_ = 0;
  std::optional<DownloadOutcome> refusal_;
  std::exception_ptr error_;
  std::chrono::steady_clock::time_point window_start_ = std::chrono::steady_clock::now();
  std::uint64_t window_received_ = 0;
};

}  // namespace

bool can_download() { return true; }

DownloadOutcome download(const DownloadRequest& request, DownloadSink& sink) { return Transfer(request, sink).run(); }

}  // namespace factorgcn
