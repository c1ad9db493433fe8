// The whole model on the GPU: its gradients against the CPU's, and a recorded training step against a plain one.
#include <ATen/TensorOperators.h>
#include <ATen/ops/l1_loss.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include "factorgcn/gpu/captured_step.h"
#include "factorgcn/nn/factor_gcn.h"
#include "factorgcn/ops/late_losses.h"
#include "factorgcn/optim/adam.h"
#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::gpu;
using testing::random_tensor;

class FactorGcnOnGpu : public testing::OnGpu {};

GraphBatch make_graphs(int graphs, std::int64_t features, RandomStream& random) {
  std::vector<Graph> list;
  for (int g = 0; g < graphs; ++g) {
    Graph graph;
    graph.num_nodes = 3 + static_cast<std::int64_t>(random.below(20));
    for (int e = 0; e < 60; ++e) {
      graph.source.push_back(static_cast<std::int32_t>(random.below(graph.num_nodes)));
      graph.target.push_back(static_cast<std::int32_t>(random.below(graph.num_nodes)));
    }
    graph.features = random_tensor({graph.num_nodes, features}, random, at::kFloat);
    list.push_back(graph);
  }
  return make_batch(list);
}

FactorGcnOptions options_of(Readout readout, bool batch_norm, int depth) {
  FactorGcnOptions options;
  options.in_features = 7;
  options.outputs = 3;
  options.hidden = 24;
  options.factors = {4, 2};
  options.batch_norm = batch_norm;
  options.size_norm = batch_norm;
  options.readout = readout;
  options.discriminator_depth = depth;
  return options;
}

at::Tensor loss_of(FactorGcn& model, const GraphBatch& batch, const at::Tensor& targets) {
  const ModelOutput output = model.forward(batch, true);
  return at::l1_loss(output.prediction, targets) + 0.5 * output.regulariser;
}

/// Small graphs take a layer in tiles, one large graph in rows; both find the discriminators' losses beside.
std::vector<GraphBatch> both_kinds(RandomStream& random) {
  std::vector<GraphBatch> batches{make_graphs(40, 7, random)};
  Graph large;
  large.num_nodes = 4000;
  for (int e = 0; e < 80'000; ++e) {
    large.source.push_back(static_cast<std::int32_t>(e % 9 == 0 ? 5 : random.below(4000)));
    large.target.push_back(static_cast<std::int32_t>(e % 7 == 0 ? 77 : random.below(4000)));
  }
  large.features = random_tensor({large.num_nodes, 7}, random, at::kFloat);
  batches.push_back(make_batch(std::vector<Graph>{large}));
  return batches;
}

TEST_F(FactorGcnOnGpu, LateLossesGiveTheSameStep) {
  RandomStream random(9, "test");
  for (const GraphBatch& batch : both_kinds(random)) {
    const GraphBatch there = move_batch(batch, gpu());
    FactorGcnOptions options = options_of(Readout::kNodeMlp, true, 2);
    options.factors = {4, 4, 2, 2, 1};  // more layers than there are streams beside
    FactorGcn plain(options, 5), late(options, 5);
    plain.to(gpu());
    late.to(gpu());
    const at::Tensor targets = random_tensor({batch.num_nodes(), 3}, random, at::kFloat).to(gpu());
    const at::Tensor one = at::ones({}, targets.options()), lambda = one * 0.5;
    const at::Tensor rows = at::zeros({1, 3}, targets.options().dtype(at::kDouble));
    const at::Tensor expected = loss_of(plain, there, targets);
    expected.backward();
    for (int repeat = 0; repeat < 5; ++repeat) {
      late.zero_grad(/*set_to_none=*/true);
      const StepOutput output = late.forward_in_step(there, true);
      const at::Tensor task = at::l1_loss(output.prediction, targets);
      backward_in_step(task, output.regularisers, one, lambda);
      record_losses(task, output.regularisers, 0.5, rows);
      EXPECT_NEAR(rows[0][0].item<double>(), expected.item<double>(), 1e-6);
      EXPECT_EQ(rows[0][1].item<double>(), task.item<double>());
      const auto ours = late.named_parameters(), theirs = plain.named_parameters();
      for (const auto& parameter : theirs) {
        EXPECT_TRUE(ours[parameter.key()].grad().equal(parameter.value().grad())) << parameter.key();
      }
    }
  }
}

TEST_F(FactorGcnOnGpu, GradientsEqualTheCpu) {
  RandomStream random(1, "test");
  const GraphBatch batch = make_graphs(40, 7, random), there = move_batch(batch, gpu());
  for (const Readout readout :
       {Readout::kMeanTanh, Readout::kMeanMlp, Readout::kNodeMlp, Readout::kNodeLinear, Readout::kLayerSum}) {
    for (const bool batch_norm : {false, true}) {
      for (const int depth : {2, 3}) {
        const FactorGcnOptions options = options_of(readout, batch_norm, depth);
        FactorGcn here(options, 5), moved(options, 5);
        here.to(at::kDouble);  // the reference, in higher precision
        moved.to(gpu());
        GraphBatch wide = batch;
        wide.features = batch.features.to(at::kDouble);
        const std::int64_t rows = is_node_readout(readout) ? batch.num_nodes() : batch.num_graphs();
        const at::Tensor targets = random_tensor({rows, 3}, random);
        const at::Tensor expected = loss_of(here, wide, targets);
        const at::Tensor actual = loss_of(moved, there, targets.to(gpu(), at::kFloat));
        expected.backward();
        actual.backward();
        EXPECT_NEAR(actual.item<double>(), expected.item<double>(), 1e-5);
        const auto ours = moved.named_parameters(), theirs = here.named_parameters();
        for (const auto& parameter : theirs) {
          EXPECT_LT(difference(ours[parameter.key()].grad().to(at::kCPU), parameter.value().grad()), 2e-5)
              << parameter.key() << ", " << readout_name(readout) << (batch_norm ? ", batch norm" : "") << ", depth "
              << depth;
        }
      }
    }
  }
}

TEST_F(FactorGcnOnGpu, CoefficientsEqualTheCpu) {
  RandomStream random(2, "test");
  const GraphBatch batch = make_graphs(5, 7, random);
  const FactorGcnOptions options = options_of(Readout::kMeanTanh, true, 2);
  FactorGcn here(options, 5), moved(options, 5);
  moved.to(gpu());
  here.eval();
  moved.eval();
  EXPECT_LT(difference(moved.factor_coefficients(move_batch(batch, gpu()), 1).to(at::kCPU),
                       here.factor_coefficients(batch, 1)),
            1e-5);
}

TEST_F(FactorGcnOnGpu, ARecordedStepEqualsAPlainOneBitByBit) {
  RandomStream random(3, "test");
  const GraphBatch batch = move_batch(make_graphs(40, 7, random), gpu());
  const at::Tensor targets = random_tensor({40, 3}, random, at::kFloat).to(gpu());
  const FactorGcnOptions options = options_of(Readout::kMeanTanh, true, 2);
  const auto train = [&](bool captured) {
    FactorGcn model(options, 5);
    model.to(gpu());
    Adam adam(model.parameters(), {.learning_rate = 0.01, .weight_decay = 1e-4});
    const auto step = [&] {
      adam.zero_gradients();
      loss_of(model, batch, targets).backward();
      adam.step();
    };
    if (captured) {
      CapturedStep recorded(step, 2);
      EXPECT_GT(recorded.size(), 20U);
      for (int i = 0; i < 8; ++i) {
        if (i == 4) {
          adam.set_learning_rate(0.003);
        }
        recorded.replay();
        synchronize(gpu());
      }
    } else {
      for (int i = 0; i < 10; ++i) {
        if (i == 6) {
          adam.set_learning_rate(0.003);
        }
        step();
      }
    }
    EXPECT_EQ(adam.steps(), 10);
    return adam.values().to(at::kCPU).clone();
  };
  const at::Tensor plain = train(false), replayed = train(true), again = train(false);
  EXPECT_TRUE(plain.equal(again));
  EXPECT_TRUE(plain.equal(replayed));
}

/// Autograd's own thread sees that gradients may be put off: fewer launches, the same bits.
TEST_F(FactorGcnOnGpu, ARecordedStepPutsOffTheWeightsGradients) {
  RandomStream random(11, "test");
  for (const GraphBatch& batch : both_kinds(random)) {
    const GraphBatch there = move_batch(batch, gpu());
    const at::Tensor targets = random_tensor({batch.num_nodes(), 3}, random, at::kFloat).to(gpu());
    const at::Tensor one = at::ones({}, targets.options()), lambda = one * 0.5;
    std::size_t launches[2] = {0, 0};
    const auto train = [&](bool put_off, bool with_gradients) {
      FactorGcn model(options_of(Readout::kNodeMlp, true, 2), 5);
      model.to(gpu());
      Adam adam(model.parameters(), {.learning_rate = 0.01});
      const auto step = [&] {
        adam.zero_gradients();
        for (const at::Tensor& parameter : with_gradients ? model.parameters() : std::vector<at::Tensor>()) {
          parameter.mutable_grad() = at::zeros(parameter.sizes(), parameter.options().requires_grad(false));
        }
        const StepOutput output = model.forward_in_step(there, true);
        const at::Tensor task = at::l1_loss(output.prediction, targets);
        if (put_off) {
          backward_in_step(task, output.regularisers, one, lambda);
        } else {
          std::vector<at::Tensor> roots{task}, gradients{one};
          roots.insert(roots.end(), output.regularisers.begin(), output.regularisers.end());
          gradients.resize(roots.size(), lambda);
          torch::autograd::backward(roots, gradients);
        }
        adam.step();
        wait_for_judges(task);
      };
      CapturedStep recorded(step, 2);
      launches[put_off] = recorded.size();
      for (int i = 0; i < 6; ++i) {
        recorded.replay();
      }
      synchronize(gpu());
      return adam.values().to(at::kCPU).clone();
    };
    const at::Tensor expected = train(false, false);
    EXPECT_TRUE(train(true, false).equal(expected));
    EXPECT_LT(launches[1], launches[0]);
    // Nothing is put off where there is a gradient already.
    const at::Tensor added = train(false, true);
    EXPECT_TRUE(train(true, true).equal(added));
    EXPECT_EQ(launches[1], launches[0]);
  }
}

}  // namespace
}  // namespace factorgcn
