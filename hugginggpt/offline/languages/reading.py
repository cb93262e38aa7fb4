"""Reads a request in another language than English: its clauses, the task and the arguments that each asks for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from hugginggpt.core.conversation import MissingInput
from hugginggpt.core.plan import Unplanned
from hugginggpt.core.questions import Operation, Question
from hugginggpt.core.results import Kind
from hugginggpt.core.task_types import TaskType
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import foreign_reading, stated_numbers
from hugginggpt.experts.picture_untold import untold
from hugginggpt.experts.written_language import ENGLISH, name_of
from hugginggpt.media.references import Resource
from hugginggpt.offline import asked_of_texts, remarks, said_beside
from hugginggpt.offline.clauses import PLACEHOLDERS, Clause, masked, with_placeholders
from hugginggpt.offline.follow_ups import Request
from hugginggpt.offline.intents import Intent
from hugginggpt.offline.languages import operations
from hugginggpt.offline.languages.detection import request_language
from hugginggpt.offline.languages.objects import read_question
from hugginggpt.offline.languages.scores import clause_scores
from hugginggpt.offline.languages.vocabulary import CODES, NO_OBJECT, Vocabulary, vocabulary

MIN_SHARE = 0.4
"""The minimum probability of a clause's task."""
MIN_SHARE_OF_HELP = 0.75
"""That of a question for help or abilities, which "can you make tea?" is not."""
MIN_SHARE_OF_PART = 0.5
"""The minimum probability of each of two tasks where a sentence is split between them."""
MIN_SHARE_OF_OTHERS = 0.65
"""The probability from which a question that names no file asks for something else than what is written in hand."""
MIN_SHARE_OF_STATED = 0.9
"""That of a task which words before a question ask for that tell nobody to do it: "Zusammenfassung."."""
PICTURE_QUESTION = "What does it look like?"
"""The English question below one that no picture answers."""
SMALL_TALK = ("greeting", "help", "thanks")
NO_REQUEST = ("fragment", "none")
_QUESTION_MARK = re.compile(r"[?？]")
_ASKING = (
    "fragt",
    "fragen",
    "wissen",
    "demande",
    "demandent",
    "savoir",
    "pregunta",
    "preguntan",
    "saber",
    "问",
    "知道",
)
_REPORTS = "|".join(rf"(?<={word})\s?[:：]" for word in _ASKING)
"""The colon behind what only tells who asks: "Oma fragt: wann kommt Lukas?"."""
_SENTENCE_BREAK = re.compile(r"[.!?…](?=\s|$)|[。？！；;]|\n+|" + _REPORTS)
_TEXT_AFTER_COLON = re.compile(r"[:：]\s*(?=(?:\S+\s+){3}|[\u3400-\u9fff]{8})(?=\S)", re.DOTALL)

MAX_BRIEF_WORDS = 5


_OR = frozenset(["oder", "ou", "o", "u", "还", "还是"])
_JOINED = r"(?i)\b(?:und|et|y)\b|和|，|,"
"""What joins two questions in one clause."""


@dataclass(frozen=True, slots=True)
class Step:
    """A task that a clause asks for. `args` are arguments that are known from its words, `question` what it asks of the
    result.
    """

    intent: Intent
    args: Mapping[str, Any] = field(default_factory=dict)
    question: Question | None = None


@dataclass(frozen=True, slots=True)
class ForeignRequest:
    """What a request in another language asks for. `small_talk` is a greeting, thanks or a call for help."""

    language: str
    request: Request
    steps: tuple[Step, ...] = ()
    unplanned: tuple[Unplanned, ...] = ()
    missing: MissingInput | None = None
    small_talk: str = ""

    @property
    def clauses(self) -> list[Clause]:
        return [step.intent.clause for step in self.steps]


def language(request: Request) -> str:
    """The language of a request, told by the words before a text that follows a colon."""
    words, _, _ = _text_after_colon(request)
    return request_language(words, [one for one in request.placed if one.end <= len(words)])


def read(
    request: Request,
    table: TaskTable,
    can_have: Callable[[Kind, Sequence[str]], bool],
    allowed: Collection[str] | None = None,
    has_page: bool = False,
    in_hand: Kind | None = None,
) -> ForeignRequest | None:
    """What a request asks for; None for one in English. Without steps, small talk and a missing input it was not
    understood. `can_have` says whether a kind of input is available after some tasks, `has_page` whether the last
    picture of the conversation is a page of text, `in_hand` is the kind of the file that the conversation is about.
    """
    code = language(request)
    if code == ENGLISH:
        return None
    if code not in CODES:
        return ForeignRequest(code, request)
    _, start, end = _text_after_colon(request)
    if start < end and not any(one.kind == "text" for one in request.named):
        text = Resource(request.text[start:end], "text", start, end)
        request = replace(request, named=[*request.placed, text, *request.attached])
    return _Reader(request, table, can_have, allowed, has_page, vocabulary(code), in_hand).read()


def _text_after_colon(request: Request) -> tuple[str, int, int]:
    """The words of a request, and where a text without quotes after a colon starts and ends, if there is one."""
    text = masked(request.text, request.placed)
    match = _TEXT_AFTER_COLON.search(text)
    if (
        match is None
        or re.search(_REPORTS, text[: match.end()])
        or "▯" in text[match.end() :]
        or not re.search(r"[^\W\d_▯]{2}", text[: match.start()])
    ):
        return request.text, 0, 0
    return request.text[: match.start()], match.end(), len(request.text.rstrip())


@dataclass
class _Reader:
    """Reads a request clause by clause."""

    request: Request
    table: TaskTable
    can_have: Callable[[Kind, Sequence[str]], bool]
    allowed: Collection[str] | None
    has_page: bool
    words: Vocabulary
    in_hand: Kind | None = None
    steps: list[Step] = field(default_factory=list)
    unplanned: list[Unplanned] = field(default_factory=list)
    missing: MissingInput | None = None
    small_talk: str = ""

    def read(self) -> ForeignRequest:
        code = self.words.code
        clauses = list(self._clauses())
        asking = [one for one in clauses if not said_beside.is_aside(one.text, code) or self._asks_briefly(one)]
        if clauses and all(said_beside.is_courtesy(one.text, code) for one in clauses):
            return ForeignRequest(code, self.request, small_talk=self._courtesy())
        clauses = [self._without_courtesies(clause) for clause in asking or clauses]
        for at, clause in enumerate(clauses):
            if not self._only_tells(clause, clauses[at + 1 :]):
                self._add(clause, is_whole=len(clauses) == 1, is_last=at == len(clauses) - 1)
        if not self.steps and not self.missing and self.small_talk:
            return ForeignRequest(code, self.request, small_talk=self.small_talk)
        missing = None if self.steps else self.missing
        unplanned = [one for one in self.unplanned if one.why or not (self.steps and remarks.only_tells(one.text))]
        return ForeignRequest(code, self.request, tuple(self.steps), tuple(unplanned), missing)

    def _asks_briefly(self, clause: Clause) -> bool:
        """Whether a few words that begin as a statement does ask for something: "c'est combien en tout"."""
        is_short = len(clause.text.split()) <= MAX_BRIEF_WORDS
        return is_short and bool(foreign_reading.kinds_asked(clause.text, self.words.code) - {"other"})

    def _courtesy(self) -> str:
        """The small talk that words are which are but polite."""
        return "thanks" if said_beside.thanks(self.request.text, self.words.code) else "greeting"

    # clauses

    def _without_courtesies(self, clause: Clause) -> Clause:
        """A clause without the greeting or thanks that it begins with: "Merci, et le prix ?"."""
        text = self.request.text[clause.start : clause.end]
        rest = said_beside.without_courtesies(text, self.words.code)
        start = clause.start + max(text.find(rest), 0)
        return clause if any(one.start < start for one in clause.resources) else self._clause(start, clause.end)

    def _clauses(self) -> Iterator[Clause]:
        text = masked(self.request.text, self.request.placed)
        starts = [0, *(match.end() for match in _SENTENCE_BREAK.finditer(text)), len(text)]
        sentences: list[tuple[int, int]] = []
        for start, end in itertools.pairwise(starts):
            if sentences and not (_has_words(text[start:end]) and _has_words(text[slice(*sentences[-1])])):
                start = sentences.pop()[0]  # a sentence without words names a file: "What is that? a.jpg"
            sentences.append((start, end))
        for start, end in sentences:
            yield from self._split(text, start, end)

    def _split(self, text: str, start: int, end: int) -> Iterator[Clause]:
        """A sentence, in two where both parts ask for tasks, and different ones."""
        if not _has_words(text[start:end]) and "▯" not in text[start:end]:
            return
        for match in re.finditer(self._joint, text[start:end]):
            spans = (start, start + match.start()), (start + match.end(), end)
            if not match[0].strip(", ") and self._names_subject(text[start:end], text[slice(*spans[1])]):
                continue
            first, second = (self._clause(*span) for span in spans)
            if all(_has_words(text[slice(*span)]) for span in spans) and self._are_apart(first, second):
                yield first
                yield from self._split(text, *spans[1])
                return
        yield self._clause(start, end)

    def _names_subject(self, sentence: str, part: str) -> bool:
        """Whether the part of a question behind a comma only says what it is about: "C'est quand, le concert ?"."""
        return bool(_QUESTION_MARK.search(sentence)) and not foreign_reading.asks(part, self.words.code)

    def _are_apart(self, first: Clause, second: Clause) -> bool:
        """Whether two parts of a sentence surely ask for different tasks, or for one of different files."""
        if self._is_of_text() and all(foreign_reading.asks(each.text, self.words.code) for each in (first, second)):
            return False  # the reader answers each part of a question
        (one, share), (other, other_share) = self._best(first), self._best(second)
        if not {one, other}.isdisjoint((*NO_REQUEST, *SMALL_TALK, "")) or min(share, other_share) < MIN_SHARE_OF_PART:
            return False
        have_files = all(any(resource.is_file for resource in clause.resources) for clause in (first, second))
        return one.partition("/")[0] != other.partition("/")[0] or (one != other and have_files)

    @property
    def _joint(self) -> str:
        words = (re.escape(word) for words in self.words.meanings["together"].values() for word in words)
        joints = "|".join(sorted(words, key=len, reverse=True))
        return joints if not self._has_blanks else rf"(?:,\s*|\s+)(?:{joints})\s+|,\s+"

    @property
    def _has_blanks(self) -> bool:
        return any(" " in word for words in self.words.meanings["together"].values() for word in words)

    def _clause(self, start: int, end: int) -> Clause:
        named = self.request.placed
        inside = tuple(one for one in named if start <= one.start < end)
        return Clause(with_placeholders(self.request.text, start, end, inside), start, end, inside)

    def _best(self, clause: Clause) -> tuple[str, float]:
        scores = self._scores(clause)
        label = max(scores, key=scores.__getitem__, default="")
        return label, scores.get(label, 0.0)

    def _scores(self, clause: Clause) -> Mapping[str, float]:
        """The probabilities of a clause's classes; an attached file stands behind the words, as in the phrases."""
        text = clause.text
        if not any(one.is_file for one in self.request.placed):
            text += "".join(f" {PLACEHOLDERS[one.kind]}" for one in self.request.attached[:1])
        return clause_scores(text, self.words.code)

    # tasks

    def _add(self, clause: Clause, is_whole: bool, is_last: bool) -> None:
        """Plans what a clause asks for; a whole request is no mere part of one ("number of cars in a.jpg"), and what
        stands before others may but say what they are about ("Elternbrief von der Schule.").
        """
        if (task := self._by_form(clause)) and (asked := self.table[task].text_arg):
            intent = Intent(task, clause, f'"{clause.text}" (by its form, {name_of(self.words.code)})')
            args = {asked.name: self._text(clause)} if self.table[task].wording == "question" else {}
            self.steps.append(Step(intent, args))
            return
        if task := self._comparison(clause):
            self._plan(task, 1.0, clause)
            return
        is_read = self.has_page or self._is_of_text()
        if refused := said_beside.out_of_reach(self._said(clause), self.words.code, is_read=is_read):
            why = said_beside.refusal(refused, self.words.code)
            self.unplanned.append(Unplanned(self._text(clause), why))
            return
        scores = self._scores(clause)
        if is_whole and (rest := 1 - scores.get("fragment", 0.0)) > 0:
            scores = {label: score / rest for label, score in scores.items() if label != "fragment"}
        best = max(scores, key=scores.__getitem__, default="")
        share = scores.get(best, 0.0)
        if (row := self._of_picture()) and row.text_arg and (english := self._picture_question(clause)):
            intent = Intent(row.name, clause, f'"{clause.text}" (of a picture, {name_of(self.words.code)})', share)
            self.steps.append(Step(intent, {row.text_arg.name: f"{self._text(clause)}\n{english}"}))
            return
        if (row := self._asked_of_words(best, share, clause)) is not None:
            self._plan(row.name, share, clause)
            return
        if best in SMALL_TALK and share >= (MIN_SHARE_OF_HELP if best == "help" else MIN_SHARE):
            self.small_talk = self.small_talk or best
            return
        if best in (*NO_REQUEST, *SMALL_TALK):
            if best != "fragment" and share >= MIN_SHARE and (is_last or self._wants(clause)):
                self._not_understood(clause)
            return
        earlier = [step.intent.task for step in self.steps]
        feasible = {label: score for label, score in scores.items() if self._is_feasible(label, earlier, clause)}
        label = max(feasible, key=feasible.__getitem__, default="")
        if label and feasible[label] >= MIN_SHARE:
            self._plan(label, feasible[label], clause)
        elif share >= MIN_SHARE and not feasible.get(best):
            row = self.table[best.partition("/")[0]]
            self.missing = self.missing or MissingInput(row.input_kind, row.name, row.input_arg.name)
        elif is_last or self._wants(clause):
            self._not_understood(clause)

    def _only_tells(self, clause: Clause, behind: Sequence[Clause]) -> bool:
        """Whether a clause only tells who asks what stands behind it, or of what: "Elternbrief von der Schule."."""
        said = self._said(clause)
        if behind and re.search(rf"(?:{_REPORTS})\W*$", said):
            return True
        is_before_question = any(_QUESTION_MARK.search(self._said(each)) for each in behind)
        return (
            is_before_question
            and not any(one.is_file for one in clause.resources)
            and not self._wants(clause)
            and self._best(clause)[1] < MIN_SHARE_OF_STATED
        )

    def _wants(self, clause: Clause) -> bool:
        """Whether a clause asks or tells somebody to do something, by its form."""
        said = self._said(clause)
        is_told = operations.begins_with_verb(said, self.words.code) or not self.words.lists["wanting"].isdisjoint(
            self.words.tokens(said)
        )
        return is_told or bool(_QUESTION_MARK.search(said)) or foreign_reading.asks(said, self.words.code)

    def _of_picture(self) -> TaskType | None:
        """The task for questions to pictures, where the request is about a single one that is no page in hand."""
        if sum(one.is_file for one in self.request.named) > 1:
            return None  # "wo sind die wenigsten Zebras?"
        kinds = {one.kind for one in self.request.named if one.is_file} or {self.in_hand}
        is_photo = kinds == {"image"} and not self.has_page and self.can_have("image", ())
        return self.table.find(self.table.question_task("image")) if is_photo else None

    def _picture_question(self, clause: Clause) -> str:
        """The usual question to a picture that a clause asks, in English, with its object: "What colour is the cat?"; ""
        for any other.
        """
        words = masked(self.request.text, self.request.placed)[clause.start : clause.end].replace("▯", " ")
        asked = self.words.first("questions to pictures", words)
        tokens = self.words.tokens(words)
        named = [one.meaning for one in self.words.find("objects", tokens) if one.meaning != NO_OBJECT]
        colours = operations.colours_in(words, self.words.code)
        if len(colours) > 1 and any(token in _OR for token in tokens):  # "ist die Tasse rot oder blau?"
            return f"Is {f'the {named[0]}' if named else 'it'} {' or '.join(colours)}?"
        if not asked:
            return PICTURE_QUESTION if untold(words) else ""
        every = [one.meaning for one in self.words.find("questions to pictures", tokens)]
        if len(set(every)) > 1 and re.search(_JOINED, words):  # "was für ein Tier ist das und welche Farben hat es?"
            return " ".join(dict.fromkeys(every))
        return asked.replace("it", f"the {named[0]}", 1) if named and " it" in asked else asked

    def _is_of_text(self) -> bool:
        """Whether the request is about a text: one that it brings, or one in hand."""
        kinds = {one.kind for one in self.request.named if one.is_file}
        return kinds == {"text"} or (not kinds and not self.has_page and self.can_have("document", ()))

    def _by_form(self, clause: Clause) -> str:
        """The task that the form of a clause about a text tells; else ""."""
        files = [one for one in (clause.resources or self.request.named) if one.is_file]
        topic: Kind | None = "text" if self._is_of_text() else next((one.kind for one in files), None)
        words = masked(self.request.text, self.request.placed)[clause.start : clause.end].replace("▯", " ")
        return asked_of_texts.task_for(words, topic, files, self.table)

    def _comparison(self, clause: Clause) -> str:
        """The task that shows what two texts differ in, where a clause asks for that; else ""."""
        kinds = [one.kind for one in self.request.named if one.is_file]
        words = self.words.tokens(self._said(clause))
        if kinds != ["text", "text"] or self.words.lists["differing"].isdisjoint(words):
            return ""
        return next((row.name for row in self.table if row.wording == "pair" and row.result.name == "text"), "")

    def _asked_of_words(self, label: str, share: float, clause: Clause) -> TaskType | None:
        """The task for a question to the words of the document, recording or page in hand, where no other task that can
        be done to it is surely asked for.
        """
        text = self.request.text[clause.start : clause.end + 1]
        if not (_QUESTION_MARK.search(text) or foreign_reading.asks(text, self.words.code)):
            return None
        row = self.table.find(label.partition("/")[0])
        kinds = {one.kind for one in (clause.resources or self.request.named)}
        if not kinds and self.has_page:
            kinds = {"image"}
        is_in_hand = not self._names_input and (self.has_page or "image" not in kinds)
        is_digest = row is not None and row.is_digest  # "pouvez-vous me résumer cette lettre ?"
        least = MIN_SHARE_OF_OTHERS if is_in_hand and _QUESTION_MARK.search(text) and not is_digest else MIN_SHARE
        is_sure = row is not None and share >= least and row.wording != "question"
        if kinds and kinds <= {"text", "audio"}:
            is_other = row is not None and is_sure and row.input_kind in kinds | {"text"}
            if row is self.table.classifier("text") and self._asks_for_facts(text):
                is_other = False  # who it was says no sentiment
            return None if is_other else self.table.find(self.table.question_task("text"))
        if kinds != {"image"} or (is_sure and row is not None and not self._counts_unknown(row, label, clause)):
            return None
        special = [row for row in self.table if row.wording == "question" and row.input_kind == "image" and row.subject]
        return special[0] if special and self.can_have("image", ()) else None

    def _asks_for_facts(self, text: str) -> bool:
        return bool(foreign_reading.kinds_asked(text, self.words.code) & {"who", "when", "money"})

    @property
    def _names_input(self) -> bool:
        """Whether the words of the request name a file, or quote a text."""
        return bool(self.request.placed)

    def _counts_unknown(self, row: TaskType, label: str, clause: Clause) -> bool:
        """Whether a clause asks for a time or a price, or of a page or for a name what no detector knows: it may stand
        there in words.
        """
        aspect = label.partition("/")[2]
        words = masked(self.request.text, self.request.placed)[clause.start : clause.end].replace("▯", " ")
        kinds = foreign_reading.kinds_asked(words, self.words.code)
        names_object = any(one.meaning != NO_OBJECT for one in self.words.find("objects", self.words.tokens(words)))
        if kinds & {"when", "money"} or (stated_numbers.says(words, "total") and not names_object):
            return True  # "c'est combien en tout"
        if self.has_page and not self._names_input and row.result.draws == "boxes":
            return True  # the expert for questions counts on a photograph, too
        is_to_page = self.has_page or bool(kinds & {"who", "phone"}) or ("number" in kinds and not self._names_input)
        if not is_to_page or row.result.draws != "boxes" or aspect not in get_args(Operation):
            return False
        asked = read_question(cast(Operation, aspect), words, self._text(clause), self.words)
        return not any(objects.known for objects in asked.objects)

    def _not_understood(self, clause: Clause) -> None:
        """Plans what a table is asked; says of a question to another document that it is to be asked in English."""
        kinds = [one.kind for one in (clause.resources or self.request.named) if one.is_file and one.kind in _SOURCES]
        is_asked = bool(_QUESTION_MARK.search(self.request.text[clause.start : clause.end + 2]))
        row = self.table.find(self.table.question_task(kinds[0])) if is_asked and kinds and kinds[0] else None
        if row and row.input_kind == "table" and row.text_arg:
            intent = Intent(row.name, clause, f'"{clause.text}" ({name_of(self.words.code)})', MIN_SHARE)
            self.steps.append(Step(intent, {row.text_arg.name: self._text(clause)}))
            return
        heard = {one.kind for one in (clause.resources or self.request.named) if one.is_file} & {"audio", "video"}
        reader = self.table.find(self.table.question_task("text")) if heard and is_asked else None
        if reader and reader.text_arg and self.can_have("audio", ()):
            intent = Intent(reader.name, clause, f'"{clause.text}" (told in what is said)', MIN_SHARE)
            self.steps.append(Step(intent, {reader.text_arg.name: self._own_words(clause) or self._text(clause)}))
            return
        self.unplanned.append(Unplanned(self._text(clause), self._not_asked(row) if row else ""))

    def _is_feasible(self, label: str, earlier: Sequence[str], clause: Clause) -> bool:
        row = self.table.find(label.partition("/")[0])
        if row is None or (self.allowed is not None and row.name not in self.allowed):
            return False
        if row.wording == "question" and row.input_kind == "text" and not self._names_text(clause):
            return False
        if row.input_kind == "image" and row.input_arg.may_be_video and self._is_video():
            return self.can_have("video", earlier)
        return self.can_have(row.input_kind, earlier)

    def _is_video(self) -> bool:
        kinds = {one.kind for one in self.request.named if one.is_file} or {self.in_hand}
        return kinds == {"video"}

    def _names_text(self, clause: Clause) -> bool:
        """Whether a question can be one to a text: no picture or table is named instead."""
        kinds = {one.kind for one in (clause.resources or self.request.named)}
        return not kinds or bool(kinds & {"text", "audio", "video"})

    def _plan(self, label: str, share: float, clause: Clause) -> None:
        task, _, aspect = label.partition("/")
        row = self.table[task]
        intent = Intent(task, clause, f'"{clause.text}" ({share:.0%}, {name_of(self.words.code)})', share)
        question = None
        if aspect in get_args(Operation):
            words = masked(self.request.text, self.request.placed)[clause.start : clause.end].replace("▯", " ")
            question = read_question(cast(Operation, aspect), words, self._text(clause), self.words)
        args: dict[str, Any] = {}
        if row.wording == "question" and row.text_arg and not self._quotes_question(clause):
            section = "questions to tables" if row.input_kind == "table" else "questions to pages"
            text = self.words.first(section, clause.text)
            if row.input_kind == "table":  # whose words its expert knows, and reads the others beside them
                self.steps.append(Step(intent, {row.text_arg.name: text or self._text(clause)}, question))
                return
            if own := self._own_words(clause):
                asked = foreign_reading.parts(own, self.words.code) if row.input_kind == "image" else []
                for each in asked if len(asked) > 1 else [own]:
                    usual = self.words.first(section, each)
                    self.steps.append(Step(intent, {row.text_arg.name: f"{each}\n{usual}".strip()}, question))
                return
            if not text:
                self.unplanned.append(Unplanned(self._text(clause), self._not_asked(row)))
                return
            known = [self.words.first(section, part) for part in re.split(self._joint, clause.text)]
            for other in dict.fromkeys(one for one in known if one not in ("", text)):
                self.steps.append(Step(intent, {row.text_arg.name: other}, question))
            args[row.text_arg.name] = text
        if row.arg("language") and (target := self.words.first("languages", clause.text)):
            args["language"] = target
        self.steps.append(Step(intent, args, question))

    def _own_words(self, clause: Clause) -> str:
        """The question in its own language, for what is written in it; "" where nothing is asked."""
        is_of_picture = any(one.kind == "image" for one in clause.resources)
        is_question = (
            not is_of_picture and _QUESTION_MARK.search(self.request.text[clause.start : clause.end + 1]) is not None
        )
        words = masked(self.request.text, self.request.placed)[clause.start : clause.end].replace("▯", " ")
        return " ".join(words.split()) if is_question or foreign_reading.asks(words, self.words.code) else ""

    def _quotes_question(self, clause: Clause) -> bool:
        return any(one.kind == "text" and not one.is_file and one.text.endswith("?") for one in clause.resources)

    def _not_asked(self, row: TaskType) -> str:
        source = _SOURCES.get(row.input_kind, "text")
        return f"Of questions to a {source}, I understand only the usual ones in {name_of(self.words.code)}: ask it in English."

    def _said(self, clause: Clause) -> str:
        """A clause with the mark at its end, and without its files."""
        words = masked(self.request.text, self.request.placed)[clause.start : clause.end + 1]
        return words.replace("▯", " ").strip()

    def _text(self, clause: Clause) -> str:
        return self.request.text[clause.start : clause.end].strip()


def _has_words(text: str) -> bool:
    return bool(re.search(r"[^\W\d_▯]", text))


_SOURCES: Mapping[Kind, str] = {"image": "page", "table": "table", "text": "text"}
