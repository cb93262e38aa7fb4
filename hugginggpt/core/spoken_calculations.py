"""Calculations that are asked for in a sentence: "17 percent of 240", "split 84 by 6 people", "12 % tip on 64 euros".

Each form says which numbers it takes; a sentence with another number, or one with words that ask for more, is none of
them. German, French, Spanish and Chinese have words for percent and the four operations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from hugginggpt.core.arithmetic import LONGEST, calculated

MAX_CHARS = 160
_NUMBER = re.compile(r"(?<![\w.,:])\d+(?:[.,]\d+)*(?![\w:]*\w)")
_OPERATIONS = {
    "+": "plus|und|added to|más|加上?", "-": "minus|less|moins|menos|weniger|减去?",
    "*": "times|multiplied by|mal|fois|multiplié par|por|multiplicado por|x|×|乘以?",
    "/": "divided by|geteilt durch|durch|divisé par|dividido (?:por|entre)|entre|÷|除以",
}  # fmt: skip
_PERCENT_OF = re.compile(
    r"(#)\s*(?:%|per ?cents?|prozent|pour ?cent|por ciento)\s*(?:of|from|von|vom|de|du|del|d')\s*(#)", re.IGNORECASE
)
_PERCENT = r"\s*(?:%|per ?cents?)\s*"
_ASKING = re.compile(
    r"\b(?:what(?:['’]?s| is| are| do i get for)?|how much (?:is|are|makes?)?|calculate|compute|work out|tell me|"
    r"please|pls|hey|hi|so|(?:and )?the (?:answer|result) (?:of|to)|was (?:ist|sind|macht|ergibt)|"
    r"wie ?viel (?:ist|sind|macht|ergibt)|rechne|bitte|combien (?:font|fait)|calcule[rz]?|cuánto (?:es|son)|calcula|"
    r"s'il (?:te|vous) plaît|por favor|equals?|make|euros?|pounds?|dollars?|together|altogether|exactly)\b|"
    r"多少|等于|是|请|算一下|算|[€£$=?.!,;:¿？。，]",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"\b(?:split|divide|share)\b[^#]*#[^#]*\b(?:by|between|among(?:st)?|for|into|with|across)\b[^#]*#|"
    r"#[^#]*\b(?:split|divided|shared)\b[^#]*\b(?:by|between|among(?:st)?)\b[^#]*#",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:each|per (?:person|head)|everyone|everybody|every one) ?(?:of us|of them)?\b", re.IGNORECASE)
_HEADS = re.compile(
    r"^\s*(?:people|persons?|friends?|of us|guests?|kids|children|adults|heads?|neighbou?rs?)\b", re.IGNORECASE
)
_WE = re.compile(r"\b(?:we|there) (?:are|were)\s*$", re.IGNORECASE)
_TIP = re.compile(
    rf"#{_PERCENT}(?:of |as )?(?:an? )?"
    r"(?:tip|service|vat|tax(?:es)?|sales tax|gst|mwst|mehrwertsteuer|steuer|tva|iva|impuestos?|interest|surcharge|"
    r"postage)\b",
    re.IGNORECASE,
)
_ADDED = re.compile(r"\b(?:add|plus|with|including|incl|mit)\b", re.IGNORECASE)
_MARK = "77777077"
"""A number that nobody says, in the place of the one that is known."""
_PARTS = {"half": "/ 2", "a third": "/ 3", "one third": "/ 3", "a quarter": "/ 4", "double": "* 2", "twice": "* 2",
          "die hälfte": "/ 2", "la moitié": "/ 2", "la mitad": "/ 2"}  # fmt: skip
_PART_OF = re.compile(
    rf"\b({'|'.join(_PARTS)})(?: of| von| davon| de)?"
    r"(?: (?:that|it|this|das|cela|eso|the (?:total|sum|result)))?(?!\w)",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"\b(?:that|this|it|(?:the|this|that) (?:total|sum|result|amount|number|price|figure|bill)|davon|"
    r"de (?:cela|ça)|cela|ça|de eso|eso)\b",
    re.IGNORECASE,
)
_AND = r"(?:(?:and|now|then|so|also|please|ok|can you|could you|und|dann|et|puis|y|luego)\W+)*"
_CONTINUES = re.compile(
    rf"{_THAT.pattern}|{_PART_OF.pattern}|^\W*{_AND}(?:add|plus|minus|times|divided|split|with|including|take off|"
    r"subtract|less|without|increase|reduce|mit|ohne|avec|con)\b",
    re.IGNORECASE,
)
_SHARE_MORE = re.compile(
    rf"^\W*{_AND}(?:(?:add|plus|with|including|mit|avec|con)(?: (?:another|an|a|the))?|"
    rf"(?:increase|raise) (?:it|that|this) by) #{_PERCENT}(?:[^\W\d]+ ?){{0,3}}\W*$",
    re.IGNORECASE,
)
_SHARE_LESS = re.compile(
    rf"^\W*{_AND}(?:(?:take|knock) off|take|subtract|minus|less|without|weniger|moins|menos|"
    rf"(?:reduce|lower|cut) (?:it|that|this) by) #{_PERCENT}(?:[^\W\d]+ ?){{0,3}}\W*$",
    re.IGNORECASE,
)
_POLITE = re.compile(r"^\W*(?:(?:and|now|then|so|also|please|und|dann|et|puis|y|luego|ok|can you|could you)\W+)+", re.I)
_OFF = re.compile(rf"#{_PERCENT}(?:off|discount|reduction|cheaper|reduced|less)\b", re.IGNORECASE)


def calculation_in(words: str) -> str:
    """The calculation that a sentence asks for, as `calculated` reads it; "" for any other sentence."""
    if len(words) > MAX_CHARS:
        return ""
    words = re.sub(r"([\u3400-\u9fff]+)", r" \1 ", words)
    numbers = [_plain(number) for number in _NUMBER.findall(words)]
    if not 2 <= len(numbers) <= 8 or "" in numbers:
        return ""
    form = _NUMBER.sub("#", re.sub(r"(?<!\d)[€£$](?=\s?\d)", "", words))
    if form.count("#") != len(numbers):  # one of the user's own
        return ""
    written = _operations(form, numbers)
    if not written and len(numbers) == 2:
        written = _shared(form, numbers) or _of_a_price(form, numbers)
    return written if written and len(written) <= LONGEST and _is_calculable(written) else ""


def calculation_after(words: str, number: str) -> str:
    """The calculation that a sentence asks for of a number that is known: "what is 15 % of that?", "then add 20 % VAT",
    "split it between 4 people"; "" for any other sentence. `number` is that number as it is to be written.
    """
    if len(words) > MAX_CHARS or not _CONTINUES.search(words):
        return ""
    numbers = [_plain(one) for one in _NUMBER.findall(words)]
    shares = _NUMBER.sub("#", words)
    for pattern, sign in ((_SHARE_MORE, "+"), (_SHARE_LESS, "-")):
        if len(numbers) == 1 and numbers[0] and pattern.match(shares):
            return f"{number} * (100 {sign} {numbers[0]}) / 100"
    said = _PART_OF.sub(lambda part: f"{_MARK} {_PARTS[part[1].lower()]}", words)
    if re.fullmatch(
        rf"\W*{_AND}(?:(?:and )?(?:what(?:['’]s| is)|how much is) )?{_MARK} [*/] \d\W*", said, re.IGNORECASE
    ):
        return f"{number} {said[said.index(_MARK) + len(_MARK) :].strip(' ?.!')}"
    bare = _POLITE.sub("", said)
    named = _THAT.sub(lambda that: f"{'of ' * that[0].lower().startswith('d')}{_MARK}", bare, count=1)  # davon, de eso
    for form in (named, f"{bare} to {_MARK}", f"{_MARK} {bare}"):
        written = calculation_in(form) if form.count(_MARK) == 1 else ""
        if written:
            return written.replace(_MARK, number)
    return ""


def in_words(value: Fraction) -> str:
    """A value in decimals: all of them where they end, else two, or more of a small one, with "about"."""
    for digits in range(7):
        if value == round(value, digits):
            return _decimal(value, digits)
    return f"about {_decimal(value, 2 if abs(value) >= 1 else 6)}"


def _decimal(value: Fraction, digits: int) -> str:
    """A value rounded to so many decimals, whatever its size; no float holds all of a long number."""
    return f"{Decimal(f'{round(value * 10**digits)}E-{digits}'):,f}"


def _plain(number: str) -> str:
    """A number with a decimal point and nothing between thousands; "" for one that may mean either."""
    marks = [mark for mark in number if mark in ".,"]
    if not marks:
        return number
    *whole, last = re.split(r"[.,]", number)
    if len(marks) == 1 and not (marks == [","] and len(last) == 3):
        return f"{whole[0]}.{last}"
    if len(set(marks)) == 1:  # 1,200,000
        return "".join((*whole, last)) if all(len(part) == 3 for part in (*whole[1:], last)) else ""
    return f"{''.join(whole)}.{last}" if marks.count(marks[-1]) == 1 else ""


def _operations(form: str, numbers: Sequence[str]) -> str:
    """The calculation of a sentence that has nothing but numbers, operations and words that ask."""
    if re.search(r"#[-/]#", form) and not re.search(r"[A-Za-z=]", form):
        return ""  # a date, pages, or a number to call
    written = re.sub(r"百分之\s*#", "#%", form)
    written = re.sub(r"(#)\s*的\s*(#)\s*%", r"\2 % of \1", written)
    is_turned = written != form and "% of" in written
    written = _PERCENT_OF.sub(r"\1 / 100 * \2", written)
    for sign, spoken in _OPERATIONS.items():
        apart, close = rf"(?<=[#\s)])(?<!\w)(?:{spoken})(?!\w)(?=[\s#(])", rf"(?<=#)(?:{spoken})(?=#)"
        written = re.sub(f"{apart}|{close}", f" {sign} ", written, flags=re.IGNORECASE)
    written = " ".join(_ASKING.sub(" ", written).split())
    if not re.fullmatch(r"[-#+*/() 10]+", written) or not re.search(r"[-+*/]", written):
        return ""
    return _filled(written, [numbers[1], numbers[0], *numbers[2:]] if is_turned else numbers)


def _filled(form: str, numbers: Sequence[str]) -> str:
    given = iter(numbers)
    return re.sub("#", lambda _: next(given), form)


def _shared(form: str, numbers: Sequence[str]) -> str:
    """What each gets or pays: a sum divided by a number of people."""
    first, second = numbers
    before, between, behind = form.split("#")
    heads = [bool(_HEADS.match(part) or _WE.search(said)) for said, part in ((before, between), (between, behind))]
    if _SHARED.search(form):
        return f"{second} / {first}" if heads == [True, False] else f"{first} / {second}"
    if _EACH.search(form) and heads in ([True, False], [False, True]):
        return f"{first} / {second}" if heads[1] else f"{second} / {first}"
    return ""


def _of_a_price(form: str, numbers: Sequence[str]) -> str:
    """A price with a tip, or reduced by a share."""
    for pattern, sign in ((_TIP, "+"), (_OFF, "-")):
        if not (found := pattern.search(form)):
            continue
        is_first = "#" not in form[: found.start()]
        share, price = numbers if is_first else (numbers[1], numbers[0])
        if sign == "+" and not _ADDED.search(form):
            return f"{share} / 100 * {price}"
        return f"{price} * (100 {sign} {share}) / 100"
    return ""


def _is_calculable(written: str) -> bool:
    try:
        calculated(written)
    except ValueError:
        return False
    return True
