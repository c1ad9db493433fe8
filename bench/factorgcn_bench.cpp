// factorgcn-bench: the time of one whole training step (forward, task loss, discriminator loss, backward, Adam).
//
// Random graphs of a fixed shape, made once outside the clock, as the peers in peer_torch.py do. Needs libtorch alone.
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "aligned_step.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/gpu/out_of_memory.h"
#include "factorgcn/ops/instruction_set.h"
#include "random_batch.h"
#include "scaling.h"
#include "shapes.h"
#include "timed_step.h"

namespace factorgcn::bench {
namespace {

constexpr const char* kHelp = R"(factorgcn-bench: time of one training step on random graphs

  --shape NAME      synth, zinc, pattern or big (default synth)
  --model NAME      factorgcn (default) or one of the compared systems; layers and widths are the shape's. aligned has
                    a shape of its own, and --shape is not looked at
  --device NAME     where to run: cpu (default), cuda or cuda:N
  --threads N       threads (default: all cores allowed)
  --steps N         timed steps (default 20)
  --warm N          steps before the clock starts (default 3)
  --json            print one JSON line only
  --no-capture      on a GPU: launch each kernel, instead of replaying a recorded step

Time per edge of one graph from 1e5 edges on, 20 a node, widths as in shape big:
  --scaling         one line per size instead of one shape
  --degrees NAME    uniform (default) or power: a power law of exponent 2.5
  --most-edges N    largest graph (default 1e8 on a GPU, 1e6 on the CPU)

Any other shape, starting from the one named:
  --graphs N  --nodes N  --edges N       graphs; nodes and directed edges of each
  --in N  --hidden N  --outputs N        columns of the input, of each layer, of the prediction
  --factors A,B,...                      factors of each layer
  --lambda X                             weight of the discriminator; 0 leaves it out
  --batch-norm 0|1  --node-task 0|1
)";

struct Request {
  Shape shape;
  std::string device = "cpu";
  int threads = 0;
  Timing timing;
  bool json = false;
  bool scaling = false, power_law = false;
  std::int64_t most_edges = 0;
};

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  require_usage(!text.empty() && *end == '\0' && value >= least, option, " is \"", text,
                "\": expected a whole number of at least ", least);
  return value;
}

std::vector<std::int64_t> whole_numbers(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> values;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    values.push_back(whole_number(option, text.substr(begin, comma - begin), 1));
    begin = comma + 1;
  }
  return values;
}

Request parse(int count, char** words) {
  const std::set<std::string> flags{"--json", "--no-capture", "--scaling", "--help", "-h"};
  std::map<std::string, std::string> given;
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (flags.count(option) > 0) {
      given[option] = "1";
      continue;
    }
    require_usage(option.rfind("--", 0) == 0, "unexpected \"", option, "\"; see factorgcn-bench --help");
    require_usage(i + 1 < count, option, " needs a value");
    given[option] = words[++i];
  }
  if (given.count("--help") + given.count("-h") > 0) {
    std::cout << kHelp;
    std::exit(0);
  }
  const auto take = [&](const std::string& option, const auto& use) {
    const auto found = given.find(option);
    if (found != given.end()) {
      use(found->second);
      given.erase(found);
    }
  };
  const auto take_number = [&](const std::string& option, auto& value, std::int64_t least) {
    take(option, [&](const std::string& text) {
      value = static_cast<std::decay_t<decltype(value)>>(whole_number(option, text, least));
    });
  };
  Request request;
  take("--scaling", [&](const std::string&) { request.scaling = true; });
  std::string name = request.scaling ? "big" : "synth";
  take("--shape", [&](const std::string& text) { name = text; });
  const auto found =
      std::find_if(shapes().begin(), shapes().end(), [&](const Shape& shape) { return shape.name == name; });
  require_usage(found != shapes().end(), "--shape is \"", name, "\": choose synth, zinc, pattern or big");
  request.shape = *found;
  take("--device", [&](const std::string& text) { request.device = text; });
  device_from_name(request.device);  // refuses what is not there
  take("--model", [&](const std::string& text) {
    require_usage(find_model(text).trained, "--model is \"", text, "\": there is nothing to train");
    request.shape.model = text;
  });
  require_usage(!request.scaling || request.shape.model == "factorgcn", "--scaling is for factorgcn, not for ",
                request.shape.model);
  take_number("--threads", request.threads, 1);
  take_number("--steps", request.timing.steps, 1);
  take_number("--warm", request.timing.warm, 0);
  take("--json", [&](const std::string&) { request.json = true; });
  take("--no-capture", [&](const std::string&) { request.timing.capture = false; });
  request.most_edges = request.device == "cpu" ? 1'000'000 : 100'000'000;
  take_number("--most-edges", request.most_edges, 100'000);
  take("--degrees", [&](const std::string& text) {
    require_usage(text == "uniform" || text == "power", "--degrees is \"", text, "\": choose uniform or power");
    request.power_law = text == "power";
  });
  take_number("--graphs", request.shape.graphs, 1);
  take_number("--nodes", request.shape.nodes, 1);
  take_number("--edges", request.shape.edges, 0);
  take_number("--in", request.shape.in, 1);
  take_number("--hidden", request.shape.hidden, 1);
  take_number("--outputs", request.shape.outputs, 1);
  take_number("--batch-norm", request.shape.batch_norm, 0);
  take_number("--node-task", request.shape.node_task, 0);
  take("--factors", [&](const std::string& text) { request.shape.factors = whole_numbers("--factors", text); });
  take("--lambda", [&](const std::string& text) {
    char* end = nullptr;
    request.shape.lambda = std::strtod(text.c_str(), &end);
    require_usage(!text.empty() && *end == '\0' && request.shape.lambda >= 0, "--lambda is \"", text,
                  "\": expected a number of at least 0");
  });
  require_usage(given.empty(), "unknown option ", given.empty() ? "" : given.begin()->first,
                "; see factorgcn-bench --help");
  return request;
}

void run(const Request& request) {
  const Shape& shape = request.shape;
  const at::Device device = device_from_name(request.device);
  prepare_process(request.threads);
  if (device.is_cpu() && blas_name() == "reference") {
    std::cerr << "factorgcn-bench: libtorch uses the slow reference BLAS; install OpenBLAS (tools/setup.sh)\n";
  }
  if (request.scaling) {
    run_scaling(shape, request.device, request.power_law, request.most_edges, request.timing, request.json);
    return;
  }
  RandomStream random(0, "bench");
  const GraphBatch batch = move_batch(random_batch(shape, random), device);
  const bool aligned = shape.model == "aligned";
  const auto [median, best, peak, launches] = aligned ? time_aligned_step({}, device, request.timing, random)
                                                      : time_training_step(shape, batch, request.timing, random);
  const std::string kernels = device.is_cpu() ? instruction_set() : "cuda";
  const std::string name = aligned ? shape.model : shape.name;
  if (request.json) {
    std::printf(
        "{\"shape\": \"%s\", \"model\": \"%s\", \"device\": \"%s\", \"threads\": %d, \"ms\": %.3f, \"best_ms\": %.3f, "
        "\"peak_mib\": %.0f, \"instruction_set\": \"%s\", \"launches\": %zu}\n",
        name.c_str(), shape.model.c_str(), request.device.c_str(), num_threads(), median, best, peak, kernels.c_str(),
        launches);
  } else {
    std::printf("%s, %s on %s, %d threads, %s: %.3f ms a step (median of %d; best %.3f), peak %.0f MiB\n",
                shape.model.c_str(), name.c_str(), request.device.c_str(), num_threads(), kernels.c_str(), median,
                request.timing.steps, best, peak);
  }
}

}  // namespace
}  // namespace factorgcn::bench

int main(int count, char** words) {
  try {
    factorgcn::bench::run(factorgcn::bench::parse(count, words));
    return 0;
  } catch (const factorgcn::UsageError& error) {
    std::cerr << "factorgcn-bench: " << error.what() << "\n";
    return 2;
  } catch (const c10::OutOfMemoryError& error) {
    std::cerr << "factorgcn-bench: "
              << factorgcn::describe_out_of_memory(error.what_without_backtrace(),
                                                   "take a smaller shape, fewer --most-edges or --device cpu")
              << "\n";
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "factorgcn-bench: " << error.what() << "\n";
    return 1;
  }
}
