// Text from a file, made safe for a message of one line.
#pragma once

#include <string>
#include <string_view>

namespace factorgcn {

/// In double quotes, control characters and broken UTF-8 replaced, cut after 80 bytes.
std::string quoted_text(std::string_view text);

}  // namespace factorgcn
