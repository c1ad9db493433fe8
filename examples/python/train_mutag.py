"""FactorGCN in a training loop of one's own: 188 molecules, mutagenic or not.

    python train_mutag.py [--epochs 100]

Where PyTorch Geometric is installed, its data set and loader are used; otherwise factorgcn's data and plain torch.
"""

import argparse

import torch
import torch.nn.functional as F

from factorgcn import Graph, nn


def batches_of_pyg(batch_size):
    """PyTorch Geometric's loader: a batch has x, edge_index and batch."""
    from torch_geometric.datasets import TUDataset
    from torch_geometric.loader import DataLoader

    data = TUDataset("data", "MUTAG").shuffle()
    parts = data[38:], data[:38]
    return [DataLoader(part, batch_size, shuffle=place == 0) for place, part in enumerate(parts)]


def batches_of_factorgcn(batch_size):
    """The same by hand: a batch is a Graph."""
    graphs = Graph.from_data_set("mutag").unbatch()
    order = torch.randperm(len(graphs)).tolist()
    parts = [graphs[place] for place in order[38:]], [graphs[place] for place in order[:38]]
    return [[Graph.batch(part[start:start + batch_size]) for start in range(0, len(part), batch_size)]
            for part in parts]


def run(network, batch):
    """Scores, and how well the factor graphs can be told apart."""
    if isinstance(batch, Graph):
        return network.forward_and_judge(batch.x, batch)
    return network.forward_and_judge(batch.x.argmax(1), batch.edge_index, batch.batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=100)
    epochs = parser.parse_args().epochs
    torch.manual_seed(0)
    try:
        train, test = batches_of_pyg(64)
    except ImportError:
        train, test = batches_of_factorgcn(64)
    network = nn.FactorGCN(0, 64, 2, factors=(4, 4, 2, 2, 1), node_types=7, embedding=0, batch_norm=True,
                           activation="relu", readout="layer_sum", dropout=0.4)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(1, epochs + 1):
        network.train()
        for batch in train:
            optimiser.zero_grad()
            scores, judged = run(network, batch)
            loss = F.cross_entropy(scores, batch.y) + 0.5 * judged
            loss.backward()
            optimiser.step()
        if epoch % 10 == 0 or epoch == epochs:
            network.eval()
            with torch.no_grad():
                right = sum(int((run(network, batch)[0].argmax(1) == batch.y).sum()) for batch in test)
                usual = max(torch.cat([batch.y for batch in test]).bincount().tolist())
            print(f"epoch {epoch}: loss {float(loss):.3f}, {right} of 38 test molecules right "
                  f"({usual} by always saying what most are)")


if __name__ == "__main__":
    main()
