"""What a text plainly does not give: a telephone number, the number of a card, an address for e-mails, where nothing of
that form stands in it.
"""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.experts import contacts

CARD, PHONE = "card number", "telephone number"
NO_PHONE = f"No {PHONE} is given."
MAX_WORDS = 14
"""A longer question asks for more than that."""
_CARD = (
    r"(?:credit|debit|bank)? ?card[ -]?(?:no|nr|num|number)\b|number (?:of|on) (?:my|the|her|his) (?:\w+ )?card\b|"
    r"karten?nummer|numéro de (?:la |ma )?carte|número de (?:la |mi )?tarjeta|卡号"
)
_PHONE = (
    r"(?:(?:tele)?phone|mobile|cell|contact)(?: phone)?[ -]?(?:no|nr|num|number)\b|telefonnummer|handynummer|"
    r"numéro (?:de )?(?:téléphone|portable)|número (?:de )?(?:teléfono|móvil)|电话(?:号码)?"
)
_MAIL = r"e-?mail(?: ?address)?|mailadresse|adresse (?:e-?mail|mail)|correo(?: electrónico)?|邮箱"
_DIGITS = re.compile(
    r"\d(?:[ ./()-]{0,2}\d){5,}|(?:\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double)\b[ ,-]*){5,}",
    re.IGNORECASE,
)
_OF_CARD = re.compile(
    r"\d{4}[ -]?\d{4}[ -]?\d{2,}|[*xX•·#]{2,}[ -]?\d{2,}|\b(?:card|karte|carte|tarjeta)\b\D{0,20}\d{3,}", re.IGNORECASE
)
_CASH = re.compile(r"^.*\b(?:cash|bar|espèces|efectivo)\b.*$|^.*现金.*$", re.IGNORECASE | re.MULTILINE)
_ASKS = re.compile(
    r"^\W*(?:(?:and|so|ok|n|please|und|et|y)\W+)*(?:what|whats|give|tell|read|find|is there|do you|does it|which|the|"
    r"her|his|their|wie|was|welche|gib|quel|donne|cuál|dame|n)\b|[?？]|什么|多少",
    re.IGNORECASE,
)
_DOES_MORE = re.compile(
    r"\b(?:blur|hide|black(?:en)? out|remove|delete|write|send|replace|cover|valid|save|why|when|who)\b", re.IGNORECASE
)


def has_phone(text: str) -> bool:
    """Whether a text has a telephone number, or what may be one."""
    return bool(_DIGITS.search(text) or contacts.found(contacts.PHONE, text))


_KINDS = (
    (CARD, re.compile(_CARD, re.IGNORECASE), _OF_CARD.search),
    (PHONE, re.compile(_PHONE, re.IGNORECASE), has_phone),
    ("e-mail address", re.compile(_MAIL, re.IGNORECASE), re.compile(r"@|\bat\b.*\bdot\b", re.IGNORECASE).search),
)
"""What may be asked for, what asks for it, and what tells whether a text has something of that form."""


def answer(question: str, text: str) -> dict[str, Any] | None:
    """That the number or address that a question asks for is not given; None where one may be, or for any other."""
    if len(question.split()) > MAX_WORDS or not _ASKS.search(question) or _DOES_MORE.search(question):
        return None
    named = next((kind for kind in _KINDS if kind[1].search(question)), None)
    if named is None or named[2](text):
        return None
    cash = _CASH.search(text) if named[0] == CARD else None
    beside = f" It says: “{' '.join(cash[0].split())}”" if cash else ""
    return {"answer": f"No {named[0]} is given.{beside}", "absent": True}
