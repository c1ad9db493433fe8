"""Training from Python: the same bits as the command line, an epoch at a time."""

import os
import signal
import threading

import pytest
import torch

from conftest import random_edges, run_program
from factorgcn import Graph, Trainer, load_run

SMALL = dict(data_settings={"train": 60, "validation": 20, "test": 20}, epochs=3)


def test_same_bits_as_the_command_line(trained, tmp_path):
    trainer = Trainer("synthetic", out=tmp_path / "run", threads=2, **SMALL)
    trainer.train(progress=False)
    metrics = trainer.finish()
    theirs, mine = load_run(trained), trainer.run()
    assert set(mine.weights) == set(theirs.weights)
    assert all(torch.equal(mine.weights[name], weight) for name, weight in theirs.weights.items())
    assert (tmp_path / "run" / "model.safetensors").stat().st_size > 0
    expected = theirs.metrics
    for changing in ("seconds",):
        metrics.pop(changing), expected.pop(changing)
    assert metrics == expected
    assert mine.history.drop(columns="seconds").equals(theirs.history.drop(columns="seconds"))


def test_a_run_that_stops_and_goes_on(trained, tmp_path):
    first = Trainer("synthetic", out=tmp_path / "run", threads=1, **SMALL)
    record = first.epoch()
    assert record["epoch"] == 1 and first.epochs_done == 1 and first.status == "training"
    first.close()
    with Trainer.resume(tmp_path / "run", threads=1) as second:
        assert [record["epoch"] for record in second] == [2, 3]
        second.finish()
        assert all(torch.equal(weight, load_run(trained).weights[name])
                   for name, weight in second.run().weights.items())


def test_callbacks_see_each_epoch_and_may_end_training():
    trainer = Trainer("synthetic", threads=1, **{**SMALL, "learning_rate": 0.05})
    seen = []
    trainer.train([lambda _, record: seen.append(record["loss"]), lambda _, record: record["epoch"] == 2],
                  progress=False)
    assert len(seen) == 2 and trainer.history["loss"].tolist() == seen
    last = trainer.weights(best=False)
    metrics = trainer.finish()
    assert metrics["epochs_run"] == 2
    trainer.metrics = None  # as where Ctrl-C struck before Python had them
    assert trainer.finish() == metrics
    assert all(torch.equal(weight, trainer.weights(best=False)[name]) for name, weight in last.items())
    assert all(torch.equal(weight, trainer.weights()[name]) for name, weight in trainer.run().weights.items())
    assert trainer.epoch() is None
    folder = trainer.folder
    run = trainer.run()
    del trainer
    assert folder.is_dir() and run.predict().shape[0] == 100
    del run
    assert not folder.exists()


def test_interrupts_lose_nothing(tmp_path):
    epochs = 300
    settings = {**SMALL, "epochs": epochs, "threads": 1}
    left_alone = Trainer("synthetic", **settings)
    left_alone.train(progress=False)
    left_alone.finish()

    trainer = Trainer("synthetic", out=tmp_path / "run", **settings)
    for _ in range(3):
        key = threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            key.start()
            trainer.train(progress=False)
            key.join()
    done = trainer.epochs_done
    assert done < epochs and len(trainer.history) >= done
    assert [record["epoch"] for record in trainer] == list(range(done + 1, epochs + 1))
    trainer.finish()
    expected = left_alone.run().weights
    assert all(torch.equal(weight, expected[name]) for name, weight in trainer.run().weights.items())


def test_a_graph_from_memory(program, tmp_path):
    """Two dense groups: learnt from the edges; and the program reads the run."""
    inside = [random_edges(20, 120, seed) + 20 * seed for seed in range(2)]
    index = torch.unique(torch.cat(inside, 1), dim=1)
    graph = Graph.undirected(index, 40, x=torch.eye(40), y=(torch.arange(40) >= 20).long())
    trainer = Trainer(graph, out=tmp_path / "run", epochs=60, seed=1, threads=1, learning_rate=0.02,
                      model_settings={"hidden": 16, "factors": [2]})
    trainer.train(progress=False)
    assert trainer.finish()["dataset"]
    answers = trainer.run().predict()
    assert answers.shape == (40, 2)
    assert (answers.argmax(1) == graph.y).float().mean() > 0.8
    run_program(program, "evaluate", tmp_path / "run")


@pytest.mark.parametrize("target, task, outputs, metric", [
    (lambda place: torch.tensor([place / 40]), "regression", 1, "mae"),
    (lambda place: torch.tensor([[place / 40, 1.0]]), "regression", 2, "mae"),
    (lambda place: torch.tensor([[place % 2 == 0, place % 3 == 0]]), "multi-label", 2, "micro_f1"),
    (lambda place: torch.tensor([place % 3]), "graph-class", 3, "accuracy"),
])
def test_every_kind_of_target(target, task, outputs, metric, tmp_path):
    parts = [Graph.undirected(random_edges(6, 9, place).sort(0).values.unique(dim=1), 6, x=torch.rand(6, 2),
                              y=target(place)) for place in range(40)]
    trainer = Trainer(parts, out=tmp_path / "run", epochs=2, threads=1)
    trainer.train(progress=False)
    assert metric in trainer.finish()["test"]
    run = trainer.run()
    assert run.config["trained_on"]["task"] == task and run.predict().shape == (40, outputs)
    assert torch.equal(run.data.y.reshape(40, -1).float(), Graph.batch(parts).y.reshape(40, -1).float())
    again = Trainer(run.data, epochs=2, threads=1)  # what a run was trained on serves as it is
    again.train(progress=False)


def test_true_relations_are_scored():
    rings, stars = [[0, 1, 2, 3], [1, 2, 3, 0]], [[0, 0, 0], [2, 4, 5]]
    index = torch.tensor([rings[0] + stars[0], rings[1] + stars[1]])
    parts = [Graph.undirected(index[:, :4 + 3 * (place % 2)], 6, x=torch.ones(6, 2), y=torch.tensor([place % 2]),
                              edge_type=([0] * 4 + [1] * 3)[:4 + 3 * (place % 2)], relation_names=["ring", "star"])
             for place in range(40)]
    trainer = Trainer(parts, task="graph_class", epochs=2, threads=1)
    trainer.train(progress=False)
    metrics = trainer.finish()
    assert metrics["factors"] == 2 and 0 <= metrics["test"]["relation_auc"] <= 1


@pytest.mark.parametrize("model", ["gcn", "gin", "disengcn", "aligned"])
def test_same_bits_whatever_the_model(model, program, tmp_path):
    run_program(program, "train", "--model", model, "--train-size", 30, "--validation-size", 10, "--test-size", 10,
                "--epochs", 2, "--seed", 3, "--threads", 2, "--out", tmp_path / "theirs")
    trainer = Trainer("synthetic", model=model, out=tmp_path / "mine", epochs=2, seed=3, threads=1,
                      data_settings={"train": 30, "validation": 10, "test": 10})
    trainer.train(progress=False)
    trainer.finish()
    theirs = load_run(tmp_path / "theirs").weights
    assert all(torch.equal(weight, theirs[name]) for name, weight in trainer.run().weights.items())


def test_many_graphs_from_memory():
    parts = [Graph.undirected(random_edges(6, 5 + 4 * (place % 2), place).sort(0).values.unique(dim=1), 6,
                              x=torch.ones(6, 2), y=torch.tensor([place % 2])) for place in range(40)]
    trainer = Trainer(parts, task="graph_class", epochs=2, threads=1, batch_size=10)
    trainer.train(progress=False)
    trainer.finish()
    assert trainer.run().predict().shape == (40, 2)


def test_models_that_are_fitted_at_once():
    parts = [Graph.undirected([[0, 1, 2, 3], [1, 2, 3, 0]] if place % 2 else [[0, 0, 0, 0], [1, 2, 3, 4]],
                              x=torch.ones(4 if place % 2 else 5, 1), y=torch.tensor([place % 2]))
             for place in range(40)]
    trainer = Trainer(parts, model="wl_subtree", task="graph_class", threads=1)
    try:
        trainer.train(progress=False)
    except RuntimeError as error:
        if "libsvm" not in str(error):
            raise
        pytest.skip(f"the library was built without libsvm: {error}")
    assert trainer.status == "finished" and trainer.history.empty
    assert trainer.finish()["test"]["accuracy"] == 1.0
    with pytest.raises(ValueError, match="is no network"):
        trainer.run().predict()


def test_a_closed_run_says_so(tmp_path):
    trainer = Trainer("synthetic", out=tmp_path / "run", threads=1, **SMALL)
    trainer.epoch()
    weights = trainer.weights(best=False)
    trainer.close()
    assert all(torch.equal(weight, trainer.weights(best=False)[name]) for name, weight in weights.items())
    with pytest.raises(ValueError, match="Trainer.resume"):
        trainer.epoch()
    with pytest.raises(ValueError, match="learning_rate"):
        Trainer.resume(tmp_path / "run", learning_rate=0.1)
    assert Trainer.resume(tmp_path / "run").epochs_done == 1


def test_a_run_that_diverges_says_so():
    trainer = Trainer("synthetic", threads=1, learning_rate=1e30, **SMALL)
    with pytest.warns(UserWarning, match="diverged"):
        trainer.train(progress=False)
    assert trainer.status == "diverged" and trainer.finish()["status"] == "diverged"


def test_a_bar_is_drawn_where_it_is_wanted(capsys):
    Trainer("synthetic", threads=1, **{**SMALL, "epochs": 1}).train(progress=True)
    assert "1/1 epochs" in capsys.readouterr().err


@pytest.mark.parametrize("arguments, text", [
    (dict(data="syntetic"), "synthetic"),
    (dict(data="synthetic", model="factorgnc"), "factorgcn"),
    (dict(data="synthetic", epoch=3), "epochs"),
    (dict(data="synthetic", epochs=-1), "-1"),
    (dict(data="synthetic", model_settings={"hiden": 3}), "hidden"),
])
def test_wrong_settings_are_named(arguments, text):
    with pytest.raises(ValueError, match=text):
        Trainer(**arguments)


@pytest.mark.parametrize("columns, options, text", [
    (dict(y=torch.arange(12) % 3 - 1, train_mask=torch.ones(12, dtype=torch.bool)), {}, "node 0, whose class is not"),
    (dict(y=torch.arange(12) % 2, train_mask=torch.arange(6), val_mask=torch.arange(5, 9)), {}, "5"),
    (dict(y=torch.arange(12) % 2), dict(task="graph_classes"), "graph-classes"),
    (dict(y=torch.arange(12) % 2), dict(task="graph_class"), "each of the 1 graphs"),
    (dict(), {}, "none|task"),
    (dict(y=torch.tensor([0, 1] + [-1] * 10)), {}, "too few"),
])
def test_wrong_graphs_are_named(columns, options, text):
    graph = Graph.undirected(random_edges(12, 30).sort(0).values.unique(dim=1), 12, x=torch.ones(12, 2), **columns)
    with pytest.raises(ValueError, match=text):
        Trainer(graph, **options)


def test_a_folder_in_use_is_refused(trained):
    with pytest.raises(ValueError, match="--force|force"):
        Trainer("synthetic", out=trained)
