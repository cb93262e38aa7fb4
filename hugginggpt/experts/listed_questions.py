"""Questions over several lines of a list: the dearest, what two soups and a coffee come to, what costs less than 4,
whether a receipt was added up correctly. The lines are `hugginggpt.experts.listed.Record`s; what is answered names
those that it used.

A question is taken apart into words for what to do (data/experts/listing_words.txt, in five languages), lines that it
names, and numbers. Where a word is left that none of this accounts for, the result is only "perhaps".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.common import word_lists
from hugginggpt.experts import listed, listed_meanings, stated_numbers
from hugginggpt.experts.joint_answers import UNSURE
from hugginggpt.experts.listed import CENT, Record, Value, shown
from hugginggpt.experts.listed_words import (
    WORD,
    alike,
    content,
    is_light,
    limit_behind,
    spaced,
    value_of_word,
    without,
)
from hugginggpt.experts.question_parts import parts_of

MAX_MEANT = 3
"""Of more words left none is looked for by its meaning."""
OPERATIONS = ("more", "most", "least", "below", "above", "each", "count", "sum")
_ABOUT_PRICE = re.compile(
    r"dear|expensi|cheap|cost|pric|teuer|teuerst|billig|günstig|cher|coût|car[oa]|barat|cuesta|贵|便宜"
)
_ADJECTIVES = {
    "loud": "noise db", "quiet": "noise db", "strong": "power watt w",
    "long": "minutes hours duration time length", "short": "minutes hours duration time length",
}  # fmt: skip
"""What the column is called by whose numbers something is the loudest or the longest."""
_MEAN = re.compile(r"\b(?:average|mean|on average|durchschnitt\w*|moyenne|media|promedio)\b", re.IGNORECASE)
_ASKS_PRICE = re.compile(
    r"\b(?:how much|cost|price|pay|owe|spend|come to|would\b.*\bbe|total|charge|kost\w+|zahl\w+|wie viel|was macht|"
    r"combien|coûte\w*|prix|cuánto|cuesta\w*|pagan?|pagamos|precio)|多少钱|一共",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"\b(?:split|divide[ds]?|share[ds]?)\b(?: \w+)? (?:by|between|among|into|in)(?: the)?(?: \w+)? (?P<by>\w+)|"
    r"\b(?P<ways>\w+) ways\b|\bdurch (?P<durch>\w+) (?:teilen|geteilt)|\bpar (?P<par>\w+)\b",
    re.IGNORECASE,
)
_ADULTS = re.compile(r"(?P<number>\w+) (?P<who>adults?|grown-ups?|people|persons?|erwachsene\w*|adultes?|adultos?)\b")
"""Who pays the full price where the only other line is for children."""
_RATE = re.compile(
    r"\b(?:per|a|an|each|pro|je|par|por) (?:night|day|hour|week|month|year|nacht|tag|stunde|nuit|jour|noche|día)\b",
    re.IGNORECASE,
)
"""What is paid for each night: three nights do not mean three of the line that says so."""
_ASIDE = re.compile(
    r"\((?:\d+|and|und|et|y|[,\s])+\)|"
    r"\b(?:the|these|those|die|diese|les|los|las) (?:two|three|four|beiden|zwei|drei|deux|trois|dos|tres)\b"
    r"(?= *(?:of them|things|items|together|zusammen|ensemble|juntos|come|cost|make|add|kosten|coûtent|cuestan|"
    r"[?.,!]|$))|"
    r"\b(?:(?:there(?:['’]s| is| are)|we(?:['’]re| are)|for)\s+)?(?:the\s)?\w+ of us\b[,.!]?",
    re.IGNORECASE,
)
"""The ages of children behind their number, how many order, and how many were named: "what do the two come to?"."""
_ADDING = frozenset(["", "and", "plus", "und", "et", "y", "with", "mit", "con", "without", "no", "not", "half", "but"])
_ORDINAL = re.compile(r"\b(?:second|third|2nd|3rd|next|zweit\w*|dritt\w*|deuxième|segundo|segunda)\b", re.IGNORECASE)
_SUPPLEMENT = re.compile(r"\b(?:supplement|surcharge|extra|zuschlag|aufschlag|supplément|suplemento)\b", re.IGNORECASE)
_MEAL = re.compile(r"\b(?:menus?|menú|menü|buffet|brunch|formule)\b", re.IGNORECASE)


@dataclass(slots=True)
class Asked:
    """What a question asks of records: operations with the phrases that say so, the records that it names, each with
    how many of it and whether it says so, the limit behind "under", and the words that tell something; of these `left`
    name no record.
    """

    question: str
    operations: dict[str, str] = field(default_factory=dict)
    named: list[tuple[Record, float, bool]] = field(default_factory=list)
    limit: float | None = None
    words: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, question: str, found: Sequence[Record]) -> Asked:
        asked = cls(question)
        rest = spaced(question)
        for kind in OPERATIONS:
            for phrase in listed.phrases(kind):
                if word_lists.holds(rest, [phrase]) and not (kind in asked.operations and kind != "sum"):
                    asked.operations.setdefault(kind, phrase)
                    if kind in ("below", "above"):
                        asked.limit, rest = limit_behind(rest, phrase)
                    elif kind not in ("each", "sum"):
                        rest = without(phrase, rest)
        asked._name(rest.split(), found)
        return asked

    def _name(self, words: list[str], found: Sequence[Record]) -> None:
        """Finds the records that the words name, with the number before each, and what is left of the words."""
        used: set[int] = set()
        for record, places in _named(words, found):
            at = min(places)
            times = value_of_word(words[at - 1]) if at and at - 1 not in used else None
            used |= places | ({at - 1} if times is not None else set())
            self.named.append((record, 1.0 if times is None else times, times is not None))
        self.left = _telling(word for at, word in enumerate(words) if at not in used)
        self.words = _telling(words)
        if _ASKS_PRICE.search(self.question):
            self._name_by_meaning(words, found)

    def _name_by_meaning(self, words: Sequence[str], found: Sequence[Record]) -> None:
        """Finds the records that the words left mean, but do not name."""
        for word in self.left[:MAX_MEANT]:
            known = [record for record, _, _ in self.named]
            others = [record for record in found if not record.is_sum and record.price and record not in known]
            if (meant := listed_meanings.named(word, self.question, others)) is None:
                continue
            at = words.index(word)
            times = value_of_word(words[at - 1]) if at else None
            self.named.append((meant, 1.0 if times is None else times, times is not None))
            self.left = [one for one in self.left if one != word]
            self.named.sort(key=lambda one: min(_places(one[0], words) or [at]))


def _places(record: Record, words: Sequence[str]) -> list[int]:
    """Where among words those of a record's label stand."""
    return [at for at, word in enumerate(words) if _has(word, content(record.label))]


def _telling(words: Iterable[str]) -> list[str]:
    """The words that say more than that something is asked for."""
    rest = f" {' '.join(words)} "
    for kind in ("sum", "each", "asks", "things"):
        for phrase in listed.phrases(kind):
            rest = without(phrase, rest)
    return [word for word in rest.split() if not is_light(word)]


def answer(question: str, text: str) -> dict[str, Any] | None:
    """What the lines of a list come to for a question; None where it asks for nothing of that or they do not tell."""
    found = listed.records(text)
    if len(found) < 2:
        return None
    question = _ASIDE.sub(" ", question)
    parts = [part for part in parts_of(question) if _telling(spaced(part).split())]  # not "how much is that?"
    if len(parts) > 1 and not _is_order(Asked.read(question, found)):
        given = [answer(part, text) for part in parts]
        return {"answer": "\n".join(one["answer"] for one in given if one)} if all(given) else None
    asked = Asked.read(question, found)
    for operation in OPERATIONS_IN_TURN:
        if told := operation(asked, found):
            said, left = told
            if operation in (_summed, _for_all) and len(asked.named) > 1:
                left = [word for word in left if _may_be_wanted(word, question)]
            if left or (operation in OF_ALL and listed.unread(text)):
                return {"answer": UNSURE.format(said), "closest": said, "found": False, "chance": 0.2}
            is_of_one = operation is _price_of_one  # its line tells where it stands
            return {"answer": said} | ({"quotes": [asked.named[0][0].line]} if is_of_one else {})
    return None


def _may_be_wanted(word: str, question: str) -> bool:
    """Whether a word that names no line may be one more thing that is wanted, or that is not: "and a lobster". Where it
    stands behind "at the" or "for my" the sum of what is named answers, as it is shown.
    """
    words = [each for each in WORD.findall(question.lower().replace("’", "'")) if each not in ("the", "a", "an")]
    before = [words[at - 1] if at else "" for at, each in enumerate(words) if each == word]
    return not before or any(each in _ADDING or value_of_word(each) is not None for each in before)


Told = tuple[str, Sequence[str]]
"""What is said, and the words of the question that it does not account for."""


def asks_check(question: str) -> bool:
    """Whether words ask if a sum is right: "does it add up?", "is this quote added up correctly?"."""
    words = spaced(question)
    return all(word_lists.holds(words, listed.phrases(kind)) for kind in ("adding", "correctly"))


def _checked(asked: Asked, found: Sequence[Record]) -> Told | None:
    """Whether the items come to the total, with the tax added or within it."""
    if not asks_check(asked.question):
        return None
    prices = listed.priced(found)
    totals = [record for record in prices if listed.is_called(record.label, "totals")]
    items = [record for record in prices if not record.is_sum]
    if len(totals) != 1 or len(items) < 2 or any(re.search(r"[-–−]\s?\d", record.line) for record in prices):
        return None
    like, total = _price(totals[0]), _price(totals[0]).number
    tax = sum(_price(record).number for record in prices if listed.is_tax(record.label))
    once = [(record, 1.0) for record in items]
    for times in (once, [(record, record.count or 1.0) for record in items]):
        whole = sum(_price(record).number * number for record, number in times)
        for added in (0.0, tax):
            if abs(whole + added - total) < CENT:
                more = f", with {shown(tax, like)} tax {shown(whole + tax, like)}" if added else ""
                return f"Yes: {_terms(times)} = {shown(whole, like)}{more}, as it says.", ()
    told = f"{_terms(once)} = {shown(sum(_price(record).number for record in items), like)}"
    return f"No: the lines that I read come to {told}, but the total says {like.written}.", ()


def _terms(times: Sequence[tuple[Record, float]]) -> str:
    """Items as the terms of a sum, each so many times: "5.00 + 2 × 2.70"."""
    return " + ".join(
        f"{number:g} × {_price(record).written}" if number != 1 else _price(record).written for record, number in times
    )


def _shared(asked: Asked, found: Sequence[Record]) -> Told | None:
    """The total split by a number of people."""
    shared = _SHARED.search(asked.question)
    by = value_of_word(next(filter(None, shared.groups()), "")) if shared else None
    totals = [record for record in listed.priced(found) if listed.is_called(record.label, "totals")]
    if not by or len(totals) != 1:
        return None
    like = _price(totals[0])
    return f"{like.written} / {by:g} = {shown(like.number / by, like)}", ()


def _mean(asked: Asked, found: Sequence[Record]) -> Told | None:
    """The average of the values whose unit or column the question names."""
    if not _MEAN.search(asked.question):
        return None
    columns = _columns_named(asked.left, found)
    if not columns and not _ABOUT_PRICE.search(asked.question):
        return None
    items = [record for record in found if not record.is_sum and _value(record, columns)]
    chosen, left = _those([word for word in asked.words if not _in_column(word, columns)], items)
    values = [value for record in chosen if (value := _value(record, columns))]
    if len(values) < 2:
        return None
    terms = " + ".join(f"{value.number:g}" for value in values)
    mean = sum(value.number for value in values) / len(values)
    return f"({terms}) / {len(values)} = {shown(mean, values[0])}", [word for word in left if not _MEAN.search(word)]


def _each(asked: Asked, found: Sequence[Record]) -> Told | None:
    """The price of one where a line is of several."""
    if len(asked.named) != 1:
        return None
    record, times, is_counted = asked.named[0]
    if (
        not record.price
        or not record.count
        or record.count == 1
        or times != 1
        or not (is_counted or "each" in asked.operations)
    ):
        return None
    one, is_sure = _unit_price(record, found)
    like = record.price
    said = f"{shown(one, like)} each ({record.line})"
    left = [word for word in asked.left if not re.search(rf"\b{re.escape(word)} of\b", asked.question.lower())]
    return said, [*left, *([] if is_sure else ["each"])]  # "one carton of milk"


def _limited(asked: Asked, found: Sequence[Record]) -> Told | None:
    """The items below or above a price."""
    limit, prices = asked.limit, [record for record in listed.priced(found) if not record.is_sum]
    if limit is None or not prices:
        return None
    chosen, left = _those(asked.words, prices)
    is_below = "below" in asked.operations
    having = [
        record for record in chosen if (_price(record).number < limit if is_below else _price(record).number > limit)
    ]
    word = "below" if is_below else "above"
    told = "; ".join(f"{record.label} {_price(record).written}" for record in having) or "none"
    return f"{told} ({len(having)} of {len(chosen)} {word} {limit:g})", left


def _extreme(asked: Asked, found: Sequence[Record]) -> Told | None:
    """The items with the highest or lowest value."""
    is_most = "most" in asked.operations
    phrase = asked.operations.get("most") or asked.operations.get("least")
    if not phrase or _ORDINAL.search(asked.question):
        return None
    is_price = bool(_ABOUT_PRICE.search(f"{phrase} {asked.question.lower()}"))
    columns = _columns_named([*asked.left, *_adjectives(phrase)], found) or (set() if is_price else _only_unit(found))
    if not is_price and not columns:
        return None
    named = [record for record, _, _ in asked.named]
    items = [record for record in found if not record.is_sum and _value(record, columns)]
    if phrase in listed.phrases("compared"):
        chosen, left = [record for record in items if record in named], asked.left
    else:
        words = [word for word in asked.words if not _in_column(word, columns)]
        is_one_of_all = not is_price and _follows_which(words, asked.question)  # "which room", where each line is one
        chosen, left = _those(words[is_one_of_all:], items)
    left = left[1:] if columns and _follows_which(left, asked.question) else left  # each line is one of a column's
    if len(chosen) < 2:
        return None
    best = (max if is_most else min)(_number_in(record, columns) for record in chosen)
    having = [record for record in chosen if _number_in(record, columns) == best]
    if not columns:  # by the price of one and of all alike
        firsts = [_first_price(record) for record in chosen]
        best = (max if is_most else min)(firsts)
        is_same = having == [record for record, number in zip(chosen, firsts, strict=True) if number == best]
        left = left if is_same else [*left, "column"]
    told = "; ".join(f"{record.label}: {value.written}" for record in having if (value := _value(record, columns)))
    return f"{told} (the {'highest' if is_most else 'lowest'} of {len(chosen)} lines)", left


def _first_price(record: Record) -> float:
    """The first of a line's prices; that of one where the line tells it is none of its own."""
    values = [value for value in record.values if value.is_price]
    return (values[-1] if record.each is not None else values[0]).number


def _number_in(record: Record, columns: set[str]) -> float:
    """The number of `_value`, which is there."""
    value = _value(record, columns)
    assert value
    return value.number


def _follows_which(left: Sequence[str], question: str) -> bool:
    """Whether the first of the words left is what a question asks for one of: "which programme"."""
    return bool(left) and bool(
        re.search(rf"\b(?:which|what|welche\w*|quel\w*|qué|cuál)\s+{re.escape(left[0])}\b", question.lower())
    )


def _difference(asked: Asked, found: Sequence[Record]) -> Told | None:
    """By how much one of two named items is dearer, or has more in the column that is asked for."""
    if "more" not in asked.operations or len(asked.named) != 2:
        return None
    columns = _columns_named(asked.left, found) or _only_unit(found)
    pairs = [(record.label, value) for record, _, _ in asked.named if (value := _value(record, columns))]
    if len(pairs) != 2:
        return None
    (more, high), (less, low) = sorted(pairs, key=lambda pair: -pair[1].number)
    left = [word for word in asked.left if not _in_column(word, columns)]
    return f"{shown(high.number - low.number, high)} ({more} {high.written} - {less} {low.written})", left


def _for_all(asked: Asked, found: Sequence[Record]) -> Told | None:
    """What the named items come to for so many people as the question states, who all want them: "we are four and want
    the set menu on the terrace".
    """
    people = {one.number for one in stated_numbers.counted(asked.question) if one.is_people}
    priced = [record for record, times, is_counted in asked.named if record.price and (times == 1 or not is_counted)]
    if len(people) != 1 or not priced or len(priced) != len(asked.named) or not _ASKS_PRICE.search(asked.question):
        return None
    left = [
        word for word in asked.left if value_of_word(word) not in people and not stated_numbers.says(word, "people")
    ]
    number, like = people.pop(), _price(priced[0])
    if number < 2 or any(record.count not in (None, 1) for record in priced):
        return None
    priced = [*_supplemented(priced, found), *priced]
    each = sum(_price(record).number for record in priced)
    terms = " + ".join(f"{record.label} {_price(record).written}" for record in priced)
    told = f"{number:g} × ({terms})" if len(priced) > 1 else f"{number:g} × {terms}"
    is_listed = all(sum(value.is_price for value in record.values) == 1 for record in priced)
    return f"{told} = {shown(number * each, like)}", [*left, *([] if is_listed else ["column"])]


def _supplemented(priced: Sequence[Record], found: Sequence[Record]) -> list[Record]:
    """The only meal of a list to which a supplement is added that alone is named: "we are four, on the terrace"."""
    meals = [record for record in found if _MEAL.search(record.label) and record.price]
    return meals if len(meals) == 1 and all(_SUPPLEMENT.search(record.label) for record in priced) else []


def _summed(asked: Asked, found: Sequence[Record]) -> Told | None:
    """What the named items come to, each as often as it is wanted."""
    terms = [
        (record, times if is_counted else record.count or 1.0)  # "the milk" on a receipt is all the milk of its line
        for record, times, is_counted in asked.named
        if record.price
    ]
    others = [
        record for record in listed.priced(found) if not record.is_sum and record not in [one for one, _ in terms]
    ]
    full = _ADULTS.search(" ".join(asked.left))
    if full and len(others) == len(asked.named) == 1 and (number := value_of_word(full["number"])):
        return _sum_of([*terms, (others[0], number)], found, [full["who"]])
    if any(value_of_word(word) for word in asked.left):
        return None
    is_several = len(terms) > 1 or any(times != 1 for _, times in terms)
    is_order = _is_order(asked)
    if not is_several or len(terms) != len(asked.named) or not (is_order or _ASKS_PRICE.search(asked.question)):
        return None
    if len(terms) > 1 and "sum" not in asked.operations and not is_order:
        return None  # "the entrance for children"
    if {"most", "least", "more", "count"} & asked.operations.keys():
        return None
    return _sum_of(terms, found, asked.left)


def _is_order(asked: Asked) -> bool:
    """Whether a question is but a list of items, each with how many are wanted: "two soups and a coffee?"."""
    return not asked.left and bool(asked.named) and all(is_counted for *_, is_counted in asked.named)


def _sum_of(terms: Sequence[tuple[Record, float]], found: Sequence[Record], left: Sequence[str]) -> Told:
    """What records come to, each so many times."""
    prices = [_unit_price(record, found) for record, _ in terms]
    like = next((_price(record) for record, _ in terms if _price(record).number), _price(terms[0][0]))
    whole = sum(price * times for (price, _), (_, times) in zip(prices, terms, strict=True))
    told = [
        f"{times:g} × {record.label} {shown(price, _price(record))}"
        if times != 1
        else f"{record.label} {shown(price, _price(record))}"
        for (record, times), (price, _) in zip(terms, prices, strict=True)
    ]
    several = any(record.each is None and sum(value.is_price for value in record.values) > 1 for record, _ in terms)
    unsure = [*([] if all(is_sure for _, is_sure in prices) else ["each"]), *(["column"] if several else [])]
    return f"{' + '.join(told)} = {shown(whole, like)}", [*left, *unsure]


def _counted(asked: Asked, found: Sequence[Record]) -> Told | None:
    """How many items there are below a heading, or on a receipt in all."""
    if "count" not in asked.operations or asked.named:
        return None
    items = [record for record in listed.priced(found) if not record.is_sum]
    chosen, left = _those(asked.left, items)
    if left or not chosen or (chosen == items and not _names_things(asked.question)):
        return None
    pieces = sum(record.count or 1 for record in chosen)
    told = ", ".join(record.label for record in chosen)
    lines = f" in {len(chosen)} lines" if pieces != len(chosen) else ""
    is_last = chosen != items and chosen[-1] is items[-1]  # what ends the page may stand apart from the heading
    return f"{pieces:g}{lines}: {told}", ["last"] if is_last else ()


def _price_of_one(asked: Asked, found: Sequence[Record]) -> Told | None:
    """What the only item costs that is named, or meant by what it is: "the cheese"."""
    if len(asked.named) != 1 or not _ASKS_PRICE.search(asked.question) or asked.left or asked.operations:
        return None
    record, times, is_counted = asked.named[0]
    prices = len(re.findall(r"\d[.,]\d\d(?!\d)", record.line)) or len(record.values)
    if not record.price or prices != 1 or times != 1 or is_counted or record not in listed.priced(found):
        return None
    return f"{record.label}: {_price(record).written}", ()


OPERATIONS_IN_TURN = (
    _checked, _shared, _mean, _each, _limited, _extreme, _difference, _for_all, _summed, _counted, _price_of_one
)  # fmt: skip
OF_ALL = (_checked, _mean, _limited, _extreme, _counted)
"""What needs all lines of a list."""


def _unit_price(record: Record, found: Sequence[Record]) -> tuple[float, bool]:
    """What one of a line costs, and whether that is sure: the total tells whether its price is of all or of one."""
    price = _price(record).number
    if not record.count or record.count == 1:
        return price, True
    if record.each is not None:
        return record.each, True
    prices = listed.priced(found)
    items = [one for one in prices if not one.is_sum]
    totals = [_price(one).number for one in prices if listed.is_called(one.label, "totals")]
    lines, pieces = (
        sum(_price(one).number for one in items),
        sum(_price(one).number * (one.count or 1) for one in items),
    )
    if any(abs(pieces - total) < CENT for total in totals):
        return price, True
    return price / record.count, any(abs(lines - total) < max(CENT, 0.2 * total) for total in totals)


def _those(words: Sequence[str], records: Sequence[Record]) -> tuple[list[Record], list[str]]:
    """The records below a heading, or with a label, that words name; and the words that name none."""
    chosen, left = list(records), []
    for word in words:
        of_section = [record for record in chosen if any(alike(word, own) for own in content(record.section))]
        of_label = [record for record in chosen if any(alike(word, own) for own in content(record.label))]
        if of_section and len(of_section) < len(chosen):
            chosen = of_section
        elif of_label:
            chosen = of_label
        elif not of_section and not any(alike(word, own) for record in chosen for own in content(record.kind)):
            left.append(word)
    return chosen, left


def _only_unit(found: Sequence[Record]) -> set[str]:
    """The unit of all values of a list, each line of which has one, and no price; else none."""
    values = [record.values for record in found if not record.is_sum]
    units = {value.unit for own in values for value in own}
    is_one = len(values) > 1 and all(len(own) == 1 and not own[0].is_price for own in values) and len(units) == 1
    return units - {""} if is_one else set()


def _columns_named(words: Sequence[str], found: Sequence[Record]) -> set[str]:
    """The columns, or units, that words name."""
    names = {value.column or value.unit for record in found if not record.is_sum for value in record.values} - {""}
    fits = {name: sum(any(alike(word, own) for own in WORD.findall(name.lower())) for word in words) for name in names}
    best = max(fits.values(), default=0)
    return {name for name, number in fits.items() if best and number == best}


def _in_column(word: str, columns: set[str]) -> bool:
    return any(alike(word, own) for name in columns for own in WORD.findall(name.lower()))


def _value(record: Record, columns: set[str]) -> Value | None:
    """The value in one of the columns; without any, the price."""
    if not columns:
        return record.price
    return next((value for value in record.values if (value.column or value.unit) in columns), None)


def _adjectives(phrase: str) -> list[str]:
    return " ".join(names for start, names in _ADJECTIVES.items() if phrase.startswith(start)).split()


def _named(words: Sequence[str], found: Sequence[Record]) -> list[tuple[Record, set[int]]]:
    """The items that words name, each with the places of these: by all words of its label, or by one that no other
    label has. One that is named by a part of another's words is not meant, nor are two that the same words name.
    """
    items = [record for record in found if not record.is_sum]
    labels = [content(_RATE.sub("", record.label)) for record in items]
    named: list[tuple[Record, set[int]]] = []
    for record, label in zip(items, labels, strict=True):
        fits = {own: {at for at, word in enumerate(words) if alike(word, own)} for own in label}
        telling = [own for own in label if len(own) > 2 and sum(_has(own, other) for other in labels) == 1]
        if label and (all(fits.values()) or any(fits[own] for own in telling)):
            named.append((record, set[int]().union(*fits.values())))
    named = [(record, places) for record, places in named if not any(places < others for _, others in named)]
    unique = [(record, places) for record, places in named if [others for _, others in named].count(places) == 1]
    return sorted(unique, key=lambda each: min(each[1]))


def _has(word: str, label: Sequence[str]) -> bool:
    return any(alike(word, own) for own in label)


def _names_things(question: str) -> bool:
    return word_lists.holds(spaced(question), listed.phrases("things"))


def _price(record: Record) -> Value:
    assert record.price
    return record.price
