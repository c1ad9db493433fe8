// gzip by zlib, in pieces, so that the limits hold before the memory is taken.
#include "factorgcn/io/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::size_t kGzipPiece = std::size_t{1} << 18;  // fits a core's own cache
constexpr int kGzipAlone = 15 + 16;                       // zlib's word for: the largest window, a gzip header

/// zlib's state, given back however reading ends.
class GzipInflater {
 public:
  explicit GzipInflater(const std::string& origin) {
    require(inflateInit2(&stream_, kGzipAlone) == Z_OK, origin, ": out of memory");
  }
  ~GzipInflater() { inflateEnd(&stream_); }
  GzipInflater(const GzipInflater&) = delete;
  GzipInflater& operator=(const GzipInflater&) = delete;

  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

void check_gzip_limits(std::uint64_t unpacked, std::uint64_t packed, const std::string& origin,
                       const GzipLimits& limits) {
  require(unpacked <= limits.bytes, origin, ": it unpacks to more than the ", limits.bytes,
          " bytes that are allowed; unpack it yourself (gunzip) and give the text file");
  require(unpacked <= limits.free_bytes || unpacked / limits.ratio <= packed, origin, ": it unpacks to more than ",
          limits.ratio, " times its ", packed,
          " bytes, as no honest graph file does; if it is one, unpack it yourself (gunzip) and give the text file");
}

}  // namespace

bool can_read_gzip() { return true; }

std::string unpack_gzip(std::string_view packed, const std::string& origin, const GzipLimits& limits) {
  require(is_gzip(packed), origin, ": it is no gzip file");
  GzipInflater inflater(origin);
  z_stream& stream = inflater.stream();
  const auto buffer = std::make_unique<char[]>(kGzipPiece);
  std::string text;
  std::string_view rest = packed;
  while (true) {
    const auto given = static_cast<uInt>(std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max()));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));  // zlib reads it only
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(buffer.get());
    stream.avail_out = static_cast<uInt>(kGzipPiece);
    const int status = inflate(&stream, Z_NO_FLUSH);
    rest.remove_prefix(given - stream.avail_in);
    text.append(buffer.get(), kGzipPiece - stream.avail_out);
    check_gzip_limits(text.size(), packed.size(), origin, limits);
    if (status == Z_STREAM_END) {
      rest.remove_prefix(std::min(rest.find_first_not_of('\0'), rest.size()));  // some programs fill up with zeros
      if (rest.empty()) {
        return text;
      }
      require(is_gzip(rest), origin, ": behind its gzip data come ", rest.size(),
              " bytes of something else; the file is damaged: fetch or write it again");
      require(inflateReset(&stream) == Z_OK, origin, ": out of memory");
      continue;
    }
    require(status != Z_MEM_ERROR, origin, ": out of memory");
    const bool starved = status == Z_BUF_ERROR || (status == Z_OK && rest.empty() && stream.avail_out > 0);
    require(!starved, origin, ": the gzip data end too early; the file is cut short: fetch or write it again");
    require(status == Z_OK, origin, ": the gzip data are damaged",
            stream.msg == nullptr ? "" : concat(" (", stream.msg, ")"), "; fetch or write the file again");
  }
}

}  // namespace factorgcn
