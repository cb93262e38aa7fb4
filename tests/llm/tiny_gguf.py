"""Writes a language model of half a megabyte with random weights: a llama that reads and writes single characters.

It says nothing that means anything, and it never ends by itself: no weight leads to the end of a text. What a grammar
allows it to write, how it is started, stopped and killed is as with a real one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

SPECIAL = ("<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>")
END = 4
LETTERS_FROM = len(SPECIAL) + 256 + 1
"""The token of "!", behind the bytes and the blank; those of the further printable characters follow."""
WIDTH, INNER, HEADS, LAYERS = 64, 128, 4, 2
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_tiny_gguf(file: Path, context: int = 65536, seed: int = 0, template: str = TEMPLATE) -> Path:
    """Writes the model; the seed chooses its weights, the template is that of its chats."""
    from gguf import GGUFWriter, TokenType

    bytes_, letters = [f"<0x{byte:02X}>" for byte in range(256)], ["▁", *map(chr, range(33, 127))]
    tokens = [*SPECIAL, *bytes_, *letters]
    kinds = [TokenType.UNKNOWN, *[TokenType.CONTROL] * 4, *[TokenType.BYTE] * 256, *[TokenType.NORMAL] * len(letters)]
    writer = GGUFWriter(str(file), "llama")
    writer.add_context_length(context)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(place) for place in range(len(tokens))])
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(END)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(template)
    for name, weights in _weights(len(tokens), seed).items():
        writer.add_tensor(name, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def _weights(tokens: int, seed: int) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(seed)

    def drawn(*shape: int) -> np.ndarray:
        return chance.normal(0, 0.3, shape).astype(np.float32)

    ones = np.ones(WIDTH, np.float32)
    output = drawn(tokens, WIDTH)
    output[: len(SPECIAL)] = 0
    weights = {"token_embd.weight": drawn(tokens, WIDTH), "output.weight": output, "output_norm.weight": ones}
    for layer in range(LAYERS):
        shapes = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (WIDTH, WIDTH))
        shapes |= {"ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER)}
        weights |= {f"blk.{layer}.{name}.weight": drawn(*shape) for name, shape in shapes.items()}
        weights |= {f"blk.{layer}.{name}.weight": ones for name in ("attn_norm", "ffn_norm")}
    return weights
