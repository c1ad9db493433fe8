"""A bar for training, drawn by tqdm where it is installed and somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Optional


class Bar:
    """Epochs done, with a broken last one; nothing where there is no bar."""

    def __init__(self, bar: Optional[Any]) -> None:
        self._bar = bar
        self._within = 0.0

    def within(self, share: float) -> None:
        """So much of the epoch is done."""
        if self._bar is not None:
            self._bar.update(share - self._within)
            self._within = share

    def epoch_done(self, record: dict[str, Any]) -> None:
        if self._bar is not None:
            self._bar.update(1.0 - self._within)
            self._within = 0.0
            shown = {name: value for name, value in record.items() if name == "loss" or name.startswith("validation_")}
            self._bar.set_postfix({name: f"{value:.4g}" for name, value in shown.items() if value is not None})


@contextmanager
def progress_bar(epochs: int, done: int, wanted: Optional[bool]) -> Iterator[Bar]:
    """``wanted`` None: where standard error is a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield Bar(None)
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if wanted:
            raise ImportError("progress=True needs tqdm: apt install python3-tqdm, or pip install tqdm") from None
        yield Bar(None)
        return
    with tqdm(total=epochs, initial=done, unit="epoch", bar_format="{l_bar}{bar}| {n:.3g}/{total:.0f} epochs "
              "[{elapsed}<{remaining}{postfix}]") as bar:
        yield Bar(bar)
