"""PyTorch Geometric's ``Data`` and ``Batch``. Reading them needs no import of it; writing one does."""

from __future__ import annotations

from typing import Any

import torch

from factorgcn.graph import MASKS, Graph


def import_pyg(what: str) -> Any:
    """torch_geometric, or an error that says what needs it."""
    try:
        import torch_geometric
    except ImportError as error:
        raise ImportError(f"{what} needs PyTorch Geometric: pip install torch_geometric") from error
    return torch_geometric


def from_pyg(data: Any) -> Graph:
    """See :meth:`Graph.from_pyg`."""
    edge_index, edge_weight = getattr(data, "edge_index", None), getattr(data, "edge_weight", None)
    if edge_index is None and getattr(data, "adj_t", None) is not None:
        from factorgcn.sparse_index import edge_index_of

        edge_index, stored, _ = edge_index_of(data.adj_t)
        edge_weight = stored if edge_weight is None else edge_weight
    if edge_index is None:
        raise TypeError(f"data is a {type(data).__name__} without edge_index and without adj_t; expected PyTorch "
                        "Geometric's Data")
    attribute = getattr(data, "edge_attr", None)
    if edge_weight is None and attribute is not None and (attribute.dim() == 1 or attribute.size(1) == 1):
        edge_weight = attribute.reshape(-1)
    offsets = getattr(data, "ptr", None)
    if offsets is None and getattr(data, "batch", None) is not None:
        sizes = torch.bincount(data.batch)
        offsets = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
    targets = getattr(data, "y", None)
    if targets is not None and targets.dim() == 2 and targets.size(1) == 1 and not targets.is_floating_point():
        targets = targets.reshape(-1)
    return Graph(edge_index, data.num_nodes, x=getattr(data, "x", None), y=targets, edge_weight=edge_weight,
                 edge_type=getattr(data, "edge_type", None), offsets=offsets,
                 **{mask: getattr(data, mask, None) for mask in MASKS})


def to_pyg(graph: Graph) -> Any:
    """See :meth:`Graph.to_pyg`."""
    pyg = import_pyg("Graph.to_pyg")
    columns = {name: getattr(graph, name) for name in ("x", "y", "edge_weight", "edge_type", *MASKS)
               if getattr(graph, name) is not None}
    data = pyg.data.Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes, **columns)
    if graph.offsets is not None:
        data.ptr, data.batch = graph.offsets, graph.node_graph()
    return data
