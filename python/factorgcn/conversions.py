"""What a `Graph` can be made of and made into besides edges; the work is in ``factorgcn.convert``, a file for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union, cast

if TYPE_CHECKING:
    import networkx
    import pandas
    import scipy.sparse

    from factorgcn.graph import Graph


class GraphConversions:
    """Mixed into `Graph`. Nothing but what a call needs is imported by it."""

    @classmethod
    def from_data_set(cls, name: str, **settings: Any) -> Graph:
        """All graphs of a data set as one batch: a built-in one by its name, a data-set file, or a folder in the layout
        of the TU collection. Self loops that are there for training are in it.

        Args:
            name: such as "mutag" or "friends.safetensors".
            settings: of a built-in data set, such as ``factors=4`` for "synthetic".
        """
        from factorgcn.data_set import open_data_set

        return open_data_set(name, settings)

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph", *, weight: Optional[str] = "weight",
                      relation: Optional[str] = None, features: Union[None, str, Sequence[str]] = None,
                      label: Optional[str] = None) -> Graph:
        """Of a networkx graph of any kind; nodes keep their order, parallel edges and loops stay.

        Args:
            graph: a ``Graph``, ``DiGraph``, ``MultiGraph`` or ``MultiDiGraph``.
            weight: the edges' attribute with their weights, taken where edges have it; None: no weights.
            relation: the edges' attribute that says which relation they are.
            features: the nodes' attributes that make up ``x``: numbers, or lists of numbers.
            label: the nodes' attribute with their classes; nodes without it are of class -1.
        """
        from factorgcn.convert.networkx import from_networkx

        return from_networkx(graph, weight=weight, relation=relation, features=features, label=label)

    def to_networkx(self) -> "networkx.Graph":
        """A ``Graph`` or ``DiGraph``, or a multigraph where a pair of nodes has several edges. Edges have ``weight``
        and ``relation``, nodes ``x`` and ``y``, where this graph has them."""
        from factorgcn.convert.networkx import to_networkx

        return to_networkx(cast("Graph", self))

    @classmethod
    def from_scipy(cls, matrix: Any, *, weighted: Optional[bool] = None, directed: Optional[bool] = None,
                   **columns: Any) -> Graph:
        """Of a square sparse matrix: an entry in row i and column j that is not 0 is an edge i -> j.

        Args:
            matrix: any of scipy's sparse matrices and arrays.
            weighted: whether entries are weights; None: where they are not all 1.
            directed: as in :class:`Graph`.
            columns: ``x``, ``y``, masks and names.
        """
        from factorgcn.convert.scipy import from_scipy

        return from_scipy(matrix, weighted=weighted, directed=directed, **columns)

    def to_scipy(self) -> "scipy.sparse.csr_array":
        """[N, N], weights or ones in row source and column target; parallel edges are added up."""
        from factorgcn.convert.scipy import to_scipy

        return to_scipy(cast("Graph", self))

    @classmethod
    def from_pandas(cls, edges: "pandas.DataFrame", *, source: str = "source", target: str = "target",
                    weight: Optional[str] = None, relation: Optional[str] = None, directed: bool = False,
                    nodes: Optional["pandas.DataFrame"] = None, name: Optional[str] = None,
                    features: Union[None, str, Sequence[str]] = None, label: Optional[str] = None) -> Graph:
        """Of a table of edges, one a row, and perhaps a table of nodes.

        Args:
            edges: the table of edges.
            source, target: its columns with the names of nodes.
            weight, relation: its columns with weights and with the names of relations.
            directed: False: each row is an edge both ways.
            nodes: the table of nodes; every node of an edge must be in it. None: nodes in order of appearance.
            name: its column with the nodes' names; None: its index.
            features: its columns with numbers that make up ``x``.
            label: its column with classes; missing ones become -1.
        """
        from factorgcn.convert.pandas import from_pandas

        return from_pandas(edges, source=source, target=target, weight=weight, relation=relation, directed=directed,
                           nodes=nodes, name=name, features=features, label=label)

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each edge (an undirected one once): ``source``, ``target``, and ``weight`` and ``relation`` where
        this graph has them."""
        from factorgcn.convert.pandas import to_pandas

        return to_pandas(cast("Graph", self))

    @classmethod
    def from_pyg(cls, data: Any) -> Graph:
        """Of PyTorch Geometric's ``Data`` or ``Batch``: edge_index or adj_t, x, y, edge_weight (or edge_attr with one
        column), edge_type, masks, ptr."""
        from factorgcn.convert.pyg import from_pyg

        return from_pyg(data)

    def to_pyg(self) -> Any:
        """PyTorch Geometric's ``Data``."""
        from factorgcn.convert.pyg import to_pyg

        return to_pyg(cast("Graph", self))
