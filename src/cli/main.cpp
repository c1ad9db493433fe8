// The program `factorgcn`: hands over to a sub-command and turns every failure into one line and an exit code.
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/memory_reserve.h"
#include "cli/output.h"
#include "cli/standard_streams.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/base/parent.h"
#include "factorgcn/base/text.h"

namespace factorgcn::cli {
namespace {

constexpr const char* kDescription =
    "Takes graphs apart whose edges hide several relations. A network without labels: disentangle says which edge is "
    "which relation, and how sure it is. Graphs with a task: train fits a graph network (FactorGCN) that solves it "
    "and, on the way, splits each graph into factor graphs, one per relation.";

constexpr const char* kExamples =
    "Start here:\n"
    "  factorgcn disentangle FILE --out D  which line of one network means what?\n"
    "  factorgcn train                     train on built-in data; a minute or less\n"
    "  factorgcn train --help              all that can be chosen\n"
    "  factorgcn evaluate RUN              score a finished run again\n"
    "  factorgcn factors RUN --out F.csv   take its factor graphs away\n"
    "  factorgcn predict RUN --out P.csv   what it answers, also for new data\n"
    "  factorgcn page RUN                  write its page (tables, curves, graphs)\n"
    "  factorgcn compare RUN RUN           is one better by more than noise?\n"
    "\n"
    "Exit codes: 0 done; 1 failure; 2 wrong use; 3 training diverged (the best model\n"
    "is kept and scored); 130, 143 interrupted by Ctrl-C or SIGTERM (continue with\n"
    "factorgcn train --resume RUN).";

constexpr std::string_view kOutOfMemory =
    "out of memory; what was written is whole. Use smaller data, or in training a smaller --batch-size";

/// Memory can run out where a library has no way to say so, and the reserve (cli/memory_reserve.h) be used up. The
/// process ends here, without asking for more; files are whole or absent, so the next call goes on.
[[noreturn]] void end_without_memory() {
  try {
    if (std::current_exception()) {
      throw;
    }
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kName = "factorgcn: ", kEnd = "\n";
    for (const std::string_view part : {kName, kOutOfMemory, kEnd}) {
      if (::write(STDERR_FILENO, part.data(), part.size()) < 0) {
        break;
      }
    }
    ::_exit(kFailure);
  } catch (...) {
  }
  std::abort();
}

/// The deepest sub-command named on the command line, as far as the words go.
const CLI::App& innermost(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* app = &root;
  for (const std::string& word : words) {
    const auto found = app->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
    if (found.empty()) {
      break;
    }
    app = found.front();
  }
  return *app;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string nearest = nearest_name(word, views);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

/// What is wrong with a word that nobody knows.
std::string unknown_word(const CLI::App& app, std::string word) {
  std::vector<std::string> known;
  if (!word.empty() && word[0] == '-') {
    word = word.substr(0, word.find('='));
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        known.push_back("--" + name);
      }
    }
    return fmt::format("unknown option {}{}", word, suggestion(word, known));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(sub->get_name());
  }
  if (known.empty()) {
    return fmt::format("'{}' was not expected here", word);
  }
  return fmt::format("unknown command '{}'{}", word, suggestion(word, known));
}

int misuse(const CLI::App& app, const std::string& message) {
  complain(fmt::format("{} (see {} --help)", without_controls(message, true), full_name(app)));
  return kUsage;
}

std::string names_of_commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + sub->get_name();
  }
  return names;
}

int run(int argc, char** argv) {
  Program program;
  program.invoked_as = shell_word(argc > 0 ? argv[0] : "factorgcn");
  CLI::App app(kDescription, "factorgcn");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "show this help");
  app.set_version_flag("--version", version_text, "show versions, instruction set and BLAS");
  app.get_help_ptr()->group("Options");
  app.footer(kExamples);
  add_disentangle(app, program);
  add_train(app, program);
  add_evaluate(app, program);
  add_factors(app, program);
  add_predict(app, program);
  add_page(app, program);
  add_compare(app, program);
  add_search(app, program);
  add_data(app, program);
  add_models(app, program);
  add_reproduce(app, program);

  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const CLI::App& meant = innermost(app, words);
  try {
    app.parse(argc, argv);
    if (!program.action) {
      return misuse(meant, "say what to do: " + names_of_commands(meant));
    }
    const int code = program.action();
    check_output();
    return code;
  } catch (const CLI::CallForVersion&) {
    print(version_text());
  } catch (const CLI::CallForHelp&) {
    print(meant.help());
  } catch (const CLI::ExtrasError&) {
    const auto extras = app.remaining(true);
    return misuse(meant, unknown_word(meant, extras.empty() ? "" : extras.front()));
  } catch (const CLI::ParseError& error) {
    return misuse(meant, error.what());
  } catch (const UsageError& error) {
    return misuse(meant, error.what());
  }
  check_output();
  return kSuccess;
}

/// Every exception is one line here; libtorch's carry a stack trace after the first.
int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    complain(without_controls(error.what(), true));  // names of files may hold ends of lines
  } catch (const c10::Error& error) {
    complain(fmt::format("libtorch: {}", error.what_without_backtrace()));
  } catch (const std::bad_alloc&) {
    complain(kOutOfMemory);
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kFailure;
}

}  // namespace
}  // namespace factorgcn::cli

int main(int argc, char** argv) {
  factorgcn::end_with_starter();
  factorgcn::cli::hold_standard_streams();
  factorgcn::cli::keep_memory_reserve();
  std::set_terminate(factorgcn::cli::end_without_memory);
  return factorgcn::cli::run_and_report(argc, argv);
}
