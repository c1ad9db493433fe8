// Runs that were trained, by whoever trained them: weights, answers and factor graphs.
#include <torch/custom_class.h>

#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/factor_values.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/predict.h"
#include "factorgcn/train/run_directory.h"
#include "python/classes.h"
#include "python/data_set.h"
#include "python/named_tensors.h"
#include "python/told.h"

namespace factorgcn::python {
namespace {

/// A run with its data, or with others.
class Run : public torch::CustomClassHolder {
 public:
  /// data: another data set's name or file; empty: the run's own.
  Run(const std::string& folder, const std::string& data) {
    if (data.empty()) {
      run_ = load_run(folder);
    } else {
      RunOnData applied = load_run_on(folder, data);
      run_ = std::move(applied.run);
      notes_ = std::move(applied.notes);
    }
  }

  static TensorsByName weights_of(const std::string& folder) {
    const RunPaths paths(folder);
    require_usage(std::filesystem::exists(paths.model), folder, " has no model.safetensors yet; train on");
    return by_name(load_model(paths.model).weights);
  }

  at::Tensor answers() const {
    const PreparedThreads threads;
    std::vector<std::int64_t> graphs(static_cast<std::size_t>(run_.data->graphs.num_graphs()));
    std::iota(graphs.begin(), graphs.end(), std::int64_t{0});
    return predict(run_, graphs);
  }

  std::tuple<at::Tensor, at::Tensor> factors(std::int64_t layer) const {
    const PreparedThreads threads;
    FactorValues found = factor_values(run_, static_cast<int>(layer));
    return {found.edge_index, found.values};
  }

  const LoadedRun& run() const { return run_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  LoadedRun run_;
  std::vector<std::string> notes_;
};

}  // namespace

void register_run() {
  using Self = c10::intrusive_ptr<Run>;
  static const auto run =
      torch::class_<Run>("factorgcn", "Run")
          .def(torch::init([](const std::string& folder, const std::string& data) {
            return told([&] { return c10::make_intrusive<Run>(folder, data); });
          }))
          .def_static("weights_of",
                      [](const std::string& folder) { return told([&] { return Run::weights_of(folder); }); })
          .def("data", [](const Self& self) { return c10::make_intrusive<DataSet>(self->run().data); })
          .def("notes", [](const Self& self) { return self->notes(); })
          .def("predict", [](const Self& self) { return told([&] { return self->answers(); }); })
          .def("num_factor_layers",
               [](const Self& self) { return std::int64_t{self->run().model->num_factor_layers()}; })
          .def("factor_graphs",
               [](const Self& self, std::int64_t layer) { return told([&] { return self->factors(layer); }); });
}

}  // namespace factorgcn::python
