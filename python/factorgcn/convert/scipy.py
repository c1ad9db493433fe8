"""scipy's sparse matrices: row source, column target."""

from __future__ import annotations

from typing import Any, Optional

import numpy
import scipy.sparse
import torch

from factorgcn.graph import Graph


def from_scipy(matrix: Any, *, weighted: Optional[bool], directed: Optional[bool], **columns: Any) -> Graph:
    """See :meth:`Graph.from_scipy`."""
    if not scipy.sparse.issparse(matrix):
        raise TypeError(f"matrix is a {type(matrix).__name__}; expected one of scipy's sparse matrices "
                        "(scipy.sparse.csr_array(matrix) makes one of a numpy array)")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix has shape {matrix.shape}; expected a row and a column for each node")
    if numpy.iscomplexobj(matrix):
        raise TypeError(f"matrix holds {matrix.dtype}; expected real numbers")
    entries = scipy.sparse.coo_array(matrix.tocsr())
    there = entries.data != 0
    index = numpy.stack([entries.row[there], entries.col[there]]).astype(numpy.int64)
    values = entries.data[there]
    if weighted is None:
        weighted = bool((values != 1).any())
    weight = torch.from_numpy(numpy.asarray(values, dtype=numpy.float32)) if weighted else None
    return Graph(torch.from_numpy(index), matrix.shape[0], edge_weight=weight, directed=directed, **columns)


def to_scipy(graph: Graph) -> scipy.sparse.csr_array:
    """See :meth:`Graph.to_scipy`."""
    source, target = graph.edge_index.cpu().numpy()
    weight = numpy.ones(graph.num_edges, dtype=numpy.float32)
    if graph.edge_weight is not None:
        weight = graph.edge_weight.detach().cpu().numpy()
    return scipy.sparse.csr_array((weight, (source, target)), shape=(graph.num_nodes, graph.num_nodes))
