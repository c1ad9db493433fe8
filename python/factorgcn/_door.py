"""The shared library behind the package: where it is, loading it once, and its errors as Python's.

Loading starts no thread and takes milliseconds beside torch itself. It happens at the first use, not on import.
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import Any, Callable, NoReturn

import torch

from factorgcn.errors import Error
from factorgcn.fakes import register_fakes

LIBRARY = "libfactorgcn_python.so"
PLACE = "FACTORGCN_PYTHON_LIBRARY"

_lock = threading.Lock()
_loaded = False

_TAGGED = re.compile(r"factorgcn\.(UsageError|Error|Interrupted): (.*)")


def library_path() -> Path:
    """The file that :func:`load` loads: what ``FACTORGCN_PYTHON_LIBRARY`` names, or the one beside this package."""
    named = os.environ.get(PLACE)
    return Path(named) if named else Path(__file__).parent / "lib" / LIBRARY


def load() -> None:
    """Loads the library unless it is loaded. Raises :class:`Error` where there is none."""
    global _loaded
    if _loaded:
        return
    with _lock:
        if _loaded:
            return
        path = library_path()
        if not path.is_file():
            raise Error(f"there is no {path}: install the package with pip, or build it with `make python` and set "
                        f"{PLACE} to the {LIBRARY} that was built")
        try:
            torch.ops.load_library(str(path))
        except OSError as error:
            raise Error(f"{path} cannot be loaded into torch {torch.__version__}; it serves the version of torch that "
                        f"it was built with: {error}") from None
        register_fakes()
        _loaded = True


def classes() -> Any:
    """The library's classes."""
    load()
    return torch.classes.factorgcn


def operations() -> Any:
    """The library's operations."""
    load()
    return torch.ops.factorgcn_python


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """``function(*arguments)`` of the library, with its errors as Python people expect them."""
    try:
        return function(*arguments)
    except RuntimeError as error:
        _raise_as_ours(error)


def _raise_as_ours(error: RuntimeError) -> NoReturn:
    tagged = _TAGGED.search(str(error))
    if tagged is None:
        raise error
    kind, message = tagged.groups()
    if kind == "Interrupted":
        raise KeyboardInterrupt(message) from None
    raise (ValueError if kind == "UsageError" else Error)(message) from None
