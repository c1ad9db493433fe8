"""``DisentangleConv`` as PyTorch Geometric's own convolutions are. Importing this module needs no PyTorch Geometric;
the class does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from factorgcn.pyg_conv import DisentangleConv

__all__ = ["DisentangleConv"]


def __getattr__(name: str) -> Any:
    if name != "DisentangleConv":
        raise AttributeError(f"module 'factorgcn.pyg' has no attribute '{name}'")
    from factorgcn.convert.pyg import import_pyg

    import_pyg("factorgcn.pyg.DisentangleConv")
    from factorgcn.pyg_conv import DisentangleConv

    return DisentangleConv
