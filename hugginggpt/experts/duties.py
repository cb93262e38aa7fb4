"""What a letter or notice asks of whoever reads it, as a list: "what do we have to do?", "make me a to-do list"."""

from __future__ import annotations

import re

from hugginggpt.experts.sentences import sentences

MAX_TOLD = 8
_MARK = re.compile(r"^(?:[-*•–]|\d{1,2}[.)])\s+")
_HEAD = re.compile(r"(?:what|how|who|when|your)\b(?!.*[.!]$)", re.IGNORECASE)
"""What stands before an item of a list, and a heading over one: "What you need to do"."""
_WHO = r"(?:we|i|you|one|residents|tenants|parents|members|people)"
_ASKED = re.compile(
    r"\W*+(?:(?:please|pls|so|and|ok|now|just|list|tell|give|show|write|make|me|us|down|a|the|all|everything|of|things)"
    r"\W++)*+"
    rf"(?:what (?:exactly )?(?:(?:do|must|should|shall|will|are|am) {_WHO}|{_WHO}) ?(?:all )?"
    r"(?:have to|need to|must|should|supposed to|expected to|are supposed to|are to)? ?(?:all )?do\b|"
    r"to-?do ?(?:list|'s|s)?|(?:our|my|their) (?:duties|tasks|to-?dos)|"
    r"was (?:müssen|sollen|muss|soll) (?:wir|ich) (?:alles )?(?:tun|machen)|"
    r"que (?:devons-nous|dois-je|faut-il|doit-on) faire|qué (?:tenemos|tengo|hay) que hacer|我们要做什么|我要做什么)"
    r"(?:\W+(?:now|then|here|of|from|in|as|it|this|that|the|letter|notice|mail|message|list|exactly|please|for|me|us|"
    r"at all|about))*\W*",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"\bplease\b|\bmust\b|\b(?:have|has|need|needs) to\b|\b(?:are|is) (?:asked|requested|required|obliged)\b|"
    r"\bdo not\b|\bdon['’]t\b|\bmake sure\b|\bremember to\b|^(?:keep|bring|open|close|put|take|leave|send|pay|return|"
    r"sign|fill|let|store|register|give|call|ring|write|clear|move|check|turn|lock|hand|collect|report)\b|"
    r"\bbitte\b|\bmuss\b|\bmüssen\b|\bsind zu\b|\bveuillez\b|\bmerci de\b|\bdevez\b|\bdoit\b|\bdoivent\b|\bpor favor\b|"
    r"\brogamos\b|\bdeben?\b|\bhay que\b|请|必须|务必",
    re.IGNORECASE,
)


def answer(question: str, text: str) -> str | None:
    """The sentences of a text that ask something of its readers; None where none does, or a question asks otherwise."""
    if not _ASKED.fullmatch(" ".join(question.split())):
        return None
    said = (_MARK.sub("", one) for one in sentences(text))
    found = [one for one in said if _DUTY.search(one) and not _HEAD.match(one)]
    return "\n".join(f"- {one}" for one in found[:MAX_TOLD]) or None
