"""What people call columns that are named otherwise: the upper value of a blood pressure, the second term.

Each is put in the words of the table where exactly one column is meant, so that nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_rewording import Rewording
from hugginggpt.experts.table_words import ORDINALS

_SYSTOLIC = frozenset(["systolic", "systole", "sys", "syst"])
_DIASTOLIC = frozenset(["diastolic", "diastole", "dia", "diast"])
_THING = r"(?:(?:blood )?pressures?|values?|numbers?|readings?|figures?|ones?|measurements?)"
_UPPER = re.compile(rf"\b(?:upper|top) {_THING}\b(?! than)|\bupper\b", re.I)
_LOWER = re.compile(rf"\b(?:lower|bottom) {_THING}\b(?! than)", re.I)
_BOTH = re.compile(
    rf"\b(?:both|the two) (?:of them|{_THING})\b|\b(?:the )?upper and (?:the )?lower\b(?: {_THING}\b)?", re.I
)
_RATHER = re.compile(
    r"\s*[?.!,;(]\s*(?:i mean )?not (?:in |by |the )*(?:pieces?|quantity|quantities|numbers?|units?|items?|how many)"
    r",? (?:but )?(?:in |by |the )*money\b\)?",
    re.I,
)
"""What is added so that money is not taken for pieces."""
_NOT_PIECES = re.compile(
    r"[\s,;(]*\b(?:and )?not (?:in |by |the )*(?:pieces?|quantity|quantities|numbers?|units?|items?)\b\)?", re.I
)
_I_MEAN = re.compile(r"[\s,;(]*\bi mean(?= (?:in|by) (?:money|revenue|value|turnover|takings)\b)", re.I)
_INTRODUCED = re.compile(
    r"^\W*(?:(?:and |so |ok |und |et )?(?:here (?:are|is|come)|here's|this is|these are|hier (?:sind|ist|kommen)|"
    r"das (?:sind|ist)|voici|voilà|aquí (?:están?|tienes?|te dejo)|这是|这里是))\b"
    r"[^.,:;!?。，]{0,60}[.,:;!。，]\s*(?=\S+\s*\S)",
    re.I,
)
_IF_ALL_PAY = re.compile(
    r",?\s*\b(?:if|when|once) (?:they |we )?(?:all|everybody|everyone|each)(?: of (?:them|us))?"
    r"(?: (?:has|have|had))? (?:pays?|paid)\b(?: up)?",
    re.I,
)
_TOP_SCORER = re.compile(
    r"(?:\bis |\bare )?(?:\b(?:the|our) )?\b(?:top|best|leading) (?:goal ?)?(?:scorer|shooter)s?\b|"
    r"(?:\bscored (?:the )?most)\b",
    re.I,
)
_SUBSCRIPTION = re.compile(
    r"\b(paid|pay|pays)\b(?: (?:their|his|her|the|this year's|for))*"
    r"(?: (?:annual|yearly|club|membership|season))? (?:subscriptions?|membership|dues|subs|contributions?|fees?)\b",
    re.I,
)
_PHONE = re.compile(r"\b(?:tele)?phone|\b(?:mobile|cell|handy|telefon\w*|teléfono|téléphone|móvil)\b|电话|手机", re.I)
_NUMBERS = re.compile(r"\b(?:(?:tele)?phone |contact )?numbers?\b(?! of (?!those|these|them|the)\w+)", re.I)
_OF_MONEY = re.compile(r"\b(?:money|revenue|value|turnover|takings|income)\b", re.I)
_MEAN = r"(?:averages?|means?|medians?)"
_MAX_CELLS = 40
"""Of a column with more different cells no two are asked for beside each other."""
_MARKS = frozenset(["note", "noten", "zensur", "zensuren", "schulnote", "schulnoten"])
_BEST, _WORST = re.compile(r"\bbest\b", re.I), re.compile(r"\bworst\b", re.I)
_BETTER = re.compile(r"\b(?P<end>better|worse|improved?)\b(?:.*?\bthan\b(?P<rest>.*))?", re.I)
_TERM_ALONE = re.compile(r"\W*+(?:and )?(?:what about )?(?:in |for |of )?(?:the )?(?:\w+|\d ?\.?)(?: one)?\W*", re.I)
"""What names nothing but another term."""
_LENT = frozenset(["lent", "loaned", "borrower", "borrowed", "assigned", "holder", "verliehen", "ausgeliehen"])
_WHO_HAS = re.compile(r"\bwho(?:['’]?s| has| have| is having)(?: got)? (them|those|these|it)\b", re.I)
_SCALE = "Of marks from 1 to 6, I took 1 as the best."


def with_everyday_names(one: Rewording) -> None:
    """Puts everyday names of columns in the words of the table."""
    for step in (
        _paid_by_all,
        _paid_for,
        _holders,
        _scorers,
        _phones,
        _of_each,
        _pressures,
        _improved,
        _numbered,
        _marked,
    ):
        step(one)


def for_both(table: TypedTable, parts: Sequence[str]) -> list[str]:
    """The questions of a message; one for both values of a blood pressure as one for each."""
    pair = _pair(table)
    said: list[str] = []
    for part in parts:
        found = _BOTH.search(part) if pair else None
        for column in pair if pair and found else ():
            said.append(" ".join(f"{part[: found.start()]} {column.name} {part[found.end() :]}".split()))  # type: ignore[union-attr]
        said += [] if found else [part]
    return said


def without_asides(line: str) -> str:
    """A message without "not pieces, money" behind a question for money."""
    plain = _I_MEAN.sub("", _NOT_PIECES.sub("", _RATHER.sub("", line)))
    return plain if _OF_MONEY.search(plain) else line


def without_introduction(question: str) -> str:
    """A question without what only says what the table is: "here are the phone numbers: ..."."""
    return "\n".join(_INTRODUCED.sub("", line) for line in question.splitlines())


def _paid_by_all(one: Rewording) -> None:
    """ "If they all pay": all rows, whoever has paid."""
    one.put(_IF_ALL_PAY, "")


def _scorers(one: Rewording) -> None:
    """ "Top scorer", beside a column of goals or points."""
    goals = one.column(frozenset(["goals", "goal", "points", "tore", "score"]), _is_measure)
    if goals:
        one.put(
            _TOP_SCORER,
            f"has the most {goals.name}"
            if re.search(r"\bwho", one.question, re.I)
            else f"who has the most {goals.name}",
        )


def _paid_for(one: Rewording) -> None:
    """ "Paid their subscription", beside a column that says who has paid: what it is for adds nothing."""
    paid = one.column(frozenset(["paid", "bezahlt", "payé", "pagado"]))
    if paid and not one.says("subscription", "membership", "dues", "contribution"):
        one.put(_SUBSCRIPTION, lambda found: found[1])


def _phones(one: Rewording) -> None:
    """ "Their numbers", beside a column of telephone numbers."""
    phones = [column for column in one.table.columns if _PHONE.search(column.name)]
    if len(phones) == 1 and not one.says("number", "numbers"):
        one.put(_NUMBERS, phones[0].name)


def _of_each(one: Rewording) -> None:
    """ "Average in the morning and in the evening", "average morning and average evening": that of each."""
    if not re.search(_MEAN, one.question, re.I):
        return
    for column in one.table.columns:
        if column.type != "text" or not 1 < len(column.distinct) <= _MAX_CELLS:
            continue
        cells = "|".join(sorted(map(re.escape, column.distinct), key=len, reverse=True))
        link = rf"(?:(?P<link>(?:in|on|at|for|of)(?: the)?)|(?P<mean>{_MEAN})) "
        again = r"(?(link)(?P=link) |(?:(?P=mean) )?)"
        found = re.search(rf"\b{link}(?P<first>{cells}),? and {again}(?P<second>{cells})\b", one.question, re.I)
        if found and found["first"].lower() != found["second"].lower():
            only = f"where {column.name} is {found['first']} or {found['second']}" * (len(column.distinct) > 2)
            parts = (
                one.question[: found.start()],
                found["mean"] or "",
                f"per {column.name}",
                only,
                one.question[found.end() :],
            )
            one.question = " ".join(" ".join(parts).split())
            return


def _pressures(one: Rewording) -> None:
    """The upper and the lower value of a blood pressure."""
    if pair := _pair(one.table):
        one.put(_UPPER, pair[0].name)
        one.put(_LOWER, pair[1].name)


def _pair(table: TypedTable) -> tuple[Column, Column] | None:
    """The columns of the upper and the lower value of a blood pressure."""
    said = Rewording(table, "")
    upper, lower = said.column(_SYSTOLIC, _is_measure), said.column(_DIASTOLIC, _is_measure)
    return (upper, lower) if upper and lower else None


def _is_measure(column: Column) -> bool:
    return column.is_measure and not column.computed


def _improved(one: Rewording) -> None:
    """ "In which subjects am I better than in the first term?", "where did I get worse?", of marks of two terms."""
    marks = [column for column in one.table.columns if _is_mark(column) and _term(column)]
    found = _BETTER.search(one.question)
    if found is None or len(marks) != 2:
        return
    named = [column for column in marks if found["rest"] and _ordinal(column).search(found["rest"])]
    before = named[0] if len(named) == 1 else min(marks, key=lambda column: _term(column) or ("", ""))
    after = next(column for column in marks if column is not before)
    side = "below" if found["end"].lower() in ("better", "improve", "improved") else "above"
    one.question = f"which rows have {after.name} {side} {before.name}"
    one.notes.append(_SCALE)


def other_term(table: TypedTable, measured: str, question: str) -> str:
    """ "And in the first?" behind a question about the second term: that of the first."""
    terms = [column for column in table.columns if _term(column)]
    if measured not in [column.name for column in terms] or not _TERM_ALONE.fullmatch(question):
        return question
    named = [column for column in terms if _ordinal(column).search(question)]
    return f"and in {named[0].name}?" if len(named) == 1 else question


def _holders(one: Rewording) -> None:
    """ "Who has them?", beside a column that says to whom things are lent."""
    lent = one.column(_LENT, lambda column: column.type == "text")
    if lent:
        one.put(_WHO_HAS, lambda found: f"what is {lent.name} of {found[1]}")


def _numbered(one: Rewording) -> None:
    """ "In the second term", of the columns Mark term 1 and Mark term 2."""
    column = _named([column for column in one.table.columns if _term(column)], one.question)
    if column is None:
        return
    number, noun = _term(column) or ("", "")
    if column.name.casefold() not in one.question.casefold():
        one.put(_said(column), column.name)
    for word in column.words:  # "the best mark in the second term"
        if word not in (number, noun):
            one.put(re.compile(rf"\b{re.escape(word)}n?\b(?! {number}\b| {noun}\b)", re.I), " ")


def _marked(one: Rewording) -> None:
    """The best of marks from 1 to 6 is the lowest."""
    measures = [column for column in one.table.columns if _is_measure(column)]
    if measures and all(map(_is_mark, measures)) and (one.put(_BEST, "lowest") or one.put(_WORST, "highest")):
        one.notes.append(_SCALE)


def _is_mark(column: Column) -> bool:
    """Whether a column holds marks from 1 to 6, by a German name for them."""
    is_named = any(word in _MARKS or word.endswith(("note", "noten")) for word in column.words)
    return is_named and column.is_measure and all(1 <= value <= 6 for value in column.present)


def _term(column: Column) -> tuple[str, str] | None:
    """The number in a column's name and what is numbered: 2 and "term" of "Mark term 2" or "Mark 2. term"."""
    words = column.words
    at = next((at for at, word in enumerate(words) if word.isdigit() and len(word) == 1), None)
    if at is None or len(words) < 2 or column.is_id:
        return None
    return words[at], words[at + 1] if at + 1 < len(words) else words[at - 1]


def _ordinal(column: Column) -> re.Pattern[str]:
    number = (_term(column) or ("", ""))[0]
    words = "|".join([rf"{number}\b", *(word for word, value in ORDINALS.items() if str(value) == number)])
    return re.compile(rf"\b(?:{words})", re.I)


def _said(column: Column) -> re.Pattern[str]:
    """How people say which of several a column is: "second term", "2. Halbjahr"."""
    number, noun = _term(column) or ("", "")
    words = "|".join([rf"{number}\s*\.?", *(word for word, value in ORDINALS.items() if str(value) == number)])
    return re.compile(rf"\b(?:{words})\s*{re.escape(noun)}(?:e?s)?\b", re.I)


def _named(columns: Sequence[Column], text: str) -> Column | None:
    """The only column that a text speaks of by its number."""
    named = [column for column in columns if _said(column).search(text)]
    return named[0] if len(named) == 1 else None
