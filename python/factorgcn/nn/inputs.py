"""What a layer is given as edges, made into checked ones; the last plain tensor's are kept."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Optional, Union

import torch
from torch import Tensor

from factorgcn import checks
from factorgcn.edges import Edges, Size, edges_to_groups
from factorgcn.graph import Graph
from factorgcn.sparse_index import edge_index_of, is_sparse_adjacency


class EdgeCache:
    """What was made of the last tensor that was seen, as long as that tensor lives and nobody has written into it.

    A training loop over one graph thus checks and sorts its edges once. Threads may share it: what is kept is replaced
    as a whole.
    """

    def __init__(self) -> None:
        self._last: Optional[tuple[weakref.ref[Tensor], Any, Edges]] = None

    def edges(self, seen: Tensor, settings: Any, make: Callable[[], Edges]) -> Edges:
        """``make()`` of a tensor and settings, or what it gave the last time for the same."""
        if seen.is_inference():  # counts no writes
            return make()
        key, last = (seen._version, seen.device, settings), self._last
        if last is not None and last[0]() is seen and last[1] == key:
            return last[2]
        made = make()
        self._last = (weakref.ref(seen), key, made)
        return made

    def __deepcopy__(self, memo: Any) -> "EdgeCache":
        return EdgeCache()

    def __reduce__(self) -> Any:
        return EdgeCache, ()


class Grouping:
    """Which rows belong to which graph, as an edge from each row to its graph."""

    def __init__(self) -> None:
        self._cache = EdgeCache()
        self._whole: Optional[Tensor] = None

    def of_batch(self, batch: Optional[Tensor], rows: int, device: torch.device) -> Edges:
        """Of int64 [rows], rising; None: one graph."""
        if batch is None:
            if self._whole is None or self._whole.numel() != rows or self._whole.device != device:
                self._whole = torch.zeros(rows, dtype=torch.int64, device=device)
            zeros = self._whole
            return self._cache.edges(zeros, 1, lambda: edges_to_groups(zeros, 1))
        group = checks.as_column("batch", checks.as_whole_numbers(batch, "batch"), rows, "nodes")
        return self._cache.edges(batch, None, lambda: _rising_groups(group))

    def __deepcopy__(self, memo: Any) -> "Grouping":
        return Grouping()

    def __reduce__(self) -> Any:
        return Grouping, ()


def _rising_groups(group: Tensor) -> Edges:
    falls = group.diff() < 0
    if bool(falls.any()):
        place = int(falls.to(torch.uint8).argmax()) + 1
        raise ValueError(f"batch falls from {int(group[place - 1])} to {int(group[place])} at node {place}; nodes of "
                         "one graph must stand together, graphs in rising order")
    return edges_to_groups(group, int(group[-1]) + 1 if group.numel() > 0 else 0)


AnyEdges = Union[Tensor, Graph, Edges]


def edges_of(given: Any, cache: EdgeCache, sources: int, targets: Optional[int], add_self_loops: bool,
             size: Optional[tuple[int, int]] = None, edge_weight: Optional[Tensor] = None) -> Edges:
    """Edges of an edge_index, a transposed sparse adjacency, a `Graph` or `Edges`.

    Args:
        sources: rows of the layer's input.
        targets: rows of the second table, where there are two.
        add_self_loops: gives loops to nodes without; `Edges` stay as they are.
        size: (sources, targets) as the caller has said it; must agree.
    """
    if isinstance(given, Edges):
        edges = given
    elif isinstance(given, Graph):
        if targets is not None:
            raise TypeError("a Graph has one table of nodes; for two give edge_index, or Edges with both sizes")
        edges = given.edges(add_self_loops)
    else:
        wanted: Size = sources if targets is None else (sources, targets)
        if is_sparse_adjacency(given):
            given, stored, shape = edge_index_of(given)
            if shape != (sources, sources if targets is None else targets):
                raise ValueError(f"the sparse adjacency leads from {shape[0]} to {shape[1]} nodes; the input has "
                                 f"{sources} sources and {sources if targets is None else targets} targets")
        if not isinstance(given, Tensor):
            raise TypeError(f"the edges are a {type(given).__name__}; expected edge_index [2, edges], a sparse "
                            "adjacency, a factorgcn.Graph or factorgcn.Edges")
        if size is not None and tuple(size) != (sources, sources if targets is None else targets):
            raise ValueError(f"size is {tuple(size)}, but the input has {sources} sources and "
                             f"{sources if targets is None else targets} targets")
        if edge_weight is not None:
            edges = Edges(given, wanted, add_self_loops, edge_weight)
        else:
            index = given
            edges = cache.edges(index, (wanted, add_self_loops), lambda: Edges(index, wanted, add_self_loops))
    if edges.num_sources != sources or edges.num_targets != (sources if targets is None else targets):
        raise ValueError(f"{edges!r} do not fit an input of {sources} sources"
                         + ("" if targets is None else f" and {targets} targets"))
    return edges


def autocast_off(device: torch.device) -> Any:
    """Within it nothing is computed in half precision: gates of steep sigmoids need float32."""
    return torch.autocast(device_type=device.type, enabled=False)


def full_precision(x: Tensor) -> Tensor:
    """Halves as float32, the rest as it is."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
