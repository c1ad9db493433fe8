// Reads zip archives with libzip. The directory is checked when the archive is opened; members are unpacked in pieces,
// so memory stays small whatever their size. Cost: one pass over what is read.
#include "factorgcn/io/zip_source.h"

#include <sys/stat.h>
#include <zip.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "factorgcn/base/error.h"
#include "io/quoted_text.h"

namespace factorgcn {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;     // fits a core's own cache
constexpr std::uint64_t kRatioFrom = std::uint64_t{1} << 20;  // small files cannot do harm, whatever their ratio
constexpr std::string_view kForkFolder = "__MACOSX";          // macOS puts its own notes there

struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using MemberHandle = std::unique_ptr<zip_file_t, CloseMember>;

std::string code_text(int code) {
  switch (code) {
    case ZIP_ER_CRC:
      return "its checksum is wrong (CRC error)";
    case ZIP_ER_COMPNOTSUPP:
      return "it is packed by a method that this build of libzip does not know";
    case ZIP_ER_ENCRNOTSUPP:
    case ZIP_ER_NOPASSWD:
      return "it is encrypted";
    default: {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      std::string text = zip_error_strerror(&error);
      zip_error_fini(&error);
      for (char& byte : text) {
        byte = static_cast<unsigned char>(byte) < 0x20 ? ' ' : byte;
      }
      return text;
    }
  }
}

/// Why libzip refused to open it. An archive's directory lies at its end, so a cut archive looks like no archive at
/// all: its first bytes tell.
[[noreturn]] void fail_open(const std::string& origin, int code, std::string_view first_bytes) {
  if (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS || code == ZIP_ER_EOF) {
    if (first_bytes.starts_with("PK")) {
      fail(origin, ": the zip archive is cut short or damaged: it begins like one, but its directory at the end is ",
           code == ZIP_ER_NOZIP ? "missing" : "broken", "; fetch it again");
    }
    fail(origin, ": it is no zip archive");
  }
  fail(origin, ": the zip archive cannot be opened: ", code_text(code));
}

/// Folders and file name of a member's path; refuses what would lead out of the archive.
std::vector<std::string> path_parts(const std::string& origin, std::string_view path) {
  const auto refuse = [&](const char* why) {
    fail(origin, ": the member ", quoted_text(path), " ", why, "; an archive with such a path is refused");
  };
  if (path.empty()) {
    refuse("has no name");
  }
  if (path.front() == '/') {
    refuse("has an absolute path");
  }
  if (path.find('\\') != std::string_view::npos) {
    refuse("has a backslash in its path");
  }
  if (path.size() >= 2 && path[1] == ':') {
    refuse("has a drive in its path");
  }
  std::vector<std::string> parts;
  std::string_view rest = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  while (true) {
    const std::size_t end = rest.find('/');
    const std::string_view part = rest.substr(0, end);
    if (part == "..") {
      refuse("climbs out of the archive");
    }
    if (part.empty()) {
      refuse("has an empty folder name in its path");
    }
    for (const char byte : part) {
      if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) {
        refuse("has a control character in its path");
      }
    }
    if (part != ".") {
      parts.emplace_back(part);
    }
    if (end == std::string_view::npos) {
      return parts;
    }
    rest.remove_prefix(end + 1);
  }
}

bool is_link(zip_t* archive, zip_uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  return zip_file_get_external_attributes(archive, index, 0, &system, &attributes) == 0 && system == ZIP_OPSYS_UNIX &&
         S_ISLNK(attributes >> 16);
}

}  // namespace

struct ZipSource::Archive {
  struct Close {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  /// One offered file.
  struct Member {
    zip_uint64_t index;
    std::uint64_t bytes;
  };

  std::string origin;
  std::string bytes;  ///< where it lies in memory; must outlive the handle
  std::unique_ptr<zip_t, Close> handle;
  std::map<std::string, Member> members;

  void open_file(const std::filesystem::path& path);
  void open_bytes();
  void list(const ZipLimits& limits);

 private:
  void check_sizes(const zip_stat_t& entry, const std::string& shown, const ZipLimits& limits) const;
};

void ZipSource::Archive::open_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int reason = errno;
    fail(origin, ": the zip archive cannot be opened: ", std::generic_category().message(reason));
  }
  // A pipe would make libzip wait for ever.
  require(S_ISREG(status.st_mode), origin, ": it is no zip archive: it is no regular file");
  require(status.st_size > 0, origin, ": it is no zip archive: it is empty");
  int code = 0;
  do {
    errno = 0;
    handle.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  } while (!handle && code == ZIP_ER_OPEN && errno == EINTR);
  if (!handle) {
    std::array<char, 4> first{};
    std::ifstream(path, std::ios::binary).read(first.data(), first.size());
    fail_open(origin, code, {first.data(), first.size()});
  }
}

void ZipSource::Archive::open_bytes() {
  require(!bytes.empty(), origin, ": it is no zip archive: it is empty");  // to libzip: an archive to be written
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source != nullptr) {
    handle.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    if (!handle) {
      zip_source_free(source);
    }
  }
  const int code = zip_error_code_zip(&error);
  zip_error_fini(&error);
  if (!handle) {
    fail_open(origin, code, std::string_view(bytes).substr(0, 4));
  }
}

void ZipSource::Archive::check_sizes(const zip_stat_t& entry, const std::string& shown, const ZipLimits& limits) const {
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_ENCRYPTION_METHOD;
  require((entry.valid & kNeeded) == kNeeded, origin, ": the member ", shown, " does not say how large it is");
  require(entry.encryption_method == ZIP_EM_NONE, origin, ": the member ", shown,
          " is encrypted; expected an archive without a password");
  require(entry.size <= limits.member_bytes, origin, ": the member ", shown, " would unpack to ", entry.size,
          " bytes, more than the ", limits.member_bytes, " that are allowed");
  require(entry.size <= kRatioFrom || entry.size / limits.ratio <= entry.comp_size, origin, ": the member ", shown,
          " would unpack from ", entry.comp_size, " to ", entry.size, " bytes, more than ", limits.ratio,
          "-fold; no honest text packs that well");
}

void ZipSource::Archive::list(const ZipLimits& limits) {
  const zip_int64_t count = zip_get_num_entries(handle.get(), 0);
  require(count >= 0 && static_cast<std::uint64_t>(count) <= limits.members, origin, ": the archive has ", count,
          " members, more than the ", limits.members, " that are allowed");
  std::uint64_t total = 0, packed = 0;
  std::string top_folder;
  for (zip_uint64_t index = 0; index < static_cast<zip_uint64_t>(count); ++index) {
    zip_stat_t entry;
    zip_stat_init(&entry);
    if (zip_stat_index(handle.get(), index, 0, &entry) != 0 || (entry.valid & ZIP_STAT_NAME) == 0) {
      fail(origin, ": member ", index + 1,
           " of the archive cannot be looked up: ", code_text(zip_error_code_zip(zip_get_error(handle.get()))));
    }
    const std::string_view path = entry.name;
    const std::string shown = quoted_text(path);
    const std::vector<std::string> parts = path_parts(origin, path);
    if (path.ends_with('/') || parts.empty()) {
      continue;
    }
    require(!is_link(handle.get(), index), origin, ": the member ", shown,
            " is a symbolic link; expected plain files only");
    check_sizes(entry, shown, limits);
    total += entry.size;
    packed += entry.comp_size;
    require(total <= limits.total_bytes, origin, ": the archive's members would unpack to more than the ",
            limits.total_bytes, " bytes that are allowed in all");
    if (parts.size() > 2 || parts.front() == kForkFolder) {
      continue;
    }
    if (parts.size() == 2) {
      require(top_folder.empty() || top_folder == parts[0], origin, ": it has files in the folders ",
              quoted_text(top_folder), " and ", quoted_text(parts[0]), "; expected one top folder");
      top_folder = parts[0];
    }
    const auto [place, is_new] = members.emplace(parts.back(), Member{index, entry.size});
    require(is_new, origin, ": two members are named ", quoted_text(place->first), "; expected one");
  }
  require(total <= limits.total_free_bytes || total / limits.total_ratio <= packed, origin,
          ": the archive's members would unpack from ", packed, " to ", total, " bytes, more than ", limits.total_ratio,
          "-fold, as no honest data set does; if it is one, unpack it yourself and give the folder");
}

bool can_read_zip() { return true; }

ZipSource::ZipSource(std::unique_ptr<Archive> archive) : archive_(std::move(archive)) {}

ZipSource::ZipSource(const std::filesystem::path& archive, const ZipLimits& limits)
    : archive_(std::make_unique<Archive>()) {
  archive_->origin = archive.string();
  archive_->open_file(archive);
  archive_->list(limits);
}

ZipSource ZipSource::from_bytes(std::string bytes, std::string origin, const ZipLimits& limits) {
  auto archive = std::make_unique<Archive>();
  archive->origin = std::move(origin);
  archive->bytes = std::move(bytes);
  archive->open_bytes();
  archive->list(limits);
  return ZipSource(std::move(archive));
}

ZipSource::~ZipSource() = default;
ZipSource::ZipSource(ZipSource&& other) noexcept = default;
ZipSource& ZipSource::operator=(ZipSource&& other) noexcept = default;

std::string ZipSource::origin() const { return archive_->origin; }

std::vector<std::string> ZipSource::names() const {
  std::vector<std::string> found;
  for (const auto& [name, member] : archive_->members) {
    found.push_back(name);
  }
  return found;
}

void ZipSource::read(const std::string& name, const Consume& consume) const {
  const std::string& origin = archive_->origin;
  const auto found = archive_->members.find(name);
  require(found != archive_->members.end(), origin, ": the file ", name, " is missing");
  const Archive::Member& member = found->second;
  const MemberHandle file(zip_fopen_index(archive_->handle.get(), member.index, 0));
  if (!file) {
    const int code = zip_error_code_zip(zip_get_error(archive_->handle.get()));
    fail(origin, ": ", name, " cannot be unpacked: ", code_text(code));
  }
  const auto buffer = std::make_unique<char[]>(kPieceBytes);
  std::uint64_t produced = 0;
  std::exception_ptr refused;  // by the consumer
  while (true) {
    const zip_int64_t count = zip_fread(file.get(), buffer.get(), kPieceBytes);
    if (count < 0) {
      const int code = zip_error_code_zip(zip_file_get_error(file.get()));
      fail(origin, ": ", name, " cannot be unpacked: ", code_text(code), "; the archive is damaged: fetch it again");
    }
    if (count == 0) {
      break;
    }
    produced += static_cast<std::uint64_t>(count);
    require(produced <= member.bytes, origin, ": ", name, " unpacks to more than the ", member.bytes,
            " bytes that the archive declares; the archive is damaged or a trap");
    if (!refused) {
      try {
        consume({buffer.get(), static_cast<std::size_t>(count)});
      } catch (...) {
        refused = std::current_exception();
      }
    }
  }
  require(produced == member.bytes, origin, ": ", name, " unpacks to ", produced, " bytes, but the archive declares ",
          member.bytes, "; the archive is damaged: fetch it again");
  if (refused) {
    std::rethrow_exception(refused);
  }
}

}  // namespace factorgcn
