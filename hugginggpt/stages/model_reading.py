"""What a language model reads from texts and tables in hand, where no expert found an answer.

It does the least that needs language, code does the rest: to a table it writes the query, and to numbers the
calculation, that code carries out; only plain questions it answers itself. What it writes counts where its numbers,
names, quotations and most of its words stand in the texts or the question; else it has read nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from hugginggpt.answers.checking import Checker, split_sentences
from hugginggpt.answers.findings import names_of
from hugginggpt.answers.table_database import TableDatabase
from hugginggpt.answers.written_numbers import numbers_in_words
from hugginggpt.core.arithmetic import calculated
from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.events import Event, PromptRead, RunRecord
from hugginggpt.experts.table_columns import shown_number
from hugginggpt.experts.word_likeness import stem
from hugginggpt.experts.written_language import ENGLISH, function_word, language_of, script_language, words_of
from hugginggpt.llm.base import LLM, Message, Reading, Schema
from hugginggpt.llm.bounds import SENTENCE
from hugginggpt.llm.prompts import CALCULATION_SCHEMA, QUERY_SCHEMA, Prompts
from hugginggpt.stages.responder import Replying
from hugginggpt.stages.run import Run
from hugginggpt.stages.texts_in_hand import TextInHand, about

SPOKEN_OF, BORNE_OUT = 0.5, 0.7
"""The share of the words of a question, and of an answer, that the texts have to hold."""
FREE_NUMBERS = frozenset({1.0, 2.0, 100.0})
"""The numbers that a calculation may have though nobody wrote them: of "twice", "half" and percentages."""
_NOT_TOLD = re.compile(
    r"\b(?:not|n['’]t|no) (?:\w+ ){0,2}"
    r"(?:found|mention\w*|say|state\w*|specif\w+|provide\w*|given|tell|information|know\w*)\b",
    re.IGNORECASE,
)
"""How a model says that a text does not tell."""
_YES_NO = re.compile(r"\W*+(?:yes|no|ja|nein|oui|non|sí|si)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_AMOUNT = re.compile(r"(?:[€$£¥]|\b(?:eur|euros?|usd|gbp|pounds?|dollars?|chf)\b)|\d+(?:[.,:]\d+)*", re.IGNORECASE)
_GROUPED = re.compile(r"(?<=\d)[,'’\s](?=\d{3}(?!\d))")
_CALCULATES = re.compile(
    r"\b(?:(?:how (?:much|many|long)|by (?:what|how)|what)\b.{0,60}\b(?:than|more|less|fewer|cheaper|dearer|longer|"
    r"shorter|altogether|together|in total|all in all|without|left|over|missing|difference|change|per|each|percent\w*)|"
    r"difference between|go(?:es)? up|went up|percent\w*|double|twice|half|halve|altogether|all together|"
    r"per (?:person|head|week|month|year)|(?:for|of) \d+)\b",
    re.IGNORECASE,
)
"""What asks for a number that may stand nowhere."""


@dataclass(frozen=True, slots=True)
class Read:
    """An answer that a language model read from texts, what these are called, and how code worked it out, if it did."""

    answer: str
    names: tuple[str, ...]
    how: str = ""


class ModelReader:
    """Puts questions to texts and tables."""

    def __init__(self, llm: LLM, prompts: Prompts) -> None:
        self.llm = llm
        self.prompts = prompts

    def read(
        self,
        question: str,
        before: str,
        texts: Sequence[TextInHand],
        run: Run,
        record: RunRecord,
        is_put_to_them: bool = False,
    ) -> Generator[Event, None, Read | None]:
        """The answer to a question, with which the one `before` it may go on; None where there is none that counts. One
        that the plan has put to the texts is about them even if it shares no word with them: a table, whose query is
        checked, or a text in another language. Raises BackendError.
        """
        texts = [text for text in texts if text.tables or text.text.strip()]
        if not texts:
            return None
        if tables := next((text for text in texts if text.tables), None):
            if not (is_put_to_them or content_of(f"{before} {question}") & content_of(tables.text)):
                return None
            return (yield from self._queried(question, before, tables, run))
        given = about(f"{before} {question}", texts)
        if not speak_of(question, given) and not (is_put_to_them and is_foreign(question, given)):
            return None
        calculates = _CALCULATES.search(question) and not is_labelled(question, given)
        if calculates and (found := (yield from self._calculated(question, before, given, run))):
            return found
        messages = self.prompts.read(question, [(text.name, text.text) for text in given], before)
        answer = yield from self._reply(run, messages)
        return Read(answer, _names(given)) if is_borne_out(answer, question, given, run, record) else None

    def _queried(self, question: str, before: str, text: TextInHand, run: Run) -> Generator[Event, None, Read | None]:
        """The answer of a query that the model writes to the tables of a file."""
        database = TableDatabase(text.tables, text.name)
        reply = yield from self._reply(run, self.prompts.query(question, database.described, before), QUERY_SCHEMA)
        query = _field(reply, "query")
        try:
            rows = database.answer(query, f"{before} {question}" if before else question)
        except ModelOutputError:
            return None
        return Read(rows.in_words(), (text.name,), f"by the query “{query.rstrip('; ')}”")

    def _calculated(
        self, question: str, before: str, given: Sequence[TextInHand], run: Run
    ) -> Generator[Event, None, Read | None]:
        """The value of a calculation that the model writes with numbers of the texts."""
        messages = self.prompts.calculation(question, [(text.name, text.text) for text in given], before)
        reply = yield from self._reply(run, messages, CALCULATION_SCHEMA)
        calculation = _field(reply, "calculation")
        if not is_of(calculation, question, given):
            return None
        try:
            value = float(calculated(calculation))
        except (ValueError, OverflowError):
            return None
        unit = _field(reply, "unit")
        is_known = content_of(unit) <= content_of(" ".join([question, *(text.text for text in given)]))
        is_difference = re.fullmatch(r"[\d.]+ ?- ?[\d.]+", calculation)  # whichever way round
        amount = shown_number(abs(value) if is_difference else value)
        answer = f"{amount} {unit}".strip() if is_known else amount
        return Read(answer, _names(given), f"{calculation} = {shown_number(value)}")

    def _reply(
        self, run: Run, messages: Sequence[Message], schema: Schema | None = None
    ) -> Generator[Event, None, str]:
        """The reply on one line; "" where it was cut off. Raises BackendError."""
        reply = Replying(run, "respond", self.llm.stream(messages, stage="respond", schema=schema, most=SENTENCE))
        for piece in reply:
            if isinstance(piece, Reading):
                yield PromptRead(piece.read, piece.total)
        return "" if reply.whole.cut_off else " ".join(reply.whole.text.split())


def _names(texts: Iterable[TextInHand]) -> tuple[str, ...]:
    return tuple(text.name for text in texts)


def _field(reply: str, name: str) -> str:
    """A text of a JSON object; "" where there is none."""
    try:
        value = json.loads(reply)
    except ValueError:
        return ""
    return str(value.get(name) or "").strip() if isinstance(value, dict) else ""


def numbers_of(text: str) -> set[float]:
    """The numbers in a text, in digits or words, however their thousands and decimals are parted."""
    found = {float(number) for number in numbers_in_words(text.lower())}
    for written in _NUMBER.findall(_GROUPED.sub("", text)):
        for one in (written, written.replace(",", "."), written.replace(".", "").replace(",", ".")):
            if re.fullmatch(r"\d+(?:\.\d+)?", one):
                found.add(float(one))
    return found


def is_of(calculation: str, question: str, texts: Sequence[TextInHand]) -> bool:
    """Whether a calculation works on numbers of the texts, has all of the question, and no others."""
    used = numbers_of(calculation)
    asked = {float(number) for number in re.findall(r"(?<![\w.,:-])\d+(?:\.\d+)?(?![\w:-])", question)}
    written = numbers_of(" ".join(text.text for text in texts))
    known = used <= written | numbers_of(question) | FREE_NUMBERS
    return known and asked <= used and bool(used & written) and bool(re.search(r"[-+*/]", calculation))


def speak_of(question: str, texts: Iterable[TextInHand]) -> bool:
    """Whether half of the words of a question stand in the texts; of one in another language than English one does, as
    it is not known which of its words say nothing.
    """
    asked = content_of(question)
    known = content_of(" ".join(f"{text.name} {text.text}" for text in texts))
    least = SPOKEN_OF * len(asked) if language_of(question) == ENGLISH else 1
    return bool(asked) and len(asked & known) >= least


def is_labelled(question: str, texts: Iterable[TextInHand]) -> bool:
    """Whether a line of a text is an amount under a label that the question names ("Change: 12.65"), so that there is
    nothing to be worked out.
    """
    asked = content_of(question)
    lines = (line for text in texts for line in text.text.splitlines() if _NUMBER.search(line))
    labels = (content_of(_AMOUNT.sub(" ", line)) for line in lines)
    return any(label and label <= asked for label in labels)


def is_foreign(question: str, texts: Sequence[TextInHand]) -> bool:
    """Whether the texts are in another language than the question, so that they share no words."""
    return all(language_of(text.text) != language_of(question) for text in texts)


def is_borne_out(answer: str, question: str, texts: Sequence[TextInHand], run: Run, record: RunRecord) -> bool:
    """Whether an answer says something of what was asked, and what the texts say: their numbers, each beside words that
    it has there, names and quotations, and mostly their words or those of the question. A yes or no is not borne out:
    small models say yes to what no word contradicts.
    """
    known = [*(text.text for text in texts), *(text.name for text in texts)]
    asked = content_of(question)
    said = content_of(_ORDINAL.sub("", answer))
    in_texts = content_of(" ".join(known))
    if not said & asked or _NOT_TOLD.search(answer) or len(said & (in_texts | asked)) < BORNE_OUT * len(said):
        return False
    if _YES_NO.match(answer) or (said <= asked and not _NUMBER.search(answer)):
        return False
    if not all(has_line(number, said, texts) for number in _NUMBER.findall(answer)):
        return False
    checker = Checker(record, names_of(record, run.known_files), known)
    return not any(checker.problem(sentence) for sentence in split_sentences(answer))


def has_line(number: str, said: frozenset[str], texts: Iterable[TextInHand]) -> bool:
    """Whether a number stands in a line of a text, with any of the words that are said with it."""
    lines = [line for text in texts for line in text.text.splitlines()]
    return any(number in _NUMBER.findall(line) and said & content_of(line) for line in lines)


def content_of(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, without endings; of a script without blanks its characters."""
    language = language_of(text)
    if script_language(text):
        return frozenset(character for word in words_of(text) for character in word)
    return frozenset(stem(word) for word in words_of(text) if not function_word(word, language) and len(word) > 1)
