"""The catalogue's entry for a model of the Hub: its facts, and what the first paragraphs of its card say, as text.

What stands in a card was written by anybody and reaches prompts: it is kept short, in one line, without markup and
without characters that do not show.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hugginggpt.core.results import visible_line

if TYPE_CHECKING:
    from huggingface_hub import ModelInfo
    from markdown_it.token import Token

Entry = dict[str, Any]
"""A model in JARVIS's format: id, task, downloads, likes, meta, description."""

DESCRIPTION_CHARS, NAME_CHARS = 300, 80
MOST_NAMES = {"language": 25, "tags": 10, "datasets": 10}
"""How many values of these keys of a card are kept."""
HEADER_CHARS, TEXT_CHARS = 60_000, 4000
"""How much of a card is read: with its header, and behind it."""
_HEADER = re.compile(r"\A\s*---[ \t]*\r?\n.*?(?:\n---[ \t]*(?:\r?\n|\Z)|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_OF_WORDS = re.compile(r"\w")
OWN_LIBRARIES = ("transformers", "diffusers", "sentence-transformers")
"""The libraries of the model server; the catalogue names any other one that a model needs."""
KEPT = ("library", "unfit")
"""Keys of `meta` that people have set, which the Hub does not know."""


def entry_of(info: ModelInfo, task: str, known: Mapping[str, Any], description: str) -> Entry:
    """The entry for a model that the Hub lists; `known` is what stands under `meta` in the catalogue so far."""
    card: Any = info.card_data or {}
    meta: dict[str, Any] = {key: value for key in ("language", "license") if (value := _names(card.get(key), key))}
    meta |= {key: _as_list(value) for key in ("datasets", "tags") if (value := _names(card.get(key), key))}
    if info.library_name and info.library_name not in OWN_LIBRARIES:
        meta["library"] = visible_line(str(info.library_name), NAME_CHARS)
    meta |= {key: known[key] for key in KEPT if key in known}
    if size := weight_bytes(info):
        meta["size"] = size
    return {
        "id": info.id,
        "task": task,
        "downloads": _count(info.downloads),
        "likes": _count(info.likes),
        "meta": meta,
        "description": description,
    }


def live_providers(info: ModelInfo, task: str, wanted: str = "auto") -> list[str]:
    """The providers that run a model for a task now, those that are `wanted` (auto: any)."""
    return [
        served.provider
        for served in info.inference_provider_mapping or []
        if served.status == "live" and served.task == task and wanted in ("auto", served.provider)
    ]


def weight_bytes(info: ModelInfo, float_bytes: int = 0) -> int:
    """The bytes of a model's weights, as far as they are safetensors, else 0: in its files, or with all floats of
    `float_bytes` each, as they are loaded.
    """
    counts = info.safetensors.parameters if info.safetensors else None
    if not isinstance(counts, dict):
        return 0
    return sum(_count(number) * _bits(str(kind), 8 * float_bytes) for kind, number in counts.items()) // 8


def _bits(kind: str, of_float: int) -> int:
    """The bits of a type of numbers: 16 of BF16, 8 of F8_E4M3 and BOOL."""
    digits = re.search(r"\d{1,3}", kind)
    return (of_float if kind.startswith(("F", "BF")) else 0) or (min(int(digits[0]), 64) if digits else 8)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _names(value: Any, key: str) -> str | list[str]:
    """One name or several, as the card has them."""
    if isinstance(value, list):
        names = [visible_line(name, NAME_CHARS) for name in value if isinstance(name, str)]
        return [name for name in names if name][: MOST_NAMES.get(key, 1)]
    return visible_line(value, NAME_CHARS) if isinstance(value, str) else ""


def _as_list(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def description_in(card: str) -> str:
    """The first paragraphs of a card as plain text in one line; "" where it has none.

    Headings, lists, tables, code, pictures (badges) and HTML are no part of it; of a link the words stay.
    """
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse(_HEADER.sub("", card[:HEADER_CHARS])[:TEXT_CHARS])
    said = ""
    for opening, inline in pairwise(tokens):
        if opening.type == "paragraph_open" and opening.level == 0 and len(said) < DESCRIPTION_CHARS:
            text = visible_line(_ADDRESS.sub("", _words(inline.children or [])), DESCRIPTION_CHARS)
            said = f"{said} {text}".strip() if _OF_WORDS.search(text) else said
    return visible_line(said, DESCRIPTION_CHARS)


def _words(tokens: list[Token]) -> str:
    """The words of a paragraph."""
    return "".join(
        " "
        if token.type in ("softbreak", "hardbreak")
        else token.content
        if token.type in ("text", "code_inline")
        else ""
        for token in tokens
    )
