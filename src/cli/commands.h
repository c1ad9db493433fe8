// The sub-commands: each file adds one to the command line and says what it does when chosen.
//
// Parsing only stores an action; main() runs it afterwards, so that a mistake in typing and a failure at work cannot be
// mixed up. Commands parse and print; what they do lives in the libraries.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace factorgcn::cli {

/// What the program's exit status tells. An interrupted run exits with 128 + the signal's number, as shells expect.
enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,   ///< something outside the command was not as it must be: a file, the disk, memory
  kUsage = 2,     ///< the command itself was wrong
  kDiverged = 3,  ///< training stopped early because its loss was not finite; the best model was kept and scored
};

struct Program {
  std::string invoked_as;       ///< as typed, for commands shown to be typed next
  std::function<int()> action;  ///< of the chosen sub-command; returns the exit code
};

void add_train(CLI::App& parent, Program& program);
void add_evaluate(CLI::App& parent, Program& program);
void add_factors(CLI::App& parent, Program& program);
void add_predict(CLI::App& parent, Program& program);
void add_page(CLI::App& parent, Program& program);
void add_compare(CLI::App& parent, Program& program);
void add_search(CLI::App& parent, Program& program);
void add_data(CLI::App& parent, Program& program);  // holds the data commands
void add_data_list(CLI::App& parent, Program& program);
void add_data_fetch(CLI::App& parent, Program& program);
void add_data_verify(CLI::App& parent, Program& program);
void add_data_make(CLI::App& parent, Program& program);
void add_data_import(CLI::App& parent, Program& program);
void add_data_partition(CLI::App& parent, Program& program);
void add_data_info(CLI::App& parent, Program& program);
void add_disentangle(CLI::App& parent, Program& program);
void add_models(CLI::App& parent, Program& program);
void add_reproduce(CLI::App& parent, Program& program);

/// For `factorgcn --version`.
std::string version_text();

}  // namespace factorgcn::cli
