// gpu-chain: the kernels of a training step on one large graph without libtorch: each pass over the edges alone, and
// the whole chain of launches with parts left out. For work on the kernels: it is compiled wherever nvcc is
// (tools/gpu_chain.sh) and one file to take to a machine with a GPU.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "step_chain.h"

namespace factorgcn::bench {
namespace {

constexpr const char* kHelp = R"(gpu-chain: times of the kernels of a training step on one graph of 20 edges a node

  --edges N         edges of the graph (default 100000)
  --degrees NAME    uniform (default) or power: a power law
  --passes          each pass over the edges alone, and no more
)";

/// Microseconds of one of `times` runs of `launches`, recorded one after the other; the median of some replays.
double time_of(cudaStream_t stream, int times, const std::function<void()>& launches) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t recorded = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < times; ++i) {
    launches();
  }
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&recorded, graph, 0));
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  constexpr int kReplays = 9, kTogether = 20;
  std::vector<float> milliseconds;
  for (int i = 0; i < kReplays + 1; ++i) {
    check(cudaEventRecord(begin, stream));
    for (int k = 0; k < kTogether; ++k) {
      check(cudaGraphLaunch(recorded, stream));
    }
    check(cudaEventRecord(end, stream));
    check(cudaStreamSynchronize(stream));
    if (i > 0) {  // the first one warms up
      check(cudaEventElapsedTime(&milliseconds.emplace_back(), begin, end));
    }
  }
  std::nth_element(milliseconds.begin(), milliseconds.begin() + kReplays / 2, milliseconds.end());
  check(cudaGraphExecDestroy(recorded));
  check(cudaGraphDestroy(graph));
  return 1000.0 * milliseconds[kReplays / 2] / kTogether / times;
}

void time_passes(const StepChain& chain) {
  constexpr int kInTurn = 10;
  std::printf("%-22s %10s %10s\n", "pass alone, us", "layer 1", "layer 2");
  using Problem = cuda::PassProblem<float> LayerLaunches::*;
  const std::pair<const char*, Problem> passes[] = {{"forward", &LayerLaunches::forward},
                                                    {"discriminator", &LayerLaunches::judge},
                                                    {"discriminator back", &LayerLaunches::judge_back},
                                                    {"back", &LayerLaunches::back}};
  for (const auto& [name, problem] : passes) {
    const bool is_back = problem == &LayerLaunches::back || problem == &LayerLaunches::judge_back;
    std::printf("%-22s", name);
    for (std::size_t i = 0; i < StepChain::kLayers; ++i) {
      std::printf(" %10.2f", time_of(chain.stream, kInTurn, [&, &problem = problem] {
                    cuda::run_pass(chain.layer(i).*problem, is_back ? cuda::Pass::kSources : cuda::Pass::kSloped,
                                   chain.stream);
                  }));
    }
    std::printf("\n");
  }
}

void time_chain(StepChain& chain) {
  struct Part {
    const char* name;
    LeftOut without;
  };
  const Part parts[] = {
      {"the whole step", {}},
      {"without discriminators", {.first_judge = true, .second_judge = true}},
      {"without the first", {.first_judge = true}},
      {"without the second", {.second_judge = true}},
      {"without scores", {.score = true}},
      {"  and sums over nodes", {.score = true, .sums_to_score = true}},
      {"without joining maps", {.joins = true}},
      {"without batch norm", {.norms = true}},
      {"without outputs and loss", {.head = true}},
      {"without adding sums", {.adding = true}},
      {"  and Adam", {.adding = true, .adam = true}},
      {"  and the row of losses", {.adding = true, .adam = true, .loss_row = true}},
  };
  std::printf("%-30s %10s\n", "chain of launches", "us");
  for (const Part& part : parts) {
    std::printf("%-30s %10.1f\n", part.name, time_of(chain.stream, 1, [&] { chain.launch(part.without); }));
    std::fflush(stdout);
  }
}

int run(int count, char** arguments) {
  std::int64_t edges = 100000;
  bool power_law = false, passes_only = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view option = arguments[i];
    const std::string value = i + 1 < count ? arguments[i + 1] : "";
    if (option == "--help" || option == "-h") {
      std::printf("%s", kHelp);
      return 0;
    }
    if (option == "--passes") {
      passes_only = true;
    } else if (option == "--edges") {
      char* end = nullptr;
      edges = std::strtoll(value.c_str(), &end, 10);
      if (value.empty() || *end != '\0' || edges < 20 || edges > (std::int64_t(1) << 31)) {
        std::fprintf(stderr, "gpu-chain: --edges is \"%s\": expected a whole number from 20 to 2^31\n", value.c_str());
        return 2;
      }
      ++i;
    } else if (option == "--degrees" && (value == "uniform" || value == "power")) {
      power_law = value == "power";
      ++i;
    } else {
      std::fprintf(stderr, "gpu-chain: cannot make sense of '%s %s'\n\n%s", arguments[i], value.c_str(), kHelp);
      return 2;
    }
  }
  const RandomGraph graph(edges, power_law, StepChain::kLayers * StepChain::kPassesEachWay);
  StepChain chain(graph);
  std::printf("%lld nodes, %lld edges, %s degrees\n", static_cast<long long>(graph.nodes),
              static_cast<long long>(graph.edges), power_law ? "power-law" : "uniform");
  time_passes(chain);
  if (!passes_only) {
    time_chain(chain);
  }
  return 0;
}

}  // namespace
}  // namespace factorgcn::bench

int main(int count, char** arguments) { return factorgcn::bench::run(count, arguments); }
