"""Packs the weights of all-MiniLM-L6-v2 as data/experts/minilm/: python data/make_minilm.py FOLDER_OF_THE_MODEL

Large matrices become int8 with a float16 scale for each block of 32 values in a row (block-wise quantisation, arXiv
2110.02861), the rest float16. Tensors that inference does not use are left out: the pooler, the position ids and the
positions beyond 256 tokens. This is a quarter of the size; cosine similarities change by less than 0.01.
"""

import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from hugginggpt.experts.minilm import MAX_TOKENS, SCALES, quantized

TARGET = Path(__file__).parent / "experts" / "minilm"
POSITIONS = "embeddings.position_embeddings.weight"
UNUSED_PREFIXES = ("pooler.", "embeddings.position_ids")


def packed(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The tensors to store; the scales of a matrix have its name with the suffix `SCALES`."""
    stored = {}
    for name, tensor in tensors.items():
        if name.startswith(UNUSED_PREFIXES):
            continue
        if name == POSITIONS:
            stored[name] = tensor[:MAX_TOKENS].astype(np.float16)
        elif tensor.ndim == 2 and len(tensor) > 2:  # not the embeddings of the two token types
            stored[name], stored[name + SCALES] = quantized(tensor)
        else:
            stored[name] = tensor.astype(np.float16)
    return stored


if __name__ == "__main__":
    source = Path(sys.argv[1])
    TARGET.mkdir(exist_ok=True)
    save_file(packed(load_file(source / "model.safetensors")), TARGET / "model.safetensors")
    shutil.copy(source / "tokenizer.json", TARGET / "tokenizer.json")
