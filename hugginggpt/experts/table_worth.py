"""Money that follows from a number of pieces or hours and what one of them costs: what a stock is worth, what is owed.

A column that says so already, such as a total, is taken as it stands. Otherwise the product is a column of its own, and
a note says of what.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_rewording import Rewording
from hugginggpt.experts.table_words import PRICES, QUANTITIES, stem

_TOTALS = frozenset(["total", "amount", "sum", "revenue", "turnover", "takings", "value", "worth", "sales"])
_RATES = PRICES | {"each", "wage", "rate"}
_COUNTED = frozenset([
    *QUANTITIES, "slices", "portions", "servings", "cups", "glasses", "bottles", "tickets", "boxes", "loaves", "jars",
    "bunches", "copies", "number", "count", "unidades", "existencias", "cantidad", "unités", "quantité", "stück",
    "stückzahl", "menge", "anzahl"
])  # fmt: skip
"""Words of the names of columns of what is paid for at a price each."""
_NIGHTS = frozenset(["nights", "days", "hours"])
_WEIGHED = frozenset(
    ["kg", "kilo", "kilos", "kilograms", "kilogramm", "kilogramos", "litres", "liters", "liter", "公斤", "斤"]
)
_STOCK = frozenset(["stock", "inventory", "hand", "left", "remaining", "existencias", "lagerbestand"])
_IN_THE_STOCK = re.compile(r"\b(?:stock|inventory|on hand|shel(?:f|ves)|warehouse|store ?room)\b", re.I)
_MONEY_ASKED = re.compile(
    r"\bmoney\b|\b(?:we|i|they) (?:took|made|earned|collected|raised)\b|"
    r"\b(?:did|do|have|has|will|would) (?:we|i|they|you|it|he|she) "
    r"(?:take|taken|make|made|earn|earned|bring|brought|collect|collected|raise|raised)\b|"
    r"\b(?:takes?|took|makes?|made|earn(?:s|ed)?|brings?|brought|raised|collected)(?: (?:me|us))?(?: in)? "
    r"(?:the )?(?:most|least)\b",
    re.I,
)
"""What asks for money, of whatever verb: how much did we take, what makes the most."""
_ONLY_HOW_MUCH = re.compile(
    r"^\W*(?:and )?how much(?: money)?(?: (?:was|is) (?:it|that))?"
    r"(?= (?:on|in|for|from|with|at|altogether|together|in total)\b)",
    re.I,
)
"""A question for money that has no verb: "how much on Wednesday?"."""
_ASKS_PRICE = re.compile(r"\b(?:costs?|prices?|expensive|dear(?:er|est)?|cheap(?:er|est)?)\b", re.I)
_OF_SEVERAL = re.compile(
    r"\b(?:total|sum|average|mean|median|share|percent\w*|most|least|highest|lowest|best|worst|top|over|under|above|below|than)\b"
    r"|%|\b(?:which|who|list|show|sort)\b",
    re.I,
)
"""What is asked of money that is not its sum."""
_BEST_IN_MONEY = re.compile(
    r"(?:\bwhat(?:['’]?s| is| was| are)? )?(?:\b(?:is|are|was|were) )?"
    r"\b(?:sell|sells|sold|selling|do|does|did|doing) (?:the )?"
    r"(?P<end>best|most|worst|least)\b[ ,;(]*(?:i mean )?(?:in|by|for)(?: terms of)?(?: the)? "
    r"(?:money|revenue|value|turnover|takings)\b\)?|"
    r"\b(?P<end2>best|worst)[- ](?:seller|selling)\b(?P<what>.*?) (?:in|by)(?: terms of)? "
    r"(?:money|revenue|value|turnover|takings)\b",
    re.I,
)
_UNIT = frozenset(["unit", "each", "single", "unitaire", "unitario", "einzelpreis", "stückpreis", "apiece", "hourly"])
"""Words of the names of columns of what a piece or an hour costs."""
_TRADE = re.compile(
    r"\b(?:(?:was|were|have been|did (?:we|i|they)|do (?:we|i|they)|we|i) )?(?:sold|sell|ordered|bought|baked?)\b"
    r"(?! (?:best|worst|the (?:most|least)|most|least|out))",
    re.I,
)
_MONEY_MADE = re.compile(
    r"\b(?:(?:did|do|have) (?:we|i|they|you) )?(?:brings? in|brought in|earn(?:s|ed)?|makes?|made|takes? in|took in|"
    r"(?<=we )(?:take|took)|(?<=i )(?:take|took)|"
    r"(?:gives?|gave|gets?|got|takes?|took|brings?|brought)(?=[^?]* (?:money|revenue|income)\b))"
    r"(?: (?:me|us))?(?: in)?(?: the)? (most|least)(?: of (?:our|my|the))?(?: money| revenue| income)?\b",
    re.I,
)
_MONEY_PER = re.compile(r"\b(?:the )?(?:total )?money(?= (?:per|by|(?:for|of|from) (?:each|every))\b)", re.I)
_WORTH = re.compile(
    r"\b(?:total |overall )?(?:value|worth|revenue|turnover|takings)\b|"
    r"\b(?:has|have|had) to pay\b(?: in total| altogether)?|"
    r"\b(?:pay|pays|paid|spend|spent|owe|take|took)\b(?: in)?(?: in total| altogether)",
    re.I,
)
_SALES = re.compile(r"\b(?:sales|revenue|turnover|takings|income)\b", re.I)
_OF_SALES = re.compile(
    rf"\bhow much of (?:the|our|my|that) (?:{_SALES.pattern})|(?:\b(?:total|overall) )?(?:{_SALES.pattern})", re.I
)
_OPEN = re.compile(
    r"\bhow (?:much|high)\b.*\b(?:unpaid|outstanding|overdue|open|to (?:be )?(?:paid|collected?))\b", re.I
)
_OF_ALL = re.compile(
    r"\b(?:of|for|from) (?:all|every|each)(?: of)?(?: (?:the|our|my|these|those))? "
    r"(?:orders?|sales|purchases|bookings|rows)\b",
    re.I,
)
_FORMULA = re.compile(
    r"[,;:(]? *(?:[a-z]+ (?:=|equals) )?\b(?P<left>[^\W\d_]+)\)? (?:times|multiplied by|x|×|\*) "
    r"(?:the |its |their )?(?P<right>[^\W\d_]+(?:[ _][^\W\d_]+)?)\)?",
    re.I,
)
_HOW = re.compile(r"\b(?:what|how much)(?: money)?(?: (?:is|was|are|did|does|do))?\b", re.I)
_OF_ACCOUNT = re.compile(r"\b(?:(?:final|closing|current|total|overall) )?balance\b", re.I)
_MINUS = re.compile(r"\w (?:minus|less) (?:all )?\w", re.I)
_LEFT_OVER = re.compile(
    r"\b(?:what|how much)\b[^,;:]{0,40}?\b(?:left|over|remains?|remaining)\b(?: (?:left|over))*[ ,:;]*"
    r"(?=.*\b(?:minus|less)\b)",
    re.I,
)
_ALL_OF = re.compile(r"\ball(?: of)?(?: the| our| my)? (?=\w+ (?:minus|less)\b)|(?<=minus )all\b", re.I)
_ASKS_FIGURE = re.compile(r"^\W*(?:and )?(?:all|what is|how much is)\b", re.I)
_OWED = re.compile(r"\b(?:(?:do|does|did) (?:i|we|you|they|he|she) )?owe[sd]?\b", re.I)
_SPENT = re.compile(
    r"\b(?:spend|spent|spends|pay|pays|paid|earn(?:ed|s)?|wages|(?:take|took|taken|bring|brought) in|how much money)\b|"
    rf"{_OWED.pattern}|{_SALES.pattern}|{_MONEY_PER.pattern}",
    re.I,
)
_TAKEN = re.compile(
    r"\b(?:how much(?: money)?|what) (?:did|do|have|has) (?:we|i|they|you) "
    r"(?:take|taken|make|made|get|got|earn|earned|bring|brought)\b(?: in)?"
    r"(?P<what> (?:from|by|with|for|on)(?: selling| the sales? of| sales of)?(?: (?:the|all|our|these))* \w+(?=\W*$))?",
    re.I,
)
_MONEY_VERB = re.compile(
    r"\b(?:(?:we|i|they) (?:took|made|earned|raised|collected)|(?:(?:was|were|we|i) )?(?:spent|earned|taken|received)|"
    r"(?:brings?|brought|takes?|took)(?= in\b))(?: in\b)?(?! (?:the )?(?:most|least)\b) ?",
    re.I,
)
"""What is done with money, where a column says how much it was."""
_IN_STOCK = re.compile(
    r"\bhow much money\b.{0,30}?\b(?:in|on) (?:the |our |my )?(?:stock|inventory|shelf|shelves|warehouse)\b", re.I
)
_ASKS_WORTH = re.compile(rf"\b(?:what|how much)\b(?P<before>.*?)(?:{_WORTH.pattern})", re.I)
_AUXILIARY = re.compile(r"^ *(?:do|does|did|is|was)\b(?: the)?", re.I)
_TIMES = r"\s*(?:times|multiplied by|by|x|×|\*)\s*(?:the )?"


def with_worth(one: Rewording, asked: str) -> None:
    """What is sold by the piece brings in its quantity times its price, unless a column says so; `asked` is what was
    asked, in its own words.
    """
    _balance(one)
    _product(one)
    one.put(_OF_ALL, "")
    quantity, prices = _quantity(one.table, asked), _prices(one.table)
    given = [column for column in one.table.columns if column.is_measure and not column.computed]
    totals = [column for column in given if _TOTALS & column.senses and column is not quantity]
    if quantity and not totals and prices:
        prices = _told(one, quantity, prices)
    units = [column for column in prices if _is_of_one(column)]
    units = units or [column for column in prices if {"price", "rate"} & column.senses]
    told = (_SPENT, _OPEN, _MONEY_ASKED, _ONLY_HOW_MUCH, _BEST_IN_MONEY)
    asks_money = any(said.search(text) for said in told for text in (one.question, asked))
    if _ASKS_PRICE.search(asked) and not asks_money:  # what was computed for an earlier question is not meant
        kept = [column for column in one.table.columns if not (column.computed and column.is_product)]
        one.table = replace(one.table, columns=tuple(kept))
    if quantity and not totals and len(units) == 1 and asks_money:
        one.table = replace(one.table, columns=tuple(column for column in one.table.columns if column is not units[0]))
        _multiply(one, "amount", quantity, units[0], "amount")
        _in_amounts(one)
        return
    name = totals[0].name if len(totals) == 1 else ""
    summed = f"{'sum of' if name and 'total' in totals[0].words else 'total'} {name}"
    if name and (sales := _SALES.search(one.question)) and not one.says(sales[0]):  # turnover, of the column Amount
        one.put(_OF_SALES, summed)
    elif name:
        is_plain = "total" not in totals[0].words or not _OF_SEVERAL.search(one.question)
        one.put(_TAKEN, lambda found: f"{summed if is_plain else name}{_kept(one, found)}")
    if name and units and asks_money and not _ASKS_PRICE.search(asked):  # beside what a piece costs
        one.put(_MONEY_VERB, f"{name} ")
    one.put(_IN_STOCK, "total worth")
    if name:
        one.put(_MONEY_PER, f"total {name}")
    asks = _MONEY_MADE.search(one.question) or (
        not totals and (_WORTH.search(one.question) or _MONEY_PER.search(one.question))
    )
    if asks and quantity and not totals and not prices:
        said = asks[0].strip()
        raise ExpertUnavailable(f"No column says what a piece costs, so that I cannot compute “{said}”.")
    if asks and not totals and quantity and len(prices) == 1:
        name = "worth"
        _multiply(one, name, quantity, prices[0], f"“{asks[0].strip()}”")
    if name == "worth":
        one.put(_MONEY_PER, "total worth")
    is_made = name and one.put(_MONEY_MADE, lambda found: f"has the {found[1].lower()} {name}")
    if name == "worth" and not is_made:
        one.put(_ASKS_WORTH, lambda found: f"total worth {_AUXILIARY.sub('', found['before'])}")
        one.put(re.compile(r"\b(?:total |overall )?value\b", re.I), "total worth")
    if quantity and not one.says("sold", "sell", "ordered", "bought", "baked", "bake"):
        one.put(_TRADE, " ", f"I took “{{said}}” to be what {quantity.name} counts.")


def _in_amounts(one: Rewording) -> None:
    """Puts what a question says of money in the words of the column that was computed for it."""
    one.put(_IN_STOCK, "total amount")
    one.put(_BEST_IN_MONEY, lambda found: _in_money(one.table, found))
    one.put(_MONEY_MADE, lambda found: f"has the {found[1].lower()} amount")
    one.put(_TAKEN, lambda found: f"total amount{_kept(one, found)}")
    one.put(_ONLY_HOW_MUCH, "total amount")
    one.put(_ASKS_WORTH, lambda found: f"total amount {_AUXILIARY.sub('', found['before'])}")
    one.put(_MONEY_PER, "total amount")
    one.put(_SALES, "amount" if _OF_SEVERAL.search(one.question) else "total amount")
    one.put(_OWED, "total amount")


def _in_money(table: TypedTable, found: re.Match[str]) -> str:
    """ "What sells best in money": what has the highest amount."""
    end = "most" if (found["end"] or found["end2"]).lower() in ("best", "most") else "least"
    texts = [
        column for column in table.columns if column.type == "text" and not {"day", "date", "month"} & column.senses
    ]
    is_asked = found.start() and re.search(r"\b(?:which|who)\b", found.string[: found.start()], re.I)
    which = f"which {texts[0].name} " if texts and not is_asked else ""
    return f"{which}has the {end} amount {found['what'] or ''}"


def _kept(one: Rewording, found: re.Match[str]) -> str:
    """What money was taken for, where the table knows it: "with cake", not "from the sales of cups"."""
    what = found["what"] or ""
    is_known = what and not re.search(r"\bsell|\bsales?\b", what) and one.says(what.split()[-1])
    return what if is_known else ""


def _product(one: Rewording) -> None:
    """ "Nights times price", of columns in whatever language."""
    found = _FORMULA.search(one.question)
    if found is None:
        return
    given = [column for column in one.table.columns if column.is_measure and not column.computed]
    both = found["right"].replace("_", " ").split()
    right = both if _called(given, both) else both[:1]
    first, second = _called(given, [found["left"]]), _called(given, right)
    if len(first) == 1:
        second = [column for column in second if column not in first]
    elif len(second) == 1:  # "nights times price", of nights and a price per night
        first = [column for column in first if column not in second]
    if len(first) != 1 or len(second) != 1:
        return
    said = found[0][: found.start("right") - found.start()] + found["right"][: len(" ".join(right))]
    is_told = any(_TOTALS & column.senses for column in given if column not in (*first, *second))
    one.question = " ".join(one.question.replace(said, " ").split())
    if not is_told:  # by a column of its own
        _multiply(one, "amount", first[0], second[0], "amount")
        plain = _OF_SALES.sub(" ", _OWED.sub(" ", _HOW.sub(" ", one.question)))
        one.question = " ".join(f"{plain} total amount".split())


def _called(columns: Sequence[Column], words: Sequence[str]) -> list[Column]:
    """The columns whose names have all of the words, in whatever language."""
    wanted = {stem(word.lower()) for word in words}
    return [column for column in columns if wanted <= set(map(stem, column.senses))]


def _balance(one: Rewording) -> None:
    """ "What is left, all income minus all expenses?": the sum of the differences; the balance of amounts that came in
    and went out is their sum.
    """
    signed = [c for c in one.table.columns if c.is_measure and not c.computed and min(c.present, default=0) < 0]
    if len(signed) == 1 and not one.says("balance"):
        one.put(_OF_ACCOUNT, f"total {signed[0].name}")
    if _MINUS.search(one.question):
        one.put(_LEFT_OVER, "total ")
        one.put(_ALL_OF, "")
        if not one.says("total") and "total" not in one.question.lower() and _ASKS_FIGURE.search(one.question):
            one.question = f"total {one.question}"


def _quantity(table: TypedTable, asked: str) -> Column | None:
    """The column that says how many pieces or, beside an hourly price, how many hours a row stands for; of what was
    sold and what is in stock, what was sold, unless the stock is asked about.
    """
    measures = [column for column in table.columns if column.is_measure]
    found = [column for column in measures if _COUNTED & column.senses]
    if len(found) > 1:
        is_stock = _IN_THE_STOCK.search(asked) is not None
        found = [column for column in found if bool(_STOCK & column.senses) is is_stock]
    priced = [column for column in measures if _unit(column)]
    if not found and any("rate" in column.senses for column in measures):  # nights or days, at a rate
        found = [column for column in measures if _NIGHTS & set(column.words) and "rate" not in column.senses]
    if not found and len(_prices(table)) == 1:  # kilos beside a price, which is then that of one
        found = [column for column in measures if _WEIGHED & set(column.measured_words) and not _RATES & column.senses]
    if not found and len(priced) == 1:  # a price per kg, beside kg
        unit = _unit(priced[0])
        found = [column for column in measures if column is not priced[0] and unit in map(stem, column.words)]
    return found[0] if len(found) == 1 else None


def _unit(column: Column) -> str:
    """What the price in a column is of: kg in "price per kg", hour in "hourly wage"; "" where it does not say."""
    behind = column.words[len(column.measured_words) + 1 :]
    adverb = next((word.removesuffix("ly") for word in column.words if word in ("hourly", "daily", "weekly")), "")
    return stem(behind[0]) if behind else {"dai": "day"}.get(adverb, adverb)


def _prices(table: TypedTable) -> list[Column]:
    """The columns with prices of a piece or an hour."""
    given = [column for column in table.columns if column.is_measure and not column.computed]
    return [column for column in given if _RATES & column.senses and not _TOTALS & column.senses]


def _is_of_one(column: Column) -> bool:
    return bool(_UNIT & column.senses) or bool(_unit(column))


def _told(one: Rewording, quantity: Column, prices: list[Column]) -> list[Column]:
    """The price that a question names ("worth at cost price", "pieces times unit price"), else all."""
    for price in prices:
        names = [r"\W+".join(map(re.escape, column.words)) for column in (quantity, price)]
        formula = "|".join(rf"\b{left}{_TIMES}{right}\b" for left, right in (names, names[::-1]))
        if one.put(re.compile(rf"[,(]?\s*(?:{formula})\)?", re.I), "") and not _WORTH.search(one.question):
            one.question += " worth"
            return [price]
        if len(prices) > 1 and one.put(re.compile(rf"\b(?:at|by|in)(?: the| our| my)? {names[1]}s?\b", re.I), ""):
            return [price]
    return prices


def _multiply(one: Rewording, name: str, quantity: Column, price: Column, said: str) -> None:
    one.table = replace(one.table, columns=tuple(column for column in one.table.columns if column.name != name))
    pairs = zip(quantity.values, price.values, strict=True)
    values = [None if None in pair else pair[0] * pair[1] for pair in pairs]
    cells = ["" if value is None else f"{value:.2f}" for value in values]
    told = f"{quantity.name} times {price.name}"
    one.add(
        Column(name, "number", cells, values, price.prefix, price.suffix, computed=True, told=told, is_product=True)
    )
    one.note_computed(said, told)
