"""Disentangling in scikit-learn's manner.

    found = Disentangler().fit(nx.karate_club_graph())                     # no labels: the relations themselves
    found = Disentangler(relations=4).fit(graph, classes).predict(graph)   # labels: a network that learns them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from factorgcn.chosen import ChosenNodes
from factorgcn.graph import Graph

if TYPE_CHECKING:
    import scipy.sparse

    from factorgcn.labelled import LabelledFit
    from factorgcn.unlabelled import Known, UnlabelledFit


class Disentangler(BaseEstimator):  # type: ignore[misc]
    """Takes a graph apart into factor graphs, one for each relation that its edges hide.

    Without labels (``y`` None) as ``factorgcn disentangle`` does: in one relation a node belongs to one group.
    With labels as ``factorgcn train`` does: a FactorGCN that predicts them, whose coefficients are the factor graphs.
    A graph stands for its nodes: ``y`` has a label for each (unknown: -1, None or NaN). Several graphs stand for
    themselves: ``y`` has one for each.

    Args:
        relations: how many; 0: as many as describe the graph best, or 4 with labels.
        groups: without labels: groups of each relation; 0: found.
        method: without labels: "groups", "link-communities" or "factorgcn".
        hidden: with labels: width of the layers, a multiple of ``relations``; None: the preset's.
        epochs: with labels; None: the preset's.
        learning_rate: with labels; None: the preset's.
        validation: with labels: share of them that chooses the best epoch.
        settings: with labels: further settings of `Trainer`.
        weight: networkx' attribute, or pandas' column, with the weights of edges.
        features: networkx' attributes of nodes that are their features.
        random_state: the seed.

    Input: a `Graph`, a networkx graph, a scipy sparse matrix, a pandas table with columns source and target, or a list
    of these. For GridSearchCV and its like give a `Graph`, which can be split by nodes, or a list.

    Attributes:
        relations_: names of the relations, or factors.
        classes_: with labels: the classes.
        groups_: without labels: [nodes, relations], each node's group, from 1; 0: no edge there.
        certainty_: without labels: of each edge's strongest relation, [edges].
        edges_: without labels: the edges as a table, each once, with a share for each relation.
        summary_: without labels: everything that was found, as ``summary.json`` has it.
        report_: without labels: the same in words.
        run_: with labels: the run (:class:`factorgcn.LoadedRun`).

    >>> import networkx
    >>> found = Disentangler(relations=2, groups=2, random_state=0).fit(networkx.karate_club_graph())
    >>> [matrix.shape for matrix in found.transform()]
    [(34, 34), (34, 34)]
    >>> found.groups_.shape
    (34, 2)
    """

    def __init__(self, relations: int = 0, *, groups: int = 0, method: str = "groups", hidden: Optional[int] = None,
                 epochs: Optional[int] = None, learning_rate: Optional[float] = None, validation: float = 0.1,
                 settings: Optional[Mapping[str, Any]] = None, weight: Optional[str] = None,
                 features: Union[None, str, Sequence[str]] = None, random_state: int = 0) -> None:
        self.relations = relations
        self.groups = groups
        self.method = method
        self.hidden = hidden
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.validation = validation
        self.settings = settings
        self.weight = weight
        self.features = features
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, known: "Optional[Known]" = None) -> "Disentangler":
        """Takes X apart.

        Args:
            X: the graph, or several.
            y: labels; None: there are none.
            known: without labels: relations of some edges, {(node, node): "work"} or {...: ["work", "family"]}, nodes
                by name.
        """
        given = self._input(X)
        for stale in ("classes_", "groups_", "certainty_", "edges_", "summary_", "report_", "run_"):
            self.__dict__.pop(stale, None)
        self._fitted: "Union[LabelledFit, UnlabelledFit]"
        if y is None:
            from factorgcn.unlabelled import fit_unlabelled

            found = fit_unlabelled(_one_graph(given), self.get_params(), known)
            self._fitted = found
            self.relations_, self.groups_, self.certainty_ = found.names, found.groups, found.certainty
            self.edges_, self.summary_, self.report_ = found.table(), found.summary, found.report
            return self
        if known is not None:
            raise ValueError("known relations of edges and labels y do not go together; leave one out")
        from factorgcn.labelled import fit_labelled

        learnt = fit_labelled(given, y, self.get_params())
        self._fitted = learnt
        self.classes_, self.run_ = learnt.classes, learnt.run
        self.relations_ = learnt.names()
        return self

    def transform(self, X: Any = None) -> "list[scipy.sparse.csr_array] | list[list[scipy.sparse.csr_array]]":
        """The factor graphs, a sparse matrix [nodes, nodes] each; of several graphs a list for each.

        Args:
            X: the graph; None: what was fitted. Without labels no other graph can be taken apart by the same groups:
                fit it.
        """
        check_is_fitted(self, "relations_")
        return self._fitted.transform(None if X is None else self._input(X))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """``fit(X, y).transform()``."""
        return self.fit(X, y, **fit_params).transform()

    def predict(self, X: Any = None) -> numpy.ndarray:
        """With labels: the class of each node, or graph. Without: the strongest relation of each edge, from 0, in the
        order of ``edges_``."""
        check_is_fitted(self, "relations_")
        return self._fitted.predict(None if X is None else self._input(X))

    def predict_proba(self, X: Any = None) -> numpy.ndarray:
        """With labels: probabilities, in the order of ``classes_``. Without: the edges' shares in each relation."""
        check_is_fitted(self, "relations_")
        return self._fitted.predict_proba(None if X is None else self._input(X))

    def score(self, X: Any = None, y: Any = None) -> float:
        """With labels: the share of those that are right. Without: bits per edge that the relations save beyond what
        99 of 100 rewired graphs would; below 0 there is nothing to find, nan: not known (no graph was rewired)."""
        check_is_fitted(self, "relations_")
        return self._fitted.score(None if X is None else self._input(X), y)

    def _input(self, X: Any) -> Union[Graph, ChosenNodes, list[Graph]]:
        if isinstance(X, (list, tuple)) or (isinstance(X, numpy.ndarray) and X.dtype == object):
            graphs = [self._input(each) for each in X]
            if not all(isinstance(each, Graph) for each in graphs) or not graphs:
                raise TypeError("X is a list; expected a list of graphs")
            return graphs  # type: ignore[return-value]
        return _graph_of(X, self.weight, self.features)


def _one_graph(given: Union[Graph, ChosenNodes, list[Graph]]) -> Graph:
    if isinstance(given, list):
        if len(given) != 1:
            raise ValueError(f"X holds {len(given)} graphs; without labels one graph is taken apart at a time")
        return given[0]
    return given.graph if isinstance(given, ChosenNodes) else given


def _graph_of(X: Any, weight: Optional[str], features: Union[None, str, Sequence[str]]) -> Union[Graph, ChosenNodes]:
    """A graph of whatever people keep graphs in; nothing is imported to find out."""
    if isinstance(X, (Graph, ChosenNodes)):
        return X
    if hasattr(X, "nodes") and hasattr(X, "is_directed"):
        return Graph.from_networkx(X, weight=weight, features=features)
    if hasattr(X, "tocsr"):
        return Graph.from_scipy(X)
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        return Graph.from_pandas(X, weight=weight)
    raise TypeError(f"X is a {type(X).__name__}; expected a factorgcn.Graph, a networkx graph, a scipy sparse matrix, "
                    "a pandas table with columns source and target, or a list of these")
