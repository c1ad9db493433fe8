// A kernel machine from its configuration to its metrics.
#include "factorgcn/train/classic_run.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/classic/registry.h"
#include "factorgcn/io/file_format.h"
#include "factorgcn/io/json_text.h"
#include "factorgcn/io/safetensors.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/predict.h"
#include "factorgcn/train/run_directory.h"
#include "train/begin_metrics.h"
#include "train/json_reader.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "factorgcn-kernel-machine";
constexpr int kVersion = 1;

/// Kernel machines are for classes of graphs.
const char* machine_metric() { return metric_name(Task::kGraphClass); }

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const ClassicEntry& entry_of(const RunConfig& config) {
  const ClassicEntry* const entry = find_classic(config.model);
  require(entry != nullptr && entry->machine != nullptr, "model ", config.model, " is no kernel machine");
  return *entry;
}

std::span<const std::int64_t> classes_of(const Dataset& dataset) {
  return {dataset.targets.data_ptr<std::int64_t>(), static_cast<std::size_t>(dataset.targets.numel())};
}

/// What a machine is, beside the graphs themselves.
struct FittedMachine {
  SvmModel model;
  std::size_t features = 0, kernel = 0;  // among the machine's choices
  double cost = 0, accuracy = 0;         // accuracy: where it was chosen
};

template <class Value>
at::Tensor to_tensor(const std::vector<Value>& values) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, c10::CppTypeToScalarType<Value>::value);
  std::copy(values.begin(), values.end(), tensor.data_ptr<Value>());
  return tensor;
}

template <class Value>
std::vector<Value> to_vector(const TensorFile& file, const char* name) {
  const at::Tensor& tensor = file.at(name);
  require(tensor.scalar_type() == c10::CppTypeToScalarType<Value>::value && tensor.dim() == 1, file.origin, ": '", name,
          "' is ", tensor.dtype(), " with ", tensor.dim(), " dimensions; the file is damaged");
  return {tensor.data_ptr<Value>(), tensor.data_ptr<Value>() + tensor.numel()};
}

void save_machine(const fs::path& path, const RunConfig& config, const FittedMachine& machine) {
  auto shown = to_json(config);
  for (const char* key : {"out", "threads", "checkpoint_seconds"}) {
    shown.erase(key);  // equal machines give equal files, wherever they were made
  }
  TensorFile file;
  file.tensors = {{"classes", to_tensor(machine.model.classes)},
                  {"support", to_tensor(machine.model.support)},
                  {"support_counts", to_tensor(machine.model.support_counts)},
                  {"coefficients", to_tensor(machine.model.coefficients)},
                  {"offsets", to_tensor(machine.model.offsets)}};
  const ordered_json chosen{{"features", machine.features},
                            {"kernel", machine.kernel},
                            {"cost", machine.cost},
                            {machine_metric(), machine.accuracy}};
  file.metadata = {{"model", config.model}, {"chosen", chosen.dump()}, {"config", shown.dump()}};
  set_format(file, kFormat, kVersion);
  write_safetensors(path, file);
}

FittedMachine load_machine(const fs::path& path, const KernelMachine& machine, std::int64_t graphs) {
  const std::string where = path.string();
  const TensorFile file = read_safetensors(path);
  check_format(file, kFormat, kVersion);
  FittedMachine result;
  result.model.classes = to_vector<std::int64_t>(file, "classes");
  result.model.support = to_vector<std::int64_t>(file, "support");
  result.model.support_counts = to_vector<std::int64_t>(file, "support_counts");
  result.model.coefficients = to_vector<double>(file, "coefficients");
  result.model.offsets = to_vector<double>(file, "offsets");
  check_svm(result.model, graphs, where);
  reading_file(where, [&] {
    const json chosen = parse_json(file.metadata_at("chosen"), where);
    result.features = chosen.at("features").get<std::size_t>();
    result.kernel = chosen.at("kernel").get<std::size_t>();
    result.cost = chosen.at("cost").get<double>();
    result.accuracy = chosen.at(machine_metric()).get<double>();
    return 0;
  });
  require(result.features < machine.choices.names.size() && result.kernel < machine.choices.kernels.size(), where,
          ": it was chosen among other features or kernels than config.json has");
  return result;
}

/// choice.json: what was tried and what came of it.
void write_choice(const fs::path& folder, const KernelMachine& machine, const ChosenSvm& chosen,
                  const std::string& chosen_by) {
  const auto described = [&](const SvmTrial& trial) {
    return ordered_json{{"features", machine.choices.names[trial.features]},
                        {"kernel", machine.choices.kernels[trial.kernel].text()},
                        {"cost", trial.cost},
                        {machine_metric(), trial.accuracy}};
  };
  ordered_json object{{"chosen_by", chosen_by}, {"chosen", described(chosen.chosen)}};
  object["tried"] = ordered_json::array();
  for (const SvmTrial& trial : chosen.trials) {
    object["tried"].push_back(described(trial));
  }
  write_file_atomically(folder / "choice.json", object.dump(2) + "\n");
}

/// The answers of a machine are classes alone: what needs a ranking is not known of it.
Answers answers_on(const FittedMachine& fitted, const KernelMachine& machine, const Dataset& dataset,
                   std::span<const std::int64_t> graphs) {
  const GramMatrix products = inner_products(machine.choices.make(fitted.features));
  std::vector<std::int64_t> targets;
  for (const std::int64_t graph : graphs) {
    targets.push_back(classes_of(dataset)[static_cast<std::size_t>(graph)]);
  }
  return Answers::of_classes(dataset.num_outputs,
                             svm_classes(fitted.model, products, machine.choices.kernels[fitted.kernel], graphs),
                             targets);
}

void put_part(const FittedMachine& fitted, const KernelMachine& machine, const Dataset& dataset,
              std::span<const std::int64_t> graphs, const std::string& part, RunMetrics& metrics) {
  const Answers answers = answers_on(fitted, machine, dataset, graphs);
  put_test_scores(score_answers(answers), metrics);
  metrics.metric = machine_metric();
  metrics.splits = {{machine_metric(), part}};
  metrics.samples = {{part, answers.rows()}};
}

RunMetrics measure_machine(const FittedMachine& fitted, const KernelMachine& machine, const Dataset& dataset,
                           const RunConfig& config) {
  RunMetrics metrics = begin_metrics(dataset, config);
  metrics.device = config.device;
  metrics.parameters = static_cast<std::int64_t>(fitted.model.coefficients.size() + fitted.model.offsets.size());
  metrics.validation = {{machine_metric(), fitted.accuracy}};
  if (!dataset.split.test.empty()) {
    put_part(fitted, machine, dataset, dataset.split.test, "test", metrics);
  }
  return metrics;
}

/// Tells about the kernels tried, no more often than people can read.
class ChoiceProgress {
 public:
  ChoiceProgress(Observer& observer, std::string model) : observer_(observer), model_(std::move(model)) {}

  bool operator()(std::size_t done, std::size_t total, const std::string& what) {
    constexpr double kPause = 5;
    if (done > 0 && seconds_since(last_) >= kPause) {
      observer_.on_message(concat(model_, ": ", done, " of ", total, " kernels done; now ", what));
      last_ = Clock::now();
    }
    return interrupt_signal() == 0;
  }

 private:
  Observer& observer_;
  std::string model_;
  Clock::time_point last_ = Clock::now();
};

RunResult fit_in(const RunDirectory& directory, const RunConfig& config, const Dataset& dataset,
                 const KernelMachine& machine, Observer& observer) {
  const auto start = Clock::now();
  RunResult result;
  result.folder = directory.paths().folder;
  const Split& split = dataset.split;
  const auto count = [](const std::vector<std::int64_t>& items) { return static_cast<std::int64_t>(items.size()); };
  const RunData data{dataset.name,      dataset.task,      count(split.train), count(split.validation),
                     count(split.test), dataset.node_split};
  observer.on_start({config, data, 0, 0, 0});
  ChoiceOptions options = machine.options;
  options.seed = config.seed;
  const std::optional<ChosenSvm> chosen = choose_svm(machine.choices, classes_of(dataset), split.train,
                                                     split.validation, options, ChoiceProgress(observer, config.model));
  if (!chosen) {
    result.status = RunStatus::kInterrupted;
    result.signal = interrupt_signal();
    result.message =
        concat("interrupted; ", config.model, " keeps no checkpoint, so ", result.folder.string(), " will begin again");
    return result;
  }
  const std::string chosen_by =
      split.validation.empty() ? concat("cross-validation in ", options.inner_folds, " parts of the training graphs")
                               : std::string("the validation graphs");
  write_choice(result.folder, machine, *chosen, chosen_by);
  const FittedMachine fitted{chosen->model, chosen->chosen.features, chosen->chosen.kernel, chosen->chosen.cost,
                             chosen->chosen.accuracy};
  save_machine(directory.paths().model, config, fitted);
  RunMetrics metrics = measure_machine(fitted, machine, dataset, config);
  metrics.seconds = seconds_since(start);
  directory.write_metrics(metrics);
  result.metrics = metrics;
  return result;
}

/// Data and machine of a configuration, checked.
struct Opened {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const KernelMachine> machine;

  Opened(const RunConfig& config, const OpenedData& data, const MessageSink& messages) {
    require_usage(config.device == "cpu" || config.device == "auto", "model ", config.model,
                  " is computed on the CPU alone; leave out --device ", config.device);
    dataset = open_trained_data(config, data, messages);
    machine = kernel_machine(entry_of(config), *dataset, config.model_settings);
  }
};

MessageSink messages_to(Observer& observer) {
  return [&observer](const std::string& line) { observer.on_message(line); };
}

void require_trainable(const RunConfig& config) {
  require(can_train_svm(), "model ", config.model,
          " needs libsvm, which this build does not have: build with -DFACTORGCN_WITH_SVM=ON (Debian: libsvm-dev)");
}

}  // namespace

RunResult run_kernel_machine(const RunConfig& config, Observer& observer, bool force, const OpenedData& data) {
  check_config(config);
  require_trainable(config);
  RunDirectory::check_free(config.out, force);
  const Opened opened(config, data, messages_to(observer));
  const RunDirectory directory = RunDirectory::create(config.out, force);
  RunConfig begun = config;
  begun.trained_on = describe_training(config, *opened.dataset);
  directory.write_config(begun);
  return fit_in(directory, config, *opened.dataset, *opened.machine, observer);
}

RunResult resume_kernel_machine(const RunConfig& config, Observer& observer, const OpenedData& data) {
  require_trainable(config);
  const RunDirectory directory = RunDirectory::open(config.out);
  const Opened opened(config, data, messages_to(observer));
  directory.write_config(config);
  fs::remove(directory.paths().metrics);
  observer.on_message(concat(config.model, " keeps no checkpoint; the run begins again"));
  return fit_in(directory, config, *opened.dataset, *opened.machine, observer);
}

RunMetrics evaluate_kernel_machine(const RunConfig& config, const fs::path& folder, const OpenedData& data) {
  const RunPaths paths(folder);
  require_usage(fs::exists(paths.model), folder.string(),
                " has no model.safetensors yet; continue the run with --resume");
  const Opened opened(config, data, {});
  const FittedMachine fitted = load_machine(paths.model, *opened.machine, opened.dataset->graphs.num_graphs());
  RunMetrics metrics = measure_machine(fitted, *opened.machine, *opened.dataset, config);
  if (fs::exists(paths.metrics)) {
    metrics.seconds = read_metrics(paths.metrics.string()).seconds;
  }
  return metrics;
}

RunMetrics score_kernel_machine(const fs::path& folder, const std::string& split, const OpenedData& data) {
  const RunConfig config = read_run_config(folder);
  const RunPaths paths(folder);
  require_usage(fs::exists(paths.model), folder.string(), " has no model yet: continue the run with --resume");
  const Opened opened(config, data, {});
  const FittedMachine fitted = load_machine(paths.model, *opened.machine, opened.dataset->graphs.num_graphs());
  const Split& parts = opened.dataset->split;
  const auto& graphs = split == "train" ? parts.train : split == "validation" ? parts.validation : parts.test;
  require(!graphs.empty(), "the data set has no ", split, " graphs: choose another --split");
  RunMetrics metrics;
  put_part(fitted, *opened.machine, *opened.dataset, graphs, split, metrics);
  return metrics;
}

std::int64_t write_kernel_machine_predictions(const fs::path& file, const fs::path& folder,
                                              const std::optional<Part>& part, const OpenedData& data) {
  const RunConfig config = read_run_config(folder);
  const RunPaths paths(folder);
  require_usage(fs::exists(paths.model), folder.string(), " has no model yet: continue the run with --resume");
  const Opened opened(config, data, {});
  const Dataset& dataset = *opened.dataset;
  const FittedMachine fitted = load_machine(paths.model, *opened.machine, dataset.graphs.num_graphs());
  std::vector<std::int64_t> graphs(static_cast<std::size_t>(dataset.graphs.num_graphs()));
  std::iota(graphs.begin(), graphs.end(), std::int64_t{0});
  if (part) {
    graphs = data_part(dataset, *part).graphs;
    require_usage(!graphs.empty(), "data set ", dataset.name, " has nothing in its ", part_name(*part), " part");
  }
  const GramMatrix products = inner_products(opened.machine->choices.make(fitted.features));
  return write_class_predictions(
      file, dataset, graphs,
      svm_classes(fitted.model, products, opened.machine->choices.kernels[fitted.kernel], graphs));
}

}  // namespace factorgcn
