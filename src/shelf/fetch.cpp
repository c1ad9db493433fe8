// The order of things: lock, receive (or copy), check, publish. Whatever is wrong with a mirror or with what it sent is
// a MirrorFailure, after which the next mirror has its turn; what is wrong with this machine is an Error and ends it.
// Cost: one pass to receive, one for the checksum, one for the validation.
#include "factorgcn/shelf/fetch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/retried.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/shelf/data_root.h"
#include "factorgcn/shelf/sha256.h"
#include "shelf/download.h"
#include "shelf/fetch_lock.h"
#include "shelf/mirror.h"
#include "shelf/part_file.h"

namespace factorgcn {
namespace {

/// Not open where that failed; errno says why.
std::ifstream open_to_read(const std::filesystem::path& file) {
  std::ifstream stream;
  retried([&] {
    stream.clear();
    stream.open(file, std::ios::binary);
    return stream.is_open() ? 0 : -1;
  });
  return stream;
}

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kHeadBytes = 4;

/// This mirror cannot give the archive: the reason, with the URL or file.
class MirrorFailure : public Error {
 public:
  using Error::Error;
};

/// What came is not the archive; never worth another try with the same bytes.
class BadContent : public Error {
 public:
  using Error::Error;
};

/// Ctrl-C.
struct Interrupted {};

void check_interrupt() {
  if (interrupt_signal() != 0) {
    throw Interrupted{};
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool looks_like_zip(std::string_view head) {
  using std::string_view_literals::operator""sv;
  return head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv);
}

/// Throws BadContent unless a file that begins so may be an archive.
void check_head(std::string_view head, const std::string& content_type) {
  if (looks_like_zip(head)) {
    return;
  }
  if (head.empty()) {
    throw BadContent("an empty file came instead of a zip archive");
  }
  if (head.front() == '<' || content_type.find("html") != std::string::npos) {
    throw BadContent("a web page came instead of a zip archive: is the address right, is a login wanted?");
  }
  std::string shown;
  for (const char c : head.substr(0, kHeadBytes)) {
    shown += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  }
  throw BadContent(concat("what came is not a zip archive: it begins with '", shown, "'"));
}

/// Takes the archive's bytes as they come.
class ArchiveSink : public DownloadSink {
 public:
  ArchiveSink(std::string url, std::uint64_t offset, PartFile& part, FetchObserver& observer)
      : url_(std::move(url)), offset_(offset), part_(part), observer_(observer) {}

  void begin(const DownloadReply& reply) override {
    reply_ = reply;
    if (reply.resumed) {
      part_.resume();
      bytes_ = offset_;
    } else {
      // A weak mark stands for files that are alike, which is not enough to join their bytes.
      const std::string etag = reply.etag.starts_with("W/") ? "" : reply.etag;
      part_.start(PartMemo{url_, etag, reply.last_modified, reply.total});
    }
    show();
  }

  void append(std::string_view bytes) override {
    if (!resumed() && head_.size() < kHeadBytes) {
      head_ += bytes.substr(0, kHeadBytes - head_.size());
      if (head_.size() >= kHeadBytes) {
        check_head(head_, content_type());
      }
    }
    part_.append(bytes);
    bytes_ += bytes.size();
    show();
  }

  bool go_on() override {
    if (began()) {
      show();  // so that the speed falls while nothing comes
    }
    return interrupt_signal() == 0;
  }

  bool began() const { return reply_.has_value(); }
  bool resumed() const { return reply_ && reply_->resumed; }
  std::string content_type() const { return reply_ ? reply_->content_type : ""; }
  std::optional<std::uint64_t> total() const { return reply_ ? reply_->total : std::nullopt; }

 private:
  // NOLINTNEXTLINE(readability-make-member-function-const): it tells others
  void show() { observer_.progress(bytes_, total().value_or(0)); }

  std::string url_;
  std::uint64_t offset_;
  PartFile& part_;
  FetchObserver& observer_;
  std::optional<DownloadReply> reply_;
  std::uint64_t bytes_ = 0;
  std::string head_;
};

/// Keeps a small file in memory.
class TextSink : public DownloadSink {
 public:
  void begin(const DownloadReply&) override {}
  void append(std::string_view bytes) override { text_ += bytes; }
  bool go_on() override { return interrupt_signal() == 0; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A checksum and who says so.
struct ExpectedSha256 {
  std::string value, origin;
};

class Fetch {
 public:
  Fetch(const DatasetEntry& entry, const FetchOptions& options, FetchObserver& observer, std::filesystem::path archive)
      : entry_(entry), options_(options), observer_(observer), archive_(std::move(archive)), part_(archive_) {}

  FetchResult from(const Mirror& mirror) {
    observer_.message(concat("fetching ", entry_.file_stem, " from ", mirror.shown));
    if (mirror.url.empty()) {
      copy(mirror.file);
      try {
        return accept(mirror, "");
      } catch (const BadContent& bad) {
        part_.discard();
        throw MirrorFailure(concat(mirror.shown, ": ", bad.what()));
      } catch (const Interrupted&) {
        part_.discard();
        throw;
      }
    }
    for (bool again = false;; again = true) {
      bool joined = false;
      try {
        const std::string content_type = receive(mirror, joined);
        return accept(mirror, content_type);
      } catch (const BadContent& bad) {
        part_.discard();
        if (!joined || again) {
          throw MirrorFailure(concat(mirror.shown, ": ", bad.what()));
        }
        // Bytes from an earlier time may be the ones that are wrong.
        observer_.message(concat(mirror.shown, ": ", bad.what(), "; beginning again"));
      }
    }
  }

  std::uint64_t kept_bytes() const { return part_.size(); }

 private:
  DownloadRequest request(const std::string& url) const {
    DownloadRequest request;
    request.url = url;
    request.connect_seconds = options_.connect_seconds;
    request.stall_seconds = options_.stall_seconds;
    request.max_bytes = options_.max_bytes;
    return request;
  }

  /// Asks until the whole file is here; returns its content type. `joined` becomes true as soon as bytes of more than
  /// one answer stand together.
  std::string receive(const Mirror& mirror, bool& joined) {
    for (int attempt = 1;; ++attempt) {
      check_interrupt();
      DownloadRequest request = this->request(mirror.url);
      const auto memo = part_.memo();
      const std::uint64_t here = part_.size();
      if (memo && memo->url == mirror.shown && (!memo->etag.empty() || !memo->last_modified.empty()) && here > 0) {
        if (memo->total == here) {
          joined = true;
          return "";  // all came last time, but was not looked at any more
        }
        request.offset = memo->total && here > *memo->total ? 0 : here;
        request.etag = memo->etag;
        request.last_modified = memo->last_modified;
      }
      ArchiveSink sink(mirror.shown, request.offset, part_, observer_);
      const DownloadOutcome outcome = download(request, sink);
      part_.close();
      joined = sink.began() ? sink.resumed() : joined;
      switch (outcome.kind) {
        case DownloadOutcome::Kind::kDone:
          if (sink.total() && part_.size() != *sink.total()) {
            throw BadContent(concat(part_.size(), " bytes came, but the server announced ", *sink.total()));
          }
          return sink.content_type();
        case DownloadOutcome::Kind::kStopped:
          throw Interrupted{};
        case DownloadOutcome::Kind::kRestart:
          observer_.message(concat(mirror.shown, ": ", outcome.reason, "; beginning again"));
          part_.discard();
          --attempt;  // happens once: without a part nothing is asked to go on
          continue;
        case DownloadOutcome::Kind::kPermanent:
          throw MirrorFailure(concat(mirror.shown, ": ", outcome.reason));
        case DownloadOutcome::Kind::kTemporary:
          break;
      }
      if (attempt >= options_.tries) {
        throw MirrorFailure(
            concat(mirror.shown, ": ", outcome.reason, attempt > 1 ? concat(" (", attempt, " tries)") : ""));
      }
      pause(mirror, attempt, outcome.reason);
    }
  }

  void pause(const Mirror& mirror, int attempt, const std::string& why) {
    double seconds = options_.first_pause_seconds;
    for (int i = 1; i < attempt; ++i) {
      seconds *= 3;
    }
    observer_.message(
        concat(mirror.shown, ": ", why, "; try ", attempt + 1, " of ", options_.tries, " in ", seconds, " s"));
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
      check_interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    check_interrupt();
  }

  void copy(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    if (!std::filesystem::is_regular_file(file, error)) {
      const bool has_folder = std::filesystem::is_directory(folder, error);
      throw MirrorFailure(has_folder
                              ? concat("there is no ", file.filename().string(), " in the folder ", folder.string())
                              : concat("there is no folder ", folder.string()));
    }
    const std::uint64_t total = std::filesystem::file_size(file, error);
    if (total > options_.max_bytes) {
      throw MirrorFailure(
          concat(file.string(), " has ", total, " bytes, more than the ", options_.max_bytes, " allowed"));
    }
    std::ifstream input = open_to_read(file);
    if (!input) {
      throw MirrorFailure(concat("cannot read ", file.string(), ": ", std::generic_category().message(errno)));
    }
    try {
      part_.start(std::nullopt);
      std::vector<char> piece(kPieceBytes);
      std::uint64_t bytes = 0;
      while (input) {
        check_interrupt();
        input.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        part_.append({piece.data(), static_cast<std::size_t>(input.gcount())});
        bytes += static_cast<std::uint64_t>(input.gcount());
        observer_.progress(bytes, total);
      }
      part_.close();
      if (input.bad() || bytes != total) {
        throw MirrorFailure(concat("cannot read ", file.string(), ": ", bytes, " of ", total, " bytes came"));
      }
    } catch (...) {
      part_.discard();  // copying again costs little
      throw;
    }
  }

  std::optional<ExpectedSha256> expected_sha256(const Mirror& mirror) {
    if (!options_.sha256.empty()) {
      return ExpectedSha256{*parse_sha256(options_.sha256), "the one given"};
    }
    const std::string name = entry_.file_stem + ".zip";
    const std::string shown = mirror.shown + ".sha256";
    std::string text;
    if (mirror.url.empty()) {
      std::filesystem::path file = mirror.file;
      file += ".sha256";
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(file, ignored)) {
        return std::nullopt;
      }
      try {
        text = read_file(file, kLargestChecksumFile);
      } catch (const Error& error) {
        observer_.message(concat("no checksum from ", shown, ": ", error.what()));
      }
    } else {
      DownloadRequest request = this->request(mirror.url + ".sha256");
      request.max_bytes = kLargestChecksumFile;
      TextSink sink;
      const DownloadOutcome outcome = download(request, sink);
      if (outcome.kind == DownloadOutcome::Kind::kStopped) {
        throw Interrupted{};
      }
      if (outcome.kind != DownloadOutcome::Kind::kDone) {
        if (outcome.http_status < 400 || outcome.http_status >= 500) {
          observer_.message(concat("no checksum from ", shown, ": ", outcome.reason));
        }
        return std::nullopt;
      }
      text = sink.text();
    }
    const auto found = find_sha256(text, name);
    return found ? std::optional(ExpectedSha256{*found, shown}) : std::nullopt;
  }

  /// Checks the whole file under its temporary name, then gives it its own.
  FetchResult accept(const Mirror& mirror, const std::string& content_type) {
    check_interrupt();
    FetchResult result;
    result.path = archive_;
    result.source = mirror.shown;
    result.bytes = part_.size();
    {
      std::ifstream file = open_to_read(part_.path());
      std::string head(kHeadBytes, '\0');
      file.read(head.data(), static_cast<std::streamsize>(head.size()));
      head.resize(static_cast<std::size_t>(file.gcount()));
      check_head(head, content_type);
    }
    if (can_compute_sha256() || !options_.sha256.empty()) {
      const auto expected = expected_sha256(mirror);
      result.sha256 = sha256_of_file(part_.path());
      if (expected && expected->value != result.sha256) {
        throw BadContent(concat("its SHA-256 is ", result.sha256, ", but ", expected->value, " was expected (",
                                expected->origin, ")"));
      }
    }
    check_interrupt();
    if (options_.validate) {
      validate();
    }
    const std::filesystem::path checksum = archive_.string() + ".sha256";
    ::unlink(checksum.c_str());  // a former archive's must not stand beside the new one, not even after a crash
    part_.publish();
    if (!result.sha256.empty()) {
      write_file_atomically(checksum, sha256_line(result.sha256, archive_.filename().string()));
    }
    return result;
  }

  void validate() {
    try {
      options_.validate(part_.path());
    } catch (const std::bad_alloc&) {
      throw;  // says nothing about the archive
    } catch (const std::exception& error) {
      throw BadContent(concat("the archive is not as it must be: ", first_line(error.what())));
    }
  }

  const DatasetEntry& entry_;
  const FetchOptions& options_;
  FetchObserver& observer_;
  std::filesystem::path archive_;
  PartFile part_;
};

void check_options(const DatasetEntry& entry, const FetchOptions& options) {
  require_usage(!entry.file_stem.empty(), "data set ", entry.name, " is generated: there is nothing to fetch");
  require_usage(options.sha256.empty() || parse_sha256(options.sha256), "'", options.sha256,
                "' is not a SHA-256: 64 hexadecimal digits are");
  require_usage(options.connect_seconds > 0 && options.stall_seconds > 0, "time-outs must be above 0 seconds");
  require_usage(options.tries >= 1, options.tries, " tries: at least 1 is needed");
}

std::optional<FetchResult> here_already(const DatasetEntry& entry, const FetchOptions& options) {
  const auto files = find_dataset_files(entry.file_stem);
  if (!files || options.force) {
    return std::nullopt;
  }
  FetchResult result;
  result.status = FetchStatus::kHereAlready;
  result.path = files->path;
  std::error_code ignored;
  result.bytes = files->is_zip ? std::filesystem::file_size(files->path, ignored) : 0;
  return result;
}

std::filesystem::path make_data_root() {
  std::filesystem::path root = data_root();
  std::error_code error;
  std::filesystem::create_directories(root, error);
  require(!error, "cannot make the data root ", root, ": ", error.message(),
          "; set FACTORGCN_DATA to a folder that you may write to");
  return root;
}

}  // namespace

void FetchObserver::message(std::string_view) {}
void FetchObserver::progress(std::uint64_t, std::uint64_t) {}

FetchResult fetch_dataset(const DatasetEntry& entry, const FetchOptions& options, FetchObserver& observer) {
  check_options(entry, options);
  const std::string archive = entry.file_stem + ".zip";
  const std::vector<Mirror> mirrors = list_mirrors(entry, options);
  if (const auto result = here_already(entry, options)) {
    return *result;
  }
  require(!mirrors.empty(), entry.name,
          " is on no public host that is known here: give a mirror (--mirror), a URL or a ", "folder that holds ",
          archive, ", or put ", archive, " into ", data_root());
  const std::filesystem::path root = make_data_root();
  const FetchLock lock(root / (archive + ".lock"), entry.file_stem);
  // Another process may have ended its fetch a moment ago.
  if (const auto result = here_already(entry, options)) {
    return *result;
  }

  Fetch fetch(entry, options, observer, root / archive);
  std::string reasons;
  for (const Mirror& mirror : mirrors) {
    try {
      return fetch.from(mirror);
    } catch (const MirrorFailure& failure) {
      if (mirrors.size() > 1) {
        observer.message(failure.what());
      }
      reasons += concat(reasons.empty() ? "" : "; ", failure.what());
    } catch (const Interrupted&) {
      FetchResult result;
      result.status = FetchStatus::kInterrupted;
      result.signal = interrupt_signal();
      result.path = root / archive;
      result.bytes = fetch.kept_bytes();
      return result;
    }
  }
  fail("cannot fetch ", entry.name, ": ", reasons);
}

}  // namespace factorgcn
