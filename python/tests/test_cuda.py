"""On a GPU as on the CPU: values, gradients, the same bits on every run. Skipped without a GPU, or without CUDA in the
library."""

import copy

import pytest
import torch
from torch.testing import assert_close

from conftest import random_edges, run_program
from factorgcn import Edges, Graph, Trainer, load_run
from factorgcn.nn import DisentangleConv, FactorGCN, oracle

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

GPU = "cuda"
TYPES = [torch.float64, torch.float32]


def both_ways(layer, x, *given):
    """Output and gradients, in main memory."""
    x = x.detach().requires_grad_()
    out = layer((x, given[0]), *given[1:]) if isinstance(given[0], torch.Tensor) and given[0].is_floating_point() \
        else layer(x, *given)
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype, device=out.device).view_as(out)
    gradients = torch.autograd.grad((out * weights).sum(), [x, *layer.parameters()])
    return [tensor.cpu() for tensor in (out, *gradients)]


def assert_near(found, expected):
    """By the size of the whole: single entries may be small differences of large sums."""
    for mine, theirs in zip(found, expected):
        wide = theirs.double()
        error = (mine.double() - wide).norm() / wide.norm().clamp(min=1e-12)
        assert error < (1e-12 if mine.dtype == torch.float64 else 1e-4), float(error)


@pytest.mark.parametrize("norm", ["none", "source", "symmetric"])
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("nodes, count, width, factors", [(7, 20, 8, 4), (300, 3000, 48, 3), (2000, 70000, 64, 8)])
def test_one_table_of_nodes(nodes, count, width, factors, kind, norm):
    layer = DisentangleConv(6, width, factors, norm=norm).to(kind)
    x, index = torch.rand(nodes, 6, dtype=kind), random_edges(nodes, count)
    expected = both_ways(layer, x, index)
    layer.to(GPU)
    found = both_ways(layer, x.to(GPU), index.to(GPU))
    assert_near(found, expected)
    for mine, again in zip(found, both_ways(layer, x.to(GPU), index.to(GPU))):
        assert torch.equal(mine, again)


@pytest.mark.parametrize("sources, targets", [(9, 4), (4, 9), (200, 50), (50, 200)])
@pytest.mark.parametrize("kind", TYPES)
def test_two_tables_of_nodes(sources, targets, kind):
    layer = DisentangleConv((3, 5), 12, 3).to(kind)
    x, x_target = torch.rand(sources, 3, dtype=kind), torch.rand(targets, 5, dtype=kind)
    index = random_edges(sources, 4 * sources, targets=targets)
    expected = both_ways(layer, x, x_target, index)
    assert_near(both_ways(layer.to(GPU), x.to(GPU), x_target.to(GPU), index.to(GPU)), expected)


@pytest.mark.parametrize("square", [True, False])
def test_weights_of_edges_that_are_learnt(square):
    sources, targets = 30, 30 if square else 12
    index = random_edges(sources, 90, targets=targets)
    layer = DisentangleConv(3, 6, 3, edge_weights=True).double()
    x, x_target = (torch.rand(rows, 3, dtype=torch.float64) for rows in (sources, targets))
    results = []
    for device in ("cpu", GPU):
        weight = torch.linspace(0.5, 1.5, 90, dtype=torch.float64, device=device).requires_grad_()
        edges = Edges(index.to(device), sources if square else (sources, targets), True, weight)
        layer.to(device)
        out = layer(x.to(device) if square else (x.to(device), x_target.to(device)), edges)
        results.append([out, *torch.autograd.grad(out.square().sum(), [weight, *layer.parameters()])])
    for expected, found in zip(*results):
        assert_close(found.cpu(), expected, rtol=1e-9, atol=1e-9)


def test_coefficients_and_oracle():
    layer, x, index = DisentangleConv(6, 8, 4).to(GPU), torch.rand(40, 6, device=GPU), random_edges(40, 200).to(GPU)
    found = layer.coefficients(x, index)
    assert found.device.type == "cuda"
    assert_close(found.cpu(), copy.deepcopy(layer).cpu().coefficients(x.cpu(), index.cpu()), rtol=1e-4, atol=1e-5)
    h, left, right = (torch.rand(40, width, device=GPU) for width in (5, 3, 3))
    edges = Edges(index, 40)
    out, _ = torch.ops.factorgcn_python.factor_aggregate(h, left, right, None, None, edges.lists, 1.5)
    assert_close(out, oracle.disentangle(edges.edge_index(), h, left, right, 1.5), rtol=1e-4, atol=1e-5)


def test_a_network_on_a_batch_and_graphs_that_move():
    graphs = [Graph(random_edges(9, 30, seed), 9, x=torch.rand(9, 5)) for seed in range(20)]
    batch = Graph.batch(graphs)
    network = FactorGCN(5, 24, 3, factors=(4, 2)).eval()
    expected, judged = network.forward_and_judge(batch.x, batch)
    batch.edges(True)
    moved = batch.to(GPU)
    assert moved.device.type == "cuda" and moved.edges(True).device.type == "cuda"
    network.to(GPU)
    found, judged_there = network.forward_and_judge(moved.x, moved)
    assert_close(found.cpu(), expected, rtol=1e-3, atol=1e-4)
    assert_close(judged_there.cpu(), judged, rtol=1e-3, atol=1e-4)
    assert torch.equal(moved.to("cpu").edge_index, batch.edge_index)


def test_what_does_not_fit_is_refused_there_too():
    layer = DisentangleConv(3, 4, 2).to(GPU)
    with pytest.raises(ValueError, match="edge_index"):
        layer(torch.rand(3, 3, device=GPU), torch.tensor([[0, 7], [1, 1]], device=GPU))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_autocast_computes_in_float32(kind):
    layer, x, index = DisentangleConv(6, 8, 4).to(GPU), torch.rand(9, 6, device=GPU), random_edges(9, 30).to(GPU)
    plain = layer(x, index)
    with torch.autocast("cuda", dtype=kind):
        assert torch.equal(layer(x, index), plain)
        assert layer(x.to(kind), index).dtype == torch.float32


def test_scripted():
    layer, x, index = DisentangleConv(6, 8, 4).to(GPU), torch.rand(9, 6, device=GPU), random_edges(9, 30).to(GPU)
    assert torch.equal(torch.jit.script(layer)(x, index), layer(x, index))


def test_streams_of_one_own():
    layer, x, index = DisentangleConv(6, 64, 4).to(GPU), torch.rand(3000, 6, device=GPU), random_edges(3000, 60000)
    edges = Edges(index.to(GPU), 3000, True)
    plain = layer(x, edges)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        beside = layer(x, edges)
    torch.cuda.current_stream().wait_stream(stream)
    assert torch.equal(beside, plain)


SMALL = {"train": 60, "validation": 20, "test": 20}


def test_a_trainer_there_gives_the_programs_bits(program, tmp_path):
    run_program(program, "train", "--train-size", 60, "--validation-size", 20, "--test-size", 20, "--epochs", 3,
                "--device", GPU, "--out", tmp_path / "program")
    trainer = Trainer("synthetic", out=tmp_path / "python", epochs=3, device=GPU, data_settings=SMALL)
    trainer.train()
    trainer.finish()
    mine, theirs = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("python", "program"))
    assert mine == theirs
    run = load_run(tmp_path / "program")
    model = run.model.to(GPU)
    data = run.data.to(GPU)
    assert_close(model(data.x, data).cpu(), copy.deepcopy(model).cpu()(run.data.x, run.data), rtol=1e-3, atol=1e-3)
