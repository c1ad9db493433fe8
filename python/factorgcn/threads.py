"""How many threads the kernels use; results do not depend on it."""

from __future__ import annotations

from factorgcn import _door


def num_threads() -> int:
    """Threads that kernels use, or will once the first one runs.

    >>> num_threads() >= 1
    True
    """
    return int(_door.call(_door.operations().num_threads))


def set_num_threads(threads: int) -> None:
    """Sets it; 0 stands for all cores that this process may use.

    >>> before = num_threads()
    >>> set_num_threads(1)
    >>> num_threads()
    1
    >>> set_num_threads(before)
    """
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads is {threads!r}; expected a whole number")
    if threads < 0:
        raise ValueError(f"threads is {threads}; it must be at least 1, or 0 for all cores")
    _door.call(_door.operations().set_num_threads, threads)
