#include "ops/cuda/layer_rows_judge.cpp"  // registers nothing
