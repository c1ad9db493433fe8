// The loop itself. What steps and scores are made of is train/train_work.h's.
#include "factorgcn/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/train/evaluate.h"
#include "train/train_work.h"

namespace factorgcn {
namespace {

/// A number for a message; "nan" whatever its sign, which differs from processor to processor.
std::string shown(double value) { return std::isnan(value) ? "nan" : concat(value); }

using Clock = std::chrono::steady_clock;

std::vector<at::Tensor> parameters_of(const GraphModel& model) {
  std::vector<at::Tensor> parameters;
  for (const auto& item : model.named_parameters()) {
    parameters.push_back(item.value());
  }
  return parameters;
}

}  // namespace

TrainOptions train_options(const RunConfig& config, const ProtocolSlips& slips) {
  TrainOptions options;
  options.seed = config.seed;
  options.epochs = config.epochs;
  options.batch_size = config.batch_size;
  options.learning_rate = config.learning_rate;
  options.weight_decay = config.weight_decay;
  options.clip_norm = config.clip_norm;
  options.starts = config.starts;
  options.start_epochs = std::min(config.start_epochs, config.epochs);
  options.lambda = config.lambda;
  options.patience = config.patience;
  options.class_weights = class_weights_from_name(config.class_weights);
  options.schedule = config.schedule;
  options.slips = slips;
  options.score_test = config.score_test;
  options.report_seconds = std::min(options.report_seconds, config.checkpoint_seconds);
  options.data_on_device = config.data_on_device;
  options.shards = config.shards;
  return options;
}

struct Trainer::Impl {
  /// `make_work` is given the options that stay.
  template <class MakeWork>
  Impl(GraphModel& given_model, const TrainOptions& given_options, const MakeWork& make_work)
      : model(given_model),
        options(given_options),
        work(make_work(options)),
        adam(parameters_of(given_model),
             {.learning_rate = given_options.learning_rate, .weight_decay = given_options.weight_decay}),
        schedule(first_schedule()),
        best_weights(copy_weights(given_model)),
        comparing(given_options.starts > 1) {
    require_usage(!work.train.empty(), "data set ", work.name, " has no training graphs");
    require_usage(options.epochs >= 1, "epochs is ", options.epochs, "; it must be at least 1");
    require(options.starts == 1 || options.fresh_weights, "several starts need somebody who draws their weights");
    require_usage(options.batch_size >= 1, "batch size is ", options.batch_size, "; it must be at least 1");
    monitored_scorer = work.make_scorer(work.monitored);
    require_usage(monitored_scorer != nullptr, "data set ", work.name, " has no ", part_name(work.monitored),
                  " graphs to choose the best model on; make or import it with a larger ", part_name(work.monitored),
                  " part");
    const auto graphs = static_cast<std::int64_t>(work.train.graphs.size());
    batches_per_epoch = (graphs + options.batch_size - 1) / options.batch_size;
    runner = work.make_runner(adam, work.train);
    if (options.score_test && work.monitored != Part::kTest) {
      test_scorer = work.make_scorer(Part::kTest);
    }
  }

  /// Of this start.
  std::int64_t steps() const { return epoch * batches_per_epoch + batch; }

  /// Of an epoch in progress there always is, and while starts are compared.
  bool more_to_do(bool epoch_done) const {
    return !epoch_done || comparing || (epoch < options.epochs && !out_of_patience());
  }

  /// Epochs of all starts: trained so far, and in the whole run.
  std::int64_t epochs_behind() const {
    const std::int64_t others = comparing ? start - 1 : options.starts - 1;
    return others * options.start_epochs + epoch;
  }
  std::int64_t epochs_in_all() const { return (options.starts - 1) * options.start_epochs + options.epochs; }
  std::int64_t steps_behind() const { return epochs_behind() * batches_per_epoch + batch; }

  /// Everything random of a start is drawn from a seed of its own.
  std::uint64_t start_seed() const {
    return start == 1 ? options.seed : RandomStream(options.seed, concat("train/start ", start)).next() >> 1;
  }
  Schedule first_schedule() const { return {options.schedule, options.learning_rate, options.epochs}; }

  /// Follows from what a checkpoint holds, so that a run continued after its end has nothing to do.
  bool out_of_patience() const { return options.patience > 0 && epoch - best_epoch >= options.patience; }

  double total_seconds() const {
    const double passed = running ? std::chrono::duration<double>(Clock::now() - started).count() : 0;
    return seconds + std::max(passed, 0.0);  // less than 0: the clock was set back
  }

  /// The order of an epoch follows from the seed and its number alone.
  std::vector<std::int64_t> epoch_order(std::int64_t number) const {
    std::vector<std::int64_t> order = work.train.graphs;
    RandomStream random(start_seed(), concat("train/shuffle/epoch ", number));
    random.shuffle(std::span(order));
    return order;
  }

  RunStatus loop(Observer& observer, const AfterBatch& after_batch);
  RunStatus train_epoch(Observer& observer, const AfterBatch& after_batch);
  bool end_start(Observer& observer, double value);
  void begin_start();
  double last_value() const;
  TrainState state() const;
  void load(const TrainState& from);
  bool train_until_settled(Observer& observer);
  bool settle(Observer& observer);
  bool finish_epoch(Observer& observer);
  void report_batch(const BatchLoss& loss, Observer& observer) const;
  void diverge(Observer& observer, std::int64_t number, const std::string& what);
  NamedTensors moments(bool second) const;

  GraphModel& model;
  TrainOptions options;
  TrainWork work;
  Adam adam;
  Schedule schedule;
  std::int64_t batches_per_epoch = 0;
  std::unique_ptr<StepRunner> runner;
  std::unique_ptr<PartScorer> monitored_scorer, test_scorer;  // test: where it is asked for

  std::int64_t epoch = 0, batch = 0;  // completed and settled
  double loss_sum = 0, task_loss_sum = 0, regulariser_sum = 0;
  RunStatus status = RunStatus::kInterrupted;
  std::string message;
  std::int64_t best_epoch = 0;
  double best_metric = 0, best_loss = 0, best_objective = 0;
  NamedTensors best_weights;
  std::int64_t start = 1;
  bool comparing;                          // whether starts are still compared
  std::shared_ptr<const TrainState> kept;  // the best start so far
  std::vector<EpochRecord> history;

  double seconds = 0;  // of earlier sessions, and of this one once run() has returned
  bool running = false, pause_asked = false;
  Clock::time_point started;
  std::int64_t steps_before = 0;  // steps_behind() when this session began
};

RunStatus Trainer::Impl::loop(Observer& observer, const AfterBatch& after_batch) {
  while (true) {
    if (epoch >= (comparing ? options.start_epochs : options.epochs) || out_of_patience()) {
      if (!comparing) {
        return RunStatus::kFinished;
      }
      if (!end_start(observer, last_value())) {
        return RunStatus::kDiverged;
      }
      continue;
    }
    const RunStatus ended = train_epoch(observer, after_batch);
    if (ended == RunStatus::kInterrupted) {
      return ended;
    }
    const bool lost = ended == RunStatus::kDiverged;
    if (lost && (!comparing || !end_start(observer, std::numeric_limits<double>::infinity()))) {
      return ended;
    }
  }
}

/// The rest of an epoch; kFinished: it is over.
RunStatus Trainer::Impl::train_epoch(Observer& observer, const AfterBatch& after_batch) {
  const std::vector<std::int64_t> order = epoch_order(epoch + 1);
  adam.set_learning_rate(schedule.rate());
  model.train();
  runner->begin_epoch(order, batch, static_cast<double>(epoch) / static_cast<double>(options.epochs));
  bool epoch_done = false;
  while (!epoch_done) {
    // Asked before the work as well, so that a signal during start-up costs nothing.
    if (runner->stop_asked()) {
      return RunStatus::kInterrupted;
    }
    if (!train_until_settled(observer)) {
      return RunStatus::kDiverged;
    }
    epoch_done = batch == batches_per_epoch;
    if (epoch_done && !finish_epoch(observer)) {
      return RunStatus::kDiverged;
    }
    if (after_batch) {
      after_batch(epoch_done);
    }
    if (std::exchange(pause_asked, false) && more_to_do(epoch_done)) {
      return RunStatus::kInterrupted;
    }
  }
  return RunStatus::kFinished;
}

/// What the start that is over is compared by.
double Trainer::Impl::last_value() const {
  const EpochRecord& last = history.back();
  const double value = last.objective.value_or(last.validation_loss);
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

/// On to the next start, or on with the best of them all. False: there is none, all have diverged.
bool Trainer::Impl::end_start(Observer& observer, double value) {
  const bool finite = std::isfinite(value);
  const char* const what = model.has_own_objective() ? "objective" : "validation loss";
  observer.on_message(
      finite ? concat("start ", start, " of ", options.starts, ": ", what, " ", value, " after ", epoch, " epochs")
             : concat("start ", start, " of ", options.starts, " is given up"));
  if (finite && (kept == nullptr || value < kept->start_value)) {
    TrainState best = state();
    best.history.clear();
    best.start_value = value;
    kept = std::make_shared<const TrainState>(std::move(best));
  }
  if (start < options.starts) {
    ++start;
    begin_start();
    return true;
  }
  if (kept == nullptr) {
    return false;
  }
  load(*kept);
  comparing = false;
  kept.reset();
  message.clear();
  observer.on_message(concat("start ", start, " goes on: the best of ", options.starts));
  return true;
}

void Trainer::Impl::begin_start() {
  load_weights(model, options.fresh_weights(start_seed()), concat("start ", start));
  const at::NoGradGuard no_gradient;
  for (const bool second : {false, true}) {
    for (auto& [name, moment] : moments(second)) {
      moment.zero_();
    }
  }
  adam.set_steps(0);
  schedule = first_schedule();
  epoch = batch = best_epoch = 0;
  loss_sum = task_loss_sum = regulariser_sum = 0;
  best_weights = copy_weights(model);
}

/// One batch or, where the device tells of losses later, as many as fit between two reports. False: the loss is not
/// finite.
bool Trainer::Impl::train_until_settled(Observer& observer) {
  const auto begun = Clock::now();
  for (std::int64_t next = batch; next < batches_per_epoch; ++next) {
    runner->step(next, RandomStream(start_seed(), concat("train/step ", epoch * batches_per_epoch + next)).next());
    const std::chrono::duration<double> passed = Clock::now() - begun;
    if (runner->tells_at_once() || passed.count() >= options.report_seconds || runner->stop_asked()) {
      break;
    }
  }
  return settle(observer);
}

bool Trainer::Impl::settle(Observer& observer) {
  const std::int64_t first = batch;
  const auto all = static_cast<std::int64_t>(work.train.graphs.size());
  const double former_sums[] = {loss_sum, task_loss_sum, regulariser_sum};
  for (const BatchLoss& loss : runner->settle()) {
    if (!std::isfinite(loss.value)) {
      const std::int64_t failed = batch;
      if (!runner->tells_at_once()) {  // the weights are back where they were
        batch = first;
        loss_sum = former_sums[0];
        task_loss_sum = former_sums[1];
        regulariser_sum = former_sums[2];
      }
      diverge(observer, epoch + 1,
              concat("the loss of batch ", failed + 1, " of ", batches_per_epoch, " is ", shown(loss.value), " (task ",
                     shown(loss.task), ", regulariser ", shown(loss.regulariser), ")"));
      return false;
    }
    const auto graphs = static_cast<double>(std::min(options.batch_size, all - batch * options.batch_size));
    loss_sum += loss.value * graphs;
    task_loss_sum += loss.task * graphs;
    regulariser_sum += loss.regulariser * graphs;
    ++batch;
    report_batch(loss, observer);
  }
  return true;
}

void Trainer::Impl::report_batch(const BatchLoss& loss, Observer& observer) const {
  const auto graphs = static_cast<std::int64_t>(work.train.graphs.size());
  const std::int64_t seen = std::min(batch * options.batch_size, graphs);
  BatchProgress progress;
  progress.epoch = epoch + 1;
  progress.epochs = comparing ? options.start_epochs : options.epochs;
  progress.start = comparing ? start : 0;
  progress.starts = options.starts;
  progress.batch = batch;
  progress.batches = batches_per_epoch;
  progress.loss = loss.value;
  progress.task_loss = loss.task;
  progress.regulariser = loss.regulariser;
  progress.mean_loss = loss_sum / static_cast<double>(seen);
  progress.graphs_done = epochs_behind() * graphs + seen;
  progress.graphs_total = epochs_in_all() * graphs;
  progress.learning_rate = adam.learning_rate();
  progress.seconds = total_seconds();
  const double pace = (progress.seconds - seconds) / static_cast<double>(steps_behind() - steps_before);
  progress.seconds_left = pace * static_cast<double>(epochs_in_all() * batches_per_epoch - steps_behind());
  observer.on_batch(progress);
}

bool Trainer::Impl::finish_epoch(Observer& observer) {
  // Only the published protocol draws anything here: it leaves dropout on.
  const std::uint64_t seed = RandomStream(options.seed, concat("evaluate/epoch ", epoch + 1)).next();
  const TaskScore score = monitored_scorer->score(seed);
  std::optional<OwnObjective> own;
  if (model.has_own_objective()) {
    // The same draws after every epoch and for every start, so that it is models that are compared.
    const std::uint64_t draws = RandomStream(options.seed, "evaluate/objective").next();
    own = work.score_objective(draws);
  }
  const auto graphs = static_cast<double>(work.train.graphs.size());
  ++epoch;
  EpochRecord record;
  record.epoch = epoch;
  record.loss = loss_sum / graphs;
  record.task_loss = task_loss_sum / graphs;
  record.regulariser = regulariser_sum / graphs;
  record.monitored = part_name(work.monitored);
  record.validation_loss = score.loss;
  record.metric_name = metric_name(work.task);
  record.validation_metric = score.metric;
  record.start = options.starts > 1 ? start : 0;
  if (own) {
    record.objective = own->value;
    record.objective_terms.insert(own->terms.begin(), own->terms.end());
  }
  if (test_scorer != nullptr) {
    const TaskScore test = test_scorer->score(seed);
    record.test_loss = test.loss;
    record.test_metric = test.metric;
  }
  record.learning_rate = adam.learning_rate();
  record.seconds = total_seconds();
  batch = 0;
  loss_sum = task_loss_sum = regulariser_sum = 0;
  const bool finite = std::isfinite(score.loss) && (!own || std::isfinite(own->value));
  const bool better = own ? own->value < best_objective
                          : better_metric(work.task, score.metric, best_metric) ||
                                (score.metric == best_metric && score.loss < best_loss);
  record.best = finite && (best_epoch == 0 || better);
  if (record.best) {
    best_epoch = epoch;
    best_objective = own ? own->value : 0;
    best_metric = score.metric;
    best_loss = score.loss;
    best_weights = copy_weights(model);
  }
  schedule.finish_epoch(score.loss);
  history.push_back(record);
  observer.on_epoch(record);
  if (!finite) {
    diverge(observer, epoch,
            concat("the ", part_name(work.monitored), " loss is ",
                   shown(std::isfinite(score.loss) ? own->value : score.loss)));
  }
  return finite;
}

void Trainer::Impl::diverge(Observer& observer, std::int64_t number, const std::string& what) {
  const std::string kept = best_epoch > 0 ? concat("the best model, of epoch ", best_epoch, ", is kept")
                                          : std::string("no epoch was completed: the initial weights are kept");
  message =
      concat("epoch ", number, ": ", what, "; training stops and ", kept, "; a smaller --learning-rate often helps");
  observer.on_message(message);
}

NamedTensors Trainer::Impl::moments(bool second) const {
  NamedTensors result;
  std::size_t index = 0;
  for (const auto& item : model.named_parameters()) {
    result.emplace_back(item.key(), second ? adam.second_moment(index) : adam.first_moment(index));
    ++index;
  }
  return result;
}

Trainer::Trainer(GraphModel& model, const Dataset& dataset, const TrainOptions& options)
    : impl_(std::make_unique<Impl>(model, options,
                                   [&](const TrainOptions& kept) { return work_on_dataset(model, dataset, kept); })) {}

Trainer::Trainer(GraphModel& model, const TrainWork& work, const TrainOptions& options)
    : impl_(std::make_unique<Impl>(model, options, [&](const TrainOptions&) { return work; })) {}

Trainer::~Trainer() = default;

void Trainer::restore(const TrainState& state) {
  Impl& own = *impl_;
  const std::string where = "checkpoint";
  require_usage(state.epoch <= own.options.epochs, where, ": ", state.epoch, " epochs are done already; epochs is ",
                own.options.epochs);
  require(state.epoch >= 0 && state.batch >= 0 && state.batch < own.batches_per_epoch, where, ": batch ", state.batch,
          " of epoch ", state.epoch + 1, " does not exist; an epoch has ", own.batches_per_epoch, " batches");
  require(state.step == state.epoch * own.batches_per_epoch + state.batch, where, ": ", state.step,
          " steps do not fit ", state.epoch, " epochs and ", state.batch, " batches of ", own.batches_per_epoch);
  const bool several = own.options.starts > 1;
  const auto remembered = std::count_if(state.history.begin(), state.history.end(), [&](const EpochRecord& record) {
    return record.start == (several ? state.start : 0);
  });
  require(remembered == state.epoch, where, ": it remembers ", remembered, " epochs of ", state.epoch);
  require(state.start >= 1 && state.start <= own.options.starts && (several || !state.comparing), where, ": start ",
          state.start, " is not among the ", own.options.starts);
  require(state.best_epoch >= 0 && state.best_epoch <= state.epoch, where, ": best epoch ", state.best_epoch,
          " is not among the ", state.epoch, " done");
  check_weights(own.model, state.weights, where + ", weights");
  check_weights(own.model, state.best_weights, where + ", best weights");
  NamedTensors first = own.moments(false);
  NamedTensors second = own.moments(true);
  check_tensors(first, state.first_moments, where + ", first moments");
  check_tensors(second, state.second_moments, where + ", second moments");
  if (state.kept != nullptr) {
    check_weights(own.model, state.kept->weights, where + ", weights of the kept start");
    check_weights(own.model, state.kept->best_weights, where + ", best weights of the kept start");
    check_tensors(first, state.kept->first_moments, where + ", first moments of the kept start");
    check_tensors(second, state.kept->second_moments, where + ", second moments of the kept start");
  }

  own.load(state);
  own.seconds = state.seconds;
  own.status = state.status;
  own.message = state.message;
  own.history = state.history;
  own.comparing = state.comparing;
  own.kept = state.kept;
}

/// What belongs to one start.
void Trainer::Impl::load(const TrainState& from) {
  load_weights(model, from.weights, "checkpoint");
  NamedTensors first = moments(false), second = moments(true);
  copy_tensors(from.first_moments, first);
  copy_tensors(from.second_moments, second);
  adam.set_steps(from.step);
  schedule.set_state(from.schedule);
  start = from.start;
  epoch = from.epoch;
  batch = from.batch;
  loss_sum = from.loss_sum;
  task_loss_sum = from.task_loss_sum;
  regulariser_sum = from.regulariser_sum;
  best_epoch = from.best_epoch;
  best_metric = from.best_metric;
  best_loss = from.best_loss;
  best_objective = from.best_objective;
  best_weights = copy_weights(model);
  copy_tensors(from.best_weights, best_weights);
}

TrainState Trainer::Impl::state() const {
  TrainState state;
  state.epoch = epoch;
  state.batch = batch;
  state.step = steps();
  state.device = device_of(model).str();
  state.loss_sum = loss_sum;
  state.task_loss_sum = task_loss_sum;
  state.regulariser_sum = regulariser_sum;
  state.seconds = total_seconds();
  state.status = status;
  state.message = message;
  state.schedule = schedule.state();
  state.weights = copy_weights(model);
  state.first_moments = moments(false);
  state.second_moments = moments(true);
  for (NamedTensors* each : {&state.first_moments, &state.second_moments}) {
    for (auto& [name, tensor] : *each) {
      tensor = tensor.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
    }
  }
  state.best_epoch = best_epoch;
  state.best_metric = best_metric;
  state.best_loss = best_loss;
  state.best_objective = best_objective;
  state.best_weights = best_weights;  // never written in place: each better model is a new copy
  state.history = history;
  state.start = start;
  state.comparing = comparing;
  state.kept = kept;
  return state;
}

TrainState Trainer::capture() const { return impl_->state(); }

RunStatus Trainer::run(Observer& observer, const AfterBatch& after_batch) {
  Impl& own = *impl_;
  if (own.status == RunStatus::kDiverged) {
    observer.on_message(own.message);
    return own.status;
  }
  own.started = Clock::now();
  own.running = true;
  own.steps_before = own.steps_behind();
  try {
    own.status = RunStatus::kInterrupted;
    own.status = own.loop(observer, after_batch);
  } catch (...) {
    own.seconds = own.total_seconds();
    own.running = false;
    throw;
  }
  own.seconds = own.total_seconds();
  own.running = false;
  return own.status;
}

void Trainer::pause() { impl_->pause_asked = true; }

void Trainer::use_best() { load_weights(impl_->model, impl_->best_weights, "best model"); }

const std::string& Trainer::message() const { return impl_->message; }
std::int64_t Trainer::epochs_done() const { return impl_->epoch; }
std::int64_t Trainer::batches_done() const { return impl_->batch; }
std::int64_t Trainer::best_epoch() const { return impl_->best_epoch; }
const NamedTensors& Trainer::best_weights() const { return impl_->best_weights; }
const std::vector<EpochRecord>& Trainer::history() const { return impl_->history; }
double Trainer::seconds() const { return impl_->total_seconds(); }

}  // namespace factorgcn
