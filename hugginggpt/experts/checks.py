"""Questions that hold something against what a text says: whether 17 are enough where 20 are needed, which of some sums
are wrong, and which lines bear the mark that a legend explains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hugginggpt.experts import listed as listings
from hugginggpt.experts import listed_questions, quantities, stated_numbers, timetables
from hugginggpt.experts.quantities import Sentence, content, listed, root, says
from hugginggpt.experts.stated_numbers import counted, spaced

MIN_SUMS, SAME_CHARS = 2, 6
_SUM = re.compile(
    r"(?P<left>\d+(?:[.,]\d+)?)\s*(?P<sign>[-+x×*:÷/–−·])\s*(?P<right>\d+(?:[.,]\d+)?)\s*=\s*(?P<result>-?\d+(?:[.,]\d+)?)"
)
_SIGNS: dict[str, Callable[[float, float], float]] = {
    **dict.fromkeys("-–−", lambda left, right: left - right),
    **dict.fromkeys("x×*·", lambda left, right: left * right),
    **dict.fromkeys(":÷/", lambda left, right: left / right if right else float("nan")),
    "+": lambda left, right: left + right,
}
_LEGEND = re.compile(
    r"(?<!\w)(?P<mark>\([^\W\d_]{1,3}\)|\*{1,3}|[^\W\d_]{1,2}(?=\s*=))\s*[=:–-]\s*"
    r"(?P<word>[^\W\d_]{3,}(?:[- ][^\W\d_]+)?)|"
    r"(?:^|[·|,;] ?)(?P<bare>\([^\W\d_]{1,3}\)) (?P<said>[^\W\d_]{4,})(?= ?(?:$|[·|,;.]))"
)
_TIME = re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-4]):[0-5]\d(?![\d:])")
_WHICH = re.compile(r"\b(?:which|what|who|whose|welche\w*|wer|quel\w*|qui|qué|cuáles|quién)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|without|isn't|aren't|nicht|kein\w*|non|pas|sans|sin)\b", re.IGNORECASE)


def answer(question: str, text: str) -> str | None:
    """What a comparison with the lines of a text says; None where the question asks for none."""
    operations = (_affordable, _enough, _wrong_sums, _marked, _at_a_time)
    return next((told for operation in operations if (told := operation(question, text))), None)


def _affordable(question: str, text: str) -> str:
    """Whether the money that a question states is enough for what it names of a list."""
    stated = [one for one in quantities.in_question(question) if one.unit]
    if len(stated) != 1 or not says(question, "enough"):
        return ""
    rest = f"{question[: stated[0].start]} {question[stated[0].end :]}"
    named = listed_questions.Asked.read(rest, listings.records(text)).named
    prices = [(record, record.price, times) for record, times, _ in named if record.price]
    if not prices or len(prices) < len(named):
        return ""
    whole = sum(price.number * times for _, price, times in prices)
    terms = " + ".join(
        f"{'' if times == 1 else f'{times:g} x '}{record.label} {price.written}" for record, price, times in prices
    )
    is_enough = whole <= stated[0].number
    told = listings.shown(whole, prices[0][1])
    return f"{'Yes' if is_enough else 'No'}: {terms} = {told}, {'not ' * is_enough}more than {stated[0].written}."


def _enough(question: str, text: str) -> str:
    """Whether the number that a question states keeps to the only limit that a text sets for it."""
    if not says(question, "enough"):
        return ""
    stated = [one for one in counted(question) if not one.time]
    limits = [limit for one in quantities.read(text) for limit in _limits(one)]
    if len(stated) != 1 or not limits:
        return ""
    if stated[0].is_people:
        limits = [
            one for one in limits if stated_numbers.says(one[2].text, "people") or _is_of_members(one[2])
        ] or limits
    if len(limits) > 1:
        fits = {id(one): fit for fit, one in quantities.by_fit(question, [one for *_, one in limits])}
        limits.sort(key=lambda limit: -fits[id(limit[2])])
        if len({limit[1] for limit in limits}) > 1 and not content(question) & limits[0][2].stems:
            return ""
    is_least, limit, sentence = limits[0]
    number = stated[0].number
    is_kept = number >= limit if is_least else number <= limit
    relation = ("not " if is_kept else "") + ("less than" if is_least else "more than")
    asks_for_excess = bool(re.search(r"\btoo (?:many|much|few)\b|zu viele?|trop|demasiad", question, re.IGNORECASE))
    word = "Yes" if is_kept != asks_for_excess else "No"
    return f"{word}: {number:g} is {relation} {limit:g} ({sentence.quoted})."


def _is_of_members(sentence: Sentence) -> bool:
    return bool(
        re.search(r"\b(?:members?|mitglieder|membres|miembros|socios|sleeps|seats)\b", sentence.text, re.IGNORECASE)
    )


def _limits(sentence: Sentence) -> list[tuple[bool, float, Sentence]]:
    """The limits that a sentence sets for a number of people or pieces: whether it is the least, and what it is."""
    found = []
    words = spaced(sentence.text)
    for kind in ("at least", "at most"):
        for phrase in listed(kind):
            if f" {phrase} " not in words:
                continue
            before, _, behind = words.partition(f" {phrase} ")
            near = before.split()[-2:] if phrase == "or more" else behind.split()[:4]
            number = next((value for word in near if (value := quantities.value_of(word)) is not None), None)
            if number is not None and not any(one.unit and one.number == number for one in sentence.quantities):
                found.append((kind == "at least", number, sentence))
                break
    return found


def _wrong_sums(question: str, text: str) -> str:
    """Which of the calculations that a text shows are wrong, with what is right."""
    if not says(question, "wrong sum") or re.search(r"\btotal|bill|receipt\b", question, re.IGNORECASE):
        return ""
    found = [match for line in text.splitlines() for match in _SUM.finditer(line)]
    if len(found) < MIN_SUMS:
        return ""
    wrong = [
        (match, result) for match in found if abs((result := _result(match)) - _value(match["result"])) > _slack(match)
    ]
    if not wrong:
        return f"All {len(found)} are right."
    told = "; ".join(f"“{match[0]}” is wrong: it is {result:.6g}" for match, result in wrong)
    right = len(found) - len(wrong)
    return f"{told}. {f'The other {right} are' if right > 1 else 'The other one is' if right else 'None is'} right."


def _result(match: re.Match[str]) -> float:
    return _SIGNS[match["sign"]](_value(match["left"]), _value(match["right"]))


def _value(text: str) -> float:
    return float(text.replace(",", "."))


def _slack(match: re.Match[str]) -> float:
    """By how much a result may differ that is rounded to its decimals."""
    decimals = len(re.split(r"[.,]", match["result"])[1]) if re.search(r"[.,]", match["result"]) else 0
    return 0.5 * 10.0**-decimals if match["sign"] in ":÷/" and decimals else 1e-6


def _marked(question: str, text: str) -> str:
    """The lines with the mark whose meaning a question asks for, as a legend tells it: "(v) = vegetarian"."""
    lines = listings.lines_of(text)
    for line in lines:
        for legend in _LEGEND.finditer(line):
            meant = _roots(legend["word"] or legend["said"])[0][:SAME_CHARS]
            if not any(word[:SAME_CHARS] == meant for word in _roots(question)):
                continue
            mark = re.compile(rf"(?<!\w){re.escape(legend['mark'] or legend['bare'])}(?!\w)")
            others = [one for one in lines if one != line and not _LEGEND.search(one)]
            bearing = [one for one in others if mark.search(one)]
            if not bearing:
                continue
            chosen = _without_mark(others, bearing) if _NOT.search(question) else bearing
            return "\n".join(f"- {' '.join(one.split())}" for one in _below(question, lines, chosen))
    return ""


def _roots(text: str) -> list[str]:
    return [root(word) for word in re.findall(r"[^\W\d_]+", text.lower())]


def _at_a_time(question: str, text: str) -> str:
    """The rows of a table that hold the time that a question names: "which of these are due at 20:00"."""
    named = _TIME.findall(question) if _WHICH.search(question) else []
    if len(named) != 1 or timetables.trips_of(text):
        return ""
    rows = [line for line in listings.lines_of(text) if len(re.split(r"\s{2,}|\t|\s\|\s", line)) > 2]
    holding = [line for line in rows if named[0] in _TIME.findall(line)]
    return "\n".join(f"- {' '.join(line.split())}" for line in holding) if len(rows) > len(holding) else ""


def _without_mark(lines: Sequence[str], bearing: Sequence[str]) -> list[str]:
    """The other lines that have a price, as those with the mark."""
    return [one for one in lines if one not in bearing and re.search(r"\d[.,]\d\d|[£$€]", one)]


def _below(question: str, lines: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Of the lines those below the heading that a question names, if it names one: "which mains"."""
    asked = set(_roots(question))
    heads = [at for at, line in enumerate(lines) if len(line.split()) <= 3 and not re.search(r"\d|\(", line)]
    named = [at for at in heads if asked.intersection(_roots(lines[at]))]
    if len(named) != 1:
        return list(chosen)
    end = next((at for at in heads if at > named[0]), len(lines))
    below = [one for one in lines[named[0] : end] if one in chosen]
    return below or list(chosen)
