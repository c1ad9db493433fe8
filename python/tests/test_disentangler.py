"""Disentangler: what scikit-learn expects of an estimator, and that it finds what is there."""

import os
import pickle
import signal
import threading
import time

import networkx
import numpy
import pandas
import pytest
import scipy.sparse
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from factorgcn import Disentangler, Graph
from factorgcn.labelled import known_labels, split_labels

FAST = dict(hidden=8, relations=2, epochs=30, learning_rate=0.02, settings={"threads": 1})


def planted(seed=0, nodes=60):
    """Two relations of three groups each, that cross; and which relation each edge comes from."""
    random = numpy.random.RandomState(seed)
    groups = numpy.stack([random.permutation(numpy.arange(nodes) % 3) for _ in range(2)])
    edges, truth = [], []
    for source in range(nodes):
        for target in range(source):
            same = groups[:, source] == groups[:, target]
            kinds = [kind for kind in range(2) if same[kind] and random.rand() < 0.5]
            if kinds:
                edges.append((target, source))
                truth.append(kinds)
    return Graph.undirected(torch.tensor(edges).t(), nodes), groups, truth


@pytest.fixture(scope="module")
def found():
    graph, groups, truth = planted()
    return Disentangler(relations=2, groups=3).fit(graph), graph, groups, truth


def test_planted_relations_are_found(found):
    estimator, graph, groups, _ = found
    from sklearn.metrics import adjusted_mutual_info_score

    scores = numpy.array([[adjusted_mutual_info_score(groups[kind], estimator.groups_[:, column])
                           for column in range(2)] for kind in range(2)])
    assert max(scores.trace(), numpy.fliplr(scores).trace()) > 1.6, scores
    assert estimator.score(graph) > 0


def test_what_is_said_of_edges(found):
    estimator, graph, _, _ = found
    matrices = estimator.transform()
    assert len(matrices) == 2 and all(scipy.sparse.issparse(matrix) for matrix in matrices)
    table = estimator.edges_
    assert len(table) == graph.num_edges // 2
    for column, name in enumerate(estimator.relations_):
        source, target = table["source"][7], table["target"][7]
        assert matrices[column][source, target] == matrices[column][target, source] == pytest.approx(table[name][7])
    numpy.testing.assert_array_equal(estimator.predict(), estimator.predict_proba().argmax(1))
    assert estimator.summary_["method"] == "groups" and "relation" in estimator.report_
    numpy.testing.assert_array_equal(estimator.transform(graph)[0].toarray(), matrices[0].toarray())
    with pytest.raises(ValueError, match="another graph"):
        estimator.transform(networkx.path_graph(5))


def test_same_result_from_every_kind_of_input(found):
    estimator, graph, _, _ = found
    drawn = graph.to_networkx()
    for other in (drawn, graph.to_scipy(), scipy.sparse.csr_matrix(graph.to_scipy()), graph[:]):
        again = clone(estimator).fit(other)
        numpy.testing.assert_array_equal(again.groups_, estimator.groups_)
    table = graph.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert len(clone(estimator).fit(table).edges_) == len(estimator.edges_)


def test_true_relations_are_for_scores_alone(found):
    estimator, graph, _, truth = found
    pairs = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]].t().tolist()
    several = [(pair, kind) for pair, kinds in zip(pairs, truth) for kind in kinds]
    typed = Graph.undirected(torch.tensor([pair for pair, _ in several]).t(), graph.num_nodes,
                             edge_type=torch.tensor([kind for _, kind in several]), relation_names=["work", "sport"])
    again = clone(estimator).fit(typed)
    numpy.testing.assert_array_equal(again.groups_, estimator.groups_)
    told = again.summary_["truth"]
    assert told["relation_auc"] > 0.9 > told["chance"] and {each["name"] for each in told["relations"]} == {"work",
                                                                                                             "sport"}
    assert "truth" not in estimator.summary_ or estimator.summary_["truth"] is None


def test_known_edges_name_the_relations(found):
    _, graph, _, truth = found
    pairs = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]].t().tolist()
    known = {tuple(pair): ["work" if kind == 0 else "sport" for kind in kinds]
             for pair, kinds in list(zip(pairs, truth))[::4]}
    estimator = Disentangler(relations=2, groups=3).fit(graph, known=known)
    assert set(estimator.relations_) == {"work", "sport"}
    assert estimator.summary_["known_edges"]["known"] == len(known)
    with pytest.raises(ValueError, match="no edge"):
        Disentangler().fit(graph, known={(0, 0): "work"})
    with pytest.raises(ValueError, match="no pair of nodes"):
        Disentangler().fit(graph, known={("ann", 0): "work"})


def test_ctrl_c_ends_it_and_is_pythons_again_afterwards():
    index = torch.randint(0, 3000, (2, 60000), generator=torch.Generator().manual_seed(0)).sort(0).values
    graph = Graph.undirected(torch.unique(index[:, index[0] != index[1]], dim=1), 3000)
    for _ in range(2):
        key = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        key.start()
        with pytest.raises(KeyboardInterrupt):
            Disentangler().fit(graph)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)


def two_groups():
    random = numpy.random.RandomState(1)
    adjacency = numpy.triu(random.rand(40, 40) < numpy.where(
        numpy.equal.outer(numpy.arange(40) % 2, numpy.arange(40) % 2), 0.5, 0.02), 1)
    index = torch.tensor(numpy.stack(adjacency.nonzero()))
    labels = numpy.array(["even", "odd"])[numpy.arange(40) % 2]
    return Graph.undirected(index, 40, x=torch.eye(40)), labels


def test_labels_of_nodes():
    graph, labels = two_groups()
    given = labels.astype(object)
    given[::4] = None
    estimator = Disentangler(**FAST).fit(graph, given)
    assert list(estimator.classes_) == ["even", "odd"]
    hidden = numpy.arange(40) % 4 == 0
    assert (estimator.predict(graph)[hidden] == labels[hidden]).mean() > 0.7
    assert estimator.score(graph, labels) > 0.8
    numpy.testing.assert_allclose(estimator.predict_proba().sum(1), 1, rtol=1e-5)
    matrices = estimator.transform()
    assert len(matrices) == 2 and matrices[0].shape == (40, 40)
    same = Graph(graph.edge_index, 40, x=graph.x)
    numpy.testing.assert_array_equal(estimator.predict(same), estimator.predict())


def test_fitted_estimators_are_stored_and_sent():
    graph, labels = two_groups()
    learnt = Disentangler(**{**FAST, "epochs": 5}).fit(graph, labels)
    found = Disentangler(relations=2, groups=2).fit(graph)
    assert len(pickle.loads(pickle.dumps(found)).transform(graph)) == 2
    expected, stored = learnt.predict_proba(graph), pickle.dumps(learnt)
    del learnt  # and the run's folder with it
    other = pickle.loads(stored)
    numpy.testing.assert_array_equal(other.predict_proba(graph), expected)
    assert len(other.transform()) == 2
    scores = [cross_val_score(Disentangler(**{**FAST, "epochs": 4}), graph, labels, cv=2, n_jobs=jobs)
              for jobs in (1, 2)]
    numpy.testing.assert_array_equal(*scores)


def test_nodes_are_chosen_as_scikit_learn_does():
    graph = Graph.undirected([[0, 1, 2], [1, 2, 3]])
    for chosen in (graph[[3, 1]], graph[numpy.array([3, 1]), ...], graph[1:][[2, 0]], graph[1:][[2, 0], ...]):
        assert chosen.nodes.tolist() == [3, 1]


def test_search_over_settings_by_nodes():
    graph, labels = two_groups()
    search = GridSearchCV(Disentangler(**{**FAST, "epochs": 8}), {"relations": [2, 4]}, cv=StratifiedKFold(2))
    search.fit(graph, labels)
    assert search.best_params_["relations"] in (2, 4) and search.predict(graph).shape == (40,)
    assert numpy.isfinite(search.cv_results_["mean_test_score"]).all()


def test_labels_of_graphs():
    graphs = [Graph.from_networkx(networkx.cycle_graph(6 + place % 3) if place % 2 else
                                  networkx.star_graph(6 + place % 3)) for place in range(24)]
    labels = numpy.arange(24) % 2
    estimator = Disentangler(**FAST).fit(graphs, labels)
    assert estimator.predict(graphs[:5]).shape == (5,)
    assert estimator.score(graphs, labels) > 0.5
    assert [len(matrices) for matrices in estimator.transform(graphs[:3])] == [2, 2, 2]
    scores = cross_val_score(Disentangler(**{**FAST, "epochs": 4}), graphs, labels, cv=2)
    assert scores.shape == (2,) and numpy.isfinite(scores).all()


def test_conventions_of_estimators():
    estimator = Disentangler(relations=3)
    assert clone(estimator).get_params() == estimator.get_params()
    assert estimator.set_params(groups=5).groups == 5
    with pytest.raises(NotFittedError):
        estimator.transform()
    assert "relations=3" in repr(estimator)
    estimator_checks.check_parameters_default_constructible("Disentangler", Disentangler())
    for check in (estimator_checks.check_no_attributes_set_in_init, estimator_checks.check_get_params_invariance,
                  estimator_checks.check_set_params):
        check("Disentangler", Disentangler())
    assert make_pipeline(Disentangler(relations=2, groups=2)).fit_transform(networkx.karate_club_graph())


def test_labels_that_are_known_and_how_they_are_split():
    assert known_labels(numpy.array([0, -1, 2])).tolist() == [True, False, True]
    assert known_labels(numpy.array([0.0, numpy.nan])).tolist() == [True, False]
    mixed = numpy.array(["a", None, float("nan"), -1], dtype=object)
    assert known_labels(mixed).tolist() == [True, False, False, False]
    codes = numpy.array([0] * 9 + [1])
    rows, train, validation = split_labels(codes, numpy.arange(10) + 5, 0.5, 3)
    assert sorted([*train, *validation]) == rows.tolist() and 14 in train and len(validation) == 5
    with pytest.raises(ValueError, match="no class has two"):
        split_labels(numpy.array([0, 1]), numpy.arange(2), 0.5, 0)


@pytest.mark.parametrize("fit, error, text", [
    (lambda: Disentangler().fit([1, 2]), TypeError, "int"),
    (lambda: Disentangler().fit(networkx.path_graph(3), [1, 2]), ValueError, "each of the 3 nodes"),
    (lambda: Disentangler().fit(networkx.path_graph(3), [1, 1, -1]), ValueError, "1 classes"),
    (lambda: Disentangler(method="grups").fit(networkx.path_graph(3)), ValueError, "groups"),
    (lambda: Disentangler(relations=-1).fit(networkx.path_graph(3)), ValueError, "-1"),
])
def test_wrong_use_is_named(fit, error, text):
    with pytest.raises(error, match=text):
        fit()
