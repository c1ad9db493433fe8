// Help texts. CLI11's own layout neither wraps explanations nor keeps to the terminal's width.
#include "cli/help.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <vector>

#include "factorgcn/base/text.h"
#include "factorgcn/report/terminal.h"

namespace factorgcn::cli {
namespace {

constexpr int kNameColumn = 28;  // where explanations start

std::string entry(const std::string& name, const std::string& explanation, int width) {
  std::string text = wrap_text(explanation, width, kNameColumn);
  if (display_width(name) + 4 <= kNameColumn) {
    // The first line's margin makes room for the name.
    return pad_to_width("  " + name, kNameColumn) + text.substr(std::min<std::size_t>(kNameColumn, text.size())) + "\n";
  }
  return "  " + name + "\n" + text + "\n";
}

std::string option_name(const CLI::Option& option) {
  if (option.get_positional()) {
    return option.get_name();
  }
  std::string name = option.get_name(false, true);
  std::replace(name.begin(), name.end(), ',', ' ');
  return option.get_type_size() == 0 ? name : name + " " + option.get_type_name();
}

std::string options_of(const CLI::App& app, const std::string& title,
                       const std::function<bool(const CLI::Option*)>& wanted, int width) {
  std::string text;
  for (const CLI::Option* option : app.get_options(wanted)) {
    text += entry(option_name(*option), option->get_description(), width);
  }
  return text.empty() ? "" : "\n" + title + ":\n" + text;
}

}  // namespace

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const {
  const int width = std::clamp(describe_terminal(STDOUT_FILENO).width, 60, 100);
  const auto commands = app->get_subcommands([](const CLI::App*) { return true; });

  std::string usage = "Usage: " + full_name(*app);
  for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    usage += " " + option->get_name();
  }
  usage += commands.empty() ? " [options]" : " COMMAND [options]";

  std::string description = app->get_description();
  if (!description.empty()) {
    description[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(description[0])));
  }
  std::string text = wrap_text(description, width) + "\n\n" + usage + "\n";
  text += options_of(
      *app, "Arguments", [](const CLI::Option* o) { return o->get_positional(); }, width);
  if (!commands.empty()) {
    text += "\nCommands:\n";
    for (const CLI::App* command : commands) {
      const std::string& description = command->get_description();
      text += entry(command->get_name(), description.substr(0, description.find('\n')), width);
    }
  }
  for (const std::string& group : app->get_groups()) {
    if (group.empty()) {
      continue;  // options that are there to say why they are not
    }
    text += options_of(
        *app, group, [&](const CLI::Option* o) { return !o->get_positional() && o->get_group() == group; }, width);
  }
  if (!app->get_footer().empty()) {
    text += "\n" + app->get_footer() + "\n";
  }
  return text;
}

}  // namespace factorgcn::cli
