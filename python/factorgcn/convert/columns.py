"""Columns of words and numbers, as graphs of others have them, to tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

import torch
from torch import Tensor

from factorgcn import checks


def is_missing(value: Any) -> bool:
    """None and not-a-number."""
    return value is None or (isinstance(value, float) and value != value)


def shown_names(names: Sequence[Any]) -> Optional[list[Any]]:
    """None where names are only the nodes' numbers."""
    plain = all(type(name) is int and name == number for number, name in enumerate(names))
    return None if plain else list(names)


def number_columns(columns: Sequence[tuple[str, Sequence[Any]]], missing: Callable[[int, str], str]) -> Tensor:
    """float32 [rows, width] of columns with numbers or lists of numbers; `missing` words the error for a row without.
    """
    parts = []
    for name, values in columns:
        rows = []
        for row, value in enumerate(values):
            if is_missing(value):
                raise ValueError(missing(row, name))
            several = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0
            try:
                rows.append([float(number) for number in (value if several else [value])])
            except (TypeError, ValueError):
                raise ValueError(f"'{name}' is {value!r} in row {row}; expected a number or a list of numbers. Words "
                                 "must be turned into numbers before") from None
            if len(rows[row]) != len(rows[0]):
                raise ValueError(f"'{name}' holds {len(rows[row])} numbers in row {row} and {len(rows[0])} in row 0")
        width = len(rows[0]) if rows else 1
        parts.append(torch.tensor(rows, dtype=torch.float32).reshape(len(rows), width))
    return checks.as_finite_floats(" and ".join(name for name, _ in columns), torch.cat(parts, dim=1))


def class_codes(values: Sequence[Any], none_known: str) -> tuple[Tensor, Optional[list[Any]]]:
    """int64 [rows]: places in the sorted list of different values, -1 where missing; and that list.

    Whole numbers 0, 1, ... stay what they are, without names."""
    known = {value for value in values if not is_missing(value)}
    if not known:
        raise ValueError(none_known)
    try:
        names = sorted(known)
    except TypeError:
        names = sorted(known, key=lambda value: (type(value).__name__, str(value)))
    code = {name: number for number, name in enumerate(names)}
    codes = torch.tensor([-1 if is_missing(value) else code[value] for value in values], dtype=torch.int64)
    return codes, shown_names(names)


def relation_codes(values: Sequence[Any], missing: Callable[[int], str]) -> tuple[Tensor, Optional[list[Any]]]:
    """int64 [rows]: a number for each name in order of appearance (whole numbers from 0 stay); and the names."""
    for row, value in enumerate(values):
        if is_missing(value):
            raise ValueError(missing(row))
    if values and all(isinstance(value, int) and not isinstance(value, bool) and value >= 0 for value in values):
        return torch.tensor(list(values), dtype=torch.int64), None
    names = list(dict.fromkeys(values))
    code = {name: number for number, name in enumerate(names)}
    return torch.tensor([code[value] for value in values], dtype=torch.int64), names
