// Stands in for io/zip in builds without libzip: says what is missing.
#include "factorgcn/io/zip_source.h"

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

[[noreturn]] void refuse(const std::string& archive) {
  fail(archive,
       ": this build cannot read zip archives: build with libzip (-DFACTORGCN_WITH_ZIP=ON) or unpack the "
       "archive into a folder");
}

}  // namespace

struct ZipSource::Archive {};

bool can_read_zip() { return false; }

ZipSource::ZipSource(const std::filesystem::path& archive, const ZipLimits&) { refuse(archive.string()); }

ZipSource::ZipSource(std::unique_ptr<Archive> archive) : archive_(std::move(archive)) {}

// The twin that reads takes its arguments; this one must look the same.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
ZipSource ZipSource::from_bytes(std::string, std::string origin, const ZipLimits&) { refuse(origin); }

ZipSource::~ZipSource() = default;
ZipSource::ZipSource(ZipSource&& other) noexcept = default;
ZipSource& ZipSource::operator=(ZipSource&& other) noexcept = default;

std::string ZipSource::origin() const { return {}; }

std::vector<std::string> ZipSource::names() const { return {}; }

void ZipSource::read(const std::string& name, const Consume&) const { refuse(name); }

}  // namespace factorgcn
