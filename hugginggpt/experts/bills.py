"""What is to be paid in all by a bill, and what follows from it: each one's share, and the sum after a discount.

The total is that of the line that is called so; where several are, and nothing tells them apart, there is none.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hugginggpt.experts import listed, listings, page_times, stated_numbers
from hugginggpt.experts.listed import CENT, Record, Value, shown
from hugginggpt.experts.sentences import statements
from hugginggpt.experts.stated_numbers import says, spaced
from hugginggpt.experts.word_likeness import stem, stems_of
from hugginggpt.experts.written_language import function_word

LANGUAGES = ("en", "de", "fr", "es")
MAX_TELLING, MAX_HEAD_LINES, MAX_QUOTED = 6, 6, 160
MAX_BARE = 100_000
"""A number without a sign or cents that is as high is no amount, but that of an account."""
_OF_ACCOUNT = re.compile(
    r"\b(?:account|sort code|iban|bic|swift|konto\w*|blz|compte|cuenta|reference|ref|phone|tel)\b", re.IGNORECASE
)
_CURRENCY = re.compile(r"[£$€¥]|\b(?:GBP|EUR|USD|CHF)\b|\b(?:pounds?|euros?|dollars?)\b|元", re.IGNORECASE)
_SIGNS = {"pound": "£", "dollar": "$", "euro": "€", "gbp": "£", "usd": "$", "eur": "€"}
_PERCENT = re.compile(r"(?<![\w.,])(?P<number>\d{1,2}(?:[.,]\d{1,2})?)\s?(?:%|per ?cent\b|prozent\b|pour cent\b)", re.I)
_AMOUNT = re.compile(
    r"(?<![\w.,])(?:(?P<sign>[£$€])\s?(?P<signed>\d[\d,.]*\d|\d)|"
    r"(?P<number>\d[\d,.]*\d|\d)\s?(?P<unit>pounds?\b|euros?\b|dollars?\b|EUR\b|USD\b|GBP\b|€|£))",
    re.IGNORECASE,
)
_WHOM = re.compile(
    r"\b(?:owe|pay|to|at|from|with|dem|der|den|beim|bei|vom|au|à la|chez|al|a la|en el|en la)\s+"
    r"(?:the |my |our |this )?"
    r"(?P<who>(?:(?!(?:in|for|on|all|to|and|by|of|für|pour|por|en|insgesamt|total)\b)[^\W\d_][\w'&-]*\s?){1,3})",
    re.IGNORECASE,
)
"""Whom a bill is paid to, which names nothing on it."""
_FOR = re.compile(
    r"\b(?:for|on|für|pour|por|para)\s+(?:the |a |an |my |our |all |den |die |das |le |la |l'|el )?([^\W\d_]+)", re.I
)
_CALLED_NUMBER = re.compile(
    r"\b(?:invoice|bill|receipt|quote|quotation|offer|order|rechnung(?:snummer)?|angebot|facture|devis|factura|recibo|"
    r"presupuesto|reference|ref)\.?\s*(?:no\.?|nr\.?|number|nummer|n°|nº|num\.?|id|#)?\s*:?\s*"
    r"(?P<number>(?!\d{1,2}[ ./]\w+[ ./]\d{2,4})(?=[\w/-]*\d)[A-Z0-9][\w/-]{2,}(?: \d{3,})?)(?![\w.])",
    re.IGNORECASE,
)
_ASKS_HOW_MUCH = re.compile(
    r"\b(?:how much|what|whats|what's|wie ?viel|was|combien|cuánto|cuánta|qué|quel|sum|total|amount)\b|多少|一共",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(r"\b(?:what|which) (?:day|date|time|hour)\b", re.IGNORECASE)
_PRICE_LINE = re.compile(
    r"(?:(?:our|the|total|fixed|all-in|unser) )?(?:price|quote|preis|angebotspreis|prix|precio|价格|总价)\s*[:：]",
    re.IGNORECASE,
)
_PERHAPS_ONE = re.compile(
    r"\b(?:each|one|single|per|both|cheapest|dearest|most|least|first|second|next|deposit|change|difference|more|less|"
    r"average|without|except|before|not)\b",
    re.IGNORECASE,
)
"""What asks for something else than the whole."""


@dataclass(frozen=True, slots=True)
class Total:
    """What a bill comes to: the value, with its currency if one is written anywhere, and its line."""

    value: Value
    line: str

    @property
    def number(self) -> float:
        return self.value.number

    @property
    def written(self) -> str:
        return shown(self.value.number, self.value)

    @property
    def quoted(self) -> str:
        return f"“{' '.join(self.line.split())}”"


def total_of(text: str, *, to_pay: bool = True) -> Total | None:
    """What is to be paid in all by a text; None where it does not say so plainly. Where a part was paid before,
    the rest is to be paid, and the whole is what it cost.
    """
    payable, whole = _called(text, "payable"), _called(text, "whole")
    order = (payable, whole) if to_pay or not whole else (whole, payable)
    return next((one for found in order if (one := _only(found)) is not None), None) or _price(text)


def _price(text: str) -> Total | None:
    """The price of an offer, where a single line is called so, and none a total: "Price: £2,340 including VAT"."""
    named = [line for line in map(str.strip, text.splitlines()) if _PRICE_LINE.match(line)]
    amounts = [one for one, _ in _amounts(named[0])] if len(named) == 1 else []
    return amounts[0] if len(amounts) == 1 else None


def _called(text: str, kind: str) -> list[Total]:
    """The lines of a text that are called as a total of this kind is."""
    found = []
    for record in listed.records(text):
        values = [value for value in record.values if value.is_price or (not value.unit and value.number < MAX_BARE)]
        if (
            values
            and not _OF_ACCOUNT.search(record.line)
            and listed.total_kind(record.label) == kind
            and "%" not in [value.unit for value in record.values[-1:]]
        ):
            found.append(Total(_with_currency(values[-1], record, text), record.line))
    return found


def _only(found: Sequence[Total]) -> Total | None:
    """The only one of these by its value; of several the last if it is the highest."""
    if len({round(one.number, 2) for one in found}) > 1 and found[-1].number < max(one.number for one in found) - CENT:
        return None
    return found[-1] if found else None


def _with_currency(value: Value, record: Record, text: str) -> Value:
    """A value with the currency of its line, else with the only one of the text."""
    if value.unit:
        return value
    for where in (record.line, text):
        signs = {_SIGNS.get(one.lower().rstrip("s"), one) for one in _CURRENCY.findall(where)}
        if len(signs) == 1:
            sign = signs.pop()
            decimals = value.written if sign in "£$€¥" else f"{value.written} {sign}"
            return replace(value, unit=sign, written=f"{sign}{decimals}" if sign in "£$¥" else f"{decimals} {sign}")
    return value


def asked_sum(question: str, text: str) -> str:
    """What is to be paid in all, where a question asks for that; "" for any other question or text."""
    if not _ASKS_HOW_MUCH.search(question) or not (says(question, "total") or says(question, "pays")):
        return ""
    if (
        _PERHAPS_ONE.search(question)
        or says(question, "discount")
        or says(question, "deposit")
        or stated_numbers.counted(question)
        or _ASKS_WHEN.search(question)
    ):
        return ""
    if not _is_of_all(question, text):
        return ""
    total = total_of(
        text, to_pay=not re.search(r"\b(?:cost|spen[dt]|paid|pay)\b.*\btotal|\bspen[dt]\b", question, re.I)
    )
    return f"{total.written} ({total.quoted})" if total else ""


def _is_of_all(question: str, text: str) -> bool:
    """Whether a question names nothing that a bill lists, and no part of it."""
    left = _telling(question)
    bare = _WHOM.sub(lambda match: match[0][: match.start("who") - match.start()], question)
    items = [record for record in listed.records(text) if not record.is_sum]
    named = stems_of(" ".join(record.label for record in items))
    head = stems_of(" ".join(_head(text)))
    own = [word for word in _telling(bare) if stems_of(word) and not _stands_in(word, head)]
    if any(stems_of(word) <= named for word in own) or listed.says(question, "part"):
        return False
    known = stems_of(text)
    if says(question, "total"):
        behind_for = {match[1].lower() for match in _FOR.finditer(bare)}
        return all(stems_of(word) <= known or word not in behind_for for word in own)
    return all(stems_of(word) <= known for word in own) and len(left) < MAX_TELLING


def _stands_in(word: str, stems: Collection[str]) -> bool:
    """Whether a word, or one that only ends otherwise ("eau" and "eaux"), is among some."""
    own = stem(word)
    return own in stems or any(len(own) > 2 and one.startswith(own) and len(one) < len(own) + 2 for one in stems)


def _head(text: str) -> list[str]:
    """The lines above a bill's items, which say what it is of."""
    rest = itertools.takewhile(lambda line: not listed.records(line), listed.lines_of(text))
    return list(itertools.islice(rest, MAX_HEAD_LINES))


def _telling(question: str) -> list[str]:
    """The words of a question that say more than that the whole sum is asked for."""
    words = re.sub(r"(?<= )[^\W\d_]{1,2}'(?=[^\W\d_]{3})", "", spaced(question))  # l'eau, d'abonnement
    for kind in ("total", "pays", "plain", "discount", "split"):
        for phrase in sorted(stated_numbers.listed(kind), key=len, reverse=True):
            words = words.replace(f" {phrase} ", "  ")
    return [word for word in words.split() if word.isalpha() and len(word) > 1 and not _is_light(word)]


def _is_light(word: str) -> bool:
    return any(function_word(word, code) for code in LANGUAGES)


def asked_share(question: str, text: str) -> str:
    """What each of so many pays or gets, where a question states how many they are; "" for any other."""
    if not says(question, "split") or not re.search(
        r"\bhow|what|wie|combien|cuánto|split|share|halves\b|多少", question, re.I
    ):
        return ""
    people = [one.number for one in stated_numbers.counted(question) if one.is_people or "ways" in one.words[:1]]
    if says(question, "halves"):
        people = [2]
    total = total_of(text) or _only_amount(text)
    if len(set(people)) != 1 or people[0] < 2 or total is None or _names_item(question, text):
        return ""
    each = shown(total.number / people[0], _with_cents(total.value))
    return f"{each} each: {total.written} / {people[0]:g} ({total.quoted})"


def _names_item(question: str, text: str) -> bool:
    """Whether a question names a line of the list, all of whose words it has."""
    asked = stems_of(question)
    items = [record for record in listed.records(text) if not record.is_sum]
    return any((own := stems_of(record.label)) and own <= asked for record in items)


def _with_cents(value: Value) -> Value:
    return value if re.search(r"[.,]\d\d(?!\d)", value.written) else replace(value, written=f"{value.written}.00")


def _only_amount(text: str) -> Total | None:
    """The only amount of money that a text names, which is of nothing in particular ("420 pounds for the night")."""
    found = list(_amounts(text))
    rate = re.compile(r"\s*(?:per|a|an|each|every|pro|je|par|por|/)\b", re.IGNORECASE)
    if len({total.number for total, _ in found}) != 1 or any(rate.match(behind) for _, behind in found):
        return None
    return found[0][0]


def _amounts(text: str) -> Iterator[tuple[Total, str]]:
    """The amounts of money of a text with their lines, and what stands behind each."""
    for line in listed.lines_of(text):
        for one in _AMOUNT.finditer(line):
            written = one["signed"] or one["number"]
            value = Value(listed.number_of(written), one["sign"] or one["unit"], written=one[0])
            yield Total(value, line), line[one.end() :]


def asked_deposit(question: str, text: str) -> str:
    """What is to be paid before the rest, where a text states it as a part of its total: "a deposit of 25 % of it"."""
    if not says(question, "deposit") or not _ASKS_HOW_MUCH.search(question):
        return ""
    said = [one for one in statements(text) if says(one, "deposit")]
    found = {(match["number"], one) for one in said for match in _PERCENT.finditer(one)}
    total = total_of(text)
    if len({number for number, _ in found}) != 1 or total is None or any(_AMOUNT.search(one) for _, one in found):
        return ""
    number, sentence = min(found, key=lambda one: len(one[1]))
    share = listed.number_of(number)
    written = shown(total.number * share / 100, _with_cents(total.value))
    quoted = f". It says: “{sentence}”" if len(sentence) <= MAX_QUOTED else ""
    return f"{written}: {share:g} % of {total.written}{quoted}"


def _on_discounts(text: str) -> Iterator[str]:
    """The lines that tell of a discount, with the one before where the percentage stands there: "... 2 / % Skonto"."""
    before = ""
    for line in listed.lines_of(text):
        if says(line, "discount"):
            yield line if _PERCENT.search(line) else f"{before} {line}"
        before = line


def asked_after_discount(question: str, text: str) -> str:
    """What is paid after the discount that a question names, or that a text grants for it; "" for any other."""
    if not says(question, "discount") or _names_item(question, text):
        return ""
    own = [match["number"] for match in _PERCENT.finditer(question)]
    granted = {(match["number"], line) for line in _on_discounts(text) for match in _PERCENT.finditer(line)}
    found = [(number, "") for number in own] or sorted(granted)
    total = total_of(text)
    if len({number for number, _ in found}) != 1 or total is None:
        return ""
    number, line = found[0]
    share = listed.number_of(number)
    off = round(total.number * share / 100 + 1e-9, 2)
    like = _with_cents(total.value)
    told = f"{shown(total.number - off, like)}: {total.written} less {share:g} % ({shown(off, like)})"
    return f"{told}. It says: “{' '.join(line.split())}”" if line else told


_VISITED = re.compile(
    r"\b(?:when|what (?:day|date|time)|which (?:day|date))\b.*\b(?:i|we|she|he|they) (?:\w+ )?(?:go|went|shop\w*|"
    r"buy|bought|there|pay|paid|eat|ate)\b|\bwhen was (?:i|we|this|it|that) (?:there|bought|paid)\b|"
    r"\bdate (?:of|on) (?:the |this |my )?(?:receipt|purchase|bill|visit)\b|"
    r"\bwann\b.*\b(?:dort|da|gekauft|eingekauft|bezahlt|war ich|waren wir)\b|"
    r"\bquand\b.*\b(?:allé|acheté|payé|passé)\w*|\bcuándo\b.*\b(?:fui|fuimos|compré|compramos|pagué)\b|"
    r"什么时候.*(?:买|去)",
    re.IGNORECASE,
)
"""How one asks of a receipt when one was there."""


def asked_date(question: str, text: str) -> str:
    """When somebody was at the till whose receipt a text is: its only date, with the time beside it."""
    if not _VISITED.search(question) or total_of(text) is None or says(question, "due"):
        return ""
    if not any(listed.is_called(record.label, "given") for record in listed.records(text)):
        return ""  # not paid at a till
    dated = [(line, day) for line in listed.lines_of(text) for day in listings.found(listings.DATE, line)]
    dated = [(line, day) for line, day in dated if not says(line, "due")]
    if len({day for _, day in dated}) != 1:
        return ""
    line, day = dated[0]
    time = re.search(r"(?<![\d:.])([01]?\d|2[0-3])[:h][0-5]\d(?!\d)", line.replace(day, " "))
    return f"{day}, {time[0]}" if time else day


# What of a bill is compared with others


def record_of(text: str) -> dict[str, Any]:
    """What a bill, quote or invoice says of itself: `amount` with `unit` as `written`, its `number`, its `date`, and
    until when it is `due`, also as `due_day` ("2026-07-02"); only what it says plainly. {} without a total.
    """
    total = total_of(text)
    if total is None:
        return {}
    issued, due, day = _dates(text)
    told = {"number": _number(text), "date": issued, "due": due, "due_day": day}
    found = {"amount": total.number, "unit": total.value.unit, "written": total.written}
    return found | {name: value for name, value in told.items() if value}


def _number(text: str) -> str:
    """The number of an invoice or the like, the first that is called so."""
    lines = listed.lines_of(text)
    return next((match["number"] for line in lines if (match := _CALLED_NUMBER.search(line))), "")


def _dates(text: str) -> tuple[str, str, str]:
    """The date of a bill, the one until when it is due, and the latter for sorting; "" for what is not said."""
    dated = [(line, day) for line in listed.lines_of(text) for day in listings.found(listings.DATE, line)]
    dated = [(line, day) for line, day in dated if re.search(r"\d{4}|[^\W\d_]", day)]  # not a sort code: 20-11-33
    due = [day for line, day in dated if says(line, "due")]
    issued = [day for line, day in dated if not says(line, "due")]
    until = page_times.day_of(due[0]) if len(set(due)) == 1 else None
    terms = {page_times.length(match) for match in page_times.TERM.finditer(text)}
    start = page_times.day_of(issued[0]) if issued else None
    if not due and start and len(terms) == 1:
        until = start + terms.pop()
        return issued[0], f"{until.day} {until:%B %Y}", f"{until:%Y-%m-%d}"
    return issued[0] if issued else "", due[0] if len(set(due)) == 1 else "", f"{until:%Y-%m-%d}" if until else ""
