// Settings by name, with their ranges and what they are for.
#include "nn/aligned/make.h"

#include "nn/aligned/aligned.h"

namespace factorgcn::aligned {

std::shared_ptr<GraphModel> make_aligned(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  constexpr std::int64_t kWidest = 4096, kMostBlocks = 16;
  constexpr double kHeaviest = 1e6;
  SettingsReader reader(settings, "model aligned");
  AlignedOptions options;
  options.labels = input.outputs;
  options.hidden = reader.integer("hidden", options.hidden, 1, kWidest, "width of all layers but the judges'");
  options.context_blocks = reader.integer("context_blocks", options.context_blocks, 1, kMostBlocks,
                                          "blocks over the whole graph, from which edges are scored");
  options.reader_blocks =
      reader.integer("reader_blocks", options.reader_blocks, 1, kMostBlocks, "blocks over each factor graph");
  options.judge_hidden =
      reader.integer("judge_hidden", options.judge_hidden, 1, kWidest, "width of the adversary and the namer");
  options.edge_weights = reader.boolean("edge_weights", options.edge_weights,
                                        "an edge's weight says how many parts may lie on it; otherwise one");
  LossWeights& weights = options.weights;
  const auto weight = [&](const char* name, double& value, const char* what) {
    value = reader.number(name, value, 0, kHeaviest, what);
  };
  weight("empty", weights.empty, "weight of: factors of absent labels hold no edges");
  weight("cover", weights.cover, "weight of: each edge is held as often as parts lie on it");
  weight("entropy", weights.entropy, "weight of: an edge is in a factor or it is not");
  weight("share", weights.share, "weight of: factors of present labels hold some of the edges");
  options.share_floor = reader.number("share_floor", options.share_floor, 0, 1,
                                      "how many: this much of an equal share of the graph's edges");
  if (weights.share == 0) {
    reader.idle("share_floor", "the weight of share is 0");
  }
  weight("size", weights.size, "weight of: a part is as large whatever else its graph holds");
  weight("apart", weights.apart, "weight of: where a part lies says nothing of where others lie");
  weight("swap", weights.swap, "weight of: parts are found again in new graphs");
  weight("adversary", weights.adversary, "weight of: a factor does not give other labels away");
  weight("namer", weights.namer, "weight of: exchanged parts are turned round");
  weight("local", weights.local, "weight of: an edge is what it looks like from near by, until the others have grown");
  options.local_blocks =
      reader.integer("local_blocks", options.local_blocks, 0, kMostBlocks, "how many steps from an edge it looks");
  if (weights.local == 0) {
    reader.idle("local_blocks", "the weight of local is 0");
  }
  options.begin =
      reader.number("begin", options.begin, 0, 1, "share of all epochs before swap, adversary and namer begin");
  options.growth = reader.number("growth", options.growth, 0, 1, "share of all epochs in which they grow");
  reader.finish();
  return std::make_shared<Aligned>(options, seed);
}

}  // namespace factorgcn::aligned
