"""Edges checked once, in both orders, as layers take them.

    edges = Edges(edge_index, size=4, add_self_loops=True)      # any wrong id is a ValueError here
    layer(x, edges)                                             # nothing is checked again

Layers make them of a plain ``edge_index`` by themselves; who uses the same edges often makes them once. Cost: O(N + E).
"""

from __future__ import annotations

from typing import Any, Optional, Union

import torch
from torch import Tensor

from factorgcn import _door
from factorgcn.checks import as_count, as_edge_index, as_finite_floats, is_compiling
from factorgcn.norms import norm_weights

Size = Union[None, int, tuple[int, int]]
NORMS = ("none", "source", "symmetric")


class Edges:
    """Directed edges from one table of nodes to itself, or from a table of sources to a table of targets.

    Args:
        edge_index: [2, E] whole numbers, sources above targets.
        size: how many nodes there are; a pair where sources and targets are two tables (bipartite graphs, sampled
            neighbourhoods); None: as many as the largest id tells.
        add_self_loops: gives every node that has none a loop (of two tables: those that are in both); loops get the
            mean weight.
        edge_weight: [E], finite.

    S: sources, T: targets (the same for one table), E: edges with the added loops. "In order": as layers go through
    them, by target; :attr:`edge_ids` leads back to the columns of ``edge_index``.

    >>> edges = Edges(torch.tensor([[0, 1, 2], [1, 2, 0]]), size=3, add_self_loops=True)
    >>> edges
    Edges(3 nodes, 6 edges)
    >>> edges.edge_index()
    tensor([[0, 1, 2, 0, 1, 2],
            [1, 2, 0, 0, 1, 2]])
    """

    def __init__(self, edge_index: Any, size: Size = None, add_self_loops: bool = False,
                 edge_weight: Optional[Tensor] = None) -> None:
        index = as_edge_index(edge_index)
        weight = None if edge_weight is None else as_finite_floats("edge_weight", edge_weight)
        if isinstance(size, tuple):
            sources, targets = as_count("size[0]", size[0]), as_count("size[1]", size[1])
        else:
            sources, targets = -1 if size is None else as_count("size", size), -1
        self._take(_door.call(_door.classes().Edges, index, sources, targets, add_self_loops, weight))

    def _take(self, checked: Any) -> None:
        """Keeps the library's object, and its tensors beside it, which torch.compile can follow."""
        self._checked = checked
        self.num_sources: int = checked.num_sources()
        self.num_targets: int = checked.num_targets()
        self.num_edges: int = checked.num_edges()
        #: Columns of ``edge_index``; what is more are added loops.
        self.num_given: int = checked.num_given()
        #: Whether sources and targets are one table.
        self.is_square: bool = checked.is_square()
        #: What operations take.
        self.lists: list[Tensor] = checked.lists()
        #: int64 [E] in order: each edge's column in ``edge_index``; added loops have the numbers behind.
        self.edge_ids: Tensor = checked.edge_ids()
        #: float [E] in order, or None.
        self.edge_weight: Optional[Tensor] = checked.edge_weights()
        self._places: Optional[Tensor] = None
        self._norms: dict[tuple[str, bool], tuple[Optional[Tensor], Optional[Tensor]]] = {}

    @property
    def device(self) -> torch.device:
        return self.edge_ids.device

    def norm_weights(self, norm: str, dtype: torch.dtype = torch.float32,
                     edge_weight: Optional[Tensor] = None) -> tuple[Optional[Tensor], Optional[Tensor]]:
        """What values are multiplied by at an edge's source, [S], and at its target, [T]; None stands for ones.

        ``"source"``: deg^-1/2 of the source; ``"symmetric"``: of both; ``"none"``. Degrees are in-degrees, or sums of
        ``edge_weight`` [E] (in order), and 1 where that is 0; of two tables a source's goes by its out-edges.
        """
        double = dtype == torch.float64
        if edge_weight is not None:
            return norm_weights(self.lists, self.is_square, norm, edge_weight, double)
        found = self._norms.get((norm, double))
        if found is None:
            found = norm_weights(self.lists, self.is_square, norm, None, double)
            if not is_compiling():  # what compiled code makes is its own, and may be overwritten by its next call
                self._norms[norm, double] = found
        return found

    def given_order(self, values: Tensor) -> Tensor:
        """Rows in order to rows as :meth:`edge_index` has them: the columns that were given, then the added loops."""
        if self._places is None:
            self._places = torch.empty_like(self.edge_ids)
            self._places[self.edge_ids] = torch.arange(self.num_edges, device=self.device)
        return values.index_select(0, self._places)

    def edge_index(self) -> Tensor:
        """int64 [2, E]: the columns that were given, then the added loops."""
        return self.given_order(self._checked.edge_index().t()).t()

    def to(self, device: Union[str, torch.device]) -> "Edges":
        """The same edges in the memory of another device."""
        if torch.device(device) == self.device:
            return self
        moved = Edges.__new__(Edges)
        moved._take(_door.call(self._checked.to, str(device)))
        return moved

    def __getstate__(self) -> Any:
        return self._checked

    def __setstate__(self, checked: Any) -> None:
        self._take(checked)

    def __repr__(self) -> str:
        nodes = f"{self.num_sources} nodes" if self.is_square else \
            f"{self.num_sources} sources, {self.num_targets} targets"
        return f"Edges({nodes}, {self.num_edges} edges)"


def edges_to_groups(group: Tensor, groups: int) -> Edges:
    """An edge from each row to its group, int64 [N]: sums over groups are sums over in-edges."""
    rows = torch.arange(group.numel(), device=group.device)
    return Edges(torch.stack([rows, group]), (group.numel(), groups))
