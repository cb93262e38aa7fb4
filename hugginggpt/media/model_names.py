"""Finds the models that a request names: "use facebook/detr-resnet-101 for it", "transcribe a.wav with openai/whisper-tiny".

A model's id looks like many other things with a slash ("24/7", "and/or", "data/notes.txt"). It counts where words say
that something is to be done with it, and where the catalogue knows it or its name is like those of models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hugginggpt.media.references import Resource, find_resources, find_texts

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9])?"
_ID = rf"{_PART}(?:/{_PART})?"
_CUES = (
    r"(?:with|using|use|via|through|by|try|run|take|mit|verwende|benutze|nutze|avec|utilise[rz]?|con|usa|usando)\b"
    r"|[用]|使用|通过"
)
_NAMED = re.compile(
    rf"(?:\b|(?<=[\u3400-\u9fff])|(?=[\u3400-\u9fff]))(?P<cue>{_CUES})\s*(?:(?:the|das|le|la|el)\s+)?"
    r"(?:(?:model|modell|modèle|modelo)\s+|模型\s*)?"
    rf"(?P<open>[`\"'“]?)(?<![A-Za-z0-9_./:@\\~-])(?P<id>{_ID})(?![A-Za-z0-9_/\\@:-]|\.[A-Za-z0-9])(?P<close>[`\"'”]?)"
    r"(?:\s+(?:model|modell)\b)?",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"[^\S\n]*+(?:$|[.,;:!?)\n\u3400-\u9fff]"
    r"|(?:and|or|then|but|to|for|on|in|from|at|as|so|please|instead|now|again|the|this|that|these|those|und|et|y|e|um|für|pour|para)\b)",
    re.IGNORECASE,
)
_FOR_IT = re.compile(
    r"\s++(?:for|on)\s++(?:it|this|that|them|these|those)(?:\s+task)?\b|[\s,]++(?:instead|please)\b", re.IGNORECASE
)
_TO = re.compile(r"\s++(?:to|um|pour|para)\b", re.IGNORECASE)
_JOINT = re.compile(r"(?:[\s,;]|\b(?:and|then|but|please|now)\b)+$", re.IGNORECASE)
_FILE_END = re.compile(r"\.[A-Za-z]\w{0,9}$")
"""How names of files end; versions in names of models have digits there."""
_LIKE_MODEL = re.compile(r"[0-9_-]")
_SURELY_MODEL = re.compile(r"[0-9]|[_-].*[_-]")
_LETTER = re.compile(r"[A-Za-z]")
_WORD = re.compile(r"[a-z]{3}")
_TO_USE = re.compile(
    r"us(?:e|ing)\b|try\b|verwende|benutze|nutze|utilise|usa|用|使用|.*?\b(?:model|modell|modèle|modelo)\b|.*?模型",
    re.IGNORECASE,
)
"""What says that a model is meant, which "with" or "by" does not."""
_BARE = re.compile(
    r"(?:and|or|then|but|ok|okay|now|please|again|instead|do|try|it|that|this|for|same|the|on|once|more|[\s,.;:!?])*",
    re.I,
)
AGAIN = "again"
"""What a message says that names a model and nothing else: the request before it is meant."""


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model in a request; `start` and `end` are the span of the words about it."""

    id: str
    start: int
    end: int


def find_models(request: str, is_known: Callable[[str], bool]) -> list[NamedModel]:
    """The models that a request names, in their order. What stands in a text to work on, such as a quoted one, is no
    part of the request.
    """
    matches = [match for match in _NAMED.finditer(request) if _is_model(match, request[match.end() :], is_known)]
    texts = find_texts(request, find_resources(request)) if matches else []
    return [
        NamedModel(match["id"], match.start(), _end(request, match.end()))
        for match in matches
        if not any(_holds(text, match) for text in texts)
    ]


def _holds(text: Resource, match: re.Match[str]) -> bool:
    """Whether a text holds the name and more than that."""
    if text.is_file or not text.has_place or text.text == match["id"]:
        return False
    return text.start < match.end("id") and match.start("id") < text.end


def _end(request: str, end: int) -> int:
    """Where the words about a model end: behind "for it", "instead"."""
    while rest := _FOR_IT.match(request, end):
        end = rest.end()
    return end


def _is_model(match: re.Match[str], following: str, is_known: Callable[[str], bool]) -> bool:
    name = match["id"]
    owner, slash, rest = name.partition("/")
    if not _LIKE_MODEL.search(rest or owner):
        return bool(slash) and is_known(name)
    if not slash or _FILE_END.search(name) or not (_LETTER.search(owner) and _LETTER.search(rest)):
        return is_known(name)
    is_like_model = len(owner) > 1 and len(rest) > 2 and _SURELY_MODEL.search(rest) and _FOLLOWS.match(following)
    if is_like_model and (_TO_USE.match(match[0]) or not _are_alternatives(owner, rest)):
        return True
    return is_known(name)


def _are_alternatives(one: str, other: str) -> bool:
    """Whether a slash separates two of a kind: "RS232/RS485", "TCP/IPv4", "usb-2/usb-3"."""
    if not _WORD.search(one) and not _WORD.search(other):
        return True
    beginnings = {re.split(r"[0-9]", part, maxsplit=1)[0].lower() for part in (one, other)}
    return len(beginnings) == 1 and bool(re.search(r"[0-9]", one))


def without_models(request: str, models: Sequence[NamedModel]) -> str:
    """The request without the words about models; of one that says nothing else what stands for the one before it."""
    for model in reversed(models):
        request = _without(request, model)
    return AGAIN if models and _BARE.fullmatch(request) else request


def _without(request: str, model: NamedModel) -> str:
    before, after = request[: model.start].rstrip(" "), request[model.end :]
    if not _JOINT.sub("", before) or before[-1] in ".!?:;\n":  # it begins a sentence, which goes on behind it or ends
        to = _TO.match(after)
        after = after[to.end() :] if to else after.lstrip(" .,;:!")
    else:
        before = _JOINT.sub("", before)
    gap = "" if not before or before[-1] == "\n" or after[:1] in (*".,;:!?", "") else " "
    return f"{before}{gap}{after.lstrip(' ')}"
