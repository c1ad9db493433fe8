"""The operations by themselves: tensors that do not fit are refused, whatever they are, and those that fit may lie in
memory in any way."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from conftest import random_edges
from factorgcn import Edges
from factorgcn.nn import oracle

ops = torch.ops.factorgcn_python


def edges_between(sources: int, targets: int, count: int) -> Edges:
    index = random_edges(sources, count, targets=targets)
    return Edges(index, sources if sources == targets else (sources, targets))


@st.composite
def laid_out(draw, rows: int, columns: int, dtype=torch.float64):
    """[rows, columns] of any strides: a part of something larger, turned around, or one row for all."""
    kind = draw(st.sampled_from(["plain", "half", "turned", "every other", "one for all"]))
    if kind == "half":
        return torch.rand(rows, 2 * columns, dtype=dtype)[:, columns:]
    if kind == "turned":
        return torch.rand(columns, rows, dtype=dtype).t()
    if kind == "every other":
        return torch.rand(2 * rows, 2 * columns, dtype=dtype)[::2, ::2]
    if kind == "one for all":
        return torch.rand(columns, dtype=dtype).expand(rows, columns)
    return torch.rand(rows, columns, dtype=dtype)


@given(st.data(), st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(1, 5), st.integers(0, 12))
def test_however_tensors_lie_in_memory(data, sources, targets, factors, width, count):
    edges = edges_between(sources, targets, count)
    h = data.draw(laid_out(sources, width))
    left, right = data.draw(laid_out(sources, factors)), data.draw(laid_out(targets, factors))
    index = edges.edge_index()
    out, gate_sum = ops.factor_aggregate(h, left, right, None, None, edges.lists, 1.5)
    torch.testing.assert_close(out, oracle.disentangle(index, h, left, right, 1.5))
    ones = torch.ones(sources, 1, dtype=h.dtype)
    torch.testing.assert_close(gate_sum, oracle.disentangle(index, ones, left, right, 1.5).squeeze(2))
    gates = edges.given_order(ops.factor_gates(left, right, edges.lists, 1.5))
    torch.testing.assert_close(gates, torch.sigmoid(1.5 * (left[index[0]] + right[index[1]])))
    summed = ops.weighted_aggregate(h, gates[edges.edge_ids], None, None, edges.lists)
    torch.testing.assert_close(summed, out)


ROWS = st.integers(0, 4)
TYPES = st.sampled_from([torch.float64, torch.float64, torch.float64, torch.float32, torch.int64, torch.float16])


@given(ROWS, ROWS, ROWS, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), TYPES, TYPES,
       st.sampled_from([None, 0, 2, 3]), st.sampled_from([None, 0, 2, 3]))
def test_what_does_not_fit_is_refused(h_rows, left_rows, right_rows, width, factors, other, kind, other_kind,
                                      source_weight, target_weight):
    sources, targets = 3, 2
    edges = edges_between(sources, targets, 6)
    h = torch.ones(h_rows, width).to(kind)
    left, right = torch.ones(left_rows, factors).to(kind), torch.ones(right_rows, other).to(other_kind)
    weights = [None if rows is None else torch.ones(rows, dtype=torch.float64)
               for rows in (source_weight, target_weight)]
    fits = (h_rows, left_rows, right_rows) == (sources, sources, targets) and width > 0 and factors == other > 0 \
        and kind == other_kind and kind in (torch.float32, torch.float64) \
        and all(weight is None or (weight.numel() == rows and kind == torch.float64)
                for weight, rows in zip(weights, (sources, targets)))
    call = lambda: ops.factor_aggregate(h, left, right, *weights, edges.lists, 1.0)
    if fits:
        assert call()[0].shape == (targets, factors, width)
    else:
        with pytest.raises(RuntimeError, match="factor_aggregate"):
            call()


@given(ROWS, ROWS, st.integers(0, 3), st.booleans(), TYPES)
def test_sums_that_do_not_fit_are_refused(rows, edge_rows, heads, each, kind):
    edges = edges_between(3, 2, 4)
    x = torch.ones(rows, 2, 5).to(kind) if each else torch.ones(rows, 5).to(kind)
    values = torch.ones(edge_rows, heads).to(kind)
    fits = rows == 3 and edge_rows == 4 and (heads == 2 or (heads > 0 and not each)) \
        and kind in (torch.float32, torch.float64)
    if fits:
        assert ops.weighted_aggregate(x, values, None, None, edges.lists).shape == (2, heads, 5)
    else:
        with pytest.raises(RuntimeError, match="weighted_aggregate"):
            ops.weighted_aggregate(x, values, None, None, edges.lists)


def test_lists_of_another_number_are_refused():
    edges = edges_between(3, 3, 4)
    with pytest.raises(RuntimeError, match="edges holds 2 tensors"):
        ops.factor_gates(torch.ones(3, 2), torch.ones(3, 2), edges.lists[:2], 1.0)


def test_who_looks_at_every_operation_sees_those_that_have_shapes_for_tracing():
    """What torch.library.opcheck relies on: within a dispatch mode an operation is not replaced by others."""
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, arguments=(), named=None):
            seen.append(str(operation))
            return operation(*arguments, **(named or {}))

    edges = edges_between(4, 4, 9)
    tables = [torch.rand(4, width, dtype=torch.float64, requires_grad=True) for width in (5, 3, 3)]
    plain = ops.factor_aggregate(*tables, None, None, edges.lists, 1.5)
    expected = torch.autograd.grad(plain[0].sum(), tables)
    with Watch():
        out = ops.factor_aggregate(*tables, None, None, edges.lists, 1.5)
        ops.factor_aggregate_each(torch.rand(4, 3, 5, dtype=torch.float64), *tables[1:], None, None, edges.lists, 1.5)
        gradients = torch.autograd.grad(out[0].sum(), tables)
    assert torch.equal(out[0], plain[0]) and all(map(torch.equal, gradients, expected))
    for name in ("factor_aggregate", "factor_aggregate_each", "factor_aggregate_backward"):
        assert any(f"factorgcn_python.{name}.default" in operation for operation in seen)
        assert not any(f"factorgcn.{name}" in operation for operation in seen)
