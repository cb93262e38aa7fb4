"""The reader of pages: names and values by their places on a page, and which of them a question asks for.

A value stands behind the colon of its name, to the right of it, below it, or in a table at the crossing of a row and a
column. Each pair is described by features for a question, which a logistic regression weighs, trained by
`python -m hugginggpt.experts.training` on drawn pages. Where no pair is likely enough, the answer is not on the page.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Any, Literal, NamedTuple

from hugginggpt.experts import logistic, minilm, opening_hours, page_grids, page_sentences, page_times, reading
from hugginggpt.experts.answer_types import holds
from hugginggpt.experts.asked_query import Query
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.joint_reading import Memory
from hugginggpt.experts.ocr import Line
from hugginggpt.experts.reading import mean_of, share, similar_words
from hugginggpt.experts.word_likeness import stem, stems_of

Relation = Literal["colon", "right", "below", "table", "alone"]
ANSWERED = 0.6
"""A pair of at least this probability is an answer."""
NEAR, TYPED, MAX_CLOSEST = 0.3, 0.2, 2
"""The least nearness (similarity, share of words in common and probability, and `TYPED` for a value of the kind that is
asked for) of what is offered as the closest; and how much is."""
SET_BELOW, WHOLE = 0.1, 0.5
SUM_VERBS = frozenset(("owe", "come", "spend", "amount", "total", "altogether"))
SUM_NAMES = re.compile(
    r"(?:grand )?total\b|(?:amount|balance|sum)\b.{0,12}\b(?:due|owed|to pay)|to pay\b|amount\b", re.IGNORECASE
)
"""How a question asks for the whole sum ("what do I owe"), and what a page calls it."""
HEAD = "pages.safetensors"
MAX_ANSWERS = 3
MAX_CELLS = 4
"""Rows of more lines are those of a table, and are read as such."""
ITEM_KINDS = frozenset(["money", "time", "date"])
RARE = 0.45
"""The minimum rarity of a word that names an item."""
MIN_PROSE_WORDS = 5
MIN_ROLE_SIMILARITY = 0.45
"""The cosine of the vectors of two words for a person's role that mean about the same."""

_MONEY = r"(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥]|EUR|USD|GBP|CHF|euros?|dollars?|pounds?)|\d{1,3}(?:,\d{3})*\.\d\d|\d+,\d\d)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
VALUES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "iban": r"\b[A-Z]{2}\d\d(?:\s?[\dA-Z]{4}){3,7}(?:\s?[\dA-Z]{1,4})?\b",
        "vat": r"\b[A-Z]{2}\s?\d{8,11}\b",
        "email": r"[\w.+-]+@[\w-]+\.[\w.]+",
        "web": r"\bwww\.\S+|https?://\S+",
        "date": rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s?{_MONTH}(?:\s?\d{{2,4}}|\b)|{_MONTH}\s?\d{{1,2}},?\s?\d{{4}}|"
        r"\b\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
        "time": r"\b\d{1,2}[:.][0-5]\d\b(?!\s?(?:EUR|€))|\b\d{1,2}\s?(?:am|pm)\b",
        "money": _MONEY,
        "phone": r"\+?\d[\d\s()/-]{5,}\d",
        "number": r"\d",
    }.items()
}
"""Kinds of values, the most special first."""
_ASKED_WORDS = {
    "iban": "iban account", "vat": "vat", "email": "email e-mail mail", "web": "web website homepage url",
    "phone": "phone telephone tel fax call mobile",
}  # fmt: skip
CONTACTS = ("iban", "email", "web", "phone")
_MONEY_NAMES = frozenset("total subtotal tax vat price fee cost amount sum discount change shipping".split())
_ID_NAMES = frozenset("number no id nr reference code".split())


@dataclass(frozen=True, slots=True)
class Pair:
    """A name and its value, and how they stand to each other; "alone" is a row without a name.

    `size` is the height of its text to that of the page's median line, `top` its place from 0 (top) to 1 (bottom).
    """

    name: str
    value: str
    relation: Relation
    size: float = field(default=1.0, compare=False)
    top: float = field(default=0.5, compare=False)

    @property
    def text(self) -> str:
        return f"{self.name}: {self.value}" if self.name else self.value

    @property
    def kind(self) -> str:
        """The kind of the value, from `VALUES`, or "words"."""
        return next((kind for kind, pattern in VALUES.items() if pattern.search(self.value)), "words")


def pairs(rows: Sequence[Sequence[Line]]) -> list[Pair]:
    """The pairs of a page, each once."""
    lines = [line for row in rows for line in row]
    if not lines:
        return []
    height, bottom = median(line.height for line in lines), max(line.bottom for line in lines)
    cells = list(_cells(rows))
    in_tables = {id(line) for line, _ in cells} | {id(line) for head in table_heads(rows) for line in head}
    seen: dict[Pair, Pair] = {}
    for row in rows:
        for line, pair in _pairs_of_row(row, lines, in_tables):
            seen.setdefault(pair, replace(pair, size=line.height / height, top=line.top / bottom))
    for line, pair in cells:
        seen.setdefault(pair, replace(pair, size=line.height / height, top=line.top / bottom))
    names = {pair.name for pair in seen if pair.relation == "colon"}
    names |= {_name(line.text) for line in lines if line.text.endswith(":")}
    return [pair for pair in seen.values() if _name(pair.value) not in names]


def _pairs_of_row(row: Sequence[Line], lines: Sequence[Line], in_tables: Container[int]) -> Iterator[tuple[Line, Pair]]:
    for index, line in enumerate(row):
        yield from ((line, pair) for pair in _inline(line.text))
        if id(line) in in_tables:
            continue
        if index + 1 < len(row) and _is_name(line.text) and not row[index + 1].text.endswith(":"):
            yield line, Pair(_name(line.text), row[index + 1].text, "right")
        if _is_name(line.text) and (below := _below(line, lines)):
            yield line, Pair(_name(line.text), below, "below")
        yield line, Pair("", line.text, "alone")
        if CLOSING.match(line.text) and (name := _signature(line, lines)):
            yield line, Pair("Signed by", name, "colon")
        elif writer := BY_LINE.match(line.text):
            yield line, Pair("Written by", writer[1], "colon")
    if len(row) > 1 and not any(id(line) in in_tables for line in row):
        yield row[0], Pair("", " ".join(line.text for line in row), "alone")


def _signature(closing: Line, lines: Sequence[Line]) -> str:
    """The first name below a letter's closing formula, with what stands below that on a short line: a role."""
    below = sorted(
        (line for line in lines if line.top >= closing.bottom - 0.4 * closing.height), key=lambda each: each.top
    )
    named = next((at for at, line in enumerate(below[:2]) if PERSON_LIKE.match(line.text)), None)
    if named is None:
        return ""
    role = [line.text for line in below[named + 1 : named + 2] if _is_name(line.text)]
    return ", ".join([below[named].text.rstrip(" ,"), *role])


CLOSING = re.compile(
    r"(?:yours\b|(?:kind|best|warm|with)\b.*\b(?:regards|wishes)|regards|sincerely|love\b)", re.IGNORECASE
)
"""The closing formula of a letter."""
BY_LINE = re.compile(r"(?:written )?by ([A-Z][\w'-]+(?: [A-Z][\w'-]+){1,2})\b", re.IGNORECASE)


def _inline(text: str) -> Iterator[Pair]:
    """The pair within a line: "Due date: 11 April", "Total $484.00", "Soup ..... 4.50"."""
    name, colon, value = text.partition(":")
    if colon and value.strip() and len(name.split()) <= 5 and not name.strip()[-1:].isdigit():
        yield Pair(name.strip(), value.strip(), "colon")
        return
    leaders = re.fullmatch(r"(.*?[A-Za-z)])\s*[.·…_]{3,}\s*(\S.*)", text)
    if leaders:
        yield Pair(leaders[1], leaders[2], "right")
        return
    for kind in ("iban", "vat", "email", "web", "date", "money", "phone"):
        match = VALUES[kind].search(text)
        if match and re.search(r"[A-Za-z]{3}", text[: match.start()]) and match.end() > len(text) - 3:
            yield Pair(text[: match.start()].strip(" -–"), match[0].strip(), "colon")
            return


def _is_name(text: str) -> bool:
    """Whether a line can be the name of a value: some words, no amount or date."""
    has_value = any(VALUES[kind].search(text) for kind in ("iban", "email", "date", "money", "phone", "web"))
    return bool(re.search(r"[A-Za-z]{2}", text)) and not has_value and len(text.split()) <= 6


def _name(text: str) -> str:
    return re.sub(r"[\s:.·…_]+$", "", text)


def _below(line: Line, lines: Sequence[Line]) -> str:
    """What stands closely below a line and aligned with it: the next line, and for an address a second one."""
    under = [
        other
        for other in lines
        if 0 < other.top - line.top < 2.6 * max(line.height, other.height)
        and other.top >= line.bottom - 0.4 * line.height
        and abs(other.left - line.left) < 1.2 * line.height
    ]
    return min(under, key=lambda other: other.top).text if under else ""


def _cells(rows: Sequence[Sequence[Line]]) -> Iterator[tuple[Line, Pair]]:
    """The cells of tables: each is named by its column's head and by the cells of its row that are words."""
    heads = {id(row) for row in table_heads(rows)}
    head: Sequence[Line] = ()
    last = 0.0
    for row in rows:
        if head and row[0].top - last > 5 * row[0].height:
            head = ()
        if id(row) in heads:
            head, last = row, row[0].top
            continue
        if not head or len(row) < max(2, len(head) - 1):
            continue
        last = row[0].top
        for line in row:
            column = min(head, key=lambda each: each.offset(line))
            words = [other.text for other in row if other is not line and _is_name(other.text)][:2]
            if words:
                yield line, Pair(f"{' '.join(words)} {column.text}", line.text, "table")


def table_heads(rows: Sequence[Sequence[Line]]) -> list[Sequence[Line]]:
    """The rows that are heads of tables: words above a row with as many cells, give or take one, one with a digit."""
    return [
        row
        for row, below in itertools.pairwise(rows)
        if len(row) >= 3
        and not any(re.search(r"\d", line.text) for line in row)
        and abs(len(below) - len(row)) <= 1
        and any(re.search(r"\d", line.text) for line in below)
    ]


FEATURES = (
    "closeness", "less close than the closest", "closeness of the name", "name less close than the closest",
    "name in the question", "question in the name", "less of the question than another", "similar words",
    "less similar words than another", "least similar word", "name's words unlike the question", "kind fits",
    "kind is another", "special kind is missing", "colon", "right", "below", "table", "alone", "value is long",
    "value is words", "rank", "asks who", "asks where", "asks what", "words, asks what", "name or number unknown",
    "name is empty", "kind fits, closest name", "kind fits, most of the question", "large", "large, asks a name",
    "top, asks a name", "like a person, asks who", "place, asks where", "table, most of the question",
    "one word, asks many",
)  # fmt: skip
PERSON_LIKE = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z'-]+){1,2}")


def described(question: str, candidates: Sequence[Pair]) -> list[tuple[float, ...]]:
    """The `FEATURES` of each pair for a question."""
    import numpy as np

    if not candidates:
        return []
    query = Query.read(question)
    names = sorted({pair.name for pair in candidates if pair.name})
    vector = minilm.embed([question])[0]
    vectors = minilm.embed([*(pair.text for pair in candidates), *names])
    closeness = vectors[: len(candidates)] @ vector
    of_name = dict(zip(names, map(float, vectors[len(candidates) :] @ vector), strict=True))
    kinds = asked_kinds(query)
    page = frozenset[str]().union(*(stems_of(pair.text) for pair in candidates))
    rank = {int(index): place for place, index in enumerate(np.argsort(-closeness))}
    shares = [share(query, stems_of(pair.text)) for pair in candidates]
    weights = list(query.weights.values())
    similar = [similar_words(query, words_of(pair.text), stems_of(pair.text)) for pair in candidates]
    means = [mean_of(weights, each) for each in similar]
    best = Best(float(closeness.max()), max(of_name.values(), default=0.0), max(shares), max(means))
    return [
        _features(
            query, kinds, pair, page, best,
            Fit(float(closeness[index]), of_name.get(pair.name, 0.0), shares[index], means[index], min(similar[index], default=0.5), rank[index]),
        )
        for index, pair in enumerate(candidates)
    ]  # fmt: skip


def words_of(text: str) -> tuple[str, ...]:
    return tuple(sorted(set(re.findall(r"[a-z]{3,}", text.lower()))))


class Best(NamedTuple):
    """The highest figures of a page's pairs for a question."""

    closeness: float
    of_name: float
    share: float
    similar: float


class Fit(NamedTuple):
    """The figures of a pair for a question."""

    closeness: float
    of_name: float
    share: float
    similar: float
    least_similar: float
    rank: int


def asked_kinds(query: Query) -> tuple[str, ...]:
    """The kinds of values that a question asks for; () for any."""
    words = {token.lower_.strip("-") for token in query.parsed} | {token.lemma_.lower() for token in query.parsed}
    for kind, names in _ASKED_WORDS.items():
        if words & set(names.split()) and not (kind == "vat" and not words & _ID_NAMES):
            return (kind,)
    if words & _ID_NAMES and not words & {"many", "much"}:
        return ("number", "phone", "vat", "iban")
    match query.asked.types[0]:
        case "date":
            return ("date", "time") if "when" in words else ("date",)
        case "time" | "money":
            return (query.asked.types[0],)
        case "number" | "duration" | "age":
            return ("number",)
    return ("money",) if words & _MONEY_NAMES else ()


def _features(
    query: Query, kinds: tuple[str, ...], pair: Pair, page: frozenset[str], best: Best, fit: Fit
) -> tuple[float, ...]:
    name_stems = stems_of(pair.name)
    asked_stems = frozenset(stem(word) for word in query.words)
    kind, type_ = pair.kind, query.asked.types[0]
    fits = kind in kinds or (kinds == ("number",) and bool(re.fullmatch(r"\D{0,3}\d+\D{0,3}", pair.value)))
    special = bool(kinds) and kinds[0] in (*CONTACTS, "vat", "date", "time", "money")
    proper = [token for token in query.parsed if token.pos_ in ("PROPN", "NUM") or any(map(str.isdigit, token.text))]
    unknown = any(not stems_of(token.text) <= page for token in proper if token.lower_ not in _known_names())
    asks_name = type_ in ("person", "name") or bool(query.words & _TITLED)
    large = max(0.0, min(2.0, pair.size - 1))
    return (
        fit.closeness,
        best.closeness - fit.closeness,
        fit.of_name,
        best.of_name - fit.of_name,
        len(name_stems & asked_stems) / len(name_stems) if name_stems else 0.0,
        share(query, name_stems),
        best.share - fit.share,
        fit.similar,
        best.similar - fit.similar,
        fit.least_similar,
        len(name_stems - asked_stems) / 4,
        float(bool(kinds) and fits),
        float(bool(kinds) and not fits),
        float(special and not any(VALUES[each].search(pair.value) for each in kinds)),
        *(float(pair.relation == each) for each in ("colon", "right", "below", "table", "alone")),
        min(1.0, len(pair.value.split()) / 10),
        float(kind == "words"),
        min(fit.rank, 10) / 10,
        float(type_ == "person"),
        float(type_ == "place"),
        float(type_ in ("thing", "name")),
        float(type_ in ("thing", "name", "person") and kind == "words") * fit.similar,
        float(unknown),
        float(not pair.name),
        float(fits and fit.of_name == best.of_name),
        float(fits and fit.share == best.share > 0),
        large,
        large * asks_name,
        (1 - pair.top) * asks_name * float(kind == "words"),
        float(type_ == "person" and bool(PERSON_LIKE.fullmatch(pair.value))),
        float(
            type_ == "place"
            and bool(re.search(r"\d+ [A-Z]|street|road|lane|square|park|hall", pair.value, re.IGNORECASE))
        ),
        float(pair.relation == "table" and fit.share == best.share > 0),
        float(type_ == "number" and bool(re.fullmatch(r"\D{0,3}\d+\D{0,3}", pair.value))),
    )


_ANYBODY = frozenset("person people name card letter this".split())
_TITLED = frozenset("company shop restaurant seller firm called name who".split())


def _known_names() -> frozenset[str]:
    """Words of questions that the tagger takes for names."""
    return frozenset(" ".join(_ASKED_WORDS.values()).split()) | _ID_NAMES | _MONEY_NAMES


@dataclass
class Page:
    """The rows of a page and their pairs, weighed once for each question."""

    rows: Sequence[Sequence[Line]]
    _weighed: dict[tuple[str, tuple[int, ...]], list[float]] = field(default_factory=dict)
    _memories: dict[tuple[str, ...], Memory] = field(default_factory=dict)

    @cached_property
    def pairs(self) -> list[Pair]:
        return pairs(self.rows)

    @cached_property
    def running(self) -> list[str]:
        """The sentences that run over several rows."""
        return page_sentences.of(self.rows)

    def probabilities(self, question: str, candidates: Sequence[Pair]) -> list[float]:
        """How likely each of some of the page's pairs answers a question."""
        key = question, tuple(map(id, candidates))
        if key not in self._weighed:
            self._weighed[key] = logistic.load(HEAD, FEATURES).probabilities(described(question, candidates))
        return self._weighed[key]

    def memory(self, texts: tuple[str, ...]) -> Memory:
        """Some texts of the page as the joint reader keeps them, for all questions."""
        if texts not in self._memories:
            self._memories[texts] = Memory(texts)
        return self._memories[texts]


def answers(question: str, rows: Sequence[Sequence[Line]]) -> list[dict[str, Any]]:
    """Up to three values of a page that answer a question, the likeliest first, or a sentence of its running text; []
    where none is likely enough."""
    return answers_of(question, Page(rows))


def answers_of(question: str, page: Page) -> list[dict[str, Any]]:
    """`answers` from a page whose pairs are kept for further questions."""
    query, asked = Query.read(question), stems_of(question)
    if value := page_times.computed(query, page.pairs) or opening_hours.answer_from(question, page.rows):
        return [{"answer": value}]
    tables, kinds = list(page_grids.grids(page.rows)), asked_kinds(query)
    for grid in tables:
        is_asked = bool(grid.kinds.intersection(kinds))
        if (is_asked or not kinds) and (found := page_grids.looked_up(question, grid)):
            return [{"answer": found[0], "entry": found[1]}]
        if (is_asked or page_grids.names_an_end(question)) and grid.rows_named(question):
            return []
    candidates = [pair for pair in page.pairs if has_role(query, pair) and not page_times.is_issue_date(query, pair)]
    probabilities = page.probabilities(question, candidates)
    best: dict[str, dict[str, Any]] = {}
    for probability, pair in sorted(zip(probabilities, candidates, strict=True), key=lambda each: -each[0]):
        if any(grid.misreads(pair.name, pair.value) for grid in tables):
            continue
        if probability >= ANSWERED and not stems_of(pair.value) <= asked and _is_of_type(query, pair):
            best.setdefault(pair.value, {"answer": pair.value, "score": round(probability, 4), "entry": pair.text})
    if not best and (item := _item(query, page.rows)):
        return [item]
    if not best and (prose := prose_of(page.rows)):
        sentence = reading.answer(question, prose)
        contacts = set(CONTACTS).intersection(asked_kinds(query))
        lacks = contacts and not any(VALUES[kind].search(sentence["answer"]) for kind in contacts)
        return [sentence] if "score" in sentence and sentence.get("found", True) and not lacks else []
    return list(best.values())[:MAX_ANSWERS]


def _item(query: Query, rows: Sequence[Sequence[Line]]) -> dict[str, Any] | None:
    """The value in the only row that a word of the question names, if it is the row's only one of the kind asked for:
    "what did I pay for the bacon", where a row is "BACK BACON 2KG", "14.50".
    """
    kinds = ITEM_KINDS.intersection(asked_kinds(query))
    named = {stem(word) for word, weight in query.weights.items() if weight >= RARE}
    having = [row for row in rows if 1 < len(row) <= MAX_CELLS and named & stems_of(row[0].text)]
    elsewhere = [row for row in rows if named & stems_of(" ".join(line.text for line in row)) and row not in having]
    asks_sum = any(SUM_NAMES.match(word) for word in query.words)
    if len(having) != 1 or elsewhere or asks_sum or not kinds:
        return None
    values = [line.text for line in having[0][1:] if any(VALUES[kind].search(line.text) for kind in kinds)]
    if len(values) != 1:
        return None
    return {"answer": values[0], "entry": " ".join(line.text for line in having[0])}


def _is_of_type(query: Query, pair: Pair) -> bool:
    """Whether a value can be what a question asks for: no date is a place, and nothing without a number a price."""
    type_ = query.asked.types[0]
    if type_ in ("date", "time") and re.fullmatch(r"\d+\.\d\d", pair.value):
        return False  # a price, mostly
    if type_ in ("person", "place"):
        return bool(re.search(r"[A-Za-z]{2}", VALUES["date"].sub("", VALUES["time"].sub("", pair.value))))
    if type_ == "number" and pair.relation == "table" and _is_name(pair.value):
        return False
    if type_ in reading.STRICT - {"name", "colour", "contact"}:
        return any(holds(each, parse(pair.value), query.words) for each in query.asked.types)
    return True


def has_role(query: Query, pair: Pair) -> bool:
    """Whether a pair has a word like each by which a question asks for a person: "the driver" is nobody who is billed."""
    if query.asked.types[0] != "person" or not set(query.weights) - _ANYBODY:
        return True
    role = pair.name or pair.text
    similar = similar_words(query, words_of(role), stems_of(role))
    return min(similar, default=1.0) >= MIN_ROLE_SIMILARITY


def prose_of(rows: Sequence[Sequence[Line]]) -> str:
    """The running text of a page: rows of a single line of many words."""
    return "\n".join(row[0].text for row in rows if len(row) == 1 and len(row[0].text.split()) >= MIN_PROSE_WORDS)


def row_text(row: Sequence[Line]) -> str:
    """A row as one text: a name and its values with a colon between them."""
    if 1 < len(row) <= MAX_CELLS and _is_name(row[0].text):
        return " ".join((f"{_name(row[0].text)}:", *(line.text for line in row[1:])))
    return " ".join(line.text for line in row)
