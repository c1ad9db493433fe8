// libtorch's allocator for the CPU, made to keep large freed blocks.
#pragma once

namespace factorgcn {

/// From now on tensors of 8 MiB and more on the CPU lie in large_blocks.h's memory. May be called again.
void use_table_allocator();

}  // namespace factorgcn
