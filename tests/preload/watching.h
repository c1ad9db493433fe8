// What the preloaded library's files share.
#pragma once

#include <atomic>

/// The program has touched a file below the watched folder: it is at its work, and its libraries are loaded.
extern std::atomic<bool> watching;
