"""The line of a page that answers a question, and how sure that is, where none of its named values does so plainly.

Each line, sentence and entry of a table is described by features (what the joint reader says of it, closeness in
meaning, shared words, whether it holds what is asked for), which a logistic regression weighs, trained by
`python -m hugginggpt.experts.training` on pages.txt and everyday.txt of data/reading. A line that is likely enough is
given as it stands, a less likely one as probable; below that the closest are offered as what they are.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import logistic, minilm, page_sentences, pages, reading, senders
from hugginggpt.experts.answer_types import holds, lacks_figures
from hugginggpt.experts.asked_query import Query
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.joint_answers import LIKELY, UNSURE, together
from hugginggpt.experts.joint_reading import MAX_MARGIN
from hugginggpt.experts.ocr import Line
from hugginggpt.experts.question_parts import PERSONAL, parts_of
from hugginggpt.experts.reading import mean_of, share, similar_words
from hugginggpt.experts.sentences import statements
from hugginggpt.experts.word_likeness import stems_of

FEATURES = (
    "read together", "read together, ahead", "read together, rank", "closeness", "less close than the closest",
    "shared words", "less of the question than another", "similar words", "least similar word", "label's similar words",
    "pair's probability", "less than the likeliest pair's", "kind fits", "kind is missing", "holds the type",
    "lacks the type", "like a person, asks who", "asks who", "asks yes or no", "asks what", "name or number unknown",
    "words that ask", "sum, asks the sum", "no sum, asks the sum", "says little", "is long",
    "called by another word", "another is called so",
)  # fmt: skip
HEAD = "page-lines.safetensors"
PLAIN, PROBABLE, PERHAPS, NEAR = 0.95, 0.35, 0.25, 0.05
"""From which probability on a line is given as the answer, as probable, as a guess, or as one of the closest."""
UNCERTAIN, UNLIKELY, ALL_WORDS = 0.94, 0.24, 0.999
NEARLY, SECOND = 0.6, 0.85
"""A second line is told beside one that is not given plainly if it has this share of its probability."""
MIN_WORDS = 3
"""A line of fewer, without a colon, is mostly a heading or the end of a sentence, and not given plainly."""
SUPPORTED = 0.3
"""A value whose line is less likely than so to answer the question is not given for it."""
TOLD_ONCE, LIKELIEST = frozenset(("money", "duration", "temperature", "length", "mass", "contact")), 3
"""What a line holds that is probable where no other line does, and among how many of the likeliest it must be."""
_PAYING = frozenset((
    "pay", "cost", "owe", "spend", "price", "boy", "girl", "son", "daughter", "child", "kid", "wife", "husband",
    "person", "one", "ticket", "trip",
))  # fmt: skip
_IT = frozenset(["it", "that", "they", "them"])
COSTS, _COSTS = 0.35, re.compile(r"\b(?:costs?|price|fee|charge|entry|admission|ticket)s?\b", re.IGNORECASE)
"""By how much more likely a line is that names a price, where a question names only that something is paid."""
EXCLUDES = re.compile(r"\b(?:without|before|except|excluding|not|but)\b", re.IGNORECASE)
"""Words by which a question may ask for other than what it names: no line answers that plainly."""
NOT_THERE = "I do not find this on the page."
PLAINLY = "I do not find this on the page; closest is: “{}”"
WORD = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
MAX_LINES, MAX_NAME_WORDS = 120, 4
ASKS_SUM = re.compile(
    r"\b(?:al+ ?to\w+|in all|in total|total|owe[ds]?|(?:do|does|did|must|to|we|i|they|have) (?:\w+ )?(?:pay|spend)|"
    r"how much is (?:it|this)|come to|whole bill)\b",
    re.IGNORECASE,
)
"""How a question asks for the whole sum, if it asks for money and names nothing else of the page."""

_OF_CONTACT = re.compile(
    r"\b(?:numbers?|no|e-?mails?|mail|address|website|web|homepage|url|iban|account)\b", re.IGNORECASE
)
"""Words for a contact itself: "may she take her phone?" asks for none."""


def answer(question: str, rows: Sequence[Sequence[Line]]) -> list[dict[str, Any]]:
    """What `pages.answers` a question; otherwise the line that probably does, with "found" false where that is not
    certain, or that it is not there, with what is closest. Of several questions in one each is answered.
    """
    asked, page = parts_of(question), pages.Page(rows)
    if len(asked) == 1:
        return [_in_full(one, page, question) for one in _answers(question, page)]
    given = [_answers(part, page, question if PERSONAL & set(part.lower().split()) else part)[0] for part in asked]
    given = [_in_full(one, page, part) for part, one in zip(asked, given, strict=True)]
    first = str(given[0].get("closest") or given[0]["answer"]).partition(" / ")[0]
    given[1:] = [_of_the_same(part, first, one) for part, one in zip(asked[1:], given[1:], strict=True)]
    return [together(given, asked, PLAINLY)]


def _of_the_same(part: str, first: str, answer: dict[str, Any]) -> dict[str, Any]:
    """What answers a further part: the line that answers the first one, where that holds what is asked of "it"."""
    query = Query.read(part)
    is_held = query.asked.types[0] == "money" and holds("money", parse(first), query.words)
    is_of_it = bool(_IT & query.words) and not query.weights.keys() - _PAYING
    return {"answer": first, "quotes": [first]} if is_held and is_of_it else answer


def _in_full(answer: dict[str, Any], page: pages.Page, question: str) -> dict[str, Any]:
    """An answer that is half a sentence as the whole one."""
    if not answer.get("found", True) or not (running := page.running):
        return answer
    text = page_sentences.whole(str(answer["answer"]), running, question)
    entry = str(answer.get("entry", ""))
    if text == answer["answer"] and page_sentences.whole(entry, running) == entry:
        return answer
    return {key: value for key, value in answer.items() if key != "entry"} | {"answer": text}


def _answers(question: str, page: pages.Page, whole: str = "") -> list[dict[str, Any]]:
    """The values that answer a question, unless their lines make that unlikely; else the likeliest line for it, or for
    the `whole` that it is a part of.
    """
    if sent_by := senders.answer(question, page.rows):
        return [sent_by]
    found = pages.answers_of(question, page)
    if found and "score" not in found[0]:
        return found
    ranked = _ranked(whole or question, page)
    if found:
        value = _bare(str(found[0]["answer"]))
        chances = [chance for chance, text in ranked if value in _bare(text)]
        is_behind = bool(chances) and max(chances) < NEARLY * ranked[0][0] and "entry" not in found[0]
        if not chances or (max(chances) >= SUPPORTED and not is_behind):
            return found
    return [_line(_with_only_one(Query.read(question), ranked))]


def _with_only_one(query: Query, ranked: Sequence[tuple[float, str]]) -> Sequence[tuple[float, str]]:
    """The lines of a page; the only one with an amount or the like that is asked for is probable, if it is among the
    likeliest: "how much I pay for my boy?" where "The cost is KSh 1,200 per child." is all there is of money.
    """
    type_ = query.asked.types[0]
    if type_ not in TOLD_ONCE or not ranked:
        return ranked
    holding = [at for at, (_, text) in enumerate(ranked) if holds(type_, parse(text), query.words)]
    if len(holding) != 1 or holding[0] >= LIKELIEST or ranked[holding[0]][0] >= PROBABLE:
        return ranked
    if type_ != "money" and not share(query, stems_of(ranked[holding[0]][1])):
        return ranked
    only = ranked[holding[0]]
    return [(PROBABLE, only[1]), *((min(chance, NEAR), text) for chance, text in ranked if text != only[1])]


def _ranked(question: str, page: pages.Page) -> list[tuple[float, str]]:
    """The lines of a page, each with its probability, the likeliest first."""
    candidates = described(question, page)
    chances = logistic.load(HEAD, FEATURES).probabilities([one.features for one in candidates])
    query = Query.read(question)
    contacts = set(pages.CONTACTS).intersection(pages.asked_kinds(query)) if _OF_CONTACT.search(question) else ()
    if contacts and not any(pages.VALUES[kind].search(one.text) for kind in contacts for one in candidates):
        return []  # nothing is near to a phone number
    found = [(min(_most(query, one.text), chance), one.text) for chance, one in zip(chances, candidates, strict=True)]
    if query.asked.types[0] == "money" and query.weights.keys() <= _PAYING:  # "how much is it?"
        found = [(chance + COSTS * bool(_COSTS.search(text)), text) for chance, text in found]
    return sorted(found, key=lambda each: -each[0])


def _most(query: Query, text: str) -> float:
    """The most that a line's probability may be: it is no plain answer unless it names what is asked for, and no guess
    for a person of another role, nor for an amount where it has none.
    """
    is_named = is_called(text, query.text)
    if lacks_figures(query.asked, text):
        return UNLIKELY
    if not is_named and not pages.has_role(query, pages.Pair("", text, "alone")):
        return UNLIKELY
    says_all = is_named or share(query, stems_of(text)) >= ALL_WORDS
    is_scrap = len(text.split()) < MIN_WORDS and ":" not in text
    return UNCERTAIN if not says_all or is_scrap or EXCLUDES.search(query.text) else 1.0


def _line(ranked: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """The likeliest line of a page, with as much certainty as its probability allows."""
    if not ranked or ranked[0][0] < NEAR:
        return {"answer": NOT_THERE, "found": False}
    chance, text = ranked[0]
    if chance >= PLAIN:
        return {"answer": text, "score": round(chance, 4)}
    least = max(NEAR, (SECOND if chance >= PROBABLE else NEARLY) * chance)
    others = (other for each, other in ranked[1:] if each >= least and not _is_said(other, text))
    near = " / ".join([text, *itertools.islice(others, 1)])
    if chance >= PROBABLE:
        return {"answer": LIKELY.format(near), "closest": near, "score": round(chance, 4), "found": False}
    if chance >= PERHAPS:
        return {"answer": UNSURE.format(near), "closest": near, "chance": chance, "found": False}
    return {"answer": PLAINLY.format(near), "closest": near, "found": False}


def _bare(text: str) -> str:
    return re.sub(r"\W", "", text)


def _is_said(text: str, other: str) -> bool:
    return stems_of(text) <= stems_of(other) or stems_of(other) <= stems_of(text)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line of a page with its features for a question."""

    text: str
    features: tuple[float, ...]


def texts(rows: Sequence[Sequence[Line]], named: Sequence[str], running: Sequence[str] = ()) -> list[str]:
    """What may be quoted of a page: its rows, its values with their names, and sentences over several rows (`running`),
    of whose rows none is quoted.
    """
    found = [text for row in rows for text in _quotes(row)]
    whole = [page_sentences.whole(text, running) for text in found]
    found = [text for text, sentence in zip(found, whole, strict=True) if text == sentence]
    named = [text for text in named if page_sentences.whole(text, running) == text]
    known = {frozenset(stems_of(text)) for text in found}
    for text in (*named, *running, *statements(pages.prose_of(rows))):
        if frozenset(stems_of(text)) not in known:
            known.add(frozenset(stems_of(text)))
            found.append(text)
    return list(dict.fromkeys(text for text in found if stems_of(text)))[:MAX_LINES]


_NEXT_NAME = re.compile(r"(?<=\S) +(?=[A-ZÀ-Þ][^\W\d_]{3,}:\s?\S)")
"""Where a further name with its value begins in what was read as one line: "Valid from: 3 June  Allergies: nuts"."""


def _quotes(row: Sequence[Line]) -> list[str]:
    """A row as a whole, or in parts where further names with values stand in it."""
    starts = [0, *(at for at in range(1, len(row)) if ":" in row[at].text), len(row)]
    told = [pages.row_text(row[start:end]) for start, end in itertools.pairwise(starts)]
    return [piece for text in told for piece in (_NEXT_NAME.split(text) if text.count(":") > 1 else [text])]


def _is_in_parts(row: Sequence[Line]) -> bool:
    return any(":" in line.text for line in row[1:])


def described(question: str, page: pages.Page) -> list[Candidate]:
    """The candidates of a page, each with its `FEATURES`. Raises as `parse` does."""
    query = Query.read(question)
    heads = {row[0].text for row in page.rows if len(row) > 1 and not _is_in_parts(row)}
    likely = {
        pair.text: probability
        for pair, probability in zip(page.pairs, page.probabilities(question, page.pairs), strict=True)
        if pair.relation != "below" or (probability >= pages.SET_BELOW and _is_below(pair, heads))
    }
    quotable = [
        pair.text
        for pair in page.pairs
        if pair.text in likely and (pair.relation == "colon" or (pair.relation != "alone" and ":" not in pair.value))
    ]
    candidates = texts(page.rows, quotable, page.running)
    if not candidates:
        return []
    scores = dict(zip(candidates, page.memory(tuple(candidates)).scores(question), strict=True))
    closeness = dict(zip(candidates, map(float, minilm.embed(candidates) @ minilm.embed([question])[0]), strict=True))
    stems = {text: stems_of(text) for text in (*candidates, *likely)}
    shares = {text: share(query, stems[text]) for text in candidates}
    called = {text for text in candidates if is_called(text, question)}
    words = frozenset[str]().union(*map(stems.__getitem__, candidates))
    named = [token for token in query.parsed if token.i not in query.asked.spent and reading.is_name(token)]
    is_unknown = any(not stems_of(token.text) <= words for token in named)
    return [
        Candidate(
            text,
            (*_features(query, text, stems, scores, closeness, shares, likely, is_unknown), *_called(text, called)),
        )
        for text in candidates
    ]


@cache
def _other_names() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """What pages call things, each with the words by which people ask for them, spaced."""
    pairs = (line.split(" = ") for line in word_lists.lines(EXPERTS_DATA / "label_words.txt"))
    return tuple(
        (frozenset(map(spaced, names.split(","))), frozenset(map(spaced, words.split(",")))) for names, words in pairs
    )


def spaced(text: str) -> str:
    """The words of a text in lower case, a space around each."""
    return f" {' '.join(re.findall(WORD, text.lower()))} "


def is_called(text: str, question: str) -> bool:
    """Whether a line's name is one that pages have for what a question asks for by another word."""
    name = spaced(text.partition(":")[0] if ":" in text else " ".join(text.split()[:MAX_NAME_WORDS]))
    asked = spaced(question)
    return any(
        any(word in asked for word in words) and any(own in name for own in names) for names, words in _other_names()
    )


def _is_below(pair: pages.Pair, heads: Container[str]) -> bool:
    """Whether what stands below another line can be its value, and no name of what stands beside it."""
    return len(pair.name.split()) <= MAX_NAME_WORDS and ":" not in pair.value and pair.value not in heads


def _called(text: str, called: set[str]) -> tuple[float, float]:
    """Whether a line is among those that are called so, and whether only others are."""
    return float(text in called), float(bool(called) and text not in called)


def _features(
    query: Query, text: str, stems: Mapping[str, frozenset[str]], scores: Mapping[str, float],
    closeness: Mapping[str, float], shares: Mapping[str, float], likely: Mapping[str, float], is_unknown: bool,
) -> tuple[float, ...]:  # fmt: skip
    own, type_ = stems[text], query.asked.types[0]
    others = [score for other, score in scores.items() if not (stems[other] <= own or own <= stems[other])]
    label = text.partition(":")[0] if ":" in text else ""
    weights = list(query.weights.values())
    similar = similar_words(query, pages.words_of(text), own)
    of_label = similar_words(query, pages.words_of(label), stems_of(label)) if label else []
    kinds = pages.asked_kinds(query)
    fits = any(pages.VALUES[kind].search(text) for kind in kinds)
    is_strict = type_ in reading.STRICT
    document = parse(text) if is_strict else None
    held = is_strict and any(holds(each, document, query.words) for each in query.asked.types)
    chance = max((chance for pair, chance in likely.items() if stems[pair] <= own), default=0.0)
    asks_sum = "money" in kinds and bool(ASKS_SUM.search(query.text))
    is_sum = bool(pages.SUM_NAMES.match(text))
    return (
        max(-MAX_MARGIN, scores[text]),
        max(-MAX_MARGIN, min(MAX_MARGIN, scores[text] - max(others, default=-MAX_MARGIN))),
        min(5, sum(other > scores[text] for other in others)) / 5,
        closeness[text],
        max(closeness.values()) - closeness[text],
        shares[text],
        max(shares.values()) - shares[text],
        mean_of(weights, similar),
        min(similar, default=0.5),
        mean_of(weights, of_label) if label else 0.0,
        chance,
        max(likely.values(), default=0.0) - chance,
        float(fits),
        float(bool(kinds) and not fits),
        float(held),
        float(is_strict and not held),
        float(type_ == "person" and bool(pages.PERSON_LIKE.search(text))),
        float(type_ == "person"),
        float(query.asked.is_yes_no),
        float(type_ == "thing"),
        float(is_unknown),
        min(4, len(query.weights)) / 4,
        float(asks_sum and is_sum),
        float(asks_sum and not is_sum),
        float(len(text.split()) <= MAX_NAME_WORDS and ":" not in text and not any(map(str.isdigit, text))),
        float(len(text.split()) > 2 * MAX_NAME_WORDS),
    )
