"""Runs of the command line read from Python, and the other way round."""

import json

import networkx
import numpy
import pytest
import torch

from conftest import random_edges, run_program
from factorgcn import Graph, Trainer, load_run
from factorgcn.weights_file import read_metadata


@pytest.fixture(scope="module")
def run(trained):
    return load_run(trained)


def test_what_a_run_was(run, trained):
    assert run.config["epochs"] == 3 and run.metrics["status"] == "finished"
    lines = [json.loads(line) for line in (trained / "history.jsonl").read_text().splitlines()]
    assert run.history["loss"].tolist() == [line["loss"] for line in lines]
    assert run.history["validation_micro_f1"].tolist() == [line["validation"]["micro_f1"] for line in lines]


def test_the_module_says_what_the_program_says(run, program, tmp_path):
    """Network, weights' names and settings: answers of the module against those of the library's own model."""
    data = run.data
    found = torch.sigmoid(run.model(data.x, data))
    torch.testing.assert_close(found, run.predict(), rtol=1e-4, atol=1e-5)


NETWORKS = {
    "batch norm, every level": {"batch_norm": True, "readout": "layer_sum", "activation": "relu", "dropout": 0.4,
                                "factors": [4, 2, 1]},
    "size norm, two maps": {"batch_norm": True, "size_norm": True, "readout": "mean_mlp", "norm": "symmetric"},
    "scaled input": {"scale": "standard", "activation": "tanh", "gate_scale": 1.0, "discriminator_depth": 3},
    "rows, no discriminator": {"scale": "rows", "activation": "elu", "discriminator": False, "norm": "none"},
}


@pytest.mark.parametrize("name", NETWORKS)
def test_every_kind_of_network_says_what_the_library_says(name):
    trainer = Trainer("synthetic", threads=1, epochs=2, model_settings={"hidden": 16, **NETWORKS[name]},
                      data_settings={"train": 40, "validation": 10, "test": 10})
    trainer.train(progress=False)
    trainer.finish()
    run = trainer.run()
    found = torch.sigmoid(run.model(run.data.x, run.data))
    torch.testing.assert_close(found, run.predict(), rtol=1e-4, atol=1e-5)


def test_classes_of_nodes_weights_of_edges_and_types_of_nodes():
    index = torch.unique(torch.cat([random_edges(20, 80, seed) + 20 * seed for seed in range(2)], 1).sort(0).values,
                         dim=1)
    weights = torch.rand(index.size(1)) + 0.5
    classes = (torch.arange(40) >= 20).long()
    classes[5] = -1
    for x, extra in ((torch.rand(40, 3), {"edge_weights": True}), (None, {"embedding": 5}), (None, {"embedding": 0})):
        graph = Graph.undirected(index, 40, x=x, y=classes, edge_weight=weights)
        trainer = Trainer(graph, epochs=3, threads=1, model_settings={"hidden": 8, "factors": [2, 2], **extra})
        trainer.train(progress=False)
        trainer.finish()
        run = trainer.run()
        assert run.data.y.tolist() == classes.tolist()
        found = torch.softmax(run.model(run.data.x, run.data), 1)
        torch.testing.assert_close(found, run.predict(), rtol=1e-4, atol=1e-5)


def test_coefficients_of_the_module_are_the_factor_graphs(run):
    data, graphs = run.data, run.factor_graphs(1)
    found = run.model.coefficients(data.x, data, layer=1)
    real = data.edge_index[0] != data.edge_index[1]
    keys = lambda index: index[0] * data.num_nodes + index[1]
    mine, theirs = keys(data.edge_index[:, real]).sort(), keys(graphs.edge_index).sort()
    assert torch.equal(mine.values, theirs.values)
    torch.testing.assert_close(found[real][mine.indices].float(), graphs.shares[theirs.indices], rtol=1e-4, atol=1e-4)


def test_factor_graphs_for_others(run):
    graphs = run.factor_graphs(1)
    first = graphs.of_graph(0)
    matrices = first.to_scipy()
    assert len(matrices) == len(graphs) and matrices[0].shape[0] == int(first.offsets[-1])
    table = graphs.to_pandas()
    assert list(table.columns[:3]) == ["source", "target", "graph"] and len(table) == graphs.edge_index.size(1)
    drawn = graphs.to_networkx(0)
    one, other = next(iter(drawn.edges))
    mean = (matrices[0][one, other] + matrices[0][other, one]) / 2
    assert drawn.edges[one, other]["factor_1"] == pytest.approx(float(mean), rel=1e-5)
    assert networkx.number_of_nodes(drawn) == matrices[0].shape[0]


def test_weights_trained_elsewhere_go_back_to_the_program(run, program, tmp_path):
    model = run.model
    with torch.no_grad():
        model.head_bias.add_(1.0)
    try:
        changed = run.save_as(tmp_path / "changed", model)
        expected = torch.sigmoid(model(run.data.x, run.data))
    finally:
        with torch.no_grad():
            model.head_bias.sub_(1.0)
    assert read_metadata(changed.path / "model.safetensors")["model"] == "factorgcn"
    torch.testing.assert_close(changed.predict(), expected, rtol=1e-4, atol=1e-5)
    out = tmp_path / "answers.csv"
    run_program(program, "predict", changed.path, "--out", out)
    assert len(out.read_text().splitlines()) > 20
    with pytest.raises(ValueError, match="not empty"):
        run.save_as(tmp_path / "changed", model)


def test_new_data_from_memory(run):
    data = run.data
    again = run.predict(data.replace(y=None))
    torch.testing.assert_close(again, run.predict())


def test_other_models_answer_too(program, tmp_path):
    folder = tmp_path / "gcn"
    run_program(program, "train", "--model", "gcn", "--train-size", 30, "--validation-size", 10, "--test-size", 10,
                "--epochs", 1, "--threads", 1, "--out", folder)
    run = load_run(folder)
    assert run.predict().shape[1] == 4
    with pytest.raises(RuntimeError, match="gcn, which has no torch module"):
        run.model
    with pytest.raises(ValueError, match="no factor graphs"):
        run.factor_graphs()


def test_what_is_no_run_is_named(tmp_path, run):
    with pytest.raises(ValueError, match="is no run's folder"):
        load_run(tmp_path)
    with pytest.raises(ValueError, match="layer is 9"):
        run.factor_graphs(9)
    with pytest.raises(ValueError):
        run.predict(Graph([[0], [1]], x=torch.ones(2, 3)))
    assert numpy.isfinite(run.history["loss"]).all()
