"""Which entries of a list speak of something, all of them: "which reviews complain about waiting?"."""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.core.documents import enumerated
from hugginggpt.experts import opinions
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.word_likeness import stem, stems_of

_ENTRIES = (
    r"(?:ones?|reviews?|comments?|guests?|customers?|people|persons?|entries|messages?|answers?|opinions?|clients?|"
    r"visitors?|numbers?)"
)
_SPEAK = (
    r"(?:(?:speak|talk|complain|write|moan|rave)(?:s|ed|ing)?(?: \w+)? (?:about|of)|(?:are|is|was|were)(?: all)? about|"
    r"(?:mention|discuss|criticis|criticiz|prais|like|lik|lov|hat|dislik)(?:e?s|e?d|ing|e)?|"
    r"(?:sa(?:y|ys|id)|wr(?:ite|ites|ote)|ha(?:ve|s|d)) (?:something|anything|\w+ things?)(?: \w+)? (?:about|of|on)|"
    r"(?:deal|to do)s? with)"
)
_NUMBERS = r"\d+|two|three|four|five|six|seven|eight|nine|ten|all"
_ASKED = re.compile(
    rf"\b(?:which|what|how many|who)(?: (?:of (?:the|these|those|them|my)|{_ENTRIES}|the|these|{_NUMBERS}))* {_SPEAK} "
    r"(?P<topic>[^?.!;]+)",
    re.IGNORECASE,
)
_GOOD = re.compile(r"\b(?:good|nice|positive|prais\w*|lik\w+|lov\w+)\b", re.IGNORECASE)
_BAD = re.compile(r"\b(?:bad|negative|complain\w*|moan\w*|critici\w+|hat\w+|dislik\w+)\b", re.IGNORECASE)
_IDLE = frozenset(
    ["thing", "things", "too", "long", "much", "many", "time", "all", "something", "anything", "lot", "one", "ones"]
)


def asked_for(question: str) -> bool:
    """Whether words ask which entries of a list speak of something."""
    return bool(_ASKED.search(question))


def answer(question: str, text: str) -> dict[str, Any] | None:
    """The entries of a list that speak of what is asked for; None of any other question or text, or where none does in
    these words.
    """
    asked = _ASKED.search(question)
    given = opinions.items(text) if asked else []
    if asked is None or len(given) < opinions.MIN_ITEMS:
        return None
    wanted = {
        stem(token.lemma_.lower())
        for token in parse(asked["topic"])
        if token.pos_ in ("NOUN", "PROPN", "VERB") and token.lower_ not in _IDLE
    }
    holding = [one for one in given if wanted & stems_of(one)]
    lead = asked[0][: len(asked[0]) - len(asked["topic"])]
    is_blame = _BAD.search(lead) or " too " in f" {asked['topic'].lower()} "
    sign = 1 if _GOOD.search(lead) else -1 if is_blame else 0
    kept = [one for one in holding if not sign or sign * opinions.judged(one) > 0]
    if not kept:
        return None
    labels = opinions.labels_of(text)
    numbers = f" ({enumerated([labels[one] for one in kept])})" if labels and len(kept) > 1 else ""
    lines = opinions.listed(kept, labels)
    return {"answer": lines if len(kept) == 1 else f"{len(kept)} of {len(given)}{numbers}:\n{lines}"}
