// Training on one graph in parts: its steps and scores, as a trainer takes them.
//
// A step is a pass over the whole graph. Its loss is the plain one of all training nodes together: each part adds its
// nodes' share. Gradients are added in the order of the parts, so the number of parts is part of the result, that of
// processes is not.
#pragma once

#include <memory>
#include <vector>

#include "factorgcn/eval/confusion.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/train/evaluate.h"
#include "train/parts/parted_graph.h"
#include "train/train_work.h"

namespace factorgcn {

/// The network's copies, one per part of this process. They share the weights' memory from when its optimiser has them.
using PartNetworks = std::vector<std::shared_ptr<GraphModel>>;

/// A role's loss, and which class each of its nodes was put into.
struct PartsScore {
  double loss = 0;
  Confusion confusion;
};

/// One forward pass; all processes call this together and get the same. The role has nodes.
FACTORGCN_API PartsScore score_parts(PartedGraph& graph, const PartNetworks& networks, Part role);

/// All must outlive the work; `options.group` is null where there is one process.
FACTORGCN_API TrainWork work_on_parts(GraphModel& model, PartedGraph& graph, const PartNetworks& networks,
                        const TrainOptions& options);

}  // namespace factorgcn
