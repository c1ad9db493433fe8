// The program as a user without rights, for tests that run as root, whom no folder refuses anything.
#pragma once

#include <string>

#include "cli/workplace.h"

namespace factorgcn::cli {

/// Before a command in Workplace::shell(). For everyone but root: nothing, since rights already count.
inline const std::string kAsNobody = "$([ $(id -u) = 0 ] && echo setpriv --reuid=65534 --regid=65534 --clear-groups) ";

/// Whether the program can be started so; lets others into the folder.
inline bool can_be_nobody(const Workplace& place) {
  std::filesystem::permissions(place.path(""),
                               std::filesystem::perms::others_exec | std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  return place.shell(kAsNobody + "\"$FACTORGCN\" --version").code == 0;
}

}  // namespace factorgcn::cli
