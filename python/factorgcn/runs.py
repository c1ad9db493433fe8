"""Run folders, as the command line or a `Trainer` leaves them.

    run = factorgcn.load_run("runs/friends")
    run.history.plot(y="loss")
    run.model(graph.x, graph)
    run.factor_graphs().to_networkx()
"""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import torch
from torch import Tensor

from factorgcn import _door
from factorgcn.data_set import Data, data_set_of, graph_of_data_set
from factorgcn.errors import Error
from factorgcn.factor_graphs import FactorGraphs
from factorgcn.graph import Graph

if TYPE_CHECKING:
    import pandas

    from factorgcn.nn import FactorGCN


def load_run(path: Union[str, Path]) -> "LoadedRun":
    """The run in a folder. Its data are looked for when something needs them, not before."""
    return LoadedRun(path)


class LoadedRun:
    """What a run was, what it learnt, and its answers.

    Attributes:
        path: the folder.
        config: everything that decided the run, as ``config.json`` has it.
    """

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        file = self.path / "config.json"
        if not file.is_file():
            raise ValueError(f"{self.path} is no run's folder: there is no {file}")
        self.config: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        #: Whatever must live as long as the folder is read: a temporary one goes with it.
        self.keeps: Any = None

    @cached_property
    def history(self) -> "pandas.DataFrame":
        """A row for each epoch: loss, task_loss, regulariser, learning_rate, best, seconds, and the scores of each part
        as ``validation_loss``, ``validation_accuracy`` and so on."""
        import pandas

        text = (self.path / "history.jsonl").read_text(encoding="utf-8")
        return pandas.DataFrame([flat_record(json.loads(line)) for line in text.splitlines()])

    @property
    def metrics(self) -> Optional[dict[str, Any]]:
        """The result, as ``metrics.json`` has it; None while the run is not over."""
        file = self.path / "metrics.json"
        if not file.is_file():
            return None
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return found

    @cached_property
    def weights(self) -> dict[str, Tensor]:
        """The best model's weights and buffers by name."""
        return dict(_door.call(_door.classes().Run.weights_of, str(self.path)))

    @cached_property
    def model(self) -> "FactorGCN":
        """The best model as a torch module, in evaluation mode. It adds no self loops: ``data`` has those that it was
        trained with. Other models than ``factorgcn`` have no module; `predict` serves them all."""
        from factorgcn.nn.factor_gcn import FactorGCN
        from factorgcn.nn.network_settings import NetworkSettings

        if self.config["model"] != "factorgcn":
            raise Error(f"{self.path} holds a model {self.config['model']}, which has no torch module; predict() and "
                        "weights serve it")
        trained = self.config.get("trained_on")
        if not trained:
            raise Error(f"{self.path} is of an older version, which did not say what its model reads")
        settings = NetworkSettings.from_config(self.config["model_settings"], trained.get("features", 0),
                                               trained.get("node_types", 0), trained["outputs"],
                                               trained["task"] == "node-class")
        network = FactorGCN.of(settings, add_self_loops=False)
        network.load_state_dict(self.weights)
        return network.eval()

    @cached_property
    def data(self) -> Graph:
        """The graphs that the run was trained on, as its model sees them: one batch."""
        return graph_of_data_set(self._own.data())

    def predict(self, data: Optional[Data] = None) -> Tensor:
        """Answers for every graph, or node: float [rows, outputs], probabilities of classes and labels, or values.

        Args:
            data: others than the run's own: a data set's name, a file, a `Graph` or several.
        """
        with self._on(data) as run:
            answers: Tensor = _door.call(run.predict)
        return answers

    def factor_graphs(self, layer: int = 1, data: Optional[Data] = None) -> FactorGraphs:
        """The factor graphs of a layer, from 1, without added self loops."""
        with self._on(data) as run:
            layers = _door.call(run.num_factor_layers)
            if not 1 <= layer <= layers:
                raise ValueError(f"layer is {layer}; this model has " +
                                 (f"factor graphs in layers 1 to {layers}" if layers > 0 else "no factor graphs"))
            edge_index, shares = _door.call(run.factor_graphs, layer)
            found = run.data()
            summary = json.loads(_door.call(found.summary))
        return FactorGraphs(edge_index, shares, found.graph_offsets(), node_names=summary.get("node_names") or None,
                            directed=bool(summary.get("directed")))

    def save_as(self, folder: Union[str, Path], model: torch.nn.Module) -> "LoadedRun":
        """A new run's folder with this configuration and that model's weights, for the command line to read.

        It has no history and no scores, since those belong to the weights that were trained here.
        """
        from factorgcn.weights_file import write_weights

        folder = Path(folder)
        state = model.state_dict()
        wrong = {name for name in {*state, *self.weights}
                 if name not in state or name not in self.weights or state[name].shape != self.weights[name].shape}
        if wrong:
            raise ValueError(f"the model's '{min(wrong)}' is not what {self.path} has; its settings must be the same")
        if folder.exists() and any(folder.iterdir()):
            raise ValueError(f"{folder} exists and is not empty; choose another folder")
        folder.mkdir(parents=True, exist_ok=True)
        write_weights(folder / "model.safetensors", state, like=self.path / "model.safetensors")
        shutil.copy(self.path / "config.json", folder / "config.json")
        return LoadedRun(folder)

    def __getstate__(self) -> dict[str, Any]:
        """The folder's place, or where it is a temporary one the files in it."""
        if self.keeps is None:
            return {"path": self.path}
        return {"files": {file.name: file.read_bytes() for file in self.path.iterdir() if file.is_file()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "path" in state:
            LoadedRun.__init__(self, state["path"])
            return
        keeps = tempfile.TemporaryDirectory(prefix="factorgcn-")
        for name, content in state["files"].items():
            Path(keeps.name, name).write_bytes(content)
        LoadedRun.__init__(self, keeps.name)
        self.keeps = keeps

    @cached_property
    def _own(self) -> Any:
        return _door.call(_door.classes().Run, str(self.path), "")

    def _on(self, data: Optional[Data]) -> "_RunOn":
        return _RunOn(self, data)

    def __repr__(self) -> str:
        return f"LoadedRun({self.path}: {self.config['model']} on {self.config['dataset']})"


class _RunOn:
    """The library's run on some data, which go through a file that is gone afterwards where they are in memory."""

    def __init__(self, run: LoadedRun, data: Optional[Data]) -> None:
        self.run, self.data = run, data
        self.folder: Optional[tempfile.TemporaryDirectory[str]] = None

    def __enter__(self) -> Any:
        if self.data is None:
            return self.run._own
        name = str(self.data)
        if not isinstance(self.data, (str, Path)):
            self.folder = tempfile.TemporaryDirectory(prefix="factorgcn-")
            name = str(Path(self.folder.name) / "graphs.safetensors")
            _door.call(data_set_of(self.data).save, name)
        try:
            loaded = _door.call(_door.classes().Run, str(self.run.path), name)
            for note in loaded.notes():
                warnings.warn(note, stacklevel=4)
            return loaded
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: Any) -> None:
        if self.folder is not None:
            self.folder.cleanup()


def flat_record(record: dict[str, Any]) -> dict[str, Any]:
    """A line of history.jsonl with one level: {"validation": {"loss": 1}} becomes {"validation_loss": 1}."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            flat.update((f"{name}_{inner}", number) for inner, number in value.items())
        else:
            flat[name] = value
    return flat
