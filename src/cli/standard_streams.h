// What a program may find of its three standard streams: a pipe that nobody reads any more, a limit, or nothing at all.
#pragma once

namespace factorgcn::cli {

/// First of all in main(). A stream that is closed stays unusable, but its number is taken: otherwise the next file
/// that is opened, a checkpoint say, would get it, and with it all that is printed. A reader that has gone away ends no
/// training, and a file that may not grow further is an error that can be told: their signals are ignored.
void hold_standard_streams();

}  // namespace factorgcn::cli
