"""Whether something numbered is among those that a notice names: "I live in building 4, is our water off?", where it
says "buildings 3 and 5".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hugginggpt.experts import foreign_reading, sentences

_NOUNS = (
    r"(?:building|block|house|flat|apartment|room|class|year|group|team|line|bus|tram|route|gate|floor|zone|platform|unit|"
    r"lot|haus|häuser|gebäude|klasse|gruppe|linie|wohnung|etage|bâtiment|immeuble|classe|groupe|ligne|edificio|bloque|clase|"
    r"grupo|línea|piso)"
)
_JOINT = r"(?:\s*(?:,|and|or|und|oder|et|ou|y|&|\+|to|bis|à|-|–)\s*(?:\d{1,4}[a-z]?)\b)*"
_NUMBERED = re.compile(rf"\b(?P<noun>{_NOUNS})(?:e?s|n|en)?\s+(?P<numbers>\d{{1,4}}[a-z]?\b{_JOINT})", re.IGNORECASE)
_CHINESE = re.compile(r"(?P<numbers>\d{1,3})\s?(?P<noun>号楼|栋|幢|单元|号院|班|路|号线|层)")
_RANGE = re.compile(r"(\d{1,4})\s*(?:to|bis|à|-|–)\s*(\d{1,4})", re.IGNORECASE)
_YES_NO = re.compile(
    r"(?:^|[,.;!?]\s*|\b(?:and|so|but)\s+)(?:is|are|am|was|do|does|did|will|can|must|have|has|should|ist|sind|bin|wird|"
    r"werden|hat|haben|muss|müssen|est-ce|sommes|avons|está|estamos|tenemos|hay|wir|uns)\b|"
    r"吗|是不是|(?P<verb>[\u3400-\u9fff])不(?P=verb)|\b(?:affected|included|betroffen|concernés?|afecta\w*)\b",
    re.IGNORECASE,
)
_ASKS_MORE = re.compile(
    r"\b(?:when|what|where|who|which|how|why|wann|wo|wie|was|wer|quand|où|qui|quel\w*|combien|cuándo|dónde|quién|qué|"
    r"cuánt\w*)\b|什么|几|哪|多少|谁|怎",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(
    r"\b(?:not|no|except|without|but|nicht|kein\w*|außer|sauf|pas|excepto|no)\b|除|不包括", re.IGNORECASE
)
MAX_QUESTION_CHARS = 160


def answer(question: str, text: str) -> str | None:
    """The only sentence of a text that numbers such things as the question does, behind "No" where it leaves that one
    out; None where the question numbers none, or asks for more.
    """
    if len(question) > MAX_QUESTION_CHARS or _ASKS_MORE.search(question) or not _YES_NO.search(question):
        return None
    asked = {(noun, number) for noun, numbers in _named(question) for number in numbers}
    if len(asked) != 1:
        return None
    ((noun, number),) = asked
    is_chinese = re.search(r"[\u3400-\u9fff]", text)
    units = foreign_reading.units(text) if is_chinese else sentences.sentences(text)
    naming = [(unit, numbers) for unit in units for other, numbers in _named(unit) if other == noun]
    if not naming or len({unit for unit, _ in naming}) != 1:
        return None
    unit = naming[0][0]
    is_named = number in {one for _, numbers in naming for one in numbers}
    if is_named or _EXCEPTS.search(unit):
        return f"“{unit}”"
    no = "不：" if re.search(r"[\u3400-\u9fff]", question) else "No: "
    return f"{no}“{unit}”"


def _named(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """What a text numbers: each noun with its numbers."""
    for match in _NUMBERED.finditer(text):
        numbers = re.findall(r"\d{1,4}[a-z]?", match["numbers"].lower())
        for first, last in _RANGE.findall(match["numbers"]):
            numbers += map(str, range(int(first), min(int(last), int(first) + 100) + 1))
        yield match["noun"].lower(), numbers
    for match in _CHINESE.finditer(text):
        yield match["noun"], [match["numbers"]]
