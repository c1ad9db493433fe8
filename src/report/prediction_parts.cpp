#include "report/prediction_parts.h"

#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/labelled_batch.h"

namespace factorgcn {
namespace {

constexpr int kBins = 10;
constexpr std::size_t kMostClasses = 60;  ///< more rows and columns than that cannot be read

/// A class or label, and how often it was there, was said, and both.
struct Hits {
  std::int64_t there = 0, said = 0, both = 0;
};

PageCell percent(double share) {
  PageCell cell;
  cell.value = 100 * share;
  return cell;
}

PageCell whole(std::int64_t count) {
  PageCell cell;
  cell.text = format_count(count);
  return cell;
}

PageTable class_table(const std::vector<Hits>& hits, const std::vector<std::string>& names, std::int64_t rows,
                      const std::string& what, bool exclusive) {
  PageTable table;
  table.id = "classes";
  table.detail = true;
  table.title = exclusive ? "Scores of each class" : "Scores of each label";
  table.columns = {{"there", "tested", PageBetter::kNone, 0, ""},
                   {"share", "share in %", PageBetter::kNone, 1, ""},
                   {"precision", "precision in %", PageBetter::kHigher, 1, ""},
                   {"recall", "recall in %", PageBetter::kHigher, 1, ""},
                   {"interval", "recall, 95 % interval", PageBetter::kNone, 1, ""},
                   {"f1", "F1 in %", PageBetter::kHigher, 1, ""}};
  for (std::size_t index = 0; index < hits.size(); ++index) {
    const Hits& own = hits[index];
    PageRow row{names[index], {}, false};
    row.cells["there"] = whole(own.there);
    row.cells["share"] = percent(static_cast<double>(own.there) / static_cast<double>(rows));
    if (own.said > 0) {
      row.cells["precision"] = percent(static_cast<double>(own.both) / static_cast<double>(own.said));
    } else {
      row.cells["precision"].text = "never said";
    }
    if (own.there > 0) {
      const double recall = static_cast<double>(own.both) / static_cast<double>(own.there);
      const Interval interval = wilson_interval(recall, static_cast<double>(own.there));
      row.cells["recall"] = percent(recall);
      row.cells["interval"].text = format_fixed(100 * interval.low, 1) + " to " + format_fixed(100 * interval.high, 1);
      row.cells["f1"] = percent(2.0 * static_cast<double>(own.both) / static_cast<double>(own.there + own.said));
    } else {
      row.cells["recall"].text = row.cells["interval"].text = row.cells["f1"].text = "not known";
    }
    table.rows.push_back(std::move(row));
  }
  table.caption = fmt::format(
      "{} {}. Precision: of those said to be {}, the share that is; guessing reaches the share in the second column. "
      "Recall: of those that are, the share that was found.",
      format_count(rows), what, exclusive ? "of the class" : "so");
  return table;
}

PageReliability reliability(const std::vector<double>& said, const std::vector<bool>& came, const std::string& id,
                            const std::string& caption) {
  PageReliability part;
  part.id = id;
  part.title = "Do probabilities mean what they say?";
  part.caption = caption;
  std::vector<PageReliabilityBin> bins(kBins);
  for (std::size_t row = 0; row < said.size(); ++row) {
    PageReliabilityBin& bin =
        bins[static_cast<std::size_t>(std::clamp(static_cast<int>(said[row] * kBins), 0, kBins - 1))];
    ++bin.count;
    bin.said += said[row];
    bin.came += came[row] ? 1 : 0;
  }
  for (int index = 0; index < kBins; ++index) {
    PageReliabilityBin bin = bins[static_cast<std::size_t>(index)];
    if (bin.count == 0) {
      continue;
    }
    const auto count = static_cast<double>(bin.count);
    bin.from = static_cast<double>(index) / kBins;
    bin.to = static_cast<double>(index + 1) / kBins;
    bin.said = std::clamp(bin.said / count, 0.0, 1.0);
    bin.came /= count;
    const Interval interval = wilson_interval(bin.came, count);
    bin.low = std::clamp(interval.low, 0.0, 1.0);
    bin.high = std::clamp(interval.high, 0.0, 1.0);
    const double weight = count / static_cast<double>(said.size());
    part.error += weight * std::abs(bin.said - bin.came);
    // The mean distance of a normal variable from its mean; the share of `count` throws is nearly one.
    part.chance += weight * std::sqrt(2 / std::numbers::pi * bin.said * (1 - bin.said) / count);
    part.bins.push_back(bin);
  }
  return part;
}

void add_classes(const TestedRows& rows, const std::vector<std::string>& names, const std::string& what, Page& page) {
  const at::Tensor shares = rows.prediction.softmax(1).to(at::kDouble).contiguous();
  const at::Tensor targets = rows.targets.to(at::kLong).contiguous();
  const auto classes = static_cast<std::size_t>(shares.size(1));
  PageConfusion confusion;
  confusion.id = "confusion";
  confusion.title = "Which class is taken for which";
  confusion.names = names;
  confusion.counts.assign(classes * classes, 0);
  std::vector<Hits> hits(classes);
  std::vector<double> said;
  std::vector<bool> came;
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    const double* const own = shares.data_ptr<double>() + row * shares.size(1);
    const auto best = static_cast<std::size_t>(std::max_element(own, own + classes) - own);
    const auto wanted = static_cast<std::size_t>(targets.data_ptr<std::int64_t>()[row]);
    ++confusion.counts[wanted * classes + best];
    ++hits[wanted].there;
    ++hits[best].said;
    hits[wanted].both += wanted == best;
    said.push_back(own[best]);
    came.push_back(wanted == best);
  }
  page.tables.push_back(class_table(hits, names, rows.count(), what, true));
  if (classes <= kMostClasses) {
    confusion.caption =
        fmt::format("{} {}: rows are the true class, columns what was predicted.", format_count(rows.count()), what);
    page.confusions.push_back(std::move(confusion));
  } else {
    page.tables.back().caption += fmt::format(
        " Which of the {} classes is taken for which is left out: more than {} cannot be read.", classes, kMostClasses);
  }
  page.reliabilities.push_back(reliability(
      said, came, "reliability",
      fmt::format("{} {}, by the probability of the class that was predicted. On the diagonal, probabilities are what "
                  "comes true; below it the model is too sure of itself.",
                  format_count(rows.count()), what)));
}

void add_labels(const TestedRows& rows, const std::vector<std::string>& names, const std::string& what, Page& page) {
  const at::Tensor shares = rows.prediction.sigmoid().to(at::kDouble).contiguous();
  const at::Tensor targets = rows.targets.to(at::kDouble).contiguous();
  std::vector<Hits> hits(names.size());
  std::vector<double> said;
  std::vector<bool> came;
  for (std::int64_t at = 0; at < shares.numel(); ++at) {
    Hits& own = hits[static_cast<std::size_t>(at % shares.size(1))];
    const double share = shares.data_ptr<double>()[at];
    const bool there = targets.data_ptr<double>()[at] > 0.5;
    own.there += there;
    own.said += share > 0.5;
    own.both += there && share > 0.5;
    said.push_back(share);
    came.push_back(there);
  }
  page.tables.push_back(class_table(hits, names, rows.count(), what, false));
  page.reliabilities.push_back(reliability(
      said, came, "reliability",
      fmt::format("Every label of {} {}, by its probability. On the diagonal, probabilities are what comes true.",
                  format_count(rows.count()), what)));
}

}  // namespace

TestedRows test_rows(GraphModel& model, const Dataset& dataset, const DataPart& part, std::int64_t batch_size) {
  const EvaluationMode mode(model);
  std::vector<TestedRows> rows;
  for (const auto ids : cut_batches(part.graphs, batch_size)) {
    const LabelledBatch batch = select_batch(dataset, ids, part.counted);
    rows.push_back({batch.counted(model.forward(batch.graphs, false).prediction).to(at::kCPU), batch.targets});
  }
  return join_rows(rows);
}

TestedRows join_rows(const std::vector<TestedRows>& parts) {
  std::vector<at::Tensor> predictions, targets;
  for (const TestedRows& part : parts) {
    if (part.count() > 0) {
      predictions.push_back(part.prediction);
      targets.push_back(part.targets);
    }
  }
  return predictions.empty() ? TestedRows{} : TestedRows{at::cat(predictions), at::cat(targets)};
}

void add_prediction_parts(const TestedRows& rows, Task task, const std::vector<std::string>& names,
                          const std::string& what, Page& page) {
  if (rows.count() == 0) {
    return;
  }
  if (task == Task::kGraphClass || task == Task::kNodeClass) {
    add_classes(rows, names, what, page);
  } else if (task == Task::kMultiLabel) {
    add_labels(rows, names, what, page);
  }
}

}  // namespace factorgcn
