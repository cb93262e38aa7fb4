"""Says a question about a table in the words of the table, where people use others for what its columns hold.

What somebody owes is what is not paid; who has been there longest began first; an age follows from a year of birth.
Each rewording needs the columns that it speaks of, and is noted in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_query import Filter
from hugginggpt.experts.table_tokens import tokens_of
from hugginggpt.experts.table_words import MONTHS, PLANNED, PRICES, WEEKDAYS, related, stem

_BEGAN = frozenset(["joined", "since", "start", "started", "hired", "began", "entry", "entered", "member"])
_BORN = frozenset(["born", "birth", "birthday"])
_MADE = frozenset(["year", "built", "founded", "planted", "opened", "made", "manufactured", "bought", "published"])
_DUE = frozenset(["due", "owed", "owing", "outstanding", "debt", "balance", "arrears", "unpaid"])
_OWES = re.compile(r"\b(?:still )?(?:owe[sd]?|owing|outstanding|in debt|in arrears)\b", re.I)
_BACK = re.compile(r"\bback(?= (?:too )?(?:late|early|on time|in time)\b)", re.I)
_SAID_SO = re.compile(
    r"\b(?:(?:has|have) )?(?:said|say|says|answered|replied|voted|marked)(?: with)? (?P<so>yes|no)\b", re.I
)
_PAST_DUE = re.compile(
    r"\b(?:(?:is|are|was|were|has|have|had)(?: been| gone)? )?(?:already |now )?"
    r"(?:over ?due|past due|expired|out of date|past (?:its|their) date)\b(?: (?:today|now|already|by now))?",
    re.I,
)
_EXPIRY = frozenset(["expires", "expiry", "expired", "expire", "valid", "until", "best"])
_DONE = frozenset(["returned", "paid", "done", "delivered", "finished", "completed", "settled", "received", "back"])
"""Words of the names of columns that say that something is done, or when."""
_OPEN_CELLS = frozenset(
    ["open", "unpaid", "outstanding", "pending", "due", "overdue", "not paid", "offen", "unbezahlt"]
)
_AVOIDED = frozenset(["allergy", "allergies", "intolerance", "intolerances", "allergic", "avoid", "avoids"])
_CANNOT_EAT = re.compile(
    r"\b(?:(?:can['’]?t|can ?not|must not|mustn['’]t|may not|should ?n['’]?t|should not|(?:is|are) not allowed to)"
    r" (?:eat|have|drink|tolerate)(?: any)?|(?:is |are )?allergic to)\b",
    re.I,
)
_OPEN = re.compile(
    r"\b(?:(?:is|are|was|were) )?(?:still|yet) "
    r"(?:to be \w+|not \w+|(?:un\w+|out|open|outstanding|missing|pending|on loan))\b|"
    r"\b(?:has|have|is|are|was|were)(?: not|n['’]t)(?: yet)? (?:been )?(?!a\b|the\b|any\b|in\b)\w+"
    r"(?: (?:back|yet|so far))*(?<=yet|far)\b|\b(?:is|are) (?:open|outstanding|unpaid|pending)\b|"
    r"\b(?:unpaid|outstanding|open|pending)(?= (?:invoices?|bills?|orders?|ones?|loans?)\b)",
    re.I,
)
_NEGATED = re.compile(r"\b(?:still |not yet |yet )?(?:un|non-?)([a-z]{3,})\b", re.I)
_STAYED = re.compile(
    r"\b(?:(?:been|served|worked|stayed|lived|sung|played|had|held|kept|rented)\b(?P<where>[^?.,;]*?)\b(?:the )?"
    r"(?P<end>longest|shortest)|"
    r"(?P<end2>longest|shortest)[- ](?:serving|standing))\b(?P<where2> (?:here|with us|(?:in|on|at) (?:the|our) \w+))?",
    re.I,
)
_CAME = re.compile(
    r"\b(?:joined|started|came|arrived|began) (?P<end>last|latest|first|earliest|most recently)\b"
    r"(?! (?:years?|months?|weeks?|days?|summer|winter|spring|autumn)\b)",
    re.I,
)
_AGE = re.compile(r"\b(?:ages?|how old)\b", re.I)
_THE_YEAR = re.compile(
    r",?\s*\(?\b(?:(?:it|this|the year|now) is|it's|as of|in)\s+(?:now )?((?:19|20)\d\d)\b(?: now)?\)?", re.I
)
_THE_DAY = re.compile(
    r",?\s*\b(?:on|at|as of)\s+(?P<day>\d{4}-\d\d-\d\d|\d{1,2}\.? [a-z]+ \d{4}|[a-z]+ \d{1,2},? \d{4})", re.I
)
_FIRST_OF = re.compile(r"\b(?:the )?(?P<end>(?:most|least) \w+|\w+est) \w+ first\b", re.I)
_SPAN = re.compile(r"\b(?:from )?(?:the )?(?P<first>\w+est) (?:\w+ )?to (?:the )?\w+est\b", re.I)
_GROUP = r"(?:class|club|team|choir|band|company|firm|society|association|group|crew|squad|staff)"
_WHOLE = re.compile(
    rf"\b(?:in|of|on|from|across) (?:the|our|my) (?:whole )?{_GROUP}\b|\b{_GROUP}(?= (?:average|mean|total|median)\b)",
    re.I,
)
_PAYS = re.compile(
    r"\b(?:what|how much)(?: \w+)? (?:do|does|did|must|should) (?P<who>[^?.,;]+?) (?:have to )?pay\b", re.I
)
_LOOKS_UP = re.compile(
    r"^\W*+(?:and )?(?:what(?:'s| is| does| do)?|how (?:do|would|can) (?:you|i|we) (?:say|write|spell)|how is|"
    r"translate|say)\b"
    r"(?: the)?(?: (?:\w+ )?words? for)?(?P<word>.+?)(?:\b(?:mean|called|said|in|into) ?(?P<into>\w+)?)?\W*$",
    re.I,
)


class Computed(str):
    """A note that says how a column was computed: its `name`, and how it was `told`."""

    name: str
    told: str

    @classmethod
    def of(cls, name: str, told: str) -> Computed:
        note = cls(f"{name} is {told}.")
        note.name, note.told = name, told
        return note


@dataclass
class Rewording:
    """A question and its table while they are reworded, with notes on what was taken for what."""

    table: TypedTable
    question: str
    notes: list[str] = field(default_factory=list)
    filters: list[tuple[Filter, ...]] = field(default_factory=list)
    """Conditions that the question said in words that are taken out of it."""
    repeats: tuple[int, str] | None = None
    """How many rows, or different values of a column, whoever is asked for has at least."""
    any_of: bool = False
    """Whether a bound may hold for any of several columns: "under 13 at least once"."""
    idle: frozenset[str] = frozenset()
    """Words that need not be read, as they only say again what a column holds."""

    def put(self, pattern: re.Pattern[str], words: str | Callable[[re.Match[str]], str], note: str = "") -> bool:
        """Replaces what a pattern finds, and notes it; in the note {said} is what stood there. Tells if there was."""
        found = pattern.search(self.question)
        if found is None:
            return False
        self.question = " ".join(pattern.sub(words, self.question).split())
        self.notes += [note.format(said=found[0].strip())] * bool(note)
        return True

    def column(self, words: frozenset[str], fits: Callable[[Column], bool] = lambda column: True) -> Column | None:
        """The only column that fits and whose name has one of the words."""
        columns = [column for column in self.table.columns if words & column.senses and fits(column)]
        return columns[0] if len(columns) == 1 else None

    def says(self, *words: str) -> bool:
        """Whether a cell or a column's name has one of the words, so that they need no other ones."""
        wanted = {stem(word.casefold()) for word in words}
        names = {stem(word) for column in self.table.columns for word in column.words}
        cells = (cell for c in self.table.columns if c.type == "text" for cell in c.distinct)
        return bool(wanted & names) or any(wanted & {token.stem for token in tokens_of(cell)} for cell in cells)

    def note_computed(self, name: str, told: str) -> None:
        self.notes.append(Computed.of(name, told))

    def add(self, column: Column) -> None:
        self.table = replace(self.table, columns=(*self.table.columns, column))


def reword(one: Rewording) -> None:
    """Says a question in the words of its table."""
    for step in (_looked_up, _told, _avoided, _open, _negated, _owed, _paid, _stayed, _aged, _abbreviated, _idle):
        step(one)


def _looked_up(one: Rewording) -> None:
    """ "What is late in German?", of a list of words in two languages: the cell beside that word."""
    asked = _LOOKS_UP.search(one.question)
    texts = [column for column in one.table.columns if column.type == "text"]
    pairs = [column for column in texts if len(column.distinct) >= 0.8 * one.table.size]
    if asked is None or len(texts) != 2 or pairs != texts:
        return
    word = asked["word"].strip(" \"'“”‘’?.!").casefold()
    for column, other in (texts, texts[::-1]):
        cell = next((cell for cell in column.distinct if cell.casefold() in (word, f"to {word}")), "")
        if cell and (asked["into"] or other.name).casefold() in (*other.words, "mean", "english"):
            one.question = f'{other.name} where {column.name} is "{cell}"'
            return


def _told(one: Rewording) -> None:
    """Who said yes, beside the only column of yes and no."""
    flags = [column for column in one.table.columns if column.type == "flag"]
    if len(flags) == 1:
        one.put(_SAID_SO, lambda found: f"with {flags[0].name} {found['so']}")


def _avoided(one: Rewording) -> None:
    """Who cannot eat nuts: whose allergy it is."""
    if told := one.column(_AVOIDED, lambda column: column.type == "text"):
        one.put(_CANNOT_EAT, f"with {told.name}", f"I took “{{said}}” by {told.name}.")


def overdue(one: Rewording) -> None:
    """What is overdue or expired today, or on a day that is told: its date is before it, and it is not done yet."""
    found = _PAST_DUE.search(one.question)
    dates = [column for column in one.table.columns if column.type == "date"]
    planned = [column for column in dates if (PLANNED | _EXPIRY) & column.senses]
    done = [column for column in dates if _DONE & column.senses and column not in planned]
    if found is None or len(planned) != 1 or any(len(column.present) == len(column.cells) for column in done):
        return
    told = _day(one.question)
    day = datetime.combine(told[0] if told else date.today(), datetime.min.time())
    one.filters.append((Filter(planned[0].name, "<", (day,)),))
    one.filters += [(Filter(column.name, "missing"), Filter(column.name, ">", (day,))) for column in done[:1]]
    flags = [column for column in one.table.columns if column.type == "flag" and _DONE & column.senses]
    one.filters += [(Filter(column.name, "in", (False,)),) for column in flags[:1]]
    if (status := _open_cells(one.table)) and not done and not flags:
        one.filters.append((Filter(status[0].name, "in", status[1]),))
    if told:
        one.question = one.question.replace(told[1], " ")
    said = f"{found[0].strip()}{told[1] if told else ' today'}"
    one.put(_PAST_DUE, "", f"I took “{said}” to mean {planned[0].name} before {day:%Y-%m-%d}.")


def _open_cells(table: TypedTable) -> tuple[Column, tuple[str, ...]] | None:
    """The column that says what is still open, and its cells that do."""
    for column in table.columns:
        if column.type == "text" and (cells := tuple(one for one in column.distinct if one.casefold() in _OPEN_CELLS)):
            return column, cells
    return None


def _open(one: Rewording) -> None:
    """What is still open or has not been done yet: where the only date or yes/no with gaps has none."""
    one.put(_BACK, "")
    one.put(_FIRST_OF, lambda found: f"{found['end']} first")
    one.put(_SPAN, lambda found: f"{found['first']} first")
    told = [c for c in one.table.columns if c.type in ("date", "flag") and 0 < len(c.present) < len(c.cells)]
    if len(told) == 1 and not one.says("open", "pending", "outstanding", "unpaid"):
        words = f"{'missing' if told[0].type == 'flag' else 'without'} {told[0].name}"
        one.put(_OPEN, words)


def _negated(one: Rewording) -> None:
    """ "unpaid", beside a column Paid."""
    told = [column for column in one.table.columns if column.type in ("flag", "date")]
    for found in list(_NEGATED.finditer(one.question)):
        held = [column for column in told if any(related(found[1].lower(), word) for word in column.words)]
        if len(held) == 1 and not one.says(found[0].split()[-1]):
            one.put(re.compile(re.escape(found[0])), f"without {held[0].name}")


def _owed(one: Rewording) -> None:
    """What is owed: a column of debts above 0, or what is not paid yet."""
    if not _OWES.search(one.question):
        return
    computed = one.column(_DUE, lambda column: column.is_measure and column.computed)  # beside the rent due
    if due := computed or one.column(_DUE, lambda column: column.is_measure):
        asks_which = re.search(r"\b(?:who|which|list|show)\b", one.question, re.I)
        is_extreme = re.search(r"\b(?:most|least)\b", one.question, re.I)
        named = f"has {due.name} above 0" if asks_which and not is_extreme else due.name
        if is_extreme:
            one.put(re.compile(r"\b(?:the )?(most|least)\b", re.I), "")
            named = f"has the {'lowest' if is_extreme[0].lower() == 'least' else 'highest'} {due.name}"
        else:
            one.put(re.compile(r"\bhow much(?: money)?\b", re.I), "total")
        if due.computed or not set(due.words) & set(one.question.casefold().split()):
            one.put(_OWES, named, "" if due.computed else f"I took “{{said}}” to mean {due.name}.")
    elif paid := one.column(frozenset(["paid", "settled", "payment"]), lambda column: column.type == "flag"):
        one.put(re.compile(r"\bdo(?:es)? (?=they|we|he|she|\w+ (?:still )?owe)", re.I), "")
        one.put(_OWES, f"without {paid.name}")
    elif status := _open_cells(one.table):
        one.filters.append((Filter(status[0].name, "in", status[1]),))
        one.put(re.compile(r"\b(?:do|does) (?=\w+(?: \w+)? (?:still )?owe)", re.I), "")
        one.put(_OWES, "")


def _paid(one: Rewording) -> None:
    """ "What does Carla pay?", beside a column that says who paid: how much it is."""
    price = one.column(PRICES, lambda column: column.is_measure)
    if price and one.column(frozenset(["paid"]), lambda column: column.type == "flag"):
        one.put(_PAYS, lambda found: f"{price.name} of {found['who']}")


def _stayed(one: Rewording) -> None:
    """Who has been there longest, or came last: the least or greatest year or date of the beginning."""
    began = one.column(_BEGAN, lambda column: column.type == "date" or column.is_year)
    if began is None:
        return

    def stayed(found: re.Match[str]) -> str:
        where = found["where"] or ""
        kept = where if one.says(*(token.lower for token in tokens_of(where) if len(token.lower) > 3)) else ""
        is_long = (found["end"] or found["end2"]).lower() == "longest"
        return f"has the {'lowest' if is_long else 'highest'} {began.name} {kept}"

    one.put(_STAYED, stayed, f"I took “{{said}}” by {began.name}.")
    lowest = ("first", "earliest")
    one.put(_CAME, lambda m: f"has the {'lowest' if m['end'].lower() in lowest else 'highest'} {began.name}")


def _aged(one: Rewording) -> None:
    """Ages, from years of birth and the year that is told, else today's."""
    born = one.column(_BORN, lambda column: column.is_year or column.type == "date")
    if born is None and re.search(r"\bhow old\b", one.question, re.I):
        born = one.column(_MADE, lambda column: column.is_year or column.type == "date")
    if born is None or not _AGE.search(one.question) or one.says("age"):
        return
    day, told = _day(one.question), _THE_YEAR.search(one.question)
    if born.type == "date" and (day or not told):
        _aged_on(one, born, *(day or (date.today(), "")))
        return
    year = int(told[1]) if told else date.today().year
    if told:
        one.question = one.question.replace(told[0], " ").strip()
    years = [None if value is None else value if born.is_year else value.year for value in born.values]
    ages = [None if value is None else float(year - value) for value in years]
    one.add(Column("age", "number", ["" if age is None else f"{age:g}" for age in ages], ages, computed=True))
    one.notes.append(f"Ages are {year} minus {born.name}, before this year's birthday one less.")


def _day(question: str) -> tuple[date, str] | None:
    """The day that a question tells, with the words for it."""
    told = _THE_DAY.search(question)
    for form in ("%Y-%m-%d", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y") if told else ():
        try:
            return datetime.strptime(re.sub(r"[.,]", "", told["day"]), form).date(), told[0]  # type: ignore[index]
        except ValueError:
            continue
    return None


def _aged_on(one: Rewording, born: Column, day: date, words: str) -> None:
    """Ages in full years on a day."""
    ages = [
        None if value is None else float(day.year - value.year - ((day.month, day.day) < (value.month, value.day)))
        for value in born.values
    ]
    one.add(Column("age", "number", ["" if age is None else f"{age:g}" for age in ages], ages, computed=True))
    if words:
        one.question = one.question.replace(words, " ").strip()
    one.notes.append(f"Ages are full years on {day}, from {born.name}.")


def _abbreviated(one: Rewording) -> None:
    """Weekdays and months as the table writes them: Friday in a table with Fri."""
    cells = {cell for c in one.table.columns if c.type == "text" and len(c.distinct) <= 31 for cell in c.distinct}
    short = {cell.casefold().rstrip("."): cell for cell in {*cells, *one.table.names}}
    for full in (*WEEKDAYS, *(month for month in MONTHS if len(month) > 4)):
        cell = next((short[full[:size]] for size in (3, 2, 4) if full[:size] in short and full not in short), None)
        if cell and not (full in MONTHS and any(c.type == "date" for c in one.table.columns)):
            one.put(re.compile(rf"\b{full}s?\b", re.I), cell)


def _idle(one: Rewording) -> None:
    """Words for all of the table: "in the club", "the class average"."""
    words = _WHOLE.search(one.question)
    if words and not one.says(words[0].split()[-1]):
        one.put(_WHOLE, " ")
