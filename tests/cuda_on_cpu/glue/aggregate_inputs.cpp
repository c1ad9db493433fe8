#include "ops/cuda/aggregate_inputs.cpp"  // registers nothing
