"""A network that learns labels, for `Disentangler`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy
import torch

from factorgcn.chosen import ChosenNodes
from factorgcn.factor_graphs import FactorGraphs
from factorgcn.graph import Graph
from factorgcn.runs import LoadedRun
from factorgcn.trainer import Trainer

Given = Union[Graph, ChosenNodes, list[Graph]]


def fit_labelled(given: Given, y: Any, params: Mapping[str, Any]) -> "LabelledFit":
    """Trains to the end."""
    labels = numpy.asarray(y)
    samples = len(given)
    if labels.ndim != 1 or len(labels) != samples:
        what = "graphs" if isinstance(given, list) else "nodes"
        raise ValueError(f"y has shape {labels.shape}; expected a label for each of the {samples} {what}")
    known = known_labels(labels)
    classes, codes = numpy.unique(labels[known], return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y names {len(classes)} classes; at least 2 are needed")
    rows, train, validation = split_labels(codes, numpy.flatnonzero(known), params["validation"],
                                           int(params["random_state"]))
    graph, places = _joined(given)
    total = graph.num_graphs if isinstance(given, list) else graph.num_nodes
    targets = torch.full((total,), -1, dtype=torch.int64)
    targets[places[torch.from_numpy(rows)]] = torch.from_numpy(codes)
    masks = {}
    for name, samples_in in (("train_mask", train), ("val_mask", validation)):
        masks[name] = torch.zeros(total, dtype=torch.bool)
        masks[name][places[torch.from_numpy(samples_in)]] = True
    data = graph.replace(y=targets, class_names=[str(kind) for kind in classes], **masks,
                         test_mask=torch.zeros(total, dtype=torch.bool))
    task = "graph_class" if isinstance(given, list) else "node_class"
    trainer = Trainer(data, task=task, **trainer_settings(params))
    trainer.train(progress=False)
    trainer.finish()
    return LabelledFit(given, classes, trainer.run())


def trainer_settings(params: Mapping[str, Any]) -> dict[str, Any]:
    """What `Trainer` is told; the rest is the preset's."""
    settings = dict(params["settings"] or {})
    factors = int(params["relations"]) or 4
    model: dict[str, Any] = {"factors": [factors, max(factors // 2, 1)], **settings.pop("model_settings", {})}
    if params["hidden"] is not None:
        model["hidden"] = int(params["hidden"])
    for name in ("epochs", "learning_rate"):
        if params[name] is not None:
            settings[name] = params[name]
    return {"seed": int(params["random_state"]), **settings, "model_settings": model}


def known_labels(labels: numpy.ndarray) -> numpy.ndarray:
    """bool: neither -1 nor None nor not-a-number."""
    if labels.dtype.kind in "iu":
        return labels != -1
    if labels.dtype.kind == "f":
        return ~numpy.isnan(labels) & (labels != -1)
    return numpy.array([label is not None and label == label and not (isinstance(label, int) and label == -1)
                        for label in labels.tolist()], dtype=bool)


def split_labels(codes: numpy.ndarray, rows: numpy.ndarray, share: float,
                 seed: int) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """All rows with labels, those to train on and those that choose the best epoch; each class keeps one to train on.
    """
    if not 0 < share < 1:
        raise ValueError(f"validation is {share}; it must be between 0 and 1")
    order = numpy.random.RandomState(seed % 2**32).permutation(len(rows))
    wanted = max(1, round(share * len(rows)))
    left = numpy.bincount(codes)
    chosen: list[int] = []
    for place in order:
        if len(chosen) < wanted and left[codes[place]] > 1:
            chosen.append(int(place))
            left[codes[place]] -= 1
    if not chosen:
        raise ValueError("no class has two labels; one of them must be kept to choose the best epoch")
    validation = numpy.zeros(len(rows), dtype=bool)
    validation[chosen] = True
    return rows, rows[~validation], rows[validation]


def _joined(given: Given) -> tuple[Graph, torch.Tensor]:
    """One graph, and where each sample's label belongs."""
    if isinstance(given, list):
        plain = [graph.replace(y=None, train_mask=None, val_mask=None, test_mask=None) for graph in given]
        return Graph.batch(plain), torch.arange(len(given))
    if isinstance(given, ChosenNodes):
        return given.graph, given.nodes
    return given, torch.arange(given.num_nodes)


class LabelledFit:
    """A network and what it was fitted on."""

    def __init__(self, given: Given, classes: numpy.ndarray, run: LoadedRun) -> None:
        self.given, self.classes, self.run = given, classes, run

    def names(self) -> list[str]:
        """Of the first layer's factors."""
        return [f"factor_{factor + 1}" for factor in range(self.run.config["model_settings"]["factors"][0])]

    def predict_proba(self, given: Optional[Given]) -> numpy.ndarray:
        given = self.given if given is None else given
        answers = self.run.predict(self._data(given)).numpy()
        return answers[given.nodes.numpy()] if isinstance(given, ChosenNodes) else answers

    def predict(self, given: Optional[Given]) -> numpy.ndarray:
        return self.classes[self.predict_proba(given).argmax(axis=1)]

    def score(self, given: Optional[Given], y: Any) -> float:
        if y is None:
            raise ValueError("y is None; give the labels to compare with")
        labels = numpy.asarray(y)
        known = known_labels(labels)
        if not known.any():
            raise ValueError("y names no label to compare with")
        return float((self.predict(given)[known] == labels[known]).mean())

    def transform(self, given: Optional[Given]) -> Any:
        given = self.given if given is None else given
        found: FactorGraphs = self.run.factor_graphs(1, self._data(given))
        if isinstance(given, list):
            return [found.of_graph(graph).to_scipy() for graph in range(found.num_graphs)]
        return found.to_scipy()

    def _data(self, given: Given) -> Optional[Graph]:
        """None: the run's own."""
        graph, _ = _joined(given)
        own, _ = (None, None) if isinstance(self.given, list) else _joined(self.given)
        if given is self.given or graph is own:
            return None
        return graph.replace(y=None, train_mask=None, val_mask=None, test_mask=None, class_names=None)
