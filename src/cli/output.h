// Printing to standard output and standard error as these can show it.
#pragma once

#include <string>
#include <string_view>

namespace factorgcn::cli {

/// Prints to standard output; in ASCII where the terminal's locale is not UTF-8.
void print(std::string_view text);

/// Prints one line to standard error: "factorgcn: " and the first line of `message`.
void complain(std::string_view message);

/// Throws Error where what was printed could not be written (a full disk, say), and ends the process by SIGPIPE, as
/// usual, where its reader has gone away (`| head -1`). To be called once, at the end.
void check_output();

/// A word or path as it can be typed to a shell: quoted where it has to be.
std::string shell_word(const std::string& text);

}  // namespace factorgcn::cli
