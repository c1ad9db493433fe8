"""Arguments checked before anything is done with them; each message names the argument, the value and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

WHOLE_TYPES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def as_tensor(name: str, value: Any) -> Tensor:
    """A tensor of a tensor, a numpy array or nested lists."""
    if isinstance(value, Tensor):
        return value
    try:
        return torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{name} is a {type(value).__name__}; expected a tensor, an array or lists of numbers "
                        f"({error})") from None


def as_edge_index(value: Any, name: str = "edge_index") -> Tensor:
    """int64 [2, E]: the edges' sources above their targets. Ids are not looked at here."""
    if hasattr(value, "as_tensor"):  # PyTorch Geometric's EdgeIndex, which wraps one
        value = value.as_tensor()
    edges = as_tensor(name, value)
    if edges.numel() == 0 and edges.dim() < 2:
        edges = edges.new_zeros((2, 0), dtype=torch.int64)
    if edges.dim() != 2 or edges.size(0) != 2:
        raise ValueError(f"{name} has shape {tuple(edges.shape)}; expected (2, number of edges): sources above targets")
    if edges.numel() == 0:
        return edges.to(torch.int64)
    return as_whole_numbers(edges, name)


def as_whole_numbers(value: Any, name: str) -> Tensor:
    """int64; numbers with a point are refused even where they are whole, since they may have been rounded."""
    numbers = as_tensor(name, value)
    if numbers.dtype not in WHOLE_TYPES:
        raise TypeError(f"{name} holds {type_name(numbers)}; expected whole numbers (int64)")
    return numbers.to(torch.int64)


def check_ids(ids: Tensor, count: int, name: str, of: str = "nodes") -> None:
    """Refuses ids outside 0 .. count - 1, naming the first of them and its place; not in compiled code."""
    if is_compiling():
        return
    wrong = (ids < 0) | (ids >= count)
    if bool(wrong.any()):
        place = int(wrong.to(torch.uint8).argmax())
        raise ValueError(f"{name} holds {int(ids[place])} at place {place}; with {count} {of} ids are 0 to {count - 1}")


def as_column(name: str, value: Any, length: int, of: str) -> Tensor:
    """A tensor whose first dimension has that length."""
    column = as_tensor(name, value)
    if column.dim() == 0 or column.size(0) != length:
        raise ValueError(f"{name} has shape {tuple(column.shape)}; expected {length} rows, one for each of the {of}")
    return column


def as_finite_floats(name: str, value: Any) -> Tensor:
    """float32 or float64; booleans are refused, and so are values that are not finite."""
    numbers = as_tensor(name, value)
    if numbers.dtype == torch.bool or numbers.is_complex():
        raise TypeError(f"{name} holds {type_name(numbers)}; expected numbers")
    if not numbers.is_floating_point():
        numbers = numbers.to(torch.float32)
    finite = torch.isfinite(numbers)
    if not bool(finite.all()):
        flat = int((~finite).flatten().to(torch.uint8).argmax())
        raise ValueError(f"{name} holds {numbers.flatten()[flat].item()} at place {flat}; values must be finite")
    return numbers


def as_mask(name: str, value: Any, length: int) -> Tensor:
    """bool [length] of a mask, or of the places that are in it."""
    mask = as_tensor(name, value)
    if mask.dtype == torch.bool:
        return as_column(name, mask, length, "nodes or graphs")
    places = as_whole_numbers(mask, name)
    check_ids(places, length, name, "rows")
    return torch.zeros(length, dtype=torch.bool, device=places.device).index_fill(0, places, True)


def as_count(name: str, value: Any, least: int = 0) -> int:
    """A whole number that is not below `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}; expected a whole number")
    number = int(value.__index__())
    if number < least:
        raise ValueError(f"{name} is {number}; it must be at least {least}")
    return number


def as_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of some words."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; choose one of {', '.join(choices)}")
    return str(value)


def type_name(tensor: Tensor) -> str:
    """float32 and the like."""
    return str(tensor.dtype).removeprefix("torch.")


def is_compiling() -> bool:
    """Whether torch.compile is reading this: values cannot be looked at then."""
    return hasattr(torch, "compiler") and bool(torch.compiler.is_compiling())
