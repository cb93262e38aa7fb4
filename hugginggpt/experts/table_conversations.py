"""The questions of a conversation about a table: what one takes up from those before it, and several in one message.

A message may ask for more than one fact ("how many were cancelled, and who?"). Each is read as a question of its own,
which keeps the conditions of those before it; a part that is not understood is named beside the others' answers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.core.quantities import ONES
from hugginggpt.experts import grammar, table_told
from hugginggpt.experts.table_asking import in_english
from hugginggpt.experts.table_columns import TypedTable, written_like
from hugginggpt.experts.table_comparisons import read
from hugginggpt.experts.table_computed import with_computed
from hugginggpt.experts.table_everyday import (
    for_both,
    other_term,
    with_everyday_names,
    without_asides,
)
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_follow_ups import ROWS_BEFORE, continued, repeated
from hugginggpt.experts.table_glosses import is_foreign
from hugginggpt.experts.table_grammar import is_yes_or_no
from hugginggpt.experts.table_measures import with_measures
from hugginggpt.experts.table_periods import with_periods
from hugginggpt.experts.table_plain import plainly
from hugginggpt.experts.table_queries import chosen_rows, evaluate
from hugginggpt.experts.table_query import Query
from hugginggpt.experts.table_races import with_places
from hugginggpt.experts.table_raises import is_asked, with_raises
from hugginggpt.experts.table_refusals import Ambiguous, Unasked
from hugginggpt.experts.table_rewording import Computed, Rewording, overdue, reword
from hugginggpt.experts.table_rotas import read_rota
from hugginggpt.experts.table_rows import added_up
from hugginggpt.experts.table_spelling import of_another_language
from hugginggpt.experts.table_states import with_states
from hugginggpt.experts.table_unread import Unread
from hugginggpt.experts.table_wholes import with_repeats
from hugginggpt.experts.table_wide import LongForm, in_words_of, is_of_cells, long_form, paid_at_a_rate
from hugginggpt.experts.table_words import adjectives, related
from hugginggpt.experts.table_worth import with_worth

MAX_READINGS = 3
"""A question that may be about so many columns is answered for each of them."""
_QUESTION_WORD = r"(?:how|what|which|who|whose|when|where)\b"
_PART_END = re.compile(
    rf"(?<=[?!;])\s+|;\s+|(?<=[a-z]{{3}}\.)\s+|:\s+(?={_QUESTION_WORD})|,?\s+and\s+(?={_QUESTION_WORD})|,\s+(?={_QUESTION_WORD})",
    re.IGNORECASE,
)
_IN_ALL = re.compile(r"\b(?:we|i|they|you) (?:take|took|taken|earn|earned|make|made|spend|spent|sell|sold)\b", re.I)
"""What is done with all that columns of one kind hold together."""
MAX_JOINTS = 4
"""So many places are tried where a part may be two questions."""
_JOINT = re.compile(r",?\s+(?:and|plus|but)\s+|,\s+", re.IGNORECASE)
_RESTATED = re.compile(r"\W*+\b(?:i\.\s?e\.|that is,|in other words|i mean)\W*", re.IGNORECASE)
"""What comes before words that say the same again, more plainly."""
_AGAIN = re.compile(
    r"\b(?:the )?(?:last|previous) (?:number|figure|result|answer|question|one)\b|\b(?:the )?same\b(?! as)|\bagain\b",
    re.IGNORECASE,
)
"""What asks for the same computation over other rows."""
_HOW_MUCH = frozenset(
    ["and", "how", "what", "much", "many", "was", "were", "is", "are", "it", "that", "they", "them", "there", "did"]
)
"""The words of a question for a number that was told."""


_DEFINES = re.compile(r"\W*\w+ (?:=|equals) \w", re.I)
_THOSE = re.compile(rf"\b(?:those|these|the|all) (?P<number>{'|'.join(ONES[2:])})\b(?! \w+s\b)", re.I)
_ANY_TIME = re.compile(
    r"\b(?:at least once|(?:in|on) (?:at least one|any)(?: of (?:the|them|these))?(?: \w+)?|even once|once or more)\b",
    re.I,
)
"""What says that a bound may hold in any of several columns."""


def answer_question(table: TypedTable, question: str, partly: bool = False) -> dict[str, Any]:
    """The answer to a question (see `table_queries.evaluate`); of several lines the last one is the question, which may
    take up what those before it asked ("total price", "just the groceries?"). With `partly` one with words that name
    nothing is answered without them, where that is sure, and says so.

    Raises ExpertUnavailable, which says what was not understood.
    """
    conversation, earlier, last = _begun(table, question)
    with written_like(table), of_another_language(conversation.is_foreign):
        for line in earlier:
            conversation.follow(line)
        return conversation.reply(last, partly)


def understood(table: TypedTable, question: str) -> tuple[TypedTable, Query, list[str]]:
    """The table, which may have got computed columns, the query that the last line of a question asks for, and what was
    taken for what. Raises ExpertUnavailable, which says what was not understood.
    """
    conversation, earlier, last = _begun(table, question)
    with of_another_language(conversation.is_foreign):
        for line in earlier:
            conversation.follow(line)
        reading, query = conversation._read(last, is_further=False)
    return reading.table, query, reading.notes


def _begun(table: TypedTable, question: str) -> tuple[_Conversation, list[str], str]:
    """A conversation about a table in which rows of another one may have been told, the lines before the last one of
    a question, and that one.
    """
    told, question = table_told.parted(question)
    said = in_english(table, plainly(table, question))
    *earlier, last = [" ".join(line.split()) for line in said.splitlines() if line.strip()] or [""]
    conversation = _Conversation(table, table_told.query_of(table, told), is_foreign=is_foreign(table, question))
    return conversation, earlier, last


@dataclass
class _Conversation:
    """A table, which may get columns that are computed for a question, and what was asked last about it."""

    table: TypedTable
    previous: Query | None = None
    past: list[Query] = field(default_factory=list)
    rota: _Conversation | None = None
    """What is asked about who works when, of a table with a column for each day."""
    long: _Conversation | None = None
    """What is asked about the cells of a wide table one below another."""
    form: LongForm | None = None
    """Of what long form it is."""
    answered: tuple[Query, ...] = ()
    """What was answered to the last message."""
    ignored: frozenset[str] = frozenset()
    """Words that are left unread."""
    is_foreign: bool = False
    """Whether it was put into English, word by word."""

    def _read(self, part: str, is_further: bool) -> tuple[Reading, Query]:
        """A question with its query. Raises ExpertUnavailable for one that is not understood."""
        is_again = self.previous and _AGAIN.search(part) and not any(word.is_verb for word in grammar.words(part))
        part = other_term(self.table, self.previous.column if self.previous else "", self._without_number(part))
        computed = with_computed(self.table, _AGAIN.sub(" ", part) if is_again else part)
        said = Rewording(computed.table, computed.question, computed.notes)
        with_raises(said)
        with_everyday_names(said)
        with_places(said)
        with_measures(said)
        overdue(said)
        with_states(said)
        reword(said)
        with_worth(said, part)
        with_periods(said)
        said.any_of = said.put(_ANY_TIME, " ")
        with_repeats(said)
        reading = read(said.table, said.question)
        reading.repeats, reading.any_of = said.repeats, said.any_of
        reading.reader.leave_out(said.idle)
        reading.reader.leave_fillers(self.is_foreign)
        reading.reader.leave_out(self.ignored)
        reading.filters[:0] = dict.fromkeys(said.filters)
        reading.notes[:0] = said.notes
        if is_again and self.previous:
            query = repeated(reading, [*self.past, self.previous])
        else:
            query = continued(reading, self.previous, is_further, part)
        query = replace(query, filters=tuple(dict.fromkeys(query.filters)))
        self.past.append(query)
        return reading, query

    def _without_number(self, part: str) -> str:
        """A question in which the number of the rows of the answer before is left out: "those three together"."""
        found = _THOSE.search(part)
        if found is None or self.previous is None or self.previous.group:
            return part
        is_all = len(chosen_rows(self.table, self.previous)) == ONES.index(found["number"].lower())
        return _THOSE.sub("those", part) if is_all else part

    def without(self, line: str, unread: Unread) -> dict[str, Any]:
        """The answer to a question without its unknown words, which says so. Raises the error where nothing is sure
        without them.
        """
        self.ignored = unread.words
        try:
            answer = self._answer(line, is_further=False)
        except ExpertUnavailable:
            raise unread from None
        finally:
            self.ignored = frozenset()
        if self.previous is None:
            raise unread
        return {**answer, "answer": unread.beside(self.previous, answer["answer"])}

    def follow(self, line: str) -> None:
        """Takes note of an earlier message, as it was answered."""
        with suppress(ExpertUnavailable):
            self.reply(line, partly=True)

    def reply(self, line: str, partly: bool) -> dict[str, Any]:
        """The answer to a message, of the table as it stands or in its long form.
        Raises ExpertUnavailable, which says what was not understood.
        """
        known = self.table, self.previous, self.answered
        long = self._in_long_form(line)
        paid = paid_at_a_rate(long[0].table if long else self.table, line)
        if paid:
            told = paid[0]["pay"].told
            answer = _Conversation(paid[0])._reply(paid[1], False)
            return {**answer, "answer": f"{answer['answer']} That is {told}."}
        if long is None:
            return self._reply(line, partly)
        error: ExpertUnavailable | None = None
        for is_long in (True, False):
            try:
                answer = long[0]._of_cells(long[1]) if is_long else self._reply(line, False)
            except ExpertUnavailable as reason:
                error = reason if not is_long or error is None else error
                self.table, self.previous, self.answered = known
                continue
            self.long = long[0] if is_long else self.long
            return answer
        try:
            return self._reply(line, partly)
        except ExpertUnavailable:
            raise error from None  # type: ignore[misc]

    def _of_cells(self, line: str) -> dict[str, Any]:
        """The answer of a long form. Raises ExpertUnavailable for a question that is not about its cells."""
        known = self.table, self.previous, self.answered
        answer = self._reply(line, False)
        if self.form and self.previous and not all(is_of_cells(self.form, one) for one in self.answered):
            self.table, self.previous, self.answered = known
            raise ExpertUnavailable("That is not asked of the cells.")
        return answer

    def _in_long_form(self, line: str) -> tuple[_Conversation, str] | None:
        """The conversation about the long form of a wide table, and a message in its words."""
        form = long_form(self.table, line)
        if form is None and self.long is None:
            return None
        if self.long is None and form:
            return _Conversation(form.table, is_foreign=self.is_foreign, form=form), in_words_of(form, line)
        assert self.long and self.long.form
        return self.long, in_words_of(self.long.form, line)

    def _reply(self, line: str, partly: bool) -> dict[str, Any]:
        """As `reply`, of the table as it is."""
        before, earlier, self.answered = (self.table, self.previous, ()), self.answered, ()
        again = self._again(line, earlier)
        answers, errors = (again, []) if again else self.answers(line)
        unread = errors[0] if errors and isinstance(errors[0], Unread) else None
        if not answers and partly and unread and not unread.is_vital:
            self.table, self.previous, self.answered = before
            return self.without(line, unread)
        if not answers:
            raise errors[0]
        if len(answers) == len(self.answered) == 2 and _is_counted(*self.answered):
            answers = answers[1:]
        shown = next((one for one in answers if one["rows"]), answers[0])
        sentences = [answer["answer"] for answer in answers] + [f"One part is left open: {error}" for error in errors]
        return {**(answers[0] if len(answers) == 1 else shown), "answer": "\n".join(sentences)}

    def answers(self, line: str) -> tuple[list[dict[str, Any]], list[ExpertUnavailable]]:
        """The answers to the parts of a message, and why others have none; or that to it as one."""
        before = self.table, self.previous, self.answered
        line = without_asides(line)
        parts = [line] if is_asked(line) else for_both(self.table, _parts(line))
        answers, errors = self._of_parts(parts)
        if not errors or len(parts) == 1:
            return answers, errors
        self.table, self.previous, self.answered = before
        try:
            return [self._answer(line, is_further=False)], []
        except ExpertUnavailable:
            return answers, errors

    def _again(self, line: str, queries: Sequence[Query]) -> list[dict[str, Any]]:
        """The answers for "the same in science" after several questions in one message; [] for any other message."""
        if len(queries) < 2 or not _AGAIN.search(line) or len(_parts(line)) > 1:
            return []
        answers = []
        for query in queries:
            self.past, self.previous = [query], query
            answers.append(self._answer(line, is_further=False))
        return answers

    def _of_parts(self, parts: Sequence[str]) -> tuple[list[dict[str, Any]], list[ExpertUnavailable]]:
        """As `answers`. After a part that is not understood none is answered, as its conditions may hold for them."""
        answers: list[dict[str, Any]] = []
        for index, part in enumerate(parts):
            if answers and self.previous and (_is_told(self.table, part, self.previous) or self._is_aside(part)):
                continue
            is_remark = len(parts) > 1 and _is_remark(part)
            is_topic = index + 1 < len(parts) and _is_topic(part)
            try:
                given = self._answers(part, index > 0)
            except ExpertUnavailable as error:
                is_open = isinstance(error, Unasked) and index + 1 < len(parts)  # "what do I order? All below …"
                if (is_remark or is_open) and not _has_condition(self.table, part):
                    continue
                return answers, [error]
            if self.previous and self.previous.operation == "describe" and len(parts) > 1:
                self.previous = None
            elif not is_remark and not (is_topic and self.previous and self.previous.operation == "rows"):
                answers += given
        return answers, []

    def _is_aside(self, part: str) -> bool:
        """Whether a part behind others names nothing of the table and asks nothing: "just out of curiosity"."""
        asks = is_yes_or_no(part) or any(word.tag.startswith("W") for word in grammar.words(part))
        return not asks and all(mention.kind == "row" for mention in read(self.table, part).mentions)

    def _answers(self, part: str, is_further: bool) -> list[dict[str, Any]]:
        """The answer to a part; one for each of its halves where only these can be read ("the sum of a and the mean of
        b"). Raises ExpertUnavailable where it cannot be read at all.
        """
        before = self.table, self.previous, self.answered
        try:
            return [self._answer(part, is_further)]
        except ExpertUnavailable as error:
            for joint in itertools.islice(_JOINT.finditer(part, 1), MAX_JOINTS):
                self.table, self.previous, self.answered = before
                try:
                    further = is_further or bool(ROWS_BEFORE & {word.lower for word in grammar.words(part)})
                    return [self._answer(part[: joint.start()], further), self._answer(part[joint.end() :], True)]
                except ExpertUnavailable:
                    continue
            self.table, self.previous, self.answered = before
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
        self.answered = (*self.answered, query)
        told = [note for note in dict.fromkeys(reading.notes) if not _is_idle(note, reading.table, query)]
        notes = " ".join(told) if query.operation != "describe" else ""
        return answer | {key: f"{answer[key]} {notes}".strip() for key in ("answer", "told") if key in answer}

    def _answer_for_each(self, part: str, is_further: bool, error: Ambiguous) -> dict[str, Any]:
        """The answers for each of the columns that a question may be about. Raises the error where one has none."""
        names = [column.name for column in error.columns]
        previous = self.previous
        if previous and {previous.column, *(one.column for group in previous.filters for one in group)} & set(names):
            previous = None
        whole = added_up(self.table, error.columns) if len(names) > 1 and _IN_ALL.search(part) else None
        if whole:  # takings of flowers, cards and gifts
            return _Conversation(whole, previous)._answer(part, is_further)
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


def _is_idle(note: str, table: TypedTable, query: Query) -> bool:
    """Whether a note says how a column was computed that the answer is not about."""
    used = {
        query.column,
        query.group,
        query.order,
        *query.wanted,
        *(one.column for each in query.filters for one in each),
    }
    if not isinstance(note, Computed):
        return False
    is_of_column = any(column.computed and column.name == note.name for column in table.columns)
    return is_of_column and note.name not in used


def _parts(line: str) -> list[str]:
    """The questions in a message; of one that is said again in other words ("short, i.e. fees minus paid") these."""
    parts: list[str] = []
    for part in map(_restated, _PART_END.split(line)):
        if parts and _DEFINES.match(part):  # "revenue = pieces times price"
            parts[-1] = f"{parts[-1].rstrip(' ?.!')}, {part}"
        else:
            parts.append(part)
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


def _is_told(table: TypedTable, part: str, previous: Query) -> bool:
    """Whether a part asks for the number by which the answer before it was chosen: "and how much was it?", "how many
    pieces was that?".
    """
    words = {word.lower for word in grammar.words(part) if not word.is_mark}
    is_picked = previous.pick or previous.operation in ("extreme", "maximum", "minimum")
    senses = table[previous.column].senses if previous.column in table.names else frozenset[str]()
    rest = [word for word in words - _HOW_MUCH if not any(related(word, sense) for sense in senses)]
    are_of_it = all(any(senses & set(one.columns) for one, _, _ in adjectives().get(word, ())) for word in rest)
    return is_picked and are_of_it and not words.isdisjoint(("how", "what"))


def _is_counted(first: Query, second: Query) -> bool:
    """Whether the rows are told whose number is asked for, too: "how many are late, and who?"."""
    is_number = first.operation == "count" and not first.column
    return is_number and second.operation == "rows" and first.filters == second.filters and not second.n


def _is_remark(part: str) -> bool:
    """Whether a part is a sentence that asks for nothing: "That's my bird diary."."""
    words = [word for word in grammar.words(part) if not word.is_mark]
    if not words or not part.rstrip().endswith((".", "!")):
        return not words
    if (
        words[0].tag != "VB"
        and any(word.is_finite for word in words[1:])
        and not any(w.tag.startswith("W") for w in words)
    ):
        return not is_yes_or_no(part)
    return words[0].tag in ("PRP", "PRP$", "UH") or (words[0].tag == "DT" and any(word.is_verb for word in words[1:2]))


def _has_condition(table: TypedTable, part: str) -> bool:
    """Whether a sentence names a value, a number, a date or a yes, which may hold for the questions after it."""
    mentions = read(table, part).mentions
    told = any(column.type == "flag" for mention in mentions for column in mention.columns)
    return told or any(mention.kind in ("value", "number", "date", "month") for mention in mentions)
