"""torch.compile and what torch 2.x asks of operations; older versions skip it."""

import pytest
import torch

from conftest import random_edges
from factorgcn import Edges, Graph
from factorgcn.nn import DisentangleConv, FactorGCN

pytestmark = pytest.mark.skipif(not hasattr(torch.library, "opcheck"), reason="torch is older than 2.4")

SIZES = [(7, 7), (7, 4), (4, 7)]


def table(*shape):
    return torch.rand(*shape, dtype=torch.float64, requires_grad=True)


def arguments(name, sources, targets):
    edges = Edges(random_edges(sources, 20, targets=targets), sources if sources == targets else (sources, targets))
    source, target = edges.norm_weights("symmetric", torch.float64)
    gates = (table(sources, 3), table(targets, 3))
    return {
        "factor_aggregate": (table(sources, 5), *gates, source, target, edges.lists, 1.5),
        "factor_aggregate_each": (table(sources, 3, 5), *gates, source, None, edges.lists, 1.5),
        "factor_gates": (*gates, edges.lists, 1.5),
        "weighted_aggregate": (table(sources, 5), table(20, 3), source, target, edges.lists),
    }[name]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", ["factor_aggregate", "factor_aggregate_each", "factor_gates", "weighted_aggregate"])
def test_operations_are_what_torch_expects(name, sizes):
    torch.library.opcheck(getattr(torch.ops.factorgcn_python, name).default, arguments(name, *sizes))


def test_dense_is_what_torch_expects():
    torch.library.opcheck(torch.ops.factorgcn.dense.default, (table(7, 5), table(3, 5), table(3), None, True))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_a_compiled_layer_with_changing_sizes(backend):
    layer = DisentangleConv(6, 8, 4)
    compiled = torch.compile(layer, fullgraph=True, backend=backend)
    for nodes in (5, 9, 40, 41):
        edges = Edges(random_edges(nodes, 4 * nodes, nodes), nodes, add_self_loops=True)
        x = torch.rand(nodes, 6, requires_grad=True)
        found, expected = compiled(x, edges), layer(x, edges)
        torch.testing.assert_close(found, expected)
        weights = torch.rand_like(expected)
        mine, theirs = (torch.autograd.grad((out * weights).sum(), [x, *layer.parameters()])
                        for out in (found, expected))
        torch.testing.assert_close(mine, theirs)


def test_a_compiled_network_on_batches():
    network = FactorGCN(5, 8, 2)
    compiled = torch.compile(network, fullgraph=True, backend="aot_eager")
    for count in (2, 3, 5):
        graph = Graph.batch([Graph(random_edges(6, 20, seed), 6, x=torch.rand(6, 5)) for seed in range(count)])
        graph.edges(True), graph.pooling()
        torch.testing.assert_close(compiled(graph.x, graph), network(graph.x, graph))
