// The order of things: compute, write tables, page and report, then the summary.
#include "factorgcn/disentangle/run.h"

#include <optional>
#include <vector>

#include "factorgcn/base/files.h"
#include "factorgcn/disentangle/files.h"
#include "factorgcn/disentangle/page.h"
#include "factorgcn/disentangle/summary.h"
#include "factorgcn/disentangle/words.h"

namespace factorgcn {
namespace {

constexpr int kReportWidth = 100;

/// Finished steps go to the folder; everything else to who watches.
class KeepingObserver : public RelationsObserver {
 public:
  KeepingObserver(const DisentangleFolder& folder, RelationsObserver& watcher) : folder_(folder), watcher_(watcher) {}

  void at(const std::string& step, double done) override { watcher_.at(step, done); }
  bool stop() override { return watcher_.stop(); }
  void keep(const std::string& key, const std::vector<float>& numbers) override { folder_.keep(key, numbers); }
  std::optional<std::vector<float>> kept(const std::string& key) override { return folder_.kept(key); }

 private:
  const DisentangleFolder& folder_;
  RelationsObserver& watcher_;
};

}  // namespace

DisentangleResult disentangle_into(const DisentangleFolder& folder, const RequestedGraph& graph,
                                   const DisentangleMethod& method, const DisentangleOptions& options,
                                   RelationsObserver& observer) {
  if (folder.is_done()) {
    return {read_file(folder.file("report.txt")), true};
  }
  KeepingObserver keeping(folder, observer);
  const DisentangleOutcome outcome = take_apart(method, graph.graph, graph.known, options, keeping);
  const auto settings = settings_json(method.name, options, graph);
  observer.at("writing files", 1);
  write_edges_file(folder.file("edges.csv"), graph.graph, outcome);
  write_groups_file(folder.file("groups.csv"), graph.graph, outcome);
  write_graph_file(folder.file("factors.graphml"), graph.graph, outcome);
  if (!outcome.ask.empty()) {
    write_ask_file(folder.file("ask.csv"), graph.graph, outcome);
  }
  write_page(folder.file("page.html"), disentangle_page(graph.graph, outcome, settings));
  DisentangleResult result;
  result.report = outcome_report(graph.graph, outcome, true, kReportWidth);
  write_file_atomically(folder.file("report.txt"), result.report);
  folder.finish(summary_json(graph.graph, outcome, settings));
  return result;
}

}  // namespace factorgcn
