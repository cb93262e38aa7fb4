"""Questions whose answer is worked out from the lines of a text or page, and shown with its calculation: what a bill
comes to, each one's share, 26 children at the price of one, three soups and a coffee.

Of several questions in one each is worked out, or else read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from hugginggpt.experts import (
    absent,
    affected,
    age_prices,
    arrivals,
    bar_charts,
    bills,
    checks,
    duties,
    elapsed,
    foreign_reading,
    laid_out,
    line_sums,
    listed_questions,
    listed_sections,
    meters,
    numbered,
    owed_together,
    quantities,
    quantity_questions,
    rates,
    recipes,
    shared_costs,
    stay_limits,
    timetables,
    whole_texts,
)
from hugginggpt.experts.joint_answers import UNSURE, together
from hugginggpt.experts.question_parts import parts_of
from hugginggpt.experts.stated_numbers import counted, says

Answered = dict[str, Any]
_HOW_MUCH = re.compile(
    r"\b(?:how (?:much|many|long|big)|what|whats|what's|which|wie ?viele?|was|combien|cuánt[oa]s?|qué|"
    r"add up|sum up|total)\b|多少|一共",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"\b(?:pay|paid|owe[ds]?|spend|spent|costs?|bill|receipt|come to|price|discount|deposit|zahlen|bezahl\w*|kostet|"
    r"kosten|rechnung|skonto|payer|payé|coûte|facture|pagar|pagado|cuesta|cuenta|factura)\b|多少钱",
    re.IGNORECASE,
)


def asked_for(question: str) -> bool:
    """Whether words ask for what the lines of a text or page may come to."""
    if recipes.asked_for(question) or _is_of_lines(question):
        return True
    stated = counted(question)
    is_of_us = any(one.is_us for one in stated)
    states_money = any(one.unit for one in quantities.in_question(question))
    if (is_of_us or states_money) and quantities.says(question, "enough"):
        return True
    is_of_amounts = is_of_us or any(says(question, kind) for kind in ("pays", "sums", "split", "discount"))
    is_of_amounts |= len(stated) > 1 or (bool(stated) and quantities.says(question, "still have"))
    return is_of_amounts and bool(_HOW_MUCH.search(question))


def is_of_page(question: str) -> bool:
    """Whether words ask what is to be paid, or which bus to take: no photograph tells, but its page."""
    return bool(_HOW_MUCH.search(question) and _MONEY.search(question)) or _is_of_lines(question)


def _is_of_lines(question: str) -> bool:
    """Whether words ask what only the lines of a page tell, without naming an amount."""
    return (
        listed_questions.asks_check(question)
        or bar_charts.asks_of_extremes(question)
        or timetables.asked_for(question)
        or stay_limits.asked_for(question)
    )


def answer(
    question: str, text: str, read: Callable[[str], Answered], plainly: str, pages: Sequence[laid_out.Rows] = ()
) -> Answered | None:
    """What is worked out for a question, or for a part of it, the rest of which is `read`; None where nothing is.
    `plainly` is how the closest lines to a part without an answer are led; `pages` are those of the text with the
    places of their lines. A question may come with the same in English on a second line.
    """
    if placed := _by_places(question, pages):
        return placed
    question = question.strip().partition("\n")[0]
    if missing := absent.answer(question, text):
        return missing
    for told in (
        affected.answer,
        recipes.scaled,
        meters.answer,
        recipes.amounts_of,
        numbered.answer,
        owed_together.answer,
        shared_costs.answer,
    ):
        if said := told(question, text):
            return {"answer": said}
    parts = foreign_reading.parts_in(question) or parts_of(question)
    if len(parts) < 2:
        return _worked_out(question, text)
    if trip := timetables.answer(question, text):
        return {"answer": trip}
    if listed := listed_questions.answer(question, text):
        return listed
    if change := quantity_questions.change_in_a_year(question, text):
        return {"answer": change}
    lead = question[: question.find(parts[0])] if parts[0] in question else ""
    given = [
        _by_places(part, pages) or _worked_out(part, text) or (_worked_out(f"{lead}{part}", text) if lead else None)
        for part in parts
    ]
    if not any(one and one.get("found", True) for one in given):
        return _of_quantities(question, text)
    return together([one or read(part) for one, part in zip(given, parts, strict=True)], parts, plainly)


def _by_places(question: str, pages: Sequence[laid_out.Rows]) -> Answered | None:
    """What the layout of one of the pages says."""
    told = next((told for rows in pages if (told := laid_out.answer(question, rows))), "")
    return {"answer": told} if told else None


def _worked_out(question: str, text: str) -> Answered | None:
    if told := _of_quantities(question, text):
        return told
    listed = listed_questions.answer(question, text)
    if listed and listed.get("found", True):
        return listed
    for follows in (whole_texts.count_of_parts, bills.asked_deposit, bills.asked_after_discount, bills.asked_share):
        if said := follows(question, text):
            return {"answer": said}
    if found := rates.answer(question, text):
        said, is_sure = found
        return {"answer": said} if is_sure else unsure(said)
    if found := line_sums.asked_sum(question, text):
        said, is_sure = found
        return {"answer": said} if is_sure else unsure(said)
    if said := listed_sections.answer(question, text) or bills.asked_date(question, text):
        return {"answer": said}
    if said := bills.asked_sum(question, text):
        return {"answer": said, "bill": bills.record_of(text)}
    return listed


def _of_quantities(question: str, text: str) -> Answered | None:
    """What follows from several quantities or times of a text."""
    for worked in (
        affected.answer,
        arrivals.answer,
        age_prices.answer,
        stay_limits.answer,
        duties.answer,
        timetables.answer,
        quantity_questions.answer,
        elapsed.answer,
        checks.answer,
    ):
        if said := worked(question, text):
            return {"answer": said}
    return None


def unsure(said: str) -> Answered:
    """What is worked out, but perhaps not what was asked for."""
    return {"answer": UNSURE.format(said), "closest": said, "found": False, "chance": 0.2}
