// Before several processes train together: whether they are about to train the same.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>


namespace factorgcn {

class Group;

/// Throws UsageError that names a rank and what it has otherwise than rank 0: version, kernels, configuration, data or
/// the batch it goes on from. All ranks call this, and all of them throw.
void check_ranks_agree(Group& group, const nlohmann::ordered_json& config, const std::string& data_content,
                       std::int64_t epochs, std::int64_t batches);

}  // namespace factorgcn
