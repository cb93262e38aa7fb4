"""What is answered to a request in another language: in English, with a sentence about it."""

from __future__ import annotations

from collections.abc import Iterable

from hugginggpt.core.plan import Unplanned
from hugginggpt.experts.written_language import name_of
from hugginggpt.offline.languages.vocabulary import CODES, vocabulary


def note(code: str) -> str:
    """The sentence below an answer; "" for a request in English or in a language that is not understood."""
    return f"I understood your {name_of(code)} request; I answer in English." if code in CODES else ""


def refusal(code: str, parts: Iterable[Unplanned]) -> str:
    """What is said where nothing was planned: in the language itself and in English."""
    if code not in CODES:
        understood = f"English, and common requests in {', '.join(map(name_of, CODES[:-1]))} and {name_of(CODES[-1])}"
        return f"This request seems to be in {name_of(code)}. Offline I understand {understood}."
    words = vocabulary(code)
    if reasons := dict.fromkeys(part.why for part in parts if part.why):
        return " ".join((words.not_possible, *reasons))
    return (
        f"{words.refusal}\n\nI did not understand this {name_of(code)} request. In {name_of(code)} I know common tasks: "
        "describe a picture, count what is in it, read a text or read it aloud, transcribe or clean a recording, find "
        "names, summarise. In English I understand more."
    )
