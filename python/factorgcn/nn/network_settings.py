"""The settings of a network, with the names and meanings of the command line's ``model_settings``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from factorgcn import checks
from factorgcn.edges import NORMS

NODE_READOUTS = ("node_mlp", "node_linear")
READOUTS = ("mean_tanh", "mean_relu", "mean_mlp", *NODE_READOUTS, "layer_sum")
ACTIVATIONS = ("relu", "leaky_relu", "elu", "tanh", "none")
SCALES = ("none", "rows", "standard")


@dataclass(frozen=True)
class NetworkSettings:
    """What decides a network's shape and what it computes."""

    in_features: int  #: columns of x; 0 where nodes have types
    node_types: int  #: how many types nodes have; 0 where they have numbers
    outputs: int
    hidden: int = 32  #: width of each layer
    factors: tuple[int, ...] = (4, 2)  #: K of each layer; hidden must divide by each
    gate_scale: float = 6.0
    norm: str = "source"
    embedding: int = 36  #: width of the node types' embedding; 0: one-hot columns
    batch_norm: bool = False
    size_norm: bool = False  #: values at the end of each layer are divided by the root of the graph's size
    activation: str = "leaky_relu"
    slope: float = 0.2  #: of leaky_relu below 0
    readout: str = "mean_tanh"
    dropout: float = 0.0  #: after each layer; with layer_sum of each layer's scores
    input_dropout: float = 0.0
    scale: str = "none"  #: of x: rows (each adds up to 1), standard (columns have mean 0 and deviation 1 in training)
    edge_weights: bool = False
    discriminator: bool = True
    discriminator_depth: int = 2

    def __post_init__(self) -> None:
        whole = {"in_features": 0, "node_types": 0, "outputs": 1, "hidden": 1, "embedding": 0}
        for name, least in whole.items():
            checks.as_count(name, getattr(self, name), least)
        if (self.in_features > 0) == (self.node_types > 0):
            raise ValueError(f"in_features is {self.in_features} and node_types is {self.node_types}; exactly one of "
                             "them must be positive")
        if not isinstance(self.factors, Sequence) or len(self.factors) == 0:
            raise ValueError(f"factors is {self.factors!r}; give the number of factors of each layer, e.g. (4, 2)")
        for layer, factors in enumerate(self.factors, start=1):
            if checks.as_count(f"factors of layer {layer}", factors, 1) and self.hidden % factors != 0:
                raise ValueError(f"the hidden width {self.hidden} does not divide by the {factors} factors of layer "
                                 f"{layer}; choose a multiple of {math.lcm(*self.factors)}")
        for name, choices in (("norm", NORMS), ("activation", ACTIVATIONS), ("readout", READOUTS), ("scale", SCALES)):
            checks.as_choice(name, getattr(self, name), choices)
        for name in ("dropout", "input_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be in 0 .. 1, below 1")
        if not (math.isfinite(self.gate_scale) and self.gate_scale > 0):
            raise ValueError(f"gate_scale is {self.gate_scale}; it must be positive")
        if not 0 <= self.slope <= 1:
            raise ValueError(f"slope is {self.slope}; it must be in 0 .. 1")
        if self.scale != "none" and self.node_types > 0:
            raise ValueError(f"scale is {self.scale}, but nodes have types; numbers alone can be scaled")
        if self.discriminator_depth not in (2, 3):
            raise ValueError(f"discriminator_depth is {self.discriminator_depth}; choose 2 (published) or 3")

    @property
    def input_width(self) -> int:
        """Of what the first layer reads."""
        if self.node_types == 0:
            return self.in_features
        return self.embedding if self.embedding > 0 else self.node_types

    @property
    def per_node(self) -> bool:
        """Whether each node gets an answer, rather than each graph."""
        return self.readout in NODE_READOUTS

    @property
    def reads_every_level(self) -> bool:
        """Whether the readout looks at the input and every layer, or at the last alone."""
        return self.readout == "layer_sum"

    def heads(self) -> list[tuple[str, int, int]]:
        """The readout's linear maps: name, inputs, outputs."""
        if self.readout in ("mean_mlp", "node_mlp"):
            middle = max(self.hidden // 2, 1)
            return [("head1", self.hidden, middle), ("head2", middle, self.outputs)]
        if self.reads_every_level:
            widths = [self.input_width, *[self.hidden] * len(self.factors)]
            return [(f"head{level}", width, self.outputs) for level, width in enumerate(widths)]
        return [("head", self.hidden, self.outputs)]

    @classmethod
    def from_config(cls, settings: Mapping[str, Any], in_features: int, node_types: int, outputs: int,
                    per_node: bool) -> "NetworkSettings":
        """Of a run's ``model_settings``; what is missing there has its default."""
        known = {field.name for field in fields(cls)}
        values = {name: tuple(value) if name == "factors" else value for name, value in settings.items()
                  if name in known}
        if per_node:
            values.setdefault("readout", "node_mlp")
        # A published network may have rows for more types than its data.
        values["node_types"] = values.get("node_types", node_types) if node_types > 0 else 0
        values.update(in_features=0 if node_types > 0 else in_features, outputs=outputs)
        return cls(**values)
