"""What tests share: where things are, random graphs, and the command line's program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings, strategies

from factorgcn import _door

settings.register_profile("factorgcn", deadline=None, max_examples=50, database=None,
                          suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
settings.load_profile("factorgcn")


@strategies.composite
def edge_lists(draw, most_nodes: int = 8, most_edges: int = 20, least_nodes: int = 1):
    """(nodes, int64 [2, E]) with loops and parallel edges."""
    nodes = draw(strategies.integers(least_nodes, most_nodes))
    node = strategies.integers(0, nodes - 1)
    pairs = draw(strategies.lists(strategies.tuples(node, node), max_size=most_edges)) if nodes > 0 else []
    return nodes, torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).t()


def random_edges(nodes: int, edges: int, seed: int = 0, targets: int | None = None) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(0, nodes, (edges,), generator=generator)
    target = torch.randint(0, nodes if targets is None else targets, (edges,), generator=generator)
    return torch.stack([source, target])


@pytest.fixture(autouse=True)
def same_start():
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def program() -> Path:
    """The command line's program."""
    path = Path(os.environ.get("FACTORGCN_PROGRAM") or _door.library_path().parent / "factorgcn")
    if not path.is_file():
        pytest.skip(f"no program at {path}; set FACTORGCN_PROGRAM")
    return path


@pytest.fixture(scope="session")
def trained(program, tmp_path_factory) -> Path:
    """A short run of the command line, on small graphs of the built-in data."""
    folder = tmp_path_factory.mktemp("runs") / "short"
    run_program(program, "train", "--train-size", 60, "--validation-size", 20, "--test-size", 20, "--epochs", 3,
                "--threads", 1, "--out", folder)
    return folder


def run_program(program: Path, *arguments: object) -> str:
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
