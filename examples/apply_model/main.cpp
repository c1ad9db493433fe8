// Applies a trained model to data that it has not seen: prints what it answers for each graph or node of the first
// graph, and how strongly the first edges belong to each factor.
//
//   apply_model RUN DATASET     e.g. apply_model runs/friends newcomers.safetensors
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/predict.h"

namespace {

constexpr std::int64_t kMostRows = 10;

void print_answers(const factorgcn::LoadedRun& run, const std::vector<std::int64_t>& graphs) {
  const factorgcn::Dataset& data = *run.data;
  const at::Tensor answers = factorgcn::predict(run, graphs);
  const auto* value = answers.data_ptr<float>();
  for (std::int64_t row = 0; row < std::min(answers.size(0), kMostRows); ++row) {
    std::printf("%s:", factorgcn::is_node_task(data.task) ? factorgcn::node_text(data, graphs[0], row).c_str()
                                                          : factorgcn::graph_text(data, graphs[0]).c_str());
    for (std::int64_t output = 0; output < answers.size(1); ++output) {
      const std::string name = data.output_names.empty() ? std::to_string(output) : data.output_names[output];
      std::printf("  %s %.3f", name.c_str(), *value++);
    }
    std::printf("\n");
  }
}

void print_factors(const factorgcn::LoadedRun& run, const std::vector<std::int64_t>& graphs) {
  if (run.model->num_factor_layers() == 0) {
    return;  // not every model has factor graphs
  }
  const factorgcn::EvaluationMode mode(*run.model);  // no dropout, no gradients
  const factorgcn::GraphBatch batch = factorgcn::select_graphs(run.data->graphs, graphs);
  const at::Tensor factors = run.model->factor_coefficients(batch, /*layer=*/0).to(at::kFloat).contiguous();
  std::printf("coefficients of the first edges, a row per edge, a column per factor:\n");
  for (std::int64_t edge = 0; edge < std::min(factors.size(0), kMostRows); ++edge) {
    for (std::int64_t factor = 0; factor < factors.size(1); ++factor) {
      std::printf("  %.3f", factors.data_ptr<float>()[edge * factors.size(1) + factor]);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: apply_model RUN DATASET\n");
    return 2;
  }
  try {
    factorgcn::prepare_process(/*threads=*/0);
    const factorgcn::RunOnData applied = factorgcn::load_run_on(argv[1], argv[2]);
    for (const std::string& note : applied.notes) {
      std::fprintf(stderr, "note: %s\n", note.c_str());
    }
    const std::vector<std::int64_t> first{0};
    print_answers(applied.run, first);
    print_factors(applied.run, first);
  } catch (const factorgcn::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
