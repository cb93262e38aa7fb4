"""The e-mail addresses, phone numbers and web addresses in a text: found by their form, letter for letter."""

from __future__ import annotations

import difflib
import re

EMAIL, PHONE, WEB = "e-mail address", "phone number", "web address"
_FORMS = {
    EMAIL: re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    PHONE: re.compile(
        r"(?<![\w.,/:€$£+-])(?!\d\d[/-]\d\d[/-]\d{4}\b)"
        r"(?:\+\d{1,3}(?:[ /-]?\(?\d{1,5}\)?){2,6}|\(0\d{1,5}\)(?:[ /-]?\d{2,}){1,4}|0\d{1,5}(?:[ /-]?\d{2,}){1,4}|"
        r"\(?\d{3}\)?[ -]\d{3}[ -]\d{4})(?![\w€$£]|[.,:]\d)"
    ),
    WEB: re.compile(r"(?<![\w@])(?:https?://|www\.)[^\s<>\"'”)\]]+[^\s<>\"'”)\].,;:!?]", re.IGNORECASE),
}  # fmt: skip
_NAMES = {
    "email": EMAIL, "emails": EMAIL, "mail": EMAIL, "phone": PHONE, "telephone": PHONE, "mobile": PHONE, "website": WEB,
    "websites": WEB, "url": WEB, "urls": WEB, "link": WEB, "links": WEB, "hyperlinks": WEB, "web": WEB,
}  # fmt: skip
_THINGS = ("address", "addresses", "number", "numbers", "site", "sites")
_ALONE = frozenset(["emails", "website", "websites", "url", "urls", "links", "hyperlinks"])
"""Names that need no "address" or "number" behind them."""
_IDLE = frozenset(
    re.findall(
        r"\w+",
        """a all an and any anything are can could contain contains contained contact document every extract file find
        for found from get give given have here i in is it letter list me mentioned mail message much need of on or out
        page pages please pull report say show tell text that the there these this those to was we were what whats which
        with written you""",
    )
)
"""Words that ask for no particular one of them."""
_DIGITS = 7
"""A phone number has at least so many digits."""
_TYPING = 0.8


def asked_for(question: str) -> list[str]:
    """The kinds of which a question asks for all; none where it asks for anything else, or for those of somebody."""
    words = [_spelled(word) for word in re.findall(r"[a-z]+", re.sub(r"\be[- ]mail", "email", question.lower()))]
    is_named = set(_THINGS) & set(words) or _ALONE & set(words)
    if not is_named or set(words) - _IDLE - set(_NAMES) - set(_THINGS):
        return []
    return list(dict.fromkeys(_NAMES[word] for word in words if word in _NAMES))


def found(kind: str, text: str) -> list[str]:
    """What of a text has the form of a kind, each once, in order."""
    matches = (match[0].strip() for match in _FORMS[kind].finditer(text))
    return list(dict.fromkeys(one for one in matches if kind != PHONE or sum(map(str.isdigit, one)) >= _DIGITS))


def _spelled(word: str) -> str:
    """A word, or the name that it is a misspelling of."""
    if word in _IDLE or len(word) < 5:
        return word
    return next(iter(difflib.get_close_matches(word, (*_NAMES, *_THINGS), 1, _TYPING)), word)
