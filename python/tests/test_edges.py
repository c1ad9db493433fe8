"""Edges: everything wrong is refused with its value, and what is right comes back."""

import copy
import io
import pickle

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from conftest import edge_lists, random_edges
from factorgcn import Edges
from factorgcn.nn import oracle


@given(edge_lists(), st.booleans(), st.booleans())
def test_all_edges_are_there_in_the_given_order(case, add_self_loops, as_two_tables):
    nodes, index = case
    edges = Edges(index, (nodes, nodes) if as_two_tables else nodes, add_self_loops)
    missing = [node for node in range(nodes) if not bool(((index[0] == node) & (index[1] == node)).any())]
    expected = torch.cat([index, torch.tensor([missing, missing], dtype=torch.int64)], dim=1) if add_self_loops \
        else index
    assert torch.equal(edges.edge_index(), expected.reshape(2, -1))
    assert (edges.num_given, edges.num_edges) == (index.size(1), expected.size(1))
    offsets, sources = edges.lists[0], edges.lists[1]
    for node in range(nodes):
        row = sources[int(offsets[node]):int(offsets[node + 1])].tolist()
        assert row == expected[0][expected[1] == node].tolist()


@given(edge_lists(), st.sampled_from(["none", "source", "symmetric"]), st.booleans(), st.booleans())
def test_norms_are_what_a_slow_look_says(case, norm, square, weighted):
    nodes, index = case
    weight = torch.arange(index.size(1)) % 3 + 0.5 if weighted else None
    edges = Edges(index, nodes if square else (nodes, nodes))
    in_order = None if weight is None else weight[edges.edge_ids]
    source, target = edges.norm_weights(norm, torch.float64, in_order)
    values = torch.ones(index.size(1), dtype=torch.float64) if weight is None else weight.double()
    found = values * (1 if source is None else source[index[0]]) * (1 if target is None else target[index[1]])
    expected = oracle.edge_weights(index, nodes, nodes, norm, weight, square)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6)


def test_given_order_undoes_the_order_of_rows():
    index = random_edges(7, 30)
    edges = Edges(index, 7)
    assert edges.given_order(edges.edge_ids).tolist() == list(range(30))


def test_copies_pickles_and_files():
    edges = Edges(random_edges(5, 12), (5, 6), edge_weight=torch.rand(12))
    file = io.BytesIO()
    torch.save(edges, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    moved = Edges.__new__(Edges)
    moved._take(edges._checked.to("cpu"))
    for other in (copy.deepcopy(edges), pickle.loads(pickle.dumps(edges)), loaded, edges.to("cpu"), moved):
        assert repr(other) == repr(edges)
        assert all(map(torch.equal, other.lists, edges.lists)) and torch.equal(other.edge_weight, edges.edge_weight)


@pytest.mark.parametrize("index, size, error, text", [
    ([[0.0], [1.0]], 2, TypeError, "float"),
    ([[0], [2]], 2, ValueError, "2"),
    ([[0], [-1]], 2, ValueError, "-1"),
    ([[0], [2**32]], 2, ValueError, str(2**32)),
    ([[2**32 + 1], [0]], None, ValueError, str(2**32 + 2)),
    ([[3], [0]], (3, 4), ValueError, "3"),
    ([[0], [4]], (5, 4), ValueError, "4"),
    ([0, 1], 2, ValueError, "shape"),
    ([[0], [1]], -2, ValueError, "-2"),
    ([[0], [1]], 2.5, TypeError, "2.5"),
])
def test_wrong_edges_are_named(index, size, error, text):
    with pytest.raises(error, match=text):
        Edges(torch.tensor(index), size)


def test_wrong_weights_are_named():
    with pytest.raises(ValueError, match="nan"):
        Edges([[0], [1]], 2, edge_weight=torch.tensor([float("nan")]))
    with pytest.raises(ValueError):
        Edges([[0], [1]], 2, edge_weight=torch.ones(2))


@given(st.lists(st.integers(-2**40, 2**40), min_size=2, max_size=2), st.integers(0, 2**31))
def test_no_id_crashes(ends, size):
    size = min(size, 1000)
    index = torch.tensor(ends).reshape(2, 1)
    if all(0 <= end < size for end in ends):
        assert Edges(index, size).num_edges == 1
    else:
        with pytest.raises(ValueError):
            Edges(index, size)
