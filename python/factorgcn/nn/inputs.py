"""What a layer is given as edges, made into checked ones; the last plain tensor's are kept."""

from __future__ import annotations

import weakref
from typing import Any, Optional, Union

import torch
from torch import Tensor

from factorgcn.edges import Edges, Size
from factorgcn.graph import Graph
from factorgcn.sparse_index import edge_index_of, is_sparse_adjacency


class EdgeCache:
    """The edges of the last edge_index that was seen, as long as that tensor lives and nobody has written into it.

    A training loop over one graph thus checks and sorts its edges once.
    """

    def __init__(self) -> None:
        self._seen: Optional[weakref.ref[Tensor]] = None
        self._key: Any = None
        self._edges: Optional[Edges] = None

    def edges(self, edge_index: Tensor, size: Size, add_self_loops: bool, edge_weight: Optional[Tensor]) -> Edges:
        # Tensors of inference mode count no writes.
        if edge_weight is not None or edge_index.is_inference():
            return Edges(edge_index, size, add_self_loops, edge_weight)
        key = (edge_index._version, size, add_self_loops, edge_index.device)
        if self._edges is None or self._seen is None or self._seen() is not edge_index or self._key != key:
            self._edges = Edges(edge_index, size, add_self_loops)
            self._seen, self._key = weakref.ref(edge_index), key
        return self._edges

    def __deepcopy__(self, memo: Any) -> "EdgeCache":
        return EdgeCache()

    def __reduce__(self) -> Any:
        return EdgeCache, ()


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
        edges = cache.edges(given, wanted, add_self_loops, edge_weight)
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
