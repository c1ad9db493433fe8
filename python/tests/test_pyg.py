"""The layer within PyTorch Geometric. Where that is not installed, a stand-in of MessagePassing with the documented
behaviour of propagate() and message() takes its place, and what needs the real one is skipped."""

import sys
from types import ModuleType

import pytest
import torch

from conftest import random_edges

try:
    import torch_geometric
    REAL = True
except ImportError:
    REAL = False


class StandIn(torch.nn.Module):
    """propagate() gathers what message() names with _i and _j, and adds the messages up at their targets."""

    def __init__(self, aggr="add", *, flow="source_to_target", node_dim=-2):
        super().__init__()
        assert aggr == "add"
        self.flow, self.node_dim, self.explain = flow, node_dim, False
        self._message_forward_hooks = {}

    def propagate(self, edge_index, size, **values):
        source, target = edge_index
        gathered = {}
        for name, pair in values.items():
            if isinstance(pair, tuple):
                for end, place, index in (("_j", 0, source), ("_i", 1, target)):
                    if pair[place] is not None:
                        gathered[name + end] = pair[place].index_select(self.node_dim, index)
            else:
                gathered[name] = pair
        messages = self.message(**gathered)
        for hook in self._message_forward_hooks.values():
            hook(self, (gathered,), messages)
        return messages.new_zeros(size[1], *messages.shape[1:]).index_add(0, target, messages)


@pytest.fixture(scope="module")
def conv():
    if REAL:
        from factorgcn.pyg import DisentangleConv
        yield DisentangleConv
        return
    package, part = ModuleType("torch_geometric"), ModuleType("torch_geometric.nn")
    part.MessagePassing = StandIn
    package.nn = part
    sys.modules.update({"torch_geometric": package, "torch_geometric.nn": part})
    try:
        from factorgcn.pyg import DisentangleConv
        yield DisentangleConv
    finally:
        for name in ("torch_geometric", "torch_geometric.nn", "factorgcn.pyg_conv"):
            sys.modules.pop(name, None)


def watched(layer):
    """The same weights, one message after the other."""
    layer._message_forward_hooks[0] = lambda module, given, out: None
    return layer


def unwatched(layer):
    layer._message_forward_hooks.clear()
    return layer


def test_forward_is_what_single_messages_give(conv):
    layer = conv(3, 8, factors=4).double()
    x = torch.rand(6, 3, dtype=torch.float64, requires_grad=True)
    index = random_edges(6, 15)
    index = index[:, index[0] != index[1]]
    fused = layer(x, index)
    fused.sum().backward()
    gradient, x.grad = x.grad, None
    plain = watched(layer)(x, index)
    plain.sum().backward()
    torch.testing.assert_close(fused, plain)
    torch.testing.assert_close(gradient, x.grad)


def test_two_tables_weights_and_norms(conv):
    index = random_edges(5, 12, targets=3)
    index = index[:, index[0] != index[1]]
    for norm in ("none", "source", "symmetric"):
        layer = conv((3, 2), 6, factors=3, norm=norm).double()
        pair = (torch.rand(5, 3, dtype=torch.float64), torch.rand(3, 2, dtype=torch.float64))
        weight = torch.rand(index.size(1), dtype=torch.float64) + 0.5
        for given in ((pair, index), (pair, index, weight), ((pair[0], None), index, None, (5, 3))):
            fused = unwatched(layer)(*given)
            torch.testing.assert_close(fused, watched(layer)(*given), rtol=1e-6, atol=1e-6)


def test_weights_are_those_of_nn(conv):
    from factorgcn.nn import DisentangleConv

    plain, layer = DisentangleConv(3, 8, 4), conv(3, 8, 4)
    layer.load_state_dict(plain.state_dict())
    x, index = torch.rand(6, 3), random_edges(6, 15)
    assert torch.equal(layer(x, index), plain(x, index))
    assert repr(layer) == "DisentangleConv(3, 8, factors=4)"


def test_every_form_of_edges_and_sizes(conv):
    x, x_target = torch.randn(4, 8), torch.randn(2, 16)
    index = torch.tensor([[0, 1, 2, 3], [0, 0, 1, 1]])
    layer = conv(8, 64, factors=2)
    assert str(layer) == "DisentangleConv(8, 64, factors=2)"
    out = layer(x, index)
    assert out.shape == (4, 64) and torch.equal(layer(x, index, size=(4, 4)), out)
    adjacency = torch.sparse_coo_tensor(index.flip(0), torch.ones(4), (4, 4))
    for form in (adjacency, adjacency.to_sparse_csr(), adjacency.to_sparse_csc()):
        torch.testing.assert_close(layer(x, form), out)
    _, (edges, alpha) = layer(x, index, return_attention_weights=True)
    assert edges.shape == (2, 7) and alpha.shape == (7, 2) and 0 <= alpha.min() and alpha.max() <= 1

    layer = conv((8, 16), 64, factors=2)
    assert str(layer) == "DisentangleConv((8, 16), 64, factors=2)"
    out, alone = layer((x, x_target), index), layer((x, None), index, size=(4, 2))
    assert out.shape == alone.shape == (2, 64) and not torch.equal(out, alone)
    assert torch.equal(layer((x, x_target), index, size=(4, 2)), out)
    adjacency = torch.sparse_coo_tensor(index.flip(0), torch.ones(4), (2, 4))
    torch.testing.assert_close(layer((x, x_target), adjacency), out)
    torch.testing.assert_close(layer((x, None), adjacency), alone)
    assert conv(8, 64, factors=2)(torch.randn(0, 8), torch.empty(2, 0, dtype=torch.int64)).shape == (0, 64)


def test_attention_weights(conv):
    layer = conv(3, 8, 4)
    x, index = torch.rand(6, 3), random_edges(6, 15)
    index = index[:, index[0] != index[1]]
    out, (edges, alpha) = layer(x, index, return_attention_weights=True)
    assert torch.equal(out, layer(x, index)) and edges.shape == (2, index.size(1) + 6)
    assert torch.equal(edges[:, :index.size(1)], index) and alpha.shape == (edges.size(1), 4)
    _, (_, slow) = watched(layer)(x, index, return_attention_weights=True)
    torch.testing.assert_close(alpha, slow)
    unwatched(layer)
    index = torch.unique(index, dim=1)
    adjacency = torch.sparse_coo_tensor(index.flip(0), torch.ones(index.size(1)), (6, 6))
    out, (sparse, _) = layer(x, adjacency, return_attention_weights=True)
    assert sparse.shape == (6, 6, 4)
    torch.testing.assert_close(out, layer(x, index))


def test_hooks_see_messages_and_coefficients(conv):
    layer, seen = conv(3, 8, 4), []
    key = 0
    layer._message_forward_hooks[key] = lambda module, given, out: seen.append((module._alpha.shape, out.shape))
    x, index = torch.rand(6, 3), torch.tensor([[0, 1], [1, 2]])
    layer(x, index)
    assert seen == [((8, 4), (8, 4, 2))]


def test_scripted(conv):
    layer, x, index = conv(3, 8, 4), torch.rand(6, 3), random_edges(6, 15)
    assert torch.equal(torch.jit.script(layer)(x, index), layer(x, index))


def test_a_missing_pyg_is_named(monkeypatch):
    import factorgcn

    monkeypatch.setitem(sys.modules, "torch_geometric", None)
    with pytest.raises(ImportError, match="pip install torch_geometric"):
        factorgcn.pyg.DisentangleConv
    with pytest.raises(ImportError, match="Graph.to_pyg needs"):
        factorgcn.Graph([[0], [1]]).to_pyg()


@pytest.mark.skipif(not REAL, reason="PyTorch Geometric is not installed")
def test_its_own_adjacencies_and_containers(conv):
    from torch_geometric import EdgeIndex
    from torch_geometric.nn import HeteroConv, Sequential
    from torch_geometric.utils import to_torch_coo_tensor, to_torch_csc_tensor, to_torch_csr_tensor

    x, x_target = torch.randn(4, 8), torch.randn(2, 16)
    index = torch.tensor([[0, 1, 2, 3], [0, 0, 1, 1]])
    layer = conv(8, 64, factors=2)
    out = layer(x, index)
    for make in (to_torch_csc_tensor, to_torch_csr_tensor, to_torch_coo_tensor):
        torch.testing.assert_close(layer(x, make(index, size=(4, 4)).transpose(0, 1)), out)
    torch.testing.assert_close(layer(x, EdgeIndex(index, sparse_size=(4, 4))), out)
    network = Sequential("x, edge_index", [(layer, "x, edge_index -> x"), torch.nn.ReLU()])
    torch.testing.assert_close(network(x, index), out.relu())

    pair = conv((8, 16), 64, factors=2, add_self_loops=False)
    expected = pair((x, x_target), index)
    torch.testing.assert_close(pair((x, x_target), to_torch_csc_tensor(index, size=(4, 2)).transpose(0, 1)), expected)
    hetero = HeteroConv({("paper", "cites", "book"): pair})
    found = hetero({"paper": x, "book": x_target}, {("paper", "cites", "book"): index})
    torch.testing.assert_close(found["book"], expected)


@pytest.mark.skipif(not REAL, reason="PyTorch Geometric is not installed")
def test_real_data_explainers_and_sparse_tensors(conv):
    from torch_geometric.explain import AttentionExplainer, Explainer

    from factorgcn import Graph

    graph = Graph.undirected(random_edges(8, 12).sort(0).values.unique(dim=1), 8, x=torch.rand(8, 3))
    data = graph.to_pyg()
    assert torch.equal(Graph.from_pyg(data).edge_index, graph.edge_index)

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = conv(3, 8, 4)

        def forward(self, x, edge_index):
            return self.layer(x, edge_index)

    explainer = Explainer(Network(), AttentionExplainer(), explanation_type="model", edge_mask_type="object",
                          model_config={"mode": "multiclass_classification", "task_level": "node",
                                        "return_type": "raw"})
    assert explainer(data.x, data.edge_index).edge_mask.shape == (graph.num_edges,)
