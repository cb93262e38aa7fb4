"""The questions of a conversation about a table: what one takes up from those before it, and several in one message.

A message may ask for more than one fact ("how many were cancelled, and who?"). Each is read as a question of its own,
which keeps the conditions of those before it; a part that is not understood is named beside the others' answers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import grammar
from hugginggpt.experts.table_asking import in_english
from hugginggpt.experts.table_columns import TypedTable
from hugginggpt.experts.table_comparisons import read
from hugginggpt.experts.table_computed import with_computed
from hugginggpt.experts.table_filters import Ambiguous, Reading
from hugginggpt.experts.table_grammar import is_yes_or_no
from hugginggpt.experts.table_measures import with_measures
from hugginggpt.experts.table_periods import with_periods
from hugginggpt.experts.table_queries import evaluate
from hugginggpt.experts.table_query import Filter, Query
from hugginggpt.experts.table_questions import read_query
from hugginggpt.experts.table_rewording import Rewording, reword
from hugginggpt.experts.table_rotas import read_rota
from hugginggpt.experts.table_states import with_states
from hugginggpt.experts.table_unread import Unread
from hugginggpt.experts.table_wholes import with_repeats

MAX_READINGS = 3
"""A question that may be about so many columns is answered for each of them."""
_QUESTION_WORD = r"(?:how|what|which|who|whose|when|where)\b"
_PART_END = re.compile(
    rf"(?<=[?!;])\s+|;\s+|(?<=[a-z]{{3}}\.)\s+|:\s+(?={_QUESTION_WORD})|,?\s+and\s+(?={_QUESTION_WORD})|,\s+(?={_QUESTION_WORD})",
    re.IGNORECASE,
)
MAX_JOINTS = 4
"""So many places are tried where a part may be two questions."""
_JOINT = re.compile(r",?\s+(?:and|plus|but)\s+|,\s+", re.IGNORECASE)
_RESTATED = re.compile(r"\W*+\b(?:i\.\s?e\.|that is,|in other words|i mean)\W*", re.IGNORECASE)
"""What comes before words that say the same again, more plainly."""
_WHOLE = frozenset(["everything", "all", "list", "show", "entries", "rows"])
"""Words that ask for rows, whatever was computed before."""
_AGAIN = re.compile(
    r"\b(?:the )?(?:last|previous) (?:number|figure|result|answer|question|one)\b|\b(?:the )?same\b(?! as)|\bagain\b",
    re.IGNORECASE,
)
"""What asks for the same computation over other rows."""
_ROWS_BEFORE = frozenset(["they", "them", "those", "these", "it", "that", "ones", "its", "their"])
"""Words for the rows of the question before."""


def answer_question(table: TypedTable, question: str, partly: bool = False) -> dict[str, Any]:
    """The answer to a question (see `table_queries.evaluate`); of several lines the last one is the question, which may
    take up what those before it asked ("total price", "just the groceries?"). With `partly` one with words that name
    nothing is answered without them, where that is sure, and says so.

    Raises ExpertUnavailable, which says what was not understood.
    """
    said = in_english(table, question)
    *earlier, last = [" ".join(line.split()) for line in said.splitlines() if line.strip()] or [""]
    conversation = _Conversation(table)
    for line in earlier:
        conversation.follow(line)
    before = conversation.table, conversation.previous
    answers, errors = conversation.answers(last)
    unread = errors[0] if errors and isinstance(errors[0], Unread) else None
    if not answers and partly and unread and not unread.is_vital:
        conversation.table, conversation.previous = before
        return conversation.without(last, unread)
    if not answers:
        raise errors[0]
    shown = next((one for one in answers if one["rows"]), answers[0])
    sentences = [answer["answer"] for answer in answers] + [f"One part is left open: {error}" for error in errors]
    return {**(answers[0] if len(answers) == 1 else shown), "answer": "\n".join(sentences)}


def understood(table: TypedTable, question: str) -> tuple[TypedTable, Query, list[str]]:
    """The table, which may have got computed columns, the query that the last line of a question asks for, and what was
    taken for what. Raises ExpertUnavailable, which says what was not understood.
    """
    *earlier, last = [line for line in in_english(table, question).splitlines() if line.strip()] or [""]
    conversation = _Conversation(table)
    for line in earlier:
        conversation.follow(line)
    reading, query = conversation._read(last, is_further=False)
    return reading.table, query, reading.notes


@dataclass
class _Conversation:
    """A table, which may get columns that are computed for a question, and what was asked last about it."""

    table: TypedTable
    previous: Query | None = None
    past: list[Query] = field(default_factory=list)
    rota: _Conversation | None = None
    """What is asked about who works when, of a table with a column for each day."""
    ignored: frozenset[str] = frozenset()
    """Words that are left unread."""

    def _read(self, part: str, is_further: bool) -> tuple[Reading, Query]:
        """A question with its query. Raises ExpertUnavailable for one that is not understood."""
        is_again = self.previous and _AGAIN.search(part) and not any(word.is_verb for word in grammar.words(part))
        computed = with_computed(self.table, _AGAIN.sub(" ", part) if is_again else part)
        said = Rewording(computed.table, computed.question, computed.notes)
        with_measures(said)
        with_states(said)
        reword(said)
        with_periods(said)
        with_repeats(said)
        reading = read(said.table, said.question)
        reading.repeats = said.repeats
        reading.reader.leave_out(self.ignored)
        reading.filters[:0] = said.filters
        reading.notes[:0] = said.notes
        if is_again and self.previous:
            query = _repeated(reading, [*self.past, self.previous])
        else:
            query = _continued(reading, self.previous, is_further)
        self.past.append(query)
        return reading, query

    def without(self, line: str, unread: Unread) -> dict[str, Any]:
        """The answer to a question without its unknown words, which says so: behind the answer where these are verbs
        and a number is asked for, else before it. Raises the error where nothing is named without them.
        """
        self.ignored = unread.words
        try:
            answer = self._answer(line, is_further=False)
        except ExpertUnavailable:
            raise unread from None
        query = self.previous
        if query is None or not unread.leaves(query):
            raise unread
        return {**answer, "answer": unread.beside(query, answer["answer"])}

    def follow(self, line: str) -> None:
        """Takes note of an earlier message."""
        for index, part in enumerate(_parts(line)):
            if shifts := self._of_rota(part):
                shifts[0].follow(shifts[1])
                continue
            before = self.previous
            try:
                reading, self.previous = self._read(part, index > 0)
            except ExpertUnavailable as error:
                if not isinstance(error, Unread) or error.is_vital:
                    continue
                try:
                    self.ignored = error.words
                    reading, self.previous = self._read(part, index > 0)
                except ExpertUnavailable:
                    self.previous = before
                    continue
                finally:
                    self.ignored = frozenset()
            self.table = self.table.joined(reading.table)

    def answers(self, line: str) -> tuple[list[dict[str, Any]], list[ExpertUnavailable]]:
        """The answers to the parts of a message, and why others have none; or that to it as one."""
        before = self.table, self.previous
        answers, errors = self._of_parts(parts := _parts(line))
        if not errors or len(parts) == 1:
            return answers, errors
        self.table, self.previous = before
        try:
            return [self._answer(line, is_further=False)], []
        except ExpertUnavailable:
            return answers, errors

    def _of_parts(self, parts: Sequence[str]) -> tuple[list[dict[str, Any]], list[ExpertUnavailable]]:
        """As `answers`. After a part that is not understood none is answered, as its conditions may hold for them."""
        answers: list[dict[str, Any]] = []
        for index, part in enumerate(parts):
            is_remark = len(parts) > 1 and _is_remark(part)
            is_topic = index + 1 < len(parts) and _is_topic(part)
            try:
                given = self._answers(part, index > 0)
            except ExpertUnavailable as error:
                if is_remark and not _has_condition(self.table, part):
                    continue
                return answers, [error]
            if self.previous and self.previous.operation == "describe" and len(parts) > 1:
                self.previous = None
            elif not is_remark and not (is_topic and self.previous and self.previous.operation == "rows"):
                answers += given
        return answers, []

    def _answers(self, part: str, is_further: bool) -> list[dict[str, Any]]:
        """The answer to a part; one for each of its halves where only these can be read ("the sum of a and the mean of
        b"). Raises ExpertUnavailable where it cannot be read at all.
        """
        before, previous = self.table, self.previous
        try:
            return [self._answer(part, is_further)]
        except ExpertUnavailable as error:
            for joint in itertools.islice(_JOINT.finditer(part, 1), MAX_JOINTS):
                self.table, self.previous = before, previous
                try:
                    further = is_further or bool(_ROWS_BEFORE & {word.lower for word in grammar.words(part)})
                    return [self._answer(part[: joint.start()], further), self._answer(part[joint.end() :], True)]
                except ExpertUnavailable:
                    continue
            self.table, self.previous = before, previous
            raise error

    def _of_rota(self, part: str) -> tuple[_Conversation, str, list[str]] | None:
        """The conversation about the shifts of a rota, a question of it in its words, and notes."""
        rota = read_rota(self.table, part, is_further=self.rota is not None)
        if rota is None:
            return None
        self.rota = self.rota or _Conversation(rota[0])
        return self.rota, rota[1], rota[2]

    def _answer(self, part: str, is_further: bool) -> dict[str, Any]:
        if shifts := self._of_rota(part):
            answer = shifts[0]._answer(shifts[1], is_further)
            return {**answer, "answer": " ".join([answer["answer"], *shifts[2]])}
        try:
            reading, query = self._read(part, is_further)
        except Ambiguous as error:
            return self._answer_for_each(part, is_further, error)
        is_closed = is_yes_or_no(part)
        if is_closed and query.filters and query.operation == "value" and reading.table[query.column].type != "flag":
            query = replace(query, operation="rows", column="", wanted=())
        answer = evaluate(reading.table, query, is_closed and not (query.group and re.search(r"\bor\b", part)))
        self.table, self.previous = self.table.joined(reading.table), query
        notes = " ".join(dict.fromkeys(reading.notes)) if query.operation != "describe" else ""
        return {**answer, "answer": f"{answer['answer']} {notes}".strip()}

    def _answer_for_each(self, part: str, is_further: bool, error: Ambiguous) -> dict[str, Any]:
        """The answers for each of the columns that a question may be about. Raises the error where one has none."""
        names = [column.name for column in error.columns]
        previous = self.previous
        if previous and {previous.column, *(one.column for group in previous.filters for one in group)} & set(names):
            previous = None
        if not 1 < len(names) <= MAX_READINGS or (is_further and previous is not self.previous):
            raise error
        answers = []
        for name in names:
            columns = tuple(column for column in self.table.columns if column.name not in names or column.name == name)
            try:
                answers.append(_Conversation(TypedTable(columns, self.table.title), previous)._answer(part, is_further))
            except ExpertUnavailable:
                raise error from None
        sentences = [f"By {name}: {answer['answer']}" for name, answer in zip(names, answers, strict=True)]
        return {**answers[0], "answer": "\n".join(sentences)}


def _parts(line: str) -> list[str]:
    """The questions in a message; of one that is said again in other words ("short, i.e. fees minus paid") these."""
    parts = [_restated(part) for part in _PART_END.split(line)]
    return [part for part in parts if re.search(r"\w", part)] or [line]


def _restated(part: str) -> str:
    """What is said again more plainly; with what it explains where only that asks which one ("which product was left
    over most, I mean baked minus sold?").
    """
    *before, last = _RESTATED.split(part)
    asks = any(re.search(r"(?i)\b(?:which|who|whose|most|least|each|per|by)\b", one) for one in before)
    is_question = is_yes_or_no(last) or any(word.tag.startswith("W") for word in grammar.words(last))
    return (" ".join((*before, last)) if asks and not is_question else last).strip()


def _is_topic(part: str) -> bool:
    """Whether a part only names what the next ones are about: "Rossi: how many jobs?"."""
    words = grammar.words(part)
    is_open = not part.rstrip().endswith(("?", "!", "."))
    return is_open and len(words) < 4 and not any(word.is_verb or word.tag.startswith("W") for word in words)


def _is_remark(part: str) -> bool:
    """Whether a part is a sentence that asks for nothing: "That's my bird diary."."""
    words = [word for word in grammar.words(part) if not word.is_mark]
    if not words or not part.rstrip().endswith((".", "!")):
        return not words
    return words[0].tag in ("PRP", "PRP$", "UH") or (words[0].tag == "DT" and any(word.is_verb for word in words[1:2]))


def _has_condition(table: TypedTable, part: str) -> bool:
    """Whether a sentence names a value, a number or a date, which may hold for the questions after it."""
    return any(mention.kind in ("value", "number", "date", "month") for mention in read(table, part).mentions)


def _continued(reading: Reading, previous: Query | None, is_further: bool) -> Query:
    """The query of a question that may take up the one before it: its operation, its rows, or both. One that
    `is_further` in the same message is about the rows that the part before it spoke of.
    """
    if previous is None:
        return read_query(reading)
    words = grammar.words(reading.question)
    spoken = [word for word in words if not word.is_mark]
    said = {word.lower for word in spoken}
    asked = reading.words(
        "aggregate", "count", "super", "share", "difference", "top", "columns", "distinct", "order", "group"
    )
    asked += reading.of("asks", "superlative", "comparative", "ends")
    takes_rows = is_further or bool(said & _ROWS_BEFORE)
    is_fragment = not any(word.is_verb for word in spoken)
    if [mention.text for mention in reading.mentions if mention.text != "how much"] in (["each"], ["per"]):
        if not previous.group:
            raise reading.refusal("I cannot tell for each of what")
        return replace(previous, pick=False)
    refers = bool(said & _ROWS_BEFORE) and not is_further
    if asked:
        reading.measured = previous.column
        query = read_query(reading)
        if query.operation == "share" and not query.column and previous.operation == "sum":
            whole = tuple(group for group in _joined(query, previous) if group not in query.filters)
            return replace(query, column=previous.column, filters=(*whole, *query.filters), within=whole)
        if refers and _picks(previous) and not query.group and not said & {"all", "together", "altogether"}:
            return _of_picked(reading, query, previous)
        return replace(query, filters=_joined(query, previous)) if takes_rows else query
    wanted = [m.columns[0].name for m in reading.of("column") if len(m.columns) == 1]
    query = read_query(reading)
    if (refers or takes_rows) and _picks(previous) and query.operation != "describe":
        return _of_picked(reading, query, previous)
    if query.operation == "describe":
        if not (said & _ROWS_BEFORE or is_further) or not previous.filters:
            raise reading.refusal("I cannot tell what is asked")
        return Query("rows", "", previous.filters)
    if is_fragment and previous.operation in ("extreme", "value", "rows") and not query.filters:
        names = wanted or [query.column] * bool(query.column)
        return replace(previous, wanted=tuple(dict.fromkeys([*previous.wanted, *names])))
    takes_up = query.filters and (is_fragment or takes_rows) and query.operation in ("rows", "count")
    if takes_up and not said & _WHOLE:
        return replace(previous, filters=_joined(query, previous))
    return replace(query, filters=_joined(query, previous)) if takes_rows else query


def _picks(query: Query) -> bool:
    """Whether a question was about the rows at one end of an order, not about all that fit its conditions."""
    return query.operation in ("extreme", "maximum", "minimum") and not query.group


def _of_picked(reading: Reading, query: Query, picked: Query) -> Query:
    """What is asked about the rows that the question before picked: "which is the cheapest?", "who supplies it?".

    Raises ExpertUnavailable for what cannot be asked of them alone, such as how many of them fit another condition.
    """
    names = [name for name in (query.column, *query.wanted) if name]
    asks_cells = query.operation in ("value", "distinct", "sum") and not query.group
    if query.operation in ("extreme", "maximum", "minimum"):
        return replace(query, filters=_joined(query, picked))
    if query.filters or not asks_cells or not names or (query.operation == "sum" and picked.n > 1):
        raise reading.refusal("I cannot tell this of the rows of the answer before alone: name them")
    descending = picked.descending if picked.operation == "extreme" else picked.operation == "maximum"
    return replace(picked, operation="extreme", descending=descending, wanted=tuple(dict.fromkeys(names)))


def _repeated(reading: Reading, past: Sequence[Query]) -> Query:
    """ "the same average, but only in May": what was computed last, or last in this way, over other rows."""
    operations = [word.payload[1] for word in reading.words("aggregate")]
    previous = next((query for query in reversed(past) if query.operation in operations), past[-1])
    reading.mentions = [one for one in reading.mentions if not one.is_word("aggregate", "count")]
    query = read_query(reading)
    operation = operations[0] if operations and previous.column else previous.operation
    return replace(previous, operation=operation, filters=_joined(query, previous))


def _joined(query: Query, previous: Query) -> tuple[tuple[Filter, ...], ...]:
    """The filters of a question and those of the one before that are about other columns."""
    columns = {one.column for group in query.filters for one in group}
    kept = [group for group in previous.filters if not columns & {one.column for one in group}]
    return (*kept, *query.filters)
