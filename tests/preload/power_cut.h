// The power fails at a system call: what was not synced by then is gone.
#pragma once

/// Told of what the program did to files below the watched folder, after it was done; `before_rename` before it.
void note_written(int descriptor);
void note_synced(int descriptor);
void before_rename(const char* from, const char* to);

/// Ends the process at once where call `number` is the one at which the power fails.
void cut_power_at(long number);
