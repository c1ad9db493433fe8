#!/usr/bin/env python3
"""What one layer costs from Python, forward and backward: ours, PyTorch Geometric's GATConv with as many heads, and our
layer edge by edge, through its own message() (plain torch); and how much of it is Python.

    export FACTORGCN_PYTHON_LIBRARY=build/libfactorgcn_python.so PYTHONPATH=python
    python3 bench/python_layers.py [--device cuda] [--shape big]

Shapes: molecules (1,000 graphs of 23 nodes and 50 edges, 144 columns in 8 factors) and big (1 million nodes, 20 million
edges, 64 columns in 8 factors), as in bench/shapes.h. Edges are checked and sorted once, outside of the time, as in a
training loop over the same graph; "new edges" is what that takes. Times are medians, on a GPU by its own events.
Memory is what is taken beyond inputs and weights at the highest moment (GPU only). Without PyTorch Geometric its rows
are left out.
"""
import argparse
import statistics
import time

import torch

from factorgcn import Edges
from factorgcn.nn import DisentangleConv, oracle

SHAPES = {"molecules": (23_000, 50_000, 144, 144, 8), "big": (1_000_000, 20_000_000, 64, 64, 8)}


def edge_index(nodes, edges, graphs_of=None):
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(0, nodes, (edges,), generator=generator)
    if graphs_of is None:
        return torch.stack([source, torch.randint(0, nodes, (edges,), generator=generator)])
    inside = torch.randint(0, graphs_of, (edges,), generator=generator)
    return torch.stack([source, source // graphs_of * graphs_of + inside])


def seconds(device, work, least=0.3, most=200):
    """Median time of one call, and the number of calls."""
    work(), work()
    times, started = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - started < least and len(times) < most):
        if device.type == "cuda":
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            work()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) / 1e3)
        else:
            begin = time.perf_counter()
            work()
            times.append(time.perf_counter() - begin)
    return statistics.median(times)


def most_memory(device, work):
    if device.type != "cuda":
        return float("nan")
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    work()
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before) / 2**20


def both_ways(layer, x, *given):
    upstream = None

    def work():
        nonlocal upstream
        out = layer(x, *given)
        if upstream is None:
            upstream = torch.rand_like(out)
        torch.autograd.grad(out, [x, *layer.parameters()], upstream)
    return work


def python_alone(device, layer, x, edges):
    """Forward: of the module, and of its operations called by themselves; both without waiting for the GPU."""
    messages = layer.messages(edges, x.dtype)
    factors = layer.factors
    with torch.no_grad():
        def bare():
            h = torch.ops.factorgcn.dense(x, layer.weight, layer.bias, None, False)
            ends = torch.ops.factorgcn.dense(h, layer.gate_weight, layer.gate_bias, None, False)
            torch.ops.factorgcn_python.factor_aggregate(h, ends[:, :factors], ends[:, factors:],
                                                        messages.source_weight, messages.target_weight, edges.lists,
                                                        layer.gate_scale)

        def issued(work):
            work()
            times = []
            for _ in range(200):
                begin = time.perf_counter()
                work()
                times.append(time.perf_counter() - begin)
                if device.type == "cuda":
                    torch.cuda.synchronize()
            return statistics.median(times) * 1e6
        return issued(bare), issued(lambda: layer(x, edges))


def rows(device, shape):
    nodes, count, width, out, factors = SHAPES[shape]
    index = edge_index(nodes, count, 23 if shape == "molecules" else None).to(device)
    x = torch.rand(nodes, width, device=device).requires_grad_()
    begin = time.perf_counter()
    edges = Edges(index, nodes, add_self_loops=True)
    made = time.perf_counter() - begin
    print(f"{shape}: {nodes} nodes, {edges.num_edges} edges with loops, {width} columns, {factors} factors; "
          f"new edges {made * 1e3:.1f} ms")
    layer = DisentangleConv(width, out, factors).to(device)
    work = both_ways(layer, x, edges)
    ours = (seconds(device, work), most_memory(device, work))
    table = [("nn.DisentangleConv", *ours)]
    try:
        from torch_geometric.nn import GATConv

        from factorgcn.pyg import DisentangleConv as Conv
    except ImportError:
        print("  PyTorch Geometric is not installed")
    else:
        # All on the same edges: loops are in the index.
        index = edges.edge_index().contiguous()
        conv = Conv(width, out, factors, add_self_loops=False).to(device)
        work = both_ways(conv, x, index)
        table.append(("pyg.DisentangleConv", seconds(device, work), most_memory(device, work)))
        gat = GATConv(width, out // factors, heads=factors, add_self_loops=False).to(device)
        work = both_ways(gat, x, index)
        table.append(("GATConv", seconds(device, work), most_memory(device, work)))
        conv.register_message_forward_hook(lambda *_: None)  # somebody looks at messages
        work = both_ways(conv, x, index)
        table.append(("pyg.DisentangleConv by message()", seconds(device, work), most_memory(device, work)))
    plain = both_ways(Plain(layer, edges), x)
    table.append(("plain torch (nn.oracle)", seconds(device, plain), most_memory(device, plain)))
    for name, taken, memory in table:
        print(f"  {name:34} {taken * 1e3:10.3f} ms {taken / ours[0]:7.1f} x {memory:10.1f} MiB"
              f" {memory / ours[1]:7.1f} x")
    bare, module = python_alone(device, layer, x, edges)
    print(f"  forward until it is issued: operations alone {bare:.0f} us, the module {module:.0f} us")


class Plain(torch.nn.Module):
    """The same weights in plain torch."""

    def __init__(self, layer, edges):
        super().__init__()
        self.layer, self.index = layer, edges.edge_index()
        source, _ = edges.norm_weights(layer.norm)
        self.edge_weight = source[self.index[0]]

    def forward(self, x):
        layer = self.layer
        h = torch.nn.functional.linear(x, layer.weight, layer.bias)
        ends = torch.nn.functional.linear(h, layer.gate_weight, layer.gate_bias)
        left, right = ends[:, :layer.factors], ends[:, layer.factors:]
        return oracle.disentangle(self.index, h, left, right, layer.gate_scale, self.edge_weight).flatten(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--shape", action="append", choices=SHAPES)
    given = parser.parse_args()
    device = torch.device(given.device)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, " + (torch.cuda.get_device_name() if device.type == "cuda" else "CPU"))
    for shape in given.shape or SHAPES:
        rows(device, shape)


if __name__ == "__main__":
    main()
