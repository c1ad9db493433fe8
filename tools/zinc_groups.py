#!/usr/bin/env python3
"""ZINC's molecules with functional groups, or bands of their target, as labels: tables for `factorgcn data import`.

    tools/zinc_groups.py DATA/ZINC OUT [GRAPHS]
    factorgcn data import OUT/edges.csv --relation group --edge-weight none --nodes OUT/nodes.csv --one-hot atom \
        --graphs OUT/graphs.csv --graph-labels ring6,ring5,carbonyl,halogen,triple,rest --out zinc-groups.safetensors

Each bond is in one group, the first that fits: `ring6`, `ring5` (its smallest ring has so many bonds), `carbonyl`
(C=O), `halogen` (to F, Cl, Br or I), `triple`, `rest`. A molecule has the labels of its bonds' groups. Column `group`
or `bond` of the edges (SINGLE, DOUBLE, TRIPLE) is the truth that factor graphs are scored against; the first GRAPHS
molecules of each part are taken. The split is the data set's own.

Columns `above0` (always), `above25`, `above50` and `above75` of the graphs: the target is above that percentile of the
training part. `target` is the target itself.
"""
import collections
import lzma
import os
import sys

PERCENTILES = [0, 25, 50, 75]
GROUPS = ["ring6", "ring5", "carbonyl", "halogen", "triple", "rest"]


def lines(folder, what):
    path = os.path.join(folder, f"ZINC_{what}.txt")
    packed = not os.path.exists(path)
    with (lzma.open(path + ".xz", "rt") if packed else open(path)) as file:
        return file.read().splitlines()


def names(folder, what):
    split = (line.split(None, 1) for line in lines(folder, what) if line.strip())
    return {int(number): name.strip() for number, name in split}


def smallest_ring(neighbours, start, end):
    """Bonds of the smallest ring that the bond is in; 0: in none of at most eight."""
    distance, queue = {start: 0}, collections.deque([start])
    while queue:
        node = queue.popleft()
        if distance[node] == 7:
            break
        for other in neighbours[node]:
            if {node, other} == {start, end} or other in distance:
                continue
            distance[other] = distance[node] + 1
            if other == end:
                return distance[other] + 1
            queue.append(other)
    return 0


def group_of(ring, bond, ends):
    if ring in (5, 6):
        return f"ring{ring}"
    elements = {atom.split()[0] for atom in ends}
    if bond == "DOUBLE" and elements == {"C", "O"}:
        return "carbonyl"
    if elements & {"F", "Cl", "Br", "I"}:
        return "halogen"
    return "triple" if bond == "TRIPLE" else "rest"


def main():
    folder, out = sys.argv[1], sys.argv[2]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else None
    os.makedirs(out, exist_ok=True)
    graph_of = [int(line) for line in lines(folder, "graph_indicator")]
    atom_names, bond_names = names(folder, "node_label_names"), names(folder, "edge_label_names")
    atoms = [atom_names[int(line)] for line in lines(folder, "node_labels")]
    bonds = [bond_names[int(line)] for line in lines(folder, "edge_labels")]
    split = lines(folder, "split")
    taken, counts = set(), collections.Counter()
    for graph, part in enumerate(split, 1):
        counts[part] += 1
        if most is None or counts[part] <= most:
            taken.add(graph)
    edges = [tuple(int(end) for end in line.split(",")) for line in lines(folder, "A")]
    neighbours = collections.defaultdict(list)
    for left, right in edges:
        neighbours[left].append(right)
    labels = collections.defaultdict(set)
    with open(os.path.join(out, "edges.csv"), "w") as file:
        file.write("graph,source,target,bond,group\n")
        for (left, right), bond in zip(edges, bonds):
            graph = graph_of[left - 1]
            if left < right and graph in taken:
                ring = smallest_ring(neighbours, left, right)
                group = group_of(ring, bond, (atoms[left - 1], atoms[right - 1]))
                labels[graph].add(group)
                file.write(f"{graph},{left},{right},{bond},{group}\n")
    with open(os.path.join(out, "nodes.csv"), "w") as file:
        file.write("graph,node,atom\n")
        for node, (graph, atom) in enumerate(zip(graph_of, atoms), 1):
            if graph in taken:
                file.write(f"{graph},{node},{atom}\n")
    targets = [float(line) for line in lines(folder, "graph_attributes")]
    ranked = sorted(target for target, part in zip(targets, split) if part == "train")
    bounds = [float("-inf") if share == 0 else ranked[len(ranked) * share // 100] for share in PERCENTILES]
    with open(os.path.join(out, "graphs.csv"), "w") as file:
        file.write(",".join(["graph", *GROUPS, *(f"above{share}" for share in PERCENTILES), "target", "split"]) + "\n")
        for graph in sorted(taken):
            row = [int(group in labels[graph]) for group in GROUPS]
            row += [int(targets[graph - 1] > bound) for bound in bounds]
            file.write(f"{graph},{','.join(map(str, row))},{targets[graph - 1]},{split[graph - 1]}\n")
    have = collections.Counter(group for each in labels.values() for group in each)
    print(f"{len(taken)} molecules; with each label: " + ", ".join(f"{group} {have[group]}" for group in GROUPS))


main()
