"""The words of an operation on a picture that no pattern tells: what is to be written on it, what is to be hidden."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.picture_words import LETTERING
from hugginggpt.core.task_types import TaskType
from hugginggpt.media.references import Resource
from hugginggpt.offline import spans
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.conditions import Part
from hugginggpt.offline.statements import told_beside

_VERB = r"(?:write|put|add|print|stamp|place|insert|overlay|stick|type|draw|caption|label|watermark|say)"
_ARTICLES = r"(?:(?:(?:my|our|his|her) names?|a|an|the|some|big|large|small|huge|words?|text|title|caption|heading|date(?= \d)|in|with|saying|that says) )*"
_UNQUOTED = re.compile(
    rf"\b{_VERB} {_ARTICLES}(?P<text>\S.{{0,80}}?)(?:,| (?=(?:on|onto|in|at|across|over|under|below|above|to)\b)|[.?!]*$)",
    re.IGNORECASE,
)
_AFTER_COLON = re.compile(r": ?(\w.{0,120})$")
_LETTERED = re.compile(r"\b(?:title|caption|text|heading|words|write)\b", re.IGNORECASE)
_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9&!' -]*[A-Z0-9!](?![a-z])")
_IN_CAPITALS = re.compile(
    r"\W*+(?:(?i:and|now|then|ok|please|can you|could you|cool|great|also)\W+)*(?i:write|put|add|print|stamp|place) "
    r"(?:(?i:the words?|the text|a title|the title) )?(?P<text>[A-Z][A-Z0-9&!' -]*[A-Z0-9!]) "
    r"(?i:in|on|onto|at|over|across|below|above|under)\b.{0,20}\b(?i:letters?|bottom|top|middle|corner|it|that|this|one|picture|photo|image)\b"
)
_FORMATS = re.compile(r"(?:PNG|JPE?G|PDF|CSV|GIF|WEBP|XLSX?|DOCX?|ZIP|TXT|MP[34]|A|I)")
_LOOKS = re.compile(LETTERING, re.IGNORECASE)
_REFERS_BACK = re.compile(
    r"^\W*(?:\w+ ){1,2}(?:it|that|this|him|her|them)(?: (?:out|up|please|pls))*\W*$", re.IGNORECASE
)
"""An instruction that names nothing of its own: "blur that out"."""


_ON_THE_PICTURE = re.compile(
    r"\b(?:write|put|print|stamp|add)\b.*\b(?:(?:top|bottom|upper|lower)(?:[ -](?:left|right))?|corner|"
    r"(?:on|onto|across|over) (?:it|the (?:picture|photo|image)))\b",
    re.IGNORECASE,
)
_WRITES = re.compile(r"\W*+(?:(?:then|please|just)\W+)*(?:write|put|print|stamp|add)\b", re.IGNORECASE)


def is_written_under(part: Part, parts: Sequence[Part]) -> bool:
    """Whether the words that a conditional part has written belong on the picture, as this part or its counterpart says
    where: "if there is a dog write WOOF top left, otherwise write MEOW".
    """
    if not part.conditions or not _WRITES.match(part.clause.text):
        return False
    alike = [one for one in parts if one.conditions and one.conditions[0].clause == part.conditions[0].clause]
    return any(_ON_THE_PICTURE.search(one.clause.text) for one in alike)


def is_asked(words: str) -> bool:
    """Whether words ask for others, in capitals, on a picture: "put ADOPT ME in big letters at the bottom"."""
    said = _IN_CAPITALS.match(words)
    return bool(said) and words != words.upper() and said is not None and not _FORMATS.fullmatch(said["text"])


def of(row: TaskType, request: str, clause: Clause, clauses: Sequence[Clause] = ()) -> dict[str, str]:
    """The argument of an operation for words, with the words of a clause: an instruction, with what the clause before it
    tells and it refers to ("there's a laptop in it, blur that out"), or an inscription; {} for any other operation.
    """
    arg = row.text_arg
    if arg is None or row.wording not in ("instruction", "inscription"):
        return {}
    if row.wording == "instruction":
        words = spans.bare_text(request, clause)
        told = told_beside(clause, clauses)[:1] if _REFERS_BACK.search(words) else []
        return {arg.name: ", ".join([*told, words])}
    words = spans.without_files(request, clause, keep_quoted=True)
    return {arg.name: text} if (text := _inscription(clause.resources, words)) else {}


def _inscription(resources: tuple[Resource, ...], words: str) -> str:
    """The words that are to be written: those in quotes, else those in capitals, else what the verb is about."""
    if quoted := [one.text for one in resources if not one.is_file]:
        return quoted[0]
    if (capitals := _CAPITALS.search(words)) and words != words.upper():
        return capitals[0]
    if (colon := _AFTER_COLON.search(words)) and _LETTERED.search(words[: colon.start()]):
        return colon[1].strip(" .")
    match = _UNQUOTED.search(words)
    if match is None:
        return ""
    return " ".join(_LOOKS.sub(" ", match["text"]).split()).strip(" ,.")
