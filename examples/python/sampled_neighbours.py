"""Classes of a large graph's nodes, learnt from samples: a few neighbours of a few nodes at a time.

    python sampled_neighbours.py [--nodes 20000] [--steps 150]

Each step takes some nodes, some of their neighbours, and some of theirs; the two layers lead from the outer nodes to
the inner ones (two tables of nodes). Memory follows the sample, not the graph. PyTorch Geometric's NeighborLoader gives
such samples too; here they are made of Edges alone.
"""

import argparse

import torch
import torch.nn.functional as F

from factorgcn import Edges, Graph
from factorgcn.nn import DisentangleConv


def planted_graph(nodes: int, groups: int = 4, degree: int = 10) -> Graph:
    """Four edges in five stay within a group; features are noise with a hint of the group."""
    group = torch.arange(nodes) % groups
    source = torch.randint(0, nodes, (nodes * degree // 2,))
    near = (source + groups * torch.randint(0, nodes // groups, source.shape)) % nodes
    far = torch.randint(0, nodes, source.shape)
    target = torch.where(torch.rand(source.shape) < 0.8, near, far)
    pairs = torch.unique(torch.stack([source, target]).sort(0).values, dim=1)
    x = torch.randn(nodes, 16)
    x[:, :groups] += 0.5 * F.one_hot(group, groups)
    return Graph.undirected(pairs[:, pairs[0] != pairs[1]], nodes, x=x, y=group)


def sample(edges: Edges, targets: torch.Tensor, count: int) -> tuple[torch.Tensor, Edges]:
    """Up to `count` in-neighbours of each target, drawn with replacement: the nodes that are needed, the targets first,
    and the edges from these to the targets."""
    offsets, sources = edges.lists[0], edges.lists[1].long()
    degrees = offsets.diff()[targets]
    drawn = offsets[targets].unsqueeze(1) + (torch.rand(targets.numel(), count) * degrees.unsqueeze(1)).long()
    rows = torch.arange(targets.numel()).unsqueeze(1).expand(-1, count)[degrees > 0].flatten()
    found = sources[drawn[degrees > 0].flatten()]
    outer = torch.cat([targets, torch.unique(found[~torch.isin(found, targets)])])
    place = torch.empty(edges.num_sources, dtype=torch.int64)
    place[outer] = torch.arange(outer.numel())
    return outer, Edges(torch.stack([place[found], rows]), (outer.numel(), targets.numel()), add_self_loops=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=20000)
    parser.add_argument("--steps", type=int, default=150)
    given = parser.parse_args()
    torch.manual_seed(0)
    graph = planted_graph(given.nodes)
    edges, x, y = graph.edges(), graph.x, graph.y
    layers = torch.nn.ModuleList([DisentangleConv(16, 32, factors=4), DisentangleConv(32, 4, factors=1)])
    optimiser = torch.optim.Adam(layers.parameters(), 0.01)

    def scores(nodes: torch.Tensor) -> torch.Tensor:
        middle, inner_edges = sample(edges, nodes, 8)
        outer, outer_edges = sample(edges, middle, 8)
        hidden = torch.relu(layers[0]((x[outer], x[middle]), outer_edges))
        return layers[1]((hidden, hidden[:nodes.numel()]), inner_edges)

    for step in range(1, given.steps + 1):
        nodes = torch.randperm(given.nodes // 2)[:256]  # the other half is for the score
        loss = F.cross_entropy(scores(nodes), y[nodes])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 50 == 0:
            print(f"step {step}: loss {float(loss):.3f}")
    with torch.no_grad():
        nodes = given.nodes // 2 + torch.randperm(given.nodes // 2)[:2000]
        right = (scores(nodes).argmax(1) == y[nodes]).float().mean()
    print(f"accuracy on nodes that were not trained on: {float(right):.3f} (chance 0.250)")


if __name__ == "__main__":
    main()
