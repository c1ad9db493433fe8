// For builds without libcurl: says so. Mirrors that are folders work all the same.
#include "shelf/download.h"

#include "factorgcn/shelf/fetch.h"

namespace factorgcn {

bool can_download() { return false; }

DownloadOutcome download(const DownloadRequest&, DownloadSink&) {
  return {DownloadOutcome::Kind::kPermanent, 0,
          "this build cannot download: build with libcurl (-DFACTORGCN_WITH_HTTP=ON), or get the file another way and "
          "name its folder with --mirror"};
}

}  // namespace factorgcn
