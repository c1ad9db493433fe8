// GatedGCN_E: GatedGCN whose gates also see the type of the edge, a molecule's bonds say.
#include "nn/baselines/gatedgcn.h"
#include "nn/baselines/makers.h"

namespace factorgcn::baselines {

ModelPointer make_gatedgcn_e(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  StackOptions options;
  options.name = "gatedgcn_e";
  SettingsReader reader(settings, "model gatedgcn_e");
  read_stack(reader, input, options);
  reader.finish();
  return std::make_shared<GatedGcn>(options, options.edge_types, seed);
}

}  // namespace factorgcn::baselines
