"""Documents as tasks take them: their pages without text read by the embedded expert, and where an answer stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hugginggpt.core.documents import DocumentText, quotes_of
from hugginggpt.endpoints.base import Inference


def page_reader() -> Callable[[Path], str] | None:
    """What reads the text of a picture of a page; None where the package for it is not installed."""
    if not find_spec("rapidocr"):
        return None
    return _read_page


def _read_page(image: Path) -> str:
    from hugginggpt.experts.ocr import page_text

    return page_text(image)


def located(inference: Inference, args: Iterable[Any]) -> Inference:
    """The result of a task that was given documents: an answer with "where" it stands in them, {"unit", "name"} each,
    and with a "note" on what of them could not be read.
    """
    texts = [arg for arg in args if isinstance(arg, DocumentText)]
    if not texts or not isinstance(inference.value, Mapping):
        return inference
    value = inference.value
    added: dict[str, Any] = {}
    if "where" not in value and (places := [each for text in texts for each in text.places(quotes_of(value))]):
        added["where"] = places
    if notes := " ".join(dict.fromkeys(text.note for text in texts if text.note)):
        added["note"] = notes
    return inference._replace(value={**value, **added}) if added else inference
