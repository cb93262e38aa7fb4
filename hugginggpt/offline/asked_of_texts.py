"""What is asked of texts by the form of the words alone, which no learned class has to know: lists of all things of a
kind, messages, opinions; and letters to be written, which only a language model can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import listings, text_forms, text_parts
from hugginggpt.media.references import Resource

_LETTER = (
    r"(?:answers?|repl(?:y|ies)|responses?|letters?|e-?mails?|mails?|messages?|notes?|invitations?|cards?|"
    r"complaints?|apolog(?:y|ies)|"
    r"excuses?|poems?|stor(?:y|ies)|songs?|speech(?:es)?|toasts?|posts?|essays?|articles?|adverts?|antwort|brief|"
    r"nachricht|einladung|"
    r"entschuldigung|gedicht|réponse|lettre|courriel|respuesta|carta|correo|poema)"
)
_WRITES = re.compile(
    r"\W*+(?:(?:please|pls|now|and|then|ok|can|could|would|will|you|u|bitte|kannst|du|jetzt|help me|i want you to|"
    r"i need you to)\W+)*"
    rf"(?:write|draft|compose|formulate|schreib\w*|verfasse|formuliere|écri[stv]\w*|rédige\w*|escrib\w*|"
    rf"redacta\w*)\b(?!\W+(?:\w+\W+){0, 3}?(?:down|out|what|summary|list|transcript|translation)\b)"
    rf"(?:\W+[\w'’-]+){{0,7}}?\W+(?:an?|the|my|our|eine?n?|une?|una?|"
    rf"[\w'’-]+)\W+(?:[\w'’-]+\W+){{0,3}}?{_LETTER}\b(?! (?:as|to a|into) )|"
    r"\W*+(?:please )?(?:reply|respond|answer) (?:to )?(?:her|him|them|this (?:e-?mail|mail|letter|message)|"
    r"the (?:e-?mail|mail|letter|message))\b|"
    r"\W*写(?:一)?(?:封|个|份|篇|张)?[^。？]{0,12}(?:回信|回复|信|邮件|邀请|诗|短信)",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"\W*+(?:(?:please|just|only|can you|could you)\W+)*(?:read|show|give|tell|get|zeig\w*|"
    r"gib)\b",
    re.IGNORECASE,
)
_DOES_MORE = re.compile(
    r"\b(?:aloud|loud\w*|voice|audio|mp3|wav|save|summar\w+|sum up|short\w*|translat\w+|list|file|txt|pdf|sentences?|"
    r"points?)\b",
    re.IGNORECASE,
)
"""What asks for more than a part of a text as it stands."""
_SEEN: tuple[Kind, ...] = ("text", "image", "audio")


def task_for(words: str, topic: Kind | None, files: Sequence[Resource], table: TaskTable) -> str:
    """The task that a clause about a text, or about several files with texts in them, asks for; "" where its form says
    nothing.
    """
    if topic == "text" and is_letter(words):
        return next((row.name for row in table if row.wording == "writing"), "")
    if topic == "text" and _SHOWS.match(words) and not _DOES_MORE.search(words) and text_parts.topic_of(words):
        return table.question_task("text")
    is_several = len(files) > 1 and topic in _SEEN and bool(listings.asked_for(words))
    return table.question_task("text") if is_several or (topic == "text" and text_forms.asked_for(words)) else ""


def is_letter(words: str) -> bool:
    """Whether words ask for a letter, an answer or the like to be written."""
    return bool(_WRITES.match(words[:200]))
