// What the package asks of a data set.
#include "python/data_set.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/stack.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "factorgcn/graph/sparse_features.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/run_config.h"
#include "python/classes.h"
#include "python/graph_tensors.h"
#include "python/told.h"

namespace factorgcn::python {

c10::intrusive_ptr<DataSet> DataSet::open(const std::string& name, const std::string& settings) {
  const RunConfig config = config_from_json({{"data", nlohmann::json::parse(settings)}}, "data set " + name);
  const OpenedData data;
  return c10::make_intrusive<DataSet>(data.open(name, data.describe(name, config.data).settings));
}

std::string DataSet::summary() const {
  const nlohmann::ordered_json summary{{"name", data_->name},
                                       {"task", task_name(data_->task)},
                                       {"directed", data_->directed},
                                       {"node_names", data_->node_names},
                                       {"output_names", data_->output_names},
                                       {"feature_names", data_->feature_names}};
  return summary.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

at::Tensor DataSet::edge_index() const {
  const GraphStore& store = data_->graphs;
  const at::Tensor first = store.node_offsets.narrow(0, 0, store.num_graphs());
  const at::Tensor edges = store.edge_offsets.diff();
  const at::Tensor targets =
      at::arange(store.num_nodes(), at::kLong).repeat_interleave(store.in_degrees.to(at::kLong), 0);
  return at::stack({store.in_sources.to(at::kLong) + first.repeat_interleave(edges, 0), targets});
}

at::Tensor DataSet::features() const { return dense_features(data_->graphs.features); }

void register_data_set() {
  using Self = c10::intrusive_ptr<DataSet>;
  static const auto data_set =
      torch::class_<DataSet>("factorgcn", "DataSet")
          .def(torch::init([](const at::Tensor& edge_index, const OptionalTensor& offsets, std::int64_t num_nodes,
                              const OptionalTensor& x, const OptionalTensor& y, const OptionalTensor& train_mask,
                              const OptionalTensor& val_mask, const OptionalTensor& test_mask,
                              const OptionalTensor& edge_weight, const OptionalTensor& edge_type,
                              const std::string& settings) {
            return told_of_arguments([&] {
              const GraphTensors tensors{
                  edge_index,
                  value_or_undefined(offsets),
                  num_nodes,
                  value_or_undefined(x),
                  value_or_undefined(y),
                  {value_or_undefined(train_mask), value_or_undefined(val_mask), value_or_undefined(test_mask)},
                  value_or_undefined(edge_weight),
                  value_or_undefined(edge_type)};
              return c10::make_intrusive<DataSet>(
                  std::make_shared<const Dataset>(dataset_of_tensors(tensors, nlohmann::json::parse(settings))));
            });
          }))
          .def_static("open",
                      [](const std::string& name, const std::string& settings) {
                        return told([&] { return DataSet::open(name, settings); });
                      })
          .def("save",
               [](const Self& self, const std::string& path) { told([&] { save_dataset(path, *self->data()); }); })
          .def("summary", [](const Self& self) { return self->summary(); })
          .def("edge_index", [](const Self& self) { return self->edge_index(); })
          .def("graph_offsets", [](const Self& self) { return self->data()->graphs.node_offsets.clone(); })
          .def("x", [](const Self& self) { return self->features().clone(); })
          .def("y", [](const Self& self) { return self->data()->targets.clone(); })
          .def("known", [](const Self& self) { return known_targets(*self->data()).clone(); })
          .def("edge_weights", [](const Self& self) {
            const at::Tensor& weights = self->data()->graphs.edge_weights;
            return optional(weights.defined() ? weights.clone() : weights);
          });
}

}  // namespace factorgcn::python
