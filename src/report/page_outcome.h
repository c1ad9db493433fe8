// What a data set wanted of a graph or node and what a model said, in words. Internal to report/.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/data/dataset.h"
#include "factorgcn/report/page_graphs.h"

namespace factorgcn {

/// What a data set calls its outputs; the true relations where labels are those, else numbers.
std::vector<std::string> names_of_outputs(const Dataset& dataset);

/// Names of the true relations; bare numbers say nothing by themselves.
std::vector<std::string> names_of_relations(const GroundTruth& truth);

/// "a + b"
std::string join_words(const std::vector<std::string>& words, const char* between);

/// Target and prediction of one graph as facts, and as its label where it has none; the target is left out where it
/// says nothing that the prediction does not.
void add_outcome(const Dataset& dataset, const at::Tensor& target, const at::Tensor& prediction,
                 const std::vector<std::string>& names, PageSample& sample);

}  // namespace factorgcn
