// What the preloaded library's files share.
#pragma once

#include <atomic>

/// The program has touched a file below the watched folder: it is at its work, and its libraries are loaded.
extern std::atomic<bool> watching;

/// Read the environment anew, as it stands now, and count from the beginning: for fork_server.cpp.
void read_refused_calls();
void read_refused_memory();
void read_power_cut();

/// As at the end of a process that runs its destructors.
void write_memory_log();
