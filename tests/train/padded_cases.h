// The models and shapes that are trained on padded batches in tests: FactorGCN in the published ones, and every other
// model of the registry.
#pragma once

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "factorgcn/nn/factor_gcn.h"
#include "factorgcn/nn/registry.h"
#include "graph/padded_sets.h"

namespace factorgcn::testing {

struct PaddedCase {
  std::string name;
  Task task;
  Readout readout;
  std::int64_t types;
  bool batch_norm;
  int depth;  ///< of FactorGCN's discriminator
  std::string model = "factorgcn";
  bool residual = false;  ///< of the others, from the input on
};

inline void PrintTo(const PaddedCase& item, std::ostream* out) { *out << item.name; }

/// FactorGCN in four shapes.
inline const std::vector<PaddedCase>& factor_cases() {
  static const std::vector<PaddedCase> cases{
      {"synthetic", Task::kMultiLabel, Readout::kMeanTanh, 0, false, 2},
      {"zinc", Task::kRegression, Readout::kMeanMlp, 6, true, 2},
      {"pattern", Task::kNodeClass, Readout::kNodeMlp, 4, true, 2},
      {"tu", Task::kGraphClass, Readout::kLayerSum, 0, true, 3},
  };
  return cases;
}

/// FACTORGCN_TEST_BRIEF=1, for tools that slow tests down a hundredfold and more: fewer shapes and epochs, and the
/// largest sizes are a tenth or less. All that runs on a GPU still does.
inline bool brief() {
  const char* const wanted = std::getenv("FACTORGCN_TEST_BRIEF");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

/// Another model in one of FactorGCN's shapes.
inline PaddedCase other_case(const std::string& model, std::size_t shape) {
  PaddedCase item = factor_cases()[shape];
  item.name = model + " as " + item.name;
  item.model = model;
  return item;
}

inline std::vector<std::string> other_models() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : models()) {
    // The aligned model is not recorded, and trained on batches without padding everywhere.
    if (entry.trained && entry.name != "factorgcn" && entry.name != "aligned") {
      names.push_back(entry.name);
    }
  }
  return names;
}

/// FactorGCN's, and each of the other models in two of the shapes: the one without batch norm, and another.
inline const std::vector<PaddedCase>& padded_cases() {
  static const std::vector<PaddedCase> cases = [] {
    std::vector<PaddedCase> list = factor_cases();
    std::size_t turn = 0;
    for (const std::string& model : other_models()) {
      if (!brief()) {
        list.push_back(other_case(model, 0));
      }
      list.push_back(other_case(model, 1 + turn++ % 3));
    }
    // With a residual on embedded node types, so that rows of padding are not 0 when IPGDN judges them.
    PaddedCase judged = factor_cases()[1];
    judged.name = "ipgdn with a residual";
    judged.model = "ipgdn";
    judged.residual = true;
    list.push_back(judged);
    return list;
  }();
  return cases;
}

/// Each model in the shape without batch norm.
inline std::vector<PaddedCase> unnormalised_cases() {
  std::vector<PaddedCase> cases{factor_cases()[0]};
  for (const std::string& model : other_models()) {
    cases.push_back(other_case(model, 0));
  }
  return cases;
}

/// A test for each case: a failure names its case, and slow machines or tools can share them out.
using WithPaddedCase = ::testing::TestWithParam<PaddedCase>;

inline std::string case_test_name(const ::testing::TestParamInfo<PaddedCase>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

inline Dataset case_data(const PaddedCase& item, std::int64_t graphs = 60) {
  Dataset dataset = random_dataset(item.task, graphs, item.types);
  if (find_model(item.model).needs_edge_types) {
    dataset.num_edge_types = 3;
    dataset.graphs.edge_types = at::empty({dataset.graphs.num_edges()}, at::kInt);
    for (std::int64_t edge = 0; edge < dataset.graphs.num_edges(); ++edge) {
      dataset.graphs.edge_types.data_ptr<std::int32_t>()[edge] = static_cast<std::int32_t>(edge * edge % 7 % 3);
    }
  }
  return dataset;
}

inline FactorGcnOptions case_options(const PaddedCase& item, const Dataset& dataset) {
  FactorGcnOptions options;
  options.in_features = item.types > 0 ? 0 : dataset.graphs.features.size(1);
  options.node_types = item.types;
  options.embedding = 6;
  options.outputs = dataset.num_outputs;
  options.hidden = 16;
  options.factors = {4, 2};
  options.batch_norm = item.batch_norm;
  options.size_norm = item.batch_norm;
  options.readout = item.readout;
  options.discriminator_depth = item.depth;
  return options;
}

inline std::shared_ptr<GraphModel> case_model(const PaddedCase& item, const Dataset& dataset, at::Device device,
                                              double dropout = 0) {
  std::shared_ptr<GraphModel> model;
  if (item.model == "factorgcn") {
    FactorGcnOptions options = case_options(item, dataset);
    options.dropout = dropout;
    model = std::make_shared<FactorGcn>(options, 5);
  } else {
    Settings settings{{"hidden", std::int64_t{16}},
                      {"layers", std::int64_t{2}},
                      {"batch_norm", item.batch_norm},
                      {"size_norm", item.batch_norm},
                      {"dropout", dropout},
                      {"readout", std::string(readout_name(item.readout))}};
    if (item.types > 0) {
      settings["embedding"] = std::int64_t{item.residual ? 16 : 6};
    }
    if (item.residual) {
      settings["residual"] = true;
    }
    if (item.model.starts_with("gat_") || item.model == "gat") {
      settings["heads"] = std::int64_t{4};
    }
    model = make_model(item.model, model_input(dataset), settings, 5);
  }
  EXPECT_TRUE(model->can_be_recorded());
  model->to(device);
  return model;
}

}  // namespace factorgcn::testing
