"""Reviews and comments judged one by one: which are good and which are bad, and what the unhappy ones complain about.

A text with an opinion on each line, or in each paragraph, is taken apart; what each says is judged by a head over its
vector (MiniLM; trained by `python -m hugginggpt.experts.training` on data/reading/opinions.txt) and by VADER's words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.documents import enumerated
from hugginggpt.experts import chats, logistic, minilm
from hugginggpt.experts.sentences import sentences, without_margin
from hugginggpt.experts.word_list_sentiment import compound
from hugginggpt.experts.written_language import ENGLISH, function_word

HEAD = "opinions.safetensors"
FEATURES = tuple(f"vector {number}" for number in range(minilm.WIDTH))
LISTED = 4.0
"""What VADER's compound, from -1 to 1, counts for beside the head's log-odds."""
CLEAR = 0.8
"""The sum of both from which an opinion is good or, below its negative, bad."""
LIKELY = {"bad": 0.3, "good": 1.5}
"""The same for a sentence of a text that is known to criticise or to praise."""
MIN_ENDED = 0.6
"""Where a smaller share of the lines ends with a sentence, a margin breaks them."""
MIN_ITEMS, MIN_WORDS, MAX_ITEMS = 3, 2, 300
_MARK = re.compile(r"^\s*(?:[-*•–]\s+|\(?(?P<label>\d{1,3}|[A-Z])[.):]\s+|[#>]+\s+)")
_BUT = re.compile(r",?\s+(?:but|however|although|though|only)\s+|;\s+", re.IGNORECASE)
_OPINIONS = ("reviews", "comments", "opinions", "ratings", "testimonials", "responses", "statements", "posts")
_OF_THEM = re.compile(r"\bwhich of (?:them|these|those) (?:are|were|sound)\b", re.IGNORECASE)
_OF_ONE = re.compile(r"\b(?:this|that|the|my|his|her) (?:review|comment|opinion|feedback|rating|post)\b", re.IGNORECASE)
"""What speaks of a single text, whose mood another expert tells."""


def answer(question: str, text: str) -> dict[str, Any] | None:
    """The opinions of a text that are asked for, sorted or counted; None of any other question or text."""
    if not asked_for(question):
        return None
    given, wanted = items(text), _side(question)
    if len(given) < MIN_ITEMS:
        return _reasons_of_one(text, wanted) if wanted and _holds(question, "reasons") else None
    sides = {
        "good": [one for one in given if judged(one) > CLEAR],
        "bad": [one for one in given if judged(one) < -CLEAR],
    }
    unclear = [one for one in given if one not in sides["good"] and one not in sides["bad"]]
    labels = labels_of(text)
    if wanted and _holds(question, "reasons"):
        return _reasons(given, wanted)
    counts = ", ".join(
        [f"{len(sides[side])} {side}" for side in sides] + ([f"{len(unclear)} not clear"] if unclear else [])
    )
    if _holds(question, "counting") and wanted:
        some = sides[wanted]
        told = f"{len(some)} of {len(given)} are {wanted}{_which(some, labels)}"
        return {"answer": f"{told}:\n{listed(some, labels)}" if some else told}
    if wanted and _holds(question, "choosing"):
        if not sides[wanted]:
            return {"answer": f"None of the {len(given)} is clearly {wanted}."}
        some = sides[wanted]
        if len(some) == 1 and labels:
            return {"answer": listed(some, labels)}
        return {"answer": f"{len(some)} of {len(given)}{_which(some, labels)}:\n{listed(some, labels)}"}
    if not _holds(question, "sorting"):
        return {"answer": f"Of {len(given)}: {counts}."}
    groups = [(name, some) for name, some in (*sides.items(), ("not clear", unclear)) if some]
    lists = "\n".join(f"{name.capitalize()}:\n{listed(some, labels)}" for name, some in groups)
    return {"answer": f"Of {len(given)}: {counts}.\n{lists}"}


def asked_for(question: str) -> bool:
    """Whether words ask for opinions of several people, sorted, chosen or counted, or for what they complain about."""
    has_side = _holds(question, "good") or _holds(question, "bad")
    if not has_side or _names_more(question) or _OF_ONE.search(question):
        return False
    is_of_people = bool(_side(question)) and _holds(question, "reasons") and _holds(question, "people")
    is_sorted = _holds(question, "sorting") and not _side(question)  # "split them into good and bad"
    is_short = _holds(question, "counting") and bool(_side(question))  # "and how many are good?"
    is_chosen = bool(_side(question) and _holds(question, "choosing") and _OF_THEM.search(question))
    return is_of_people or is_sorted or is_short or is_chosen or _holds(question, "items")


def _names_more(question: str) -> bool:
    """Whether words ask for something particular beside opinions: "who liked the soup?"."""
    known = {word for words in _words().values() for phrase in words for word in phrase.split()}
    spoken = _spoken(question)
    kinds = {at for at, word in enumerate(spoken[1:]) if word in _OPINIONS}  # "hotel reviews"
    return any(
        word not in known and at not in kinds and not function_word(word, ENGLISH) for at, word in enumerate(spoken)
    )


def _reasons_of_one(text: str, side: str) -> dict[str, Any] | None:
    """The sentences of a single text that praise or criticise; None where none does."""
    sign = 1 if side == "good" else -1
    told = [one for one in sentences(text) if sign * judged(one) > LIKELY[side] and len(one.split()) >= MIN_WORDS]
    return {"answer": listed(told, {})} if told else None


def items(text: str) -> list[str]:
    """The opinions of a text: the messages of a chat, else its paragraphs where they are several, else its lines."""
    if written := chats.messages(text):
        return [one.quoted for one in written] if len(written) > 1 else []
    lines = [line for line in text.splitlines() if line.strip()]
    if sum(map(_is_ended, lines)) < MIN_ENDED * len(lines):
        text = without_margin(text)
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text) if block.strip()]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    parts = blocks if MIN_ITEMS <= len(blocks) < len(lines) else lines
    told = [_MARK.sub("", part) for part in parts]
    said = [one for one in told if len(one.split()) >= MIN_WORDS and not _is_heading(one)]
    has_title = len(said) > MIN_ITEMS and not _is_ended(said[0]) and all(map(_is_ended, said[1:]))
    return said[has_title : MAX_ITEMS + has_title]


def _is_ended(line: str) -> bool:
    return line.rstrip(" )”\"'")[-1:] in tuple(".!?…") or line.endswith(")")


def labels_of(text: str) -> dict[str, str]:
    """The numbers or letters before the opinions of a text, by these; {} where not each of them has one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    marks = {_MARK.sub("", line): match["label"] for line in lines if (match := _MARK.match(line)) and match["label"]}
    return marks if set(items(text)) <= marks.keys() else {}


def _which(some: Sequence[str], labels: Mapping[str, str]) -> str:
    """ " (2, 4 and 9)", where the opinions are numbered."""
    return f" ({enumerated([labels[one] for one in some])})" if labels and some else ""


def _is_heading(line: str) -> bool:
    return line.endswith(":") or (len(line.split()) <= 4 and line[-1].isalnum() and line.istitle())


def judged(text: str) -> float:
    """How good (above 0) or bad an opinion is."""
    import math

    chance = logistic.load(HEAD, FEATURES).probabilities([_vector(text)])[0]
    bounded = min(max(chance, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded)) + LISTED * compound(text)


def _vector(text: str) -> Sequence[float]:
    vector: Sequence[float] = minilm.embed([text])[0].tolist()
    return vector


def _reasons(given: Sequence[str], side: str) -> dict[str, Any]:
    """What is praised or criticised: opinions of that side whole, of others the sentences that are."""
    sign = 1 if side == "good" else -1
    told: list[str] = []
    for one in given:
        parts = [part for sentence in sentences(one) for part in _BUT.split(sentence) if len(part.split()) >= MIN_WORDS]
        own = [part for part in parts if sign * judged(part) > CLEAR]
        if sign * judged(one) > CLEAR and not any(-sign * judged(part) > CLEAR for part in parts):
            told.append(one)
        elif own:
            told.append("; ".join(own))
    if not told:
        verb = "praises" if side == "good" else "complains about"
        return {"answer": f"None of the {len(given)} clearly {verb} anything."}
    return {"answer": f"{len(told)} of {len(given)}:\n{listed(told, {})}"}


def listed(given: Sequence[str], labels: Mapping[str, str]) -> str:
    """The opinions in lines, behind their numbers where they have some."""
    return "\n".join(f"{labels[one]}. {one}" if one in labels else f"- {one}" for one in given)


def _side(question: str) -> str:
    """The side that words ask for; "" for both or none."""
    sides = [side for side in ("good", "bad") if _holds(question, side)]
    return sides[0] if len(sides) == 1 else ""


@cache
def _words() -> dict[str, frozenset[str]]:
    return {name: frozenset(words) for name, words in word_lists.lists(EXPERTS_DATA / "opinion_words.txt").items()}


def _holds(question: str, kind: str) -> bool:
    spoken = f" {' '.join(_spoken(question))} "
    return any(f" {word} " in spoken for word in _words()[kind])


def _spoken(question: str) -> list[str]:
    return re.findall(r"[a-z]+", re.sub("[’']", "", question.lower()))
