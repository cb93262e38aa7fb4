"""Documents as tasks take them: their pages without text read by the embedded expert, and where an answer stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hugginggpt.core.documents import DocumentText, Wanted, quotes_of, wanted_in
from hugginggpt.core.errors import MediaError
from hugginggpt.core.moments import LOOKED
from hugginggpt.core.spoken_times import in_words, times_of, words_asked_for
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Inference


def page_reader() -> Callable[[Path], str] | None:
    """What reads the text of a picture of a page; None where the package for it is not installed."""
    if not find_spec("rapidocr"):
        return None
    return _read_page


def _read_page(image: Path) -> str:
    from hugginggpt.experts.ocr import page_text

    return page_text(image)


def excerpt(text: str, wanted: Wanted | None, name: str) -> str:
    """The parts of a document that are wanted, the whole text where none are. Raises MediaError."""
    if not wanted or not isinstance(text, DocumentText):
        return text
    try:
        return text.only(wanted)
    except LookupError as error:
        raise MediaError(f"{name} {error}.") from error


def with_times(text: str, value: Any) -> str:
    """The text of a task's result; that of a recording with the times of its sentences, where its words have some."""
    chunks = value.get("chunks") if isinstance(value, Mapping) and LOOKED not in value else None
    return DocumentText.spoken(text, chunks) if chunks else text


def said_at(row: TaskType, args: Mapping[str, Any]) -> Inference | None:
    """The answer to a question when some words are said in a transcript, by the times of its words; None for another
    question, or text.
    """
    asks = row.text_arg if row.wording == "question" else None
    words = next((value.words for value in args.values() if isinstance(value, DocumentText) and value.words), ())
    phrase, is_sure = words_asked_for(str(args.get(asks.name))) if asks and words else ("", False)
    times = times_of(phrase, words)
    return Inference({"answer": in_words(phrase, times)}) if phrase and (times or is_sure) else None


def with_pages_asked_for(row: TaskType, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a task, where a question names pages of a document ("what is on page 3?"): these pages, and the
    question without them. Raises MediaError.
    """
    asks = row.text_arg if row.wording == "question" else None
    question = args.get(asks.name) if asks else None
    wanted, rest = wanted_in(question) if isinstance(question, str) else (None, "")
    documents = {
        name: value
        for name, value in args.items()
        if isinstance(value, DocumentText) and any(part.unit != "time" for part in value.parts)
    }
    if not asks or not wanted or not documents:
        return dict(args)
    pages = {name: excerpt(value, wanted, "The document") for name, value in documents.items()}
    return {**args, **pages, asks.name: rest}


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
