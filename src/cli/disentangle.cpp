// `factorgcn disentangle`: one graph without labels, or with a few known edges: which edge is which relation?
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "cli/alone.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/disentangle/run.h"
#include "factorgcn/report/step_progress.h"

namespace factorgcn::cli {
namespace {

struct DisentangleFlags {
  GraphRequest request;
  std::string method = disentangle_methods().front().name;
  std::string relations, groups, starts, resamples, ask, seed, threads, graph_number, out, truth;
  bool force = false, quiet = false;
  std::string repeated;  ///< options that the next step needs too, as typed
};

/// The text as a whole number from `least` to `most`; `fallback` where nothing was given.
std::int64_t whole_between(const std::string& option, const std::string& text, std::int64_t fallback,
                           std::int64_t least, std::int64_t most) {
  if (text.empty()) {
    return fallback;
  }
  const std::int64_t value = parse_whole(option, text);
  require_usage(value >= least && value <= most, option, " ", value, ": give a number from ", least, " to ", most);
  return value;
}

DisentangleOptions chosen_options(const DisentangleFlags& flags) {
  DisentangleOptions options;
  const auto small = [](const std::string& option, const std::string& text, int fallback, int least, int most) {
    return static_cast<int>(whole_between(option, text, fallback, least, most));
  };
  options.relations = small("--relations", flags.relations, options.relations, 1, 100);
  options.groups = small("--groups", flags.groups, options.groups, 1, 1000);
  options.starts = small("--starts", flags.starts, options.starts, 1, 1000);
  options.resamples = small("--bootstrap", flags.resamples, options.resamples, 0, 1000);
  options.ask = small("--ask", flags.ask, 20, 1, 1'000'000);
  options.seed = static_cast<std::uint64_t>(whole_between("--seed", flags.seed, 0, 0, INT64_MAX));
  return options;
}

/// friends.csv -> friends-relations.
std::string default_folder(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  name = name.has_filename() ? name.filename() : name.parent_path().filename();
  while (name.has_extension()) {
    name = name.stem();
  }
  return name.string() + "-relations";
}

/// Progress on standard error, and the question whether Ctrl-C was pressed.
class ShownProgress : public RelationsObserver {
 public:
  explicit ShownProgress(bool quiet) : quiet_(quiet) {}
  void at(const std::string& step, double done) override {
    if (!quiet_) {
      display_.at(step, done);
    }
  }
  bool stop() override { return interrupt_signal() != 0; }
  void finish() { display_.finish(); }

 private:
  bool quiet_;
  StepProgress display_;
};

std::string closing_words(const DisentangleFlags& flags, const DisentangleFolder& folder, bool done_before,
                          const Program& program) {
  const auto shown = [&](const char* name) { return shell_word(folder.file(name).string()); };
  std::string text = done_before ? fmt::format("This result was in {} already; --force makes it anew.\n",
                                               shell_word(folder.path().string()))
                                 : fmt::format("Everything is in {}\n", shell_word(folder.path().string()));
  text += fmt::format(
      "  edges.csv        each edge's share in each relation, its strongest relation, how certain\n"
      "  groups.csv       each node's group in each relation\n"
      "  factors.graphml  the same as a graph, for Gephi and networkx\n"
      "  page.html        for a browser\n");
  if (std::filesystem::exists(folder.file("ask.csv")) && disentangle_method(flags.method).takes_known) {
    text += fmt::format(
        "Next: a few named edges help more than anything else. Write the relation of some edges into\n"
        "  {}\n"
        "(those that would tell most stand there) and call\n"
        "  {} disentangle {}{} --known {} --out {}\n",
        shown("ask.csv"), program.invoked_as, shell_word(flags.request.path), flags.repeated, shown("ask.csv"),
        shell_word(folder.path().string() + "-known"));
  }
  return text;
}

int disentangle(DisentangleFlags flags, const Program& program) {
  const DisentangleMethod& method = disentangle_method(flags.method);
  const DisentangleOptions options = chosen_options(flags);
  const auto threads = static_cast<int>(whole_between("--threads", flags.threads, 0, 0, 4096));
  flags.request.graph = whole_between("--graph-number", flags.graph_number, -1, 0, INT64_MAX);
  flags.request.columns.relation = flags.truth;
  for (const std::filesystem::path& file : {flags.request.files.nodes, flags.request.relation_names}) {
    require_usage(file.empty() || std::filesystem::exists(file), "there is no file ", file.string());
  }
  prepare_process(threads);
  const RequestedGraph graph = open_graph(flags.request);
  require_usage(method.takes_known || graph.known.empty(), "--known does not go with --method ", method.name,
                ": it learns from the graph alone");
  require_usage(!method.needs_relations || options.relations >= 1, "--method ", method.name,
                " cannot tell how many relations there are: give --relations K");
  const std::string out = flags.out.empty() ? default_folder(flags.request.path) : flags.out;
  InterruptGuard guard;
  ShownProgress progress(flags.quiet);
  try {
    const DisentangleFolder folder(out, settings_json(method.name, options, graph), flags.force);
    const DisentangleResult result = disentangle_into(folder, graph, method, options, progress);
    progress.finish();
    print(result.report + closing_words(flags, folder, result.done_before, program));
    return kSuccess;
  } catch (const StoppedEarly&) {
    progress.finish();
    const int signal = interrupt_signal();
    complain("interrupted; the same command goes on where it stopped");
    return 128 + (signal == 0 ? 2 : signal);
  }
}

void add_disentangle_options(CLI::App& app, DisentangleFlags& flags) {
  const auto add = [&](const char* name, std::string& value, const char* type, const char* group, const char* text) {
    app.add_option(name, value, text)->type_name(type)->group(group);
  };
  ImportOptions& columns = flags.request.columns;
  constexpr const char* kWhat = "What is asked";
  add("--relations", flags.relations, "K", kWhat, "how many relations there are (default: found out)");
  add("--groups", flags.groups, "R", kWhat, "how many groups each relation has (default: found out)");
  add("--known", flags.request.known, "FILE|COLUMN", kWhat,
      "edges whose relation you know: a table with columns source, target, relation (several as a;b), or a column of "
      "the edge list that is filled in for some edges");
  add("--ask", flags.ask, "N", kWhat,
      "how many edges to write into ask.csv: those whose relation would tell most (default: 20)");
  add("--truth", flags.truth, "COLUMN", kWhat,
      "a column of the edge list with the true relations, for a score; nothing else sees them (default: relation, "
      "type, layer where there is one; none: no score)");
  add("--method", flags.method, "NAME", kWhat, "how it is done; below");
  add("--seed", flags.seed, "N", kWhat, "of everything random; the same seed gives the same files (default: 0)");
  add("--starts", flags.starts, "N", kWhat, "attempts from different beginnings (default: by the graph's size)");
  add("--bootstrap", flags.resamples, "N", kWhat,
      "attempts on resampled edges, for certainty (default: by the graph's size)");

  constexpr const char* kFile = "The graph's file";
  app.add_option("--nodes", flags.request.files.nodes,
                 "a table with one line per node: attributes that may explain groups")
      ->type_name("FILE")
      ->group(kFile);
  add("--format", flags.request.files.format, "NAME", kFile, "as for `factorgcn data import` (default: by the ending)");
  add("--separator", flags.request.files.separator, "NAME", kFile,
      "between columns: comma, tab, semicolon or blanks (default: detected)");
  add("--header", flags.request.files.header, "yes|no", kFile,
      "the first line holds names of columns (default: detected)");
  add("--source", columns.source, "COL", kFile, "where an edge starts (default: source, from, u ... or column 1)");
  add("--target", columns.target, "COL", kFile, "where an edge ends (default: target, to, v ... or column 2)");
  app.add_option(
         "--relation-names", flags.request.relation_names,
         "a table whose first column is a true relation as the edge list writes it and whose second is its name")
      ->type_name("FILE")
      ->group(kFile);
  add("--edge-weight", columns.edge_weight, "COL", kFile, "an edge's weight (default: weight; none: all alike)");
  add("--node", columns.node, "COL", kFile, "the node's name in --nodes (default: node, id, name, or column 1)");
  app.add_flag("--directed", columns.directed, "edges lead from source to target (default: where the format says so)")
      ->group(kFile);
  add("--graph-number", flags.graph_number, "N", kFile, "of a data set with many graphs, the one to take, from 0");

  constexpr const char* kRun = "The result";
  add("--out", flags.out, "FOLDER", kRun, "where it goes (default: FILE's name with -relations)");
  app.add_flag("--force", flags.force, "replace another result in that folder")->group(kRun);
  add("--threads", flags.threads, "N", kRun, "0: all cores; the result does not depend on it (default: 0)");
  app.add_flag("--quiet", flags.quiet, "no progress")->group(kRun);
  app.set_help_flag("-h,--help", "show this help")->group(kRun);
}

/// " --truth kind --directed": what was given, but for what belongs to one call alone.
std::string given_options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->count() > 0; })) {
    const std::string name = option->get_name();
    if (!name.starts_with("--") || name == "--out" || name == "--known" || name == "--force" || name == "--quiet") {
      continue;
    }
    text += " " + name;
    if (option->get_items_expected_max() > 0) {
      text += " " + shell_word(option->results().front());
    }
  }
  return text;
}

std::string methods_text() {
  std::string text = "Methods:\n";
  for (const DisentangleMethod& method : disentangle_methods()) {
    text += fmt::format("  {:<18}{}{}\n", method.name, method.summary, method.needs_relations ? " *" : "");
  }
  return text + "  * needs --relations\n";
}

}  // namespace

void add_disentangle(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "disentangle",
      "find the relations behind one graph's edges, without labels\n\n"
      "An edge list is enough. In one relation every node belongs to one group (one workplace, one family, one club), "
      "while groups of different relations overlap: that is what tells relations apart. Where it does not hold, naming "
      "the relation of a few edges (--known) does. An interrupted call goes on when it is called again.");
  auto flags = std::make_shared<DisentangleFlags>();
  app.add_option("FILE", flags->request.path,
                 "a graph in any format of `factorgcn data import`, a data-set file, or a run directory")
      ->required();
  add_disentangle_options(app, *flags);
  app.footer(methods_text() +
             "\n"
             "Examples:\n"
             "  factorgcn disentangle friends.csv\n"
             "  factorgcn disentangle friends.csv --nodes people.csv --relations 3 --out three\n"
             "  factorgcn disentangle friends.csv --known friends-relations/ask.csv \\\n"
             "      --out known\n"
             "    after writing relations into some lines of ask.csv\n"
             "  factorgcn disentangle multi.edges --truth 1 --source 2 --target 3\n"
             "    lines of \"layer from to\": how well are the layers found?");
  app.callback([flags, &app, &program] {
    flags->repeated = given_options(app);
    program.action = [flags, &program] {
      require_alone("disentangle", "");
      return disentangle(*flags, program);
    };
  });
}

}  // namespace factorgcn::cli
