// The formula of the header, with the network that the configuration builds.
#include "factorgcn/train/parts_traffic.h"

#include "factorgcn/base/error.h"
#include "factorgcn/nn/models_in_parts.h"
#include "factorgcn/train/model_table.h"

namespace factorgcn {

PartsTraffic parts_traffic(const PartsManifest& manifest, const RunConfig& config) {
  constexpr std::int64_t kNumberBytes = 4, kRowExtras = 5;
  const std::shared_ptr<GraphModel> model = build_network(config, manifest);
  const std::string misfit = misfit_in_parts(*model);
  require_usage(misfit.empty(), "model ", config.model, " ", misfit);
  PartsTraffic traffic;
  traffic.halo_numbers = halo_numbers(*model, config.lambda > 0);
  traffic.parameters = count_parameters(*model);
  const auto parts = static_cast<std::int64_t>(manifest.parts.size());
  const std::int64_t halo_bytes = kNumberBytes * traffic.halo_numbers;
  traffic.all_bytes = 2 * halo_bytes * manifest.total(&PartEntry::halo) +
                      2 * kNumberBytes * (traffic.parameters + kRowExtras) * (parts - 1);
  traffic.most_received = halo_bytes * manifest.largest(&PartEntry::halo);
  return traffic;
}

}  // namespace factorgcn
