"""DisentangleConv, Discriminator and FactorGCN against plain torch in float64, and as modules should be."""

import copy
import math
import threading

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from conftest import edge_lists, random_edges
from factorgcn import Edges, Graph
from factorgcn.nn import DisentangleConv, Discriminator, FactorGCN, oracle

NORMS = st.sampled_from(["none", "source", "symmetric"])


def slow_layer(layer, x, index, weight=None, x_target=None, targets=None):
    """The layer edge by edge; `index` with all loops."""
    square = targets is None
    h = F.linear(x, layer.weight, layer.bias)
    left = F.linear(h, layer.gate_weight[:layer.factors], layer.gate_bias[:layer.factors])
    if square:
        h_target, targets = h, x.size(0)
    elif x_target is None:
        h_target = h.new_zeros(targets, h.size(1))
    else:
        own = layer.target_weight is not None
        h_target = F.linear(x_target, layer.target_weight if own else layer.weight,
                            layer.target_bias if own else layer.bias)
    right = F.linear(h_target, layer.gate_weight[layer.factors:], layer.gate_bias[layer.factors:])
    weights = oracle.edge_weights(index, x.size(0), targets, layer.norm, weight, square)
    return oracle.disentangle(index, h, left, right, layer.gate_scale, weights.to(x.dtype)).flatten(1)


def gradients(result, tensors):
    return torch.autograd.grad((result * torch.linspace(-1, 1, result.numel(), dtype=result.dtype).view_as(result))
                               .sum(), tensors, allow_unused=True)


def same_results(result, expected, tensors, tolerance=1e-9):
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
    for found, right in zip(gradients(result, tensors), gradients(expected, tensors)):
        if found is None or right is None:
            assert (found is None or not found.any()) and (right is None or not right.any())
        else:
            torch.testing.assert_close(found, right, rtol=tolerance, atol=tolerance)


@given(edge_lists(), st.integers(1, 4), st.integers(1, 5), NORMS, st.booleans(), st.booleans())
def test_one_table_of_nodes(case, factors, width, norm, loops, weighted):
    nodes, index = case
    layer = DisentangleConv(3, factors * width, factors, 1.5, norm, loops, edge_weights=weighted).double()
    x = torch.rand(nodes, 3, dtype=torch.float64, requires_grad=True)
    weight = torch.rand(index.size(1), dtype=torch.float64) + 0.5 if weighted else None
    edges = Edges(index, nodes, loops, weight)
    weights = None if weight is None else edges.given_order(edges.edge_weight)
    same_results(layer(x, edges), slow_layer(layer, x, edges.edge_index(), weights), [x, *layer.parameters()], 1e-6)
    if not weighted:
        assert torch.equal(layer(x, index), layer(x, edges))


@given(st.integers(2, 6), st.integers(2, 6), st.integers(1, 15), NORMS, st.booleans(), st.booleans())
def test_weights_of_edges_that_are_learnt(sources, targets, count, norm, square, loops):
    targets = sources if square else targets
    index = random_edges(sources, count, targets=targets)
    weight = (torch.rand(count, dtype=torch.float64) + 0.5).requires_grad_()
    layer = DisentangleConv(3, 6, 3, 1.5, norm, loops, edge_weights=True).double()
    x, x_target = (torch.rand(rows, 3, dtype=torch.float64) for rows in (sources, targets))
    edges = Edges(index, sources if square else (sources, targets), loops, weight)
    found = layer(x if square else (x, x_target), edges)
    added = edges.num_edges - count  # loops have the mean weight, which nothing is learnt through
    weights = torch.cat([weight, weight.detach().mean().expand(added)])
    expected = slow_layer(layer, x, edges.edge_index(), weights, None if square else x_target,
                          None if square else targets)
    same_results(found, expected, [weight, *layer.parameters()])


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 15), NORMS, st.sampled_from(["own", "shared", "none"]))
def test_two_tables_of_nodes(sources, targets, count, norm, kind):
    index = random_edges(sources, count, targets=targets)
    layer = DisentangleConv((3, 2) if kind == "own" else 3, 6, 3, 1.5, norm).double()
    x = torch.rand(sources, 3, dtype=torch.float64, requires_grad=True)
    x_target = None if kind == "none" else torch.rand(targets, 2 if kind == "own" else 3, dtype=torch.float64)
    edges = Edges(index, (sources, targets), True)
    found = layer((x, x_target), index, size=(sources, targets))
    same_results(found, slow_layer(layer, x, edges.edge_index(), None, x_target, targets), [x, *layer.parameters()])


def test_gradcheck():
    layer = DisentangleConv(3, 4, 2, 1.0).double()
    x = torch.rand(5, 3, dtype=torch.float64, requires_grad=True)
    index = random_edges(5, 9)
    parameters = list(layer.parameters())
    assert torch.autograd.gradcheck(lambda *_: layer(x, index), (x, *parameters))
    coefficients = torch.autograd.gradcheck(lambda *_: layer.coefficients(x, index), (x, *parameters))
    assert coefficients


def test_float32_is_close_to_float64():
    layer = DisentangleConv(16, 32, 4)
    x, index = torch.rand(200, 16), random_edges(200, 2000)
    wide = copy.deepcopy(layer).double()
    torch.testing.assert_close(layer(x, index).double(), wide(x.double(), index), rtol=1e-5, atol=1e-5)


def test_same_bits_for_any_number_of_threads():
    from factorgcn import num_threads, set_num_threads

    layer, x, index = DisentangleConv(16, 32, 4), torch.rand(500, 16), random_edges(500, 5000)
    before = num_threads()
    results = []
    for threads in (1, 2, 3):
        set_num_threads(threads)
        layer.zero_grad()
        out = layer(x, index)
        out.sum().backward()
        results.append((out.detach(), layer.gate_weight.grad.clone()))
    set_num_threads(before)
    for out, gradient in results[1:]:
        assert torch.equal(out, results[0][0]) and torch.equal(gradient, results[0][1])


def test_graphs_without_nodes_or_edges():
    layer = DisentangleConv(3, 4, 2)
    none = torch.zeros(2, 0, dtype=torch.int64)
    assert layer(torch.rand(0, 3), none).shape == (0, 4)
    assert not DisentangleConv(3, 4, 2, add_self_loops=False)(torch.rand(5, 3), none).any()
    assert layer((torch.rand(2, 3), torch.rand(0, 3)), none).shape == (0, 4)
    assert FactorGCN(3, 8, 2)(torch.rand(5, 3), none).shape == (1, 2)


def test_coefficients_follow_the_columns_that_were_given():
    layer = DisentangleConv(3, 4, 2, add_self_loops=False).double()
    x, index = torch.rand(6, 3, dtype=torch.float64), random_edges(6, 20)
    h = F.linear(x, layer.weight, layer.bias)
    ends = F.linear(h, layer.gate_weight, layer.gate_bias)
    expected = torch.sigmoid(6.0 * (ends[index[0], :2] + ends[index[1], 2:]))
    torch.testing.assert_close(layer.coefficients(x, index), expected)
    shuffled = index[:, torch.randperm(20)]
    torch.testing.assert_close(layer.coefficients(x, shuffled).sum(0), expected.sum(0))


def test_sizes_known_at_the_first_call():
    layer = DisentangleConv(-1, 8, 4)
    empty = layer.state_dict()
    assert "gate_bias" in empty
    layer(torch.rand(3, 5), torch.tensor([[0], [1]]))
    assert layer.weight.shape == (2, 5)
    bound = 1 / math.sqrt(5)
    assert layer.weight.abs().max() <= bound and layer.bias.abs().max() <= bound
    other = DisentangleConv(-1, 8, 4)
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other.weight, layer.weight)
    copy.deepcopy(DisentangleConv(-1, 8, 4))
    pair = DisentangleConv((-1, -1), 8, 4)
    pair((torch.rand(3, 5), torch.rand(2, 7)), torch.tensor([[0], [1]]))
    assert pair.target_weight.shape == (2, 7)


def test_reset_draws_within_the_bound():
    layer = DisentangleConv(16, 8, 4)
    with torch.no_grad():
        layer.weight.fill_(9)
    layer.reset_parameters()
    assert 0.2 < layer.weight.abs().max() <= 0.25
    torch.manual_seed(3)
    layer.reset_parameters()
    first = layer.weight.clone()
    torch.manual_seed(3)
    layer.reset_parameters()
    assert torch.equal(first, layer.weight)


def test_autocast_computes_in_float32():
    layer, x, index = DisentangleConv(6, 8, 4), torch.rand(9, 6), random_edges(9, 30)
    plain = layer(x, index)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(layer(x, index), plain)
        assert layer(x.bfloat16(), index).dtype == torch.float32
        network = FactorGCN(6, 8, 2)
        assert network(x, index).dtype == torch.float32


def test_an_edge_index_that_is_written_to_is_read_again():
    layer, x = DisentangleConv(3, 4, 2), torch.rand(4, 3)
    index = torch.tensor([[0, 1], [1, 2]])
    before = layer(x, index)
    assert torch.equal(layer(x, index), before)
    index[1, 0] = 3
    assert torch.equal(layer(x, index), layer(x, index.clone())) and not torch.equal(layer(x, index), before)


def test_threads_may_share_a_layer():
    layer, x = DisentangleConv(3, 4, 2), torch.rand(30, 3)
    cases = [random_edges(30, 60 + seed, seed) for seed in range(4)]
    expected = [layer(x, index).detach() for index in cases]
    wrong = []

    def work(place):
        for _ in range(50):
            if not torch.equal(layer(x, cases[place]), expected[place]):
                wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_kinds_of_edges():
    layer, x, index = DisentangleConv(3, 4, 2), torch.rand(5, 3), random_edges(5, 10)
    index = torch.unique(index, dim=1)
    expected = layer(x, index)
    adjacency = torch.sparse_coo_tensor(index.flip(0), torch.ones(index.size(1)), (5, 5))
    for other in (Graph(index, 5), Edges(index, 5, True), adjacency, adjacency.to_sparse_csr()):
        torch.testing.assert_close(layer(x, other), expected)


@pytest.mark.parametrize("arguments, error, text", [
    (dict(in_channels=0, out_channels=4), ValueError, "in_channels is 0"),
    (dict(in_channels=3, out_channels=5, factors=2), ValueError, "5, which does not divide by 2"),
    (dict(in_channels=3, out_channels=4, norm="left"), ValueError, "left"),
    (dict(in_channels=3, out_channels=4, gate_scale=0), ValueError, "gate_scale is 0"),
    (dict(in_channels=3.0, out_channels=4), TypeError, "3.0"),
    (dict(in_channels=(1, 2, 3), out_channels=4), ValueError, "pair"),
])
def test_wrong_settings_are_named(arguments, error, text):
    with pytest.raises(error, match=text):
        DisentangleConv(**arguments)


@pytest.mark.parametrize("x, index, options, error, text", [
    (torch.rand(3, 4), [[0], [1]], {}, ValueError, r"\(3, 4\); expected \[nodes, 5\]"),
    (torch.ones(3, 5, dtype=torch.int64), [[0], [1]], {}, TypeError, "int64"),
    (torch.rand(3, 5), [[0], [3]], {}, ValueError, "3"),
    (torch.rand(3, 5), [[0], [1]], {"size": (3, 4)}, ValueError, r"size is \(3, 4\)"),
    ([1.0], [[0], [1]], {}, TypeError, "list|float"),
])
def test_wrong_inputs_are_named(x, index, options, error, text):
    layer = DisentangleConv(5, 4, 2)
    with pytest.raises(error, match=text):
        layer(x, torch.tensor(index), **options)
    with pytest.raises(TypeError, match="str"):
        layer(torch.rand(3, 5), "edges")


def test_torchscript():
    layer, x, index = DisentangleConv(5, 8, 4), torch.rand(7, 5), random_edges(7, 20)
    scripted = torch.jit.script(layer)
    assert torch.equal(scripted(x, index), layer(x, index))
    assert set(scripted.state_dict()) == set(layer.state_dict())
    with pytest.raises(Exception, match="7"):
        scripted(x, torch.tensor([[0], [7]]))


# ------------------------------------------------------------------ discriminator and network


def slow_discriminator(judge, layer, x, index, groups, count):
    h = F.linear(x, layer.weight, layer.bias)
    ends = F.linear(h, layer.gate_weight, layer.gate_bias)
    weights = oracle.edge_weights(index, x.size(0), x.size(0), layer.norm).to(x.dtype)
    gates = torch.sigmoid(layer.gate_scale * (ends[index[0], :layer.factors] + ends[index[1], layer.factors:]))
    scores = []
    for factor in range(layer.factors):
        features = h
        for weight, bias in zip(judge.convolutions()[::2], judge.convolutions()[1::2]):
            carried = F.linear(features, weight, bias)[index[0]] * (gates[:, factor] * weights).unsqueeze(1)
            features = torch.tanh(carried.new_zeros(x.size(0), carried.size(1)).index_add(0, index[1], carried))
        means = torch.stack([features[groups == graph].mean(0) for graph in range(count)])
        scores.append(F.linear(torch.tanh(means), judge.classifier_weight, judge.classifier_bias))
    return torch.stack(scores, 1)


@pytest.mark.parametrize("depth", [2, 3])
def test_discriminator(depth):
    layer, judge = DisentangleConv(3, 12, 3, 1.5).double(), Discriminator(4, 3, 1.5, depth).double()
    graph = Graph.batch([Graph(random_edges(4, 9, 1), 4), Graph(random_edges(5, 8, 2), 5)])
    x = torch.rand(9, 3, dtype=torch.float64, requires_grad=True)
    output, edges = layer.factor_graphs(x, graph)
    found = judge(output, layer.messages(edges, x.dtype), graph.pooling())
    expected = slow_discriminator(judge, layer, x, edges.edge_index(), graph.node_graph(), 2)
    same_results(found, expected, [x, *layer.parameters(), *judge.parameters()], 1e-7)
    loss = judge.loss(output, layer.messages(edges, x.dtype), graph.pooling())
    labels = torch.tensor([0, 1, 2, 0, 1, 2])
    torch.testing.assert_close(loss, F.cross_entropy(expected.reshape(6, 3), labels))


SETTINGS = [
    dict(readout="mean_tanh"),
    dict(readout="mean_mlp", batch_norm=True, size_norm=True),
    dict(readout="node_mlp", batch_norm=True, dropout=0.3),
    dict(readout="node_linear", scale="rows", activation="elu"),
    dict(readout="layer_sum", batch_norm=True, activation="relu", dropout=0.4),
    dict(readout="mean_relu", scale="standard", norm="symmetric", activation="tanh", discriminator_depth=3),
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_networks_run_and_learn(settings):
    network = FactorGCN(5, 8, 2, factors=(4, 2), **settings)
    graph = Graph.batch([Graph(random_edges(6, 20, seed), 6, x=torch.rand(6, 5)) for seed in range(8)])
    rows = graph.num_nodes if network.settings.per_node else graph.num_graphs
    labels = torch.arange(rows) % 2
    optimiser = torch.optim.Adam(network.parameters(), 0.05)
    losses = []
    for _ in range(30):
        optimiser.zero_grad()
        prediction, judged = network.forward_and_judge(graph.x, graph)
        assert prediction.shape == (rows, 2)
        loss = F.cross_entropy(prediction, labels) + 0.5 * judged
        loss.backward()
        optimiser.step()
        losses.append(float(loss))
    assert losses[-1] < losses[0]
    network.eval()
    assert torch.equal(network(graph.x, graph), network(graph.x, graph.edge_index, graph.node_graph()))
    assert network.coefficients(graph.x, graph, layer=2).shape == (graph.edges(True).num_edges, 2)


def test_a_batch_is_its_graphs_one_by_one():
    network = FactorGCN(5, 8, 3, size_norm=True).eval()
    parts = [Graph(random_edges(nodes, 12, nodes), nodes, x=torch.rand(nodes, 5)) for nodes in (1, 4, 7)]
    alone = torch.cat([network(part.x, part) for part in parts])
    torch.testing.assert_close(network(Graph.batch(parts).x, Graph.batch(parts)), alone)


@pytest.mark.parametrize("settings", [SETTINGS[0], SETTINGS[1], SETTINGS[2], SETTINGS[4], dict(node_types=7),
                                      dict(node_types=7, embedding=0, readout="layer_sum")])
def test_torchscript_of_networks(settings):
    types = settings.get("node_types", 0) > 0
    network = FactorGCN(0 if types else 5, 8, 2, **settings).eval()
    graph = Graph.batch([Graph(random_edges(6, 20, seed), 6) for seed in range(3)])
    x = torch.randint(0, 7, (18,)) if types else torch.rand(18, 5)
    scripted = torch.jit.script(network)
    assert torch.equal(scripted(x, graph.edge_index, graph.node_graph()), network(x, graph))
    assert torch.equal(scripted(x, graph.edge_index), network(x, graph.edge_index))


def test_networks_are_modules():
    network = FactorGCN(5, 8, 2, batch_norm=True)
    assert "factors=(4, 2)" in repr(network)
    other = copy.deepcopy(network)
    other.reset_parameters()
    other.load_state_dict(network.state_dict())
    x, index = torch.rand(6, 5), random_edges(6, 10)
    assert torch.equal(other.eval()(x, index), network.eval()(x, index))


@pytest.mark.parametrize("arguments, error, text", [
    (dict(factors=(4, 3)), ValueError, "8 does not divide by the 3 factors of layer 2; choose a multiple of 12"),
    (dict(factors=()), ValueError, "factors"),
    (dict(readout="sum"), ValueError, "'sum'; choose one of mean_tanh"),
    (dict(dropout=1.0), ValueError, "dropout is 1.0"),
    (dict(node_types=3), ValueError, "exactly one"),
    (dict(wide=True), TypeError, "wide"),
])
def test_wrong_networks_are_named(arguments, error, text):
    with pytest.raises(error, match=text):
        FactorGCN(5, 8, 2, **arguments)


def test_wrong_batches_are_named():
    network, x, index = FactorGCN(5, 8, 2), torch.rand(4, 5), torch.tensor([[0], [1]])
    with pytest.raises(ValueError, match="falls from 1 to 0 at node 2"):
        network(x, index, torch.tensor([0, 1, 0, 1]))
    with pytest.raises(ValueError, match="expected 4 rows"):
        network(x, index, torch.tensor([0, 1]))
    with pytest.raises(ValueError, match="expected numbers"):
        network(torch.rand(4, 3), index)
