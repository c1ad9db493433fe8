// A little memory put aside for the moment when there is none left.
#pragma once

namespace factorgcn::cli {

/// Destructors of JSON values ask for memory and can tell nobody where there is none. From now on the first request
/// that fails is met from what was put aside, and one more while an exception is on its way; every other throws as
/// usual.
void keep_memory_reserve();

}  // namespace factorgcn::cli
