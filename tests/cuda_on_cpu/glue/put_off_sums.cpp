#include "ops/cuda/put_off_sums.cpp"  // registers nothing
