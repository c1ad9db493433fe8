// SHA-256 of files, and the text files in which such checksums travel.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// False in a build without OpenSSL, where sha256_of_file() throws.
FACTORGCN_API bool can_compute_sha256();

/// 64 lower-case hexadecimal digits. Reads the file in pieces. Throws Error naming the file where it cannot be read.
FACTORGCN_API std::string sha256_of_file(const std::filesystem::path& path);

/// `text` in lower case where it is a SHA-256 (64 hexadecimal digits); otherwise nothing.
FACTORGCN_API std::optional<std::string> parse_sha256(std::string_view text);

/// The checksum of `file_name` in a text as sha256sum writes it ("DIGITS  NAME", one per line; the name may be
/// missing); nothing where the text has none.
FACTORGCN_API std::optional<std::string> find_sha256(std::string_view text, std::string_view file_name);

/// The line that `sha256sum -c` reads.
FACTORGCN_API std::string sha256_line(std::string_view sha256, std::string_view file_name);

}  // namespace factorgcn
