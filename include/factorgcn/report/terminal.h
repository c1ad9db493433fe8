// What the place we print to can show.
#pragma once

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API Terminal {
  bool interactive = false;  ///< a terminal that understands carriage returns: one line may be redrawn
  bool color = false;        ///< escape codes for colours are welcome
  bool utf8 = false;         ///< characters beyond ASCII are shown
  int width = 80;            ///< columns
};

/// Looks at a file descriptor and the environment: TERM=dumb is not interactive; NO_COLOR (set, not empty) switches
/// colours off; LC_ALL, LC_CTYPE and LANG, the first that is set, say whether UTF-8 is understood.
FACTORGCN_API Terminal describe_terminal(int file_descriptor);

}  // namespace factorgcn
