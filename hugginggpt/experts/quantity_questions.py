"""Questions whose answer follows from two or more quantities of a text: by how much something rose, what is left once a
bill is paid, what donations do not cover, what all stalls bring in, the price of a single lesson.

Each operation has its words (data/experts/quantity_words.txt, in five languages) and takes quantities of one kind that
stand in the sentences of which the question speaks. What it worked out is told with its calculation and those
sentences; where an operand is not plain, nothing is worked out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from hugginggpt.experts import listed as listings
from hugginggpt.experts import quantities, stated_numbers
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.quantities import Quantity, Sentence, content, listed, nearest, root, roots_of, says
from hugginggpt.experts.stated_numbers import counted, spaced

MAX_GIVERS = 3
"""Of so many sentences behind a price it is asked who gives something to it."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")
_TIMES = re.compile(
    r"\b(?P<number>half|twice|double|[^\W\d_]+|\d+)\s+(?:times\s+)?(?:the\s+|an?\s+)?(?:(?:month|week|year)(?:s|['’]s|s['’])?\s+)?"
    r"(?P<noun>rent|wages?|salary|fee|price|deposit|instalment|payment)\b",
    re.IGNORECASE,
)
_PERIODS = re.compile(r"\b(?:month|week|year|mensual|monat)", re.IGNORECASE)
_EACH = re.compile(
    r"\b(?:each|apiece|a piece|per (?P<per>[^\W\d_]+)|je|pro (?P<pro>[^\W\d_]+)|chacune?|par (?P<par>[^\W\d_]+)|"
    r"cada uno|por (?P<por>[^\W\d_]+))\b",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:take|takes|took|bring|give|send)\s+(?P<what>[^?.,;]{3,60}?)\s+back\b", re.IGNORECASE)
_PERCENT = re.compile(
    r"(?P<share>\d{1,2}(?:[.,]\d+)?)\s?(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b)", re.IGNORECASE
)
_LEFT_OF = re.compile(
    r"\b(?:of|vom|von der|de la|du|del)\s+(?P<what>[^?.]{2,60}?)\s+(?:is|will|would|are|do|does|bleibt|reste|queda)\b",
    re.IGNORECASE,
)
_OF = re.compile(r"\b(?:of|from|on|for|von|vom|de la|du|de|del)\s+(?P<what>[^?,.;]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """A question, without what is told behind it, and the sentences of the text that it is put to."""

    text: str
    sentences: tuple[Sentence, ...]
    whole: str = ""

    @classmethod
    def read(cls, question: str, text: str) -> Question:
        pieces = _SENTENCE.split(" ".join(question.split()))
        asking = [piece for piece in pieces if piece.endswith("?")] or pieces[-1:]
        return cls(" ".join(asking), quantities.read(text), text)

    @cached_property
    def words(self) -> frozenset[str]:
        return content(self.text)

    def says(self, *kinds: str) -> bool:
        """Whether it has a phrase of each of these kinds."""
        return all(says(self.text, kind) for kind in kinds)

    def behind(self, kind: str) -> str:
        """What stands behind the first phrase of a kind."""
        text = spaced(self.text)
        places = [(text.find(f" {phrase} "), phrase) for phrase in listed(kind) if f" {phrase} " in text]
        if not places:
            return ""
        at, phrase = min(places, key=lambda place: (place[0], -len(place[1])))
        return text[at + len(phrase) + 2 :].strip()


def answer(question: str, text: str) -> str | None:
    """What the quantities of a text come to for a question; None where it asks for nothing of that, or an operand is
    not plain.
    """
    asked = Question.read(question, text)
    return next((told for operation in OPERATIONS if (told := operation(asked))), None)


def change_in_a_year(question: str, text: str) -> str | None:
    """By how much something rose in a month, and what that is in a year, where both are asked for at once."""
    asks_both = _YEAR.search(question) and _MONTH.search(question) and _MONTH.search(text)
    return _changed(Question(" ".join(question.split()), quantities.read(text), text)) if asks_both else None


def _left(asked: Question) -> str | None:
    """What is left of one amount once another is paid: the balance, unless the question says of what."""
    if not asked.says("left", "after"):
        return None
    paid = asked.behind("after")
    if of := _LEFT_OF.search(asked.text):
        base = _amount_of(of["what"], asked.sentences)
    else:
        balances = [one for one in asked.sentences if says(one.text, "balance") and len(one.money) == 1]
        base = (balances[0].money[0], balances[0]) if len(balances) == 1 else None
    part = _paid(paid, asked.sentences)
    if base is None or part is None or base[1] == part[1] or not base[0].is_like(part[0]):
        return None
    if base[0].number < part[0].number:
        return None
    return _less(base, [part])


def _paid(words: str, sentences: Sequence[Sentence]) -> tuple[Quantity, Sentence] | None:
    """The amount that words name; of "one month's rent" the rent."""
    return _amount_of(re.sub(r"\b(?:one|a) months?\b\s*(?:'?s\b)?", "", words), sentences)


def _amount_of(words: str, sentences: Sequence[Sentence]) -> tuple[Quantity, Sentence] | None:
    """The only amount of money in the sentence that words name, by a word of theirs that stands in no other one with
    money; None where they name several or none.
    """
    nouns = {root(token.text) for token in parse(words, entities=False) if token.pos_ in ("NOUN", "PROPN")}
    named = [one for one in sentences if one.money and nouns & content(words) & one.stems]
    if len(named) > 1:
        shared = [len(content(words) & one.stems) for one in named]
        named = [one for one, number in zip(named, shared, strict=True) if number == max(shared)]
    if len(named) > 1:
        named = [one for one in named if len(one.money) == 1 and _names_first(words, one)] or named
    if len(named) != 1:
        return None
    amount = _beside(words, named[0])
    return (amount, named[0]) if amount else None


def _names_first(words: str, sentence: Sentence) -> bool:
    """Whether what words name is what a sentence is about: it stands before the amount."""
    return bool(content(words) & roots_of(sentence.text[: sentence.money[0].start]))


def _beside(words: str, sentence: Sentence) -> Quantity | None:
    """The amount of a sentence that stands next behind what words name; None where that is not plain."""
    if len(sentence.money) == 1:
        return sentence.money[0]
    own = content(words)
    places = [match.start() for match in re.finditer(r"[^\W\d_]+", sentence.text) if root(match[0]) in own]
    return next((one for one in sentence.money if places and one.start > places[-1]), None)


def _less(base: tuple[Quantity, Sentence], parts: Sequence[tuple[Quantity, Sentence]]) -> str:
    whole, rest = base[0], base[0].number - sum(part.number for part, _ in parts)
    terms = " - ".join([_plain(whole), *(_plain(part) for part, _ in parts)])
    quotes = dict.fromkeys([base[1].quoted, *(sentence.quoted for _, sentence in parts)])
    return f"{terms} = {whole.told(rest)} ({' / '.join(quotes)})"


def _plain(quantity: Quantity) -> str:
    """A number as it is written, without its unit."""
    return re.sub(r"^[£$€]\s?|\s?[^\d\s]+$", "", quantity.written.split(" ")[0]) or f"{quantity.number:g}"


def _own_share(asked: Question) -> str | None:
    """What of a price is not covered by what others give to it."""
    if not asked.says("how much", "ourselves"):
        return None
    of = _OF.search(asked.text)
    words = of["what"] if of else asked.text
    priced = [one for one in asked.sentences if one.money and says(one.text, "costs")]
    named = [one for one in priced if content(words) & one.stems] or (priced if len(priced) == 1 else [])
    if len(named) != 1:
        return None
    price = named[0].money[0]
    behind = [one for one in asked.sentences if named[0].at <= one.at <= named[0].at + MAX_GIVERS]
    given = [
        (amount, one)
        for one in behind
        for amount in one.money[one is named[0] :]
        if says(one.text, "gives") and amount.is_like(price)
    ]
    chosen = [(amount, one) for amount, one in given if _of_donations(asked, one)] or given
    if not chosen or sum(amount.number for amount, _ in chosen) >= price.number:
        return None
    return _less((price, named[0]), chosen)


def _of_donations(asked: Question, sentence: Sentence) -> bool:
    """Whether a question speaks of those that give by a sentence's own words: "not covered by donations"."""
    named = {word[:5] for word in spaced(asked.text).split() if says(word, "gives") and len(word) > 4}
    return any(word[:5] in named for word in spaced(sentence.text).split())


def _changed(asked: Question) -> str | None:
    """By how much one quantity is more than another of its kind: in one sentence, or before and after."""
    if not asked.says("how much", "more") or asked.says("than all"):
        return None
    within = [one for one in asked.sentences if _pair(one)]
    if within:
        best = nearest(asked.text, within)
        fits = [one for one in within if asked.words & one.stems]
        if best and (len(within) == 1 or (best in fits and len(fits) == 1)):
            return f"{_more(asked, _pair(best), best.text)} ({best.quoted})"
        return None
    return _before_and_after(asked)


def _more(asked: Question, pair: Sequence[Quantity], text: str) -> str:
    """The calculation by how much one of two quantities is more, of which a text tells."""
    low, high = sorted(pair, key=lambda one: one.number)
    more = high.number - low.number
    return f"{_plain(high)} - {_plain(low)} = {high.told(more)}{_over_a_year(asked, high, more, text)}"


def _over_a_year(asked: Question, like: Quantity, more: float, text: str) -> str:
    """What an amount that a text tells for a month comes to in a year, where the question asks for that, too."""
    if not (_YEAR.search(asked.text) and like.unit and _MONTH.search(text)):
        return ""
    return f" a month; 12 x {like.told(more)} = {like.told(12 * more)} a year"


_YEAR = re.compile(r"\byear\b|\bjahr\b|\bpar an\b|\baño\b|一年", re.IGNORECASE)
_MONTH = re.compile(r"\bmonth|\bmonat|\bmois\b|\bmes\b|\bmensual|月", re.IGNORECASE)


def _pair(sentence: Sentence) -> tuple[Quantity, Quantity] | tuple[()]:
    """The two quantities of one kind that a sentence sets against each other."""
    for first in sentence.quantities:
        like = [one for one in sentence.quantities if one.is_like(first)]
        if len(like) == 2 and like[0] is first and first.number != like[1].number:
            between = sentence.text[: like[1].start]
            if says(between[max(0, first.start - 30) :], "set against") and not _EACH.search(
                sentence.text[: like[1].end]
            ):
                return like[0], like[1]
    return ()


def _before_and_after(asked: Question) -> str | None:
    """Two sentences about one thing, of which one says what it was and the other what it becomes."""
    single = [one for one in asked.sentences if len(one.money) == 1]
    pairs = [
        (before, after)
        for before in single
        for after in single
        if before is not after
        and says(before.text, "old")
        and says(after.text, "new")
        and not says(before.text, "new")
        and before.money[0].is_like(after.money[0])
        and _shared(before, after)
    ]
    if len(pairs) != 1:
        return None
    before, after = pairs[0]
    told = _more(asked, (before.money[0], after.money[0]), f"{before.text} {after.text}")
    return f"{told} ({before.quoted} / {after.quoted})"


def _shared(first: Sentence, second: Sentence) -> frozenset[str]:
    """The telling words that two sentences share, but for those of times."""
    shared = content(first.text) & content(second.text)
    return frozenset(word for word in shared if not _PERIODS.match(word) and not says(word, "costs"))


def _with_surcharge(asked: Question) -> str | None:
    """What is to be paid in all when it is paid late: the amount and what is added to it."""
    if not asked.says("late", "together"):
        return None
    adding = [one for one in asked.sentences if one.money and says(one.text, "added") and not _EACH.search(one.text)]
    if len(adding) != 1:
        return None
    more, at = adding[0].money[-1], adding[0].at
    before = [(one, own) for own in asked.sentences[: at + 1] for one in own.money if one is not more]
    if not before or not before[-1][0].is_like(more):
        return None
    base, sentence = before[-1]
    quotes = dict.fromkeys((sentence.quoted, adding[0].quoted))
    return f"{_plain(base)} + {_plain(more)} = {base.told(base.number + more.number)} ({' / '.join(quotes)})"


def _multiple(asked: Question) -> str | None:
    """An amount that is told as so many times another: "The deposit is two months' rent"."""
    if not asked.says("how much"):
        return None
    for one in asked.sentences:
        matches = [] if one.money else list(_TIMES.finditer(one.text))
        match = next((each for each in matches if _number(each["number"]) is not None), None)
        number = _number(match["number"]) if match else None
        if not match or number is None or not (asked.words & content(one.text[: match.start()])):
            continue
        base = _amount_of(match["noun"], asked.sentences)
        if base:
            amount, sentence = base
            told = f"{number:g} x {amount.written} = {amount.told(number * amount.number)}"
            return f"{told} ({one.quoted} / {sentence.quoted})"
    return None


def _number(word: str) -> float | None:
    fractions = {"half": 0.5, "twice": 2.0, "double": 2.0}
    return fractions.get(word.lower()) or quantities.value_of(word)


def _of_one(asked: Question) -> str | None:
    """The price of one of several that a sentence sells together: "Ten lessons cost £85"."""
    if not asked.says("single") or asked.says("how long"):
        return None
    text = spaced(asked.text)
    fits = []
    for one in asked.sentences:
        if len(one.money) != 1:
            continue
        amount = one.money[0]
        for count in one.quantities:
            is_sold = count.nouns and count.number > 1 and not count.unit and count.start < amount.start
            between = one.text[count.end : amount.start]
            if is_sold and says(between, "costs") and any(_is_single(noun, text) for noun in count.nouns):
                fits.append((count, amount, one))
    if len(fits) != 1:
        return None
    count, amount, one = fits[0]
    each = amount.number / count.number
    return f"{_plain(amount)} / {count.number:g} = {amount.told(each)} each ({one.quoted})"


def _is_single(noun: str, text: str) -> bool:
    """Whether a question's words name one of something: "a single lesson"."""
    words = text.split()
    return any(root(word) == noun and not word.endswith("s") for word in words)


def _all_of_text(asked: Question) -> str | None:
    """What all that a text counts come to by the price of one: 25 stalls at 18 pounds, 60 adults at 9 and 25 children
    at 4.
    """
    is_income = asked.says("brings in") and (asked.says("all of them") or bool(asked.words & _counted_nouns(asked)))
    if not (is_income or (asked.says("spends") and asked.says("how much"))):
        return None
    if any(one.nouns or one.unit for one in quantities.in_question(asked.text)):
        return None
    terms = [term for one in asked.sentences for term in _priced(one, asked)]
    terms = _sold_or_bought(terms, is_income)
    if not (asked.says("all of them") or stated_numbers.says(asked.text, "sums")):
        terms = [term for term in terms if not _is_of_time(term[1])]  # the rent is that of a month
    named = [term for term in terms if asked.words & (_with_antecedent(term[2], asked) | set(term[1].nouns))]
    chosen = named or (terms if asked.says("all of them") else [])
    chosen = [term for term in chosen if term[0].is_like(chosen[0][0])]
    if not chosen or (len(chosen) > 1 and not is_income):
        return None
    amount = chosen[0][0]
    whole = sum(price.number * count.number for price, count, _ in chosen)
    told = " + ".join(f"{count.number:g} x {price.written}" for price, count, _ in chosen)
    quotes = dict.fromkeys(one.quoted for *_, one in chosen)
    return f"{told} = {amount.told(whole)} ({' / '.join(quotes)})"


def _with_antecedent(sentence: Sentence, asked: Question) -> frozenset[str]:
    """The stems of a sentence, and of the one before it if that holds what it calls "them"."""
    refers_back = re.search(r"\b(?:them|these|those|it)\b", sentence.text, re.IGNORECASE)
    return sentence.stems | asked.sentences[sentence.at - 1].stems if refers_back and sentence.at else sentence.stems


def _counted_nouns(asked: Question) -> set[str]:
    return {noun for one in asked.sentences for each in one.quantities for noun in each.nouns}


def _sold_or_bought(terms: Sequence[_Term], is_income: bool) -> list[_Term]:
    """Those that were sold where it is asked what came in, and none of them where it is asked what was spent."""
    sold = [term for term in terms if re.search(r"\bsold|verkauft|vendu|vendí", term[2].text, re.IGNORECASE)]
    return sold or list(terms) if is_income else [term for term in terms if term not in sold]


def _is_of_time(count: Quantity) -> bool:
    return any(root(word) in count.nouns for word in stated_numbers.units())


_Term = tuple[Quantity, Quantity, Sentence]


def _priced(sentence: Sentence, asked: Question) -> list[_Term]:
    """The prices of one in a sentence, each with how many of it the text counts."""
    found = []
    for amount in sentence.money:
        behind = sentence.text[amount.end : amount.end + 25]
        each, following = _EACH.match(behind.strip()), re.match(r"\s*for (?P<noun>[^\W\d_]+)", behind)
        counts = [one for one in sentence.quantities if not one.unit and one.end <= amount.start and one.nouns]
        before = re.search(r"\bper (?P<noun>[^\W\d_]+)", sentence.text[: amount.start])
        noun = next((value for value in (each.groupdict().values() if each else ()) if value), "")
        noun = noun or (before["noun"] if before else "") or (following["noun"] if following else "")
        if each and not noun and counts:
            found.append((amount, counts[-1], sentence))
        elif noun and (count := _count_of(noun, asked.sentences)):
            found.append((amount, count, sentence))
    return found


def _count_of(noun: str, sentences: Sequence[Sentence]) -> Quantity | None:
    """How many of something a text counts; None where it counts it more than once, or not."""
    counts = [one for each in sentences for one in each.quantities if root(noun) in one.nouns[:2]]
    return counts[0] if len({one.number for one in counts}) == 1 else None


def _still_there(asked: Question) -> str | None:
    """How many are left of what a diary counts: what was got less what was lost, by the noun of the question."""
    if not asked.says("how much", "still have"):
        return None
    stated = [one.number for one in counted(asked.text) if not one.time]
    nouns = content(asked.text) - {root(word) for kind in ("still have", "after") for word in listed(kind)}
    got: list[tuple[Quantity, Sentence]] = []
    lost: list[tuple[Quantity, Sentence]] = []
    last: set[str] = set()
    for one in asked.sentences:
        for count in one.quantities:
            elided = count.nouns == ("of",) or (not count.nouns and _is_lost(one, count))
            is_meant = bool(set(count.nouns) & nouns) or (elided and bool(last & nouns))
            if count.unit or not is_meant:
                continue
            (lost if _is_lost(one, count) else got).append((count, one))
        last = {noun for count in one.quantities for noun in count.nouns} or last
    if stated and not got:
        return _less_of_stated(stated, asked)
    if len(got) != 1 or not lost or got[0][1].at > lost[0][1].at:
        return None
    return _less(got[0], lost)


def _is_lost(sentence: Sentence, count: Quantity) -> bool:
    """Whether the verb that stands nearest before a number tells of a loss."""
    words = spaced(sentence.text[: count.start])
    return any(f" {phrase} " in words for phrase in listed("loss"))


def _less_of_stated(stated: Sequence[float], asked: Question) -> str | None:
    """What is left of the number that a question states: "I sowed 24", of which the text says that 5 were lost."""
    lost = [
        (count, one) for one in asked.sentences for count in one.quantities if not count.unit and _is_lost(one, count)
    ]
    if len(lost) != 1 or len(stated) != 1 or stated[0] <= lost[0][0].number:
        return None
    (count, one), number = lost[0], stated[0]
    return f"{number:g} - {count.number:g} = {number - count.number:g} ({one.quoted})"


def _without(asked: Question) -> str | None:
    """What a bill comes to without the lines that a question leaves out or takes back."""
    if not (asked.says("leaves out") or _BACK.search(asked.text)):
        return None
    found = listings.records(asked.whole)
    totals = [one for one in found if one.is_sum and one.price and listings.total_kind(one.label)]
    out = content(_left_out(asked.text))
    items = [one for one in listings.priced(found) if not one.is_sum and out & roots_of(one.label)]
    numbers = {one.price.number for one in totals if one.price}
    if len(numbers) != 1 or not items or not _all_named(out, items):
        return None
    whole = next(one.price for one in totals if one.price)
    rest = whole.number - sum(one.price.number for one in items if one.price)
    if rest <= 0:
        return None
    terms = " - ".join(f"{one.price.written} {one.label}" for one in items if one.price)
    return f"{listings.shown(rest, whole)} ({whole.written} - {terms})"


def _reduced(asked: Question) -> str | None:
    """A price less the percentage that the same sentence takes off it."""
    if not (stated_numbers.says(asked.text, "discount") or _PERCENT.search(asked.text)) or not asked.says("how much"):
        return None
    having = [
        (match, one)
        for one in asked.sentences
        if len(one.money) == 1 and says(one.text, "off") and len(match := _PERCENT.findall(one.text)) == 1
    ]
    if len(having) != 1:
        return None
    (share,), one = having[0]
    price, percent = one.money[0], quantities.value_of(share) or 0.0
    off = price.number * percent / 100
    return f"{price.told(price.number - off)} ({price.written} - {share} % of it, {price.told(off)}: {one.quoted})"


def _left_out(text: str) -> str:
    """The part of a question that tells what is left out."""
    words = spaced(text)
    if back := _BACK.search(text):
        return back["what"]
    phrase = next(one for one in listed("leaves out") if f" {one} " in words)
    before, _, behind = words.partition(f" {phrase} ")
    part = behind if len(behind.split()) > 0 and content(behind) else before
    return re.split(r"[?.;]|, (?:what|how)\b| what | how much ", part)[0]


def _all_named(out: frozenset[str], items: Sequence[listings.Record]) -> bool:
    """Whether each line is named by words that no other one of them has alone, and each by its own."""
    return all(len(out & roots_of(one.label)) >= min(2, len(content(one.label))) or len(items) == 1 for one in items)


OPERATIONS: tuple[Callable[[Question], str | None], ...] = (
    _left, _own_share, _with_surcharge, _multiple, _of_one, _still_there, _without, _reduced, _all_of_text, _changed,
)  # fmt: skip
