// The layout of help texts: description, usage, options by group with wrapped explanations, examples.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace factorgcn::cli {

/// Formats `--help`, as wide as the terminal up to 100 columns.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// A sub-command's full name, e.g. "factorgcn data make".
std::string full_name(const CLI::App& app);

}  // namespace factorgcn::cli
