"""Training with any model and data set that the command line knows, from Python: the same bits, an epoch per call."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from torch import Tensor

from factorgcn import _door
from factorgcn.data_set import Data, data_set_of
from factorgcn.errors import Error
from factorgcn.runs import LoadedRun, flat_record

if TYPE_CHECKING:
    import pandas

#: Called after each epoch with the trainer and the epoch's record; True ends training.
Callback = Callable[["Trainer", dict[str, Any]], Optional[bool]]

#: The library hands control back at least this often, in seconds, so that Ctrl-C and progress bars are Python's.
_TURN = 0.25


class Trainer:
    """One run.

    Args:
        data: a data set's name ("synthetic", "mutag"), a file, a `Graph` or several graphs.
        model: any that ``factorgcn models`` lists.
        out: the run's folder, which the command line reads too; None: a temporary one, gone with the trainer.
        force: removes a former run's files from ``out``.
        task: of graphs in memory, where ``y`` may mean several things: "node_class", "graph_class", "regression" or
            "multi_label".
        self_loops: of graphs in memory: every node gets a loop.
        settings: any key of ``config.json``: epochs, batch_size, learning_rate, seed, threads, device, preset,
            protocol, model_settings={"hidden": 64, "factors": [8, 4]}, schedule={...}; of a built-in data set
            ``data_settings={"factors": 4}``.

    >>> trainer = Trainer("synthetic", epochs=2, threads=1,
    ...                   data_settings={"train": 64, "validation": 16, "test": 16})
    >>> trainer.epoch()["epoch"]
    1
    >>> trainer.train()
    >>> sorted(trainer.finish()["test"])[:2]
    ['average_precision', 'c_score']
    >>> list(trainer.history["epoch"])
    [1, 2]
    """

    def __init__(self, data: Data, model: str = "factorgcn", out: Union[None, str, Path] = None, *,
                 force: bool = False, task: Optional[str] = None, self_loops: bool = True, **settings: Any) -> None:
        self._temporary: Optional[tempfile.TemporaryDirectory[str]] = None
        if out is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="factorgcn-")
            out = Path(self._temporary.name) / "run"
        config = {**settings, "model": model, "out": str(out)}
        if "data_settings" in config:
            config["data"] = config.pop("data_settings")
        graphs = None
        if isinstance(data, (str, Path)):
            config["dataset"] = str(data)
        else:
            graphs = data_set_of(data, task=task, self_loops=self_loops, seed=int(settings.get("seed", 0)))
        self._start(_door.call(_door.classes().Trainer, json.dumps(config), graphs, force))

    @classmethod
    def resume(cls, folder: Union[str, Path], **changes: Any) -> "Trainer":
        """A run that goes on where it stopped: in the end the same bits as one that never did.

        Args:
            folder: the run's folder.
            changes: what may differ: epochs, threads, checkpoint_seconds, device, data_on_device.
        """
        trainer = cls.__new__(cls)
        trainer._temporary = None
        trainer._start(_door.call(_door.classes().Trainer.resume, str(folder), json.dumps(changes)))
        return trainer

    def _start(self, library_trainer: Any) -> None:
        self._trainer = library_trainer
        self.folder = Path(library_trainer.folder())
        #: "training", "finished" or "diverged"
        self.status = "training"
        #: Why a run diverged.
        self.message = ""
        #: Epochs to be done, and those done that :meth:`epoch` has told of.
        self.epochs, self.epochs_done = int(self.config["epochs"]), 0
        self.metrics: Optional[dict[str, Any]] = None
        self.epochs_done = self._take(library_trainer.state())["epoch"]

    def _take(self, state: str) -> dict[str, Any]:
        """Where training stands, as the library says it; what it has to tell is told."""
        found: dict[str, Any] = json.loads(state)
        for line in found["messages"]:
            print(line, file=sys.stderr)
        self.status, self.message = found["status"], found["message"]
        return found

    @property
    def config(self) -> dict[str, Any]:
        """Everything that decides the run, presets included."""
        found: dict[str, Any] = json.loads(_door.call(self._trainer.config))
        return found

    @property
    def history(self) -> "pandas.DataFrame":
        """A row for each epoch so far (:attr:`LoadedRun.history`)."""
        import pandas

        lines = _door.call(self._trainer.history).splitlines()
        return pandas.DataFrame([flat_record(json.loads(line)) for line in lines])

    def weights(self, best: bool = True) -> dict[str, Tensor]:
        """Copies of the weights by name: of the best model so far, or of the last step."""
        return dict(_door.call(self._trainer.weights, best))

    def epoch(self, on_progress: Optional[Callable[[float], None]] = None) -> Optional[dict[str, Any]]:
        """Trains to the end of an epoch and scores the validation part.

        Args:
            on_progress: called now and then with the share of the epoch that is done.

        Returns:
            The epoch's line of history; None where training is over.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; nothing is lost, and the next call goes on.
        """
        # What is asked of the library is asked anew after a Ctrl-C, wherever that struck: the library knows what is
        # done, and `epochs_done` what was told.
        state = self._take(self._trainer.state())
        while state["epoch"] == self.epochs_done and self.status == "training":
            state = self._take(_door.call(self._trainer.advance, _TURN))
            if on_progress is not None and state["batches"]:
                done = state["epoch"] > self.epochs_done
                on_progress(1.0 if done else state["batch"] / state["batches"])
        if state["epoch"] == self.epochs_done:
            return None
        record = json.loads(_door.call(self._trainer.record, self.epochs_done + 1))
        self.epochs_done += 1
        return flat_record(record)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The records of the epochs that are left, as they are trained."""
        while (record := self.epoch()) is not None:
            yield record

    def train(self, callbacks: Iterable[Callback] = (), progress: Optional[bool] = None) -> None:
        """Trains to the end.

        Args:
            callbacks: called after each epoch, ``callback(trainer, record)``; one that returns True ends training.
            progress: a bar by tqdm; None: where standard error is a terminal.
        """
        from factorgcn.progress import progress_bar

        calls = list(callbacks)
        with progress_bar(self.epochs, self.epochs_done, progress) as bar:
            while (record := self.epoch(bar.within)) is not None:
                bar.epoch_done(record)
                if any([callback(self, record) for callback in calls]):
                    return
        if self.status == "diverged":
            warnings.warn(f"training diverged: {self.message}; the best model before that is kept", stacklevel=2)

    def finish(self) -> dict[str, Any]:
        """Scores the best model, writes the result and the page; returns what ``metrics.json`` holds. Before the last
        epoch: the run is closed as it stands."""
        if self.metrics is None:
            self.metrics = json.loads(_door.call(self._trainer.finish))
            self.epochs_done = self._take(self._trainer.state())["epoch"]
        return self.metrics

    def close(self) -> None:
        """Saves where training stands and lets the folder go; `resume` takes it up again."""
        _door.call(self._trainer.close)

    def run(self) -> LoadedRun:
        """The run as it lies in its folder, once it is finished: answers, factor graphs, the model."""
        if self.metrics is None:
            raise Error("the run is not finished; call finish() first")
        loaded = LoadedRun(self.folder)
        loaded.keeps = self._temporary
        return loaded

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Trainer({self.folder}: {self.epochs_done} of {self.epochs} epochs, {self.status})"
