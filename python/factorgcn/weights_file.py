"""Writing weights as the command line reads them: a safetensors file with the metadata of another one.

Layout: 8 bytes with the header's length, a JSON header (of each tensor its type, shape and place; metadata as words),
the values.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

TYPES = {torch.float32: "F32", torch.float64: "F64", torch.int64: "I64", torch.int32: "I32", torch.bool: "BOOL"}


def read_metadata(path: Path) -> dict[str, str]:
    """The words in a safetensors file's header."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        found: dict[str, str] = json.loads(file.read(length)).get("__metadata__", {})
    return found


def write_weights(path: Path, weights: Mapping[str, Tensor], like: Path) -> None:
    """The file is there as a whole or not at all."""
    header: dict[str, object] = {"__metadata__": read_metadata(like)}
    values = []
    place = 0
    for name, tensor in sorted(weights.items()):
        # The values' bytes as they lie in memory, little-endian as the format wants them.
        data = tensor.detach().cpu().contiguous().numpy().tobytes()
        header[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [place, place + len(data)]}
        values.append(data)
        place += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    temporary = path.with_name(path.name + ".part")
    with temporary.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(values))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
