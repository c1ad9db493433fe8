// Two ways of drawing, side by side with the paper.
#include "cli/random_factors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/paper_values.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/random_factors.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn::cli {

int show_random_factors(const RunConfig& config, bool force, const OpenedData& data) {
  RunDirectory::check_free(config.out, force);
  SettingsReader reader(config.model_settings, "model random");
  const auto factors = static_cast<int>(reader.integer("factors", 4, 1, 1024));
  reader.finish();
  const std::shared_ptr<const Dataset> opened = data.open(config.dataset, config.data);
  const Dataset& dataset = *opened;
  const DataPart part = data_part(dataset, Part::kTest);
  require_usage(!part.empty(), "data set ", dataset.name, " has no test graphs to score");
  const RandomFactorScores scores = score_random_factors(dataset, part.graphs, factors, config.seed);

  keep_random_scores(config, dataset, scores, force);

  const auto paper = [&](const char* metric) {
    const PaperValue* value =
        find_paper_value(dataset.name, static_cast<int>(dataset.truth.num_types()), "random", metric);
    return value == nullptr ? std::string("-") : value->text();
  };
  const auto ged_e = [](const DisentanglementScore& score) {
    return metric_text("ged_e", score.ged_e) + " ± " + metric_text("ged_e", score.ged_e_std);
  };
  Table table({{"metric"},
               {"all node pairs", Align::kPoint},
               {"edges alone", Align::kPoint},
               {"paper", Align::kPoint},
               {"better"}});
  const auto add = [&](const char* metric, const std::string& pairs, const std::string& edges) {
    table.add_row({metric_label(metric), pairs, edges, paper(metric), smaller_is_better(metric) ? "lower" : "higher"});
  };
  add("ged_e", ged_e(scores.all_pairs), ged_e(scores.edges));
  add("c_score", metric_text("c_score", scores.all_pairs.c_score), metric_text("c_score", scores.edges.c_score));
  const Terminal terminal = describe_terminal(STDOUT_FILENO);
  print(fmt::format("random on {}, {} factor graphs drawn for each of {} test graphs, seed {}\n\n", dataset.name,
                    factors, scores.edges.samples, config.seed));
  print(table.to_text(terminal.utf8) + "\n");
  print(wrap_text("Nothing is trained. The paper draws its coefficients over all pairs of nodes; "
                  "those of a model lie on edges, so the second column is the fairer bottom line. The paper's random "
                  "micro-F1, 0.250, is a nominal value.",
                  std::clamp(terminal.width, 60, 100)) +
        fmt::format("\n\nThe scores are in {}\n", shell_word(config.out)));
  return kSuccess;
}

}  // namespace factorgcn::cli
