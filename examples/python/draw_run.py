"""Draws the factor graphs of one graph of a run:  python draw_run.py RUN PICTURE.png [GRAPH]"""

import sys

import matplotlib.pyplot as plt
import networkx

import factorgcn


def main(folder, picture, number=0):
    run = factorgcn.load_run(folder)
    graph = run.factor_graphs(layer=1).to_networkx(number)
    places = networkx.spring_layout(graph, seed=0)
    factors = sorted({name for _, _, values in graph.edges(data=True) for name in values})
    figure, axes = plt.subplots(1, len(factors), figsize=(4 * len(factors), 4), squeeze=False)
    for axis, factor in zip(axes[0], factors):
        strengths = [values[factor] for _, _, values in graph.edges(data=True)]
        networkx.draw(graph, places, axis, node_size=30, width=2, edge_color=strengths, edge_cmap=plt.cm.Blues,
                      edge_vmin=0, edge_vmax=1)
        axis.set_title(factor)
    figure.suptitle(f"{run.config['model']} on {run.config['dataset']}, graph {number}")
    figure.savefig(picture, dpi=100)
    best = run.history.loc[run.history["best"]].iloc[-1]
    print(f"{picture}: {len(factors)} factors of {graph.number_of_edges()} edges; best epoch {best['epoch']}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]))
