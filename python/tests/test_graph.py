"""Graphs: what is refused, and what comes back from a round trip."""

import copy
import pickle
from types import SimpleNamespace

import networkx
import numpy
import pandas
import pytest
import scipy.sparse
import torch
from hypothesis import given
from hypothesis import strategies as st

from conftest import edge_lists
from factorgcn import Graph
from factorgcn.directions import is_symmetric

TRIANGLE = [[0, 1, 2], [1, 2, 0]]


def same(one: Graph, other: Graph) -> bool:
    """Equal but for the edges' order."""
    def table(graph: Graph) -> list:
        columns = [graph.edge_index.t().tolist()]
        columns += [[None] * graph.num_edges if column is None else column.tolist()
                    for column in (graph.edge_weight, graph.edge_type)]
        return sorted(zip(*columns), key=str)
    return (one.num_nodes, one.directed, table(one)) == (other.num_nodes, other.directed, table(other))


@st.composite
def graphs(draw, weighted=None, several=True):
    """Any graph: directed or not, weighted or not, with loops, perhaps with parallel edges."""
    nodes, index = draw(edge_lists())
    if not several:
        index = torch.unique(index, dim=1) if index.numel() > 0 else index
    directed = draw(st.booleans())
    if not directed:
        index = index.sort(dim=0).values
        if not several and index.numel() > 0:
            index = torch.unique(index, dim=1)
    columns = {}
    if draw(st.booleans()) if weighted is None else weighted:
        values = st.sampled_from([0.5, 1.0, 2.0, -3.0])
        columns["edge_weight"] = torch.tensor(draw(st.lists(values, min_size=index.size(1), max_size=index.size(1))),
                                              dtype=torch.float32)
    if directed:
        return Graph(index, nodes, directed=True, **columns)
    return Graph.undirected(index, nodes, **columns)


@given(graphs())
def test_networkx_and_back(graph):
    back = Graph.from_networkx(graph.to_networkx())
    # Without edges there is nothing that could carry weights.
    assert same(back, graph.replace(edge_weight=None) if graph.num_edges == 0 else graph)


@given(graphs())
def test_pandas_and_back(graph):
    table = graph.to_pandas()
    nodes = pandas.DataFrame(index=range(graph.num_nodes))
    back = Graph.from_pandas(table, nodes=nodes, directed=graph.directed,
                             weight="weight" if graph.edge_weight is not None else None)
    assert same(back, graph)


@given(graphs(several=False))
def test_scipy_and_back(graph):
    back = Graph.from_scipy(graph.to_scipy(), weighted=graph.edge_weight is not None, directed=graph.directed)
    assert same(back, graph)


@given(graphs())
def test_pyg_and_back(graph):
    data = SimpleNamespace(**{name: value for name, value in vars(graph).items() if isinstance(value, torch.Tensor)},
                           num_nodes=graph.num_nodes)
    back = Graph.from_pyg(data)
    assert torch.equal(back.edge_index, graph.edge_index) and back.num_nodes == graph.num_nodes


@given(edge_lists())
def test_symmetry_is_what_a_slow_look_says(case):
    nodes, index = case
    dense = torch.zeros(nodes, nodes)
    for source, target in index.t().tolist():
        dense[source, target] += 1
    assert is_symmetric(index) == torch.equal(dense, dense.t())


@given(st.lists(graphs(weighted=True), min_size=1, max_size=4))
def test_batch_is_a_disjoint_union(parts):
    whole = Graph.batch(parts)
    assert whole.num_graphs == len(parts)
    blocks = scipy.sparse.block_diag([part.to_scipy() for part in parts]).toarray()
    numpy.testing.assert_allclose(whole.to_scipy().toarray(), blocks.reshape(whole.num_nodes, whole.num_nodes))


@given(st.lists(graphs(weighted=True), min_size=1, max_size=4))
def test_a_batch_taken_apart(parts):
    parts = [part.replace(y=torch.tensor([place]), x=torch.full((part.num_nodes, 2), float(place)))
             for place, part in enumerate(parts)]
    again = Graph.batch(parts).unbatch()
    assert len(again) == len(parts)
    for one, other in zip(again, parts):
        assert same(one, other.replace(directed=one.directed)) and torch.equal(one.x, other.x)
        assert torch.equal(one.y, other.y)


def test_names_classes_and_relations_of_networkx():
    source = networkx.MultiDiGraph()
    source.add_node("ann", age=31, team="red")
    source.add_node("bob", age=45)
    source.add_edge("ann", "bob", kind="work")
    source.add_edge("ann", "bob", kind="sport")
    graph = Graph.from_networkx(source, relation="kind", features="age", label="team")
    assert graph.node_names == ["ann", "bob"] and graph.relation_names == ["work", "sport"]
    assert graph.x.tolist() == [[31.0], [45.0]] and graph.y.tolist() == [0, -1] and graph.class_names == ["red"]
    back = graph.to_networkx()
    assert isinstance(back, networkx.MultiDiGraph) and back.nodes["ann"]["y"] == "red"
    assert sorted(data["relation"] for _, _, data in back.edges(data=True)) == ["sport", "work"]


def test_pandas_tables_of_edges_and_nodes():
    edges = pandas.DataFrame({"from": ["ann", "bob"], "to": ["bob", "cyd"], "kind": ["work", "sport"]})
    nodes = pandas.DataFrame({"name": ["cyd", "bob", "ann", "dan"], "age": [1, 2, 3, 4], "team": ["b", None, "a", "b"]})
    graph = Graph.from_pandas(edges, source="from", target="to", relation="kind", nodes=nodes, name="name",
                              features=["age"], label="team")
    assert graph.num_nodes == 4 and graph.num_edges == 4 and not graph.directed
    assert graph.y.tolist() == [1, -1, 0, 1] and graph.x[:, 0].tolist() == [1, 2, 3, 4]
    back = graph.to_pandas()
    assert {frozenset(ends): kind for *ends, kind in back.itertuples(index=False)} == {
        frozenset({"ann", "bob"}): "work", frozenset({"bob", "cyd"}): "sport"}


def test_sparse_adjacencies_of_pyg():
    index = torch.tensor(TRIANGLE)
    adjacency = torch.sparse_coo_tensor(index.flip(0), torch.ones(3), (3, 3))
    graph = Graph.from_pyg(SimpleNamespace(adj_t=adjacency.to_sparse_csr(), num_nodes=3))
    assert sorted(graph.edge_index.t().tolist()) == sorted(index.t().tolist())


def test_types_of_nodes_and_lists_of_places():
    graph = Graph(TRIANGLE, x=torch.tensor([2, 0, 1], dtype=torch.int32), y=[0, 1, 0], train_mask=[0, 2],
                  edge_type=[0, 1, 1])
    assert graph.x.dtype == torch.int64 and graph.train_mask.tolist() == [True, False, True]
    assert graph.edge_type.tolist() == [0, 1, 1] and graph.directed
    assert repr(graph) == "Graph(3 nodes, 3 directed edges, x [3], y [3], edge_type [3], train_mask [3])"


def test_copies_and_pickles():
    graph = Graph(TRIANGLE, x=torch.rand(3, 2), y=torch.tensor([0, 1, -1]))
    for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph)), graph.to("cpu")):
        assert same(other, graph) and torch.equal(other.x, graph.x)


WRONG = [
    (dict(edge_index=[[0, 1]]), ValueError, r"shape \(1, 2\)"),
    (dict(edge_index=[[0.0, 1.0], [1.0, 0.0]]), TypeError, "float"),
    (dict(edge_index=[[True], [False]]), TypeError, "bool"),
    (dict(edge_index="edges"), TypeError, "str"),
    (dict(edge_index=[[0, -1], [1, 0]]), ValueError, "-1 at place 1"),
    (dict(edge_index=TRIANGLE, num_nodes=2), ValueError, "holds 2 at place 2; with 2 nodes"),
    (dict(edge_index=[[0], [2**32]], num_nodes=3), ValueError, str(2**32)),
    (dict(edge_index=TRIANGLE, num_nodes=2.0), TypeError, "2.0"),
    (dict(edge_index=TRIANGLE, x=torch.ones(2, 1)), ValueError, "2 at place 2"),
    (dict(edge_index=TRIANGLE, num_nodes=3, x=torch.ones(4, 1)), ValueError, "expected 3 rows"),
    (dict(edge_index=TRIANGLE, x=torch.tensor([[1.0], [float("nan")], [0.0]])), ValueError, "nan at place 1"),
    (dict(edge_index=TRIANGLE, x=torch.tensor([0, -2, 1])), ValueError, "-2"),
    (dict(edge_index=TRIANGLE, y=torch.zeros(5)), ValueError, r"y has shape \(5,\)"),
    (dict(edge_index=TRIANGLE, edge_weight=torch.ones(2)), ValueError, "expected 3 rows"),
    (dict(edge_index=TRIANGLE, edge_weight=[1.0, float("inf"), 1.0]), ValueError, "inf at place 1"),
    (dict(edge_index=TRIANGLE, edge_type=[0, 1, -1]), ValueError, "-1 at place 2"),
    (dict(edge_index=TRIANGLE, edge_type=[0, 1, 2], relation_names=["a", "b"]), ValueError, "2 types"),
    (dict(edge_index=TRIANGLE, directed=False), ValueError, "reverse"),
    (dict(edge_index=TRIANGLE, offsets=[0, 2]), ValueError, "end with 2|holds 2"),
    (dict(edge_index=TRIANGLE, offsets=[0, 2, 3]), ValueError, "1 -> 2 at place 1"),
    (dict(edge_index=TRIANGLE, offsets=[0, 4, 3]), ValueError, "must not fall"),
    (dict(edge_index=TRIANGLE, node_names=["a"], num_nodes=3), ValueError, "1 names"),
    (dict(edge_index=TRIANGLE, train_mask=[0, 7]), ValueError, "7 at place 1"),
]


@pytest.mark.parametrize("arguments, error, text", WRONG)
def test_wrong_arguments_are_named(arguments, error, text):
    with pytest.raises(error, match=text):
        Graph(**arguments)


def test_wrong_tables_are_named():
    with pytest.raises(TypeError, match="list"):
        Graph.from_scipy([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        Graph.from_scipy(scipy.sparse.csr_matrix((2, 3)))
    with pytest.raises(TypeError, match="dict"):
        Graph.from_networkx({})
    edges = pandas.DataFrame({"source": ["a", None], "target": ["b", "c"]})
    with pytest.raises(ValueError, match="'source' is missing in row 1"):
        Graph.from_pandas(edges)
    with pytest.raises(ValueError, match="no column 'from'; there are 'source', 'target'"):
        Graph.from_pandas(edges, source="from")
    with pytest.raises(ValueError, match="'c' in row 1"):
        Graph.from_pandas(edges.fillna("a"), nodes=pandas.DataFrame(index=["a", "b"]))
    half = networkx.Graph()
    half.add_edge("a", "b", weight=2)
    half.add_edge("b", "c")
    with pytest.raises(ValueError, match="'b', 'c'.*has no 'weight'"):
        Graph.from_networkx(half)
    assert Graph.from_networkx(half, weight=None).edge_weight is None
    with pytest.raises(ValueError, match="graph 1 has no x"):
        Graph.batch([Graph(TRIANGLE, x=torch.ones(3, 1)), Graph(TRIANGLE)])
