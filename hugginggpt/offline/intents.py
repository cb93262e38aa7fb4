"""Classifies the clauses of a request: by task and by aspect of it, as small talk, or as what no task is for.

A learned head scores each clause (`heads.py`), the cues of tasks that it does not know add to the scores, and tasks
without an available input are dropped. What a question is put to is decided by the kind of the file that the clause is about.
Without the head's weights the cues decide alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.core.task_aspects import BEYOND
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.offline import (
    asides,
    asked_of_texts,
    forms,
    heard,
    moving,
    said_beside,
    saving,
    spoken_questions,
    unmade,
    working_out,
)
from hugginggpt.offline.clause_cues import CueMatch, cued_in_hand, cues_in
from hugginggpt.offline.clauses import ANNOUNCEMENT, PLACEHOLDERS, QUESTION, RESOURCES, Clause
from hugginggpt.offline.heads import clause_scores, likeliest_part, task_scores
from hugginggpt.offline.memory import accepted_kinds, is_about
from hugginggpt.offline.operation_parts import MIN_TOLD_SHARE, said_before, says_how, says_no_more
from hugginggpt.offline.parsing import is_command, is_statement
from hugginggpt.offline.queries import asks_for_facts
from hugginggpt.offline.second_files import second_arg
from hugginggpt.offline.selection import asks, phrase_head
from hugginggpt.offline.small_talk import ASIDE, LACKING, NONE, SMALL_TALK, UNCLEAR, VAGUE
from hugginggpt.offline.spelling import corrected
from hugginggpt.offline.topics import SCENE_SETTING, topic_of, with_scene

PLAIN_SHARE = 0.9
"""From this share of a clause's score a task that is no question is plainly what it asks for."""
MIN_SHARE = 0.4
"""The minimum share of a clause's total score for a task without a cue."""
MIN_TOTAL = 0.12
"""The minimum sum of the scores of all tasks with an input: else the likely ones lack theirs, and an unlikely one must
not win ("is it raining?" without a picture).
"""
MIN_INSTEAD = 0.5
"""The minimum score, as a share of the first, of a second task that is taken for a text that the first was already
planned to write: "transcribe a.wav, then both summarize the transcript and …"."""
MIN_WRITTEN = 0.15
"""The minimum score of questions about a document for a count that may not be one of objects in the picture."""
MAX_ELSEWHERE = 0.44
"""How likely a clause that is put to what is in hand may be about something else."""
MAX_ELSEWHERE_WITH_FILE = 0.75
"""The same where a file comes with the request, or something to read is in hand: who attaches one asks about it."""
SURE_OPERATION = 0.7
"""How likely a clause must be an operation, to be none of what its form alone would ask for."""
MIN_TOLD = 0.5
"""How likely a clause that only tells something must be an operation, to be one where no other clause asks for any."""
MAX_GOING_ON = 5
"""So many words at most has a clause that goes on about an operation that was told: "what does it say?"."""
_SOURCE = re.compile(
    r"\W*+(?:(?:the answer|it|that)(?: is|['’]s) (?:\w+ )?(?:in|on|to be found in)|see) (?:\S+|'text')$", re.IGNORECASE
)
"""A clause that names the source for the question before it."""
_RELATIVE = re.compile(r"\W*+(?:which|who|whose|where|when)\b", re.IGNORECASE)
"""How a clause begins that may go on with what was said."""
_PARTS = "(?! (?:lines?|words?|passages?|parts?|sentences?|paragraphs?)\\b)"
_CHOOSES = re.compile(
    rf"\b(?:which{_PARTS}|who|whose)\b(?!.*\b(?:clos|similar|alike|same|near|resembl))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Intent:
    """A task that a clause asks for, with its share of the clause's score; `why` is the reason, for the debug log.

    `aspect` is that of the task which is asked for, "" for the task in general; `of_page` tells that a question about a
    picture may be about what is written there.
    """

    task: str
    clause: Clause
    why: str
    share: float = 1.0
    aspect: str = ""
    of_page: bool = False


@dataclass(frozen=True, slots=True)
class Untasked:
    """A clause without a task that is no mere remark; `part` is its part of "none", or unclear, or lacking an input of
    some `kind`.
    """

    clause: Clause
    part: str
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The tasks that a request asks for, in order, and its clauses that ask for something else.

    `confidence` is that of its least clear clause, 0 to 1; `has_other` tells that it holds small talk, or excludes a task.
    """

    intents: tuple[Intent, ...]
    confidence: float
    untasked: tuple[Untasked, ...] = ()
    has_other: bool = False


def find_intents(
    clauses: Sequence[Clause],
    can_have: Callable[[Kind, Sequence[str]], bool] | None,
    table: TaskTable,
    allowed: Collection[str] | None = None,
    attached: Sequence[Resource] = (),
    recent: Kind | None = None,
    is_page: bool = False,
) -> Reading:
    """The tasks of the clauses. `can_have` says whether a kind of input is available after some tasks (None: whether
    it is does not matter), `attached` are files that the clauses do not name,
    `recent` is the kind of what a question without a file is about, `is_page` tells that this is a picture of a page.
    """
    clauses = [replace(clause, text=corrected(clause.text)) for clause in clauses]
    topics = [topic_of(clause, clauses, attached) for clause in clauses]
    scores = clause_scores(
        [
            with_scene(clause, previous)
            + ("" if any(one.has_place for one in clause.resources) or topic is None else f" {PLACEHOLDERS[topic]}")
            for clause, previous, topic in zip(clauses, (None, *clauses), topics, strict=False)
        ]
    )
    about = heard.of_recent(clauses, topics, recent, scores, table)
    every = _of_moving_pictures(clauses, topics, about, table, allowed)
    is_aside = asides.among(clauses)
    reader = _Reader(can_have, table, allowed, is_page, clauses, attached)
    told = []
    for index, clause in enumerate(clauses):
        reader.has_other |= clause.is_negated
        sets_scene = SCENE_SETTING.match(clause.text) or _announces(clause, clauses[index + 1 :])
        if clause.is_negated or (sets_scene and index + 1 < len(clauses)) or is_aside[index]:
            told += [(clause, topics[index], every[index])] if every and not clause.is_negated else []
            continue
        is_source = _SOURCE.match(clause.text) and reader.intents
        if is_source and not any(resource.is_file for resource in reader.intents[-1].clause.resources):
            continue
        reader.read(clause, topics[index] or recent, every[index] if every else None)
    reader.add_told(told)
    confidence = min((max(task_scores(row).values()) for row in every), default=1.0)
    return Reading(tuple(_asked_for(reader.intents, table)), confidence, tuple(reader.untasked), reader.has_other)


def _of_moving_pictures(
    clauses: Sequence[Clause],
    topics: Sequence[Kind | None],
    scores: Sequence[Mapping[str, float]],
    table: TaskTable,
    allowed: Collection[str] | None,
) -> list[Mapping[str, float]]:
    """The scores of the clauses; of one that asks what the pictures of a video show, those of one about a picture."""
    found = list(scores)
    for at, clause in enumerate(clauses):
        if not scores or topics[at] != "video" or not moving.is_seen(clause.text):
            continue
        text = moving.as_picture(clause.text)
        text = text if RESOURCES.search(text) else f"{text} {PLACEHOLDERS['image']}"
        (seen,) = clause_scores([text])
        if moving.is_of_pictures(task_scores(found[at]), task_scores(seen), table, allowed):
            found[at] = seen
    return found


def _asked_for(intents: Sequence[Intent], table: TaskTable) -> list[Intent]:
    """The intents without those that were taken for questions, but only tell why an operation is wanted: "R cannot read
    a.xlsx, I need a CSV".
    """
    has_operation = any(table[one.task].is_exact for one in intents)
    return [
        one
        for at, one in enumerate(intents)
        if not (
            (has_operation and table[one.task].wording == "question") or heard.is_told(one, intents[at + 1 :], table)
        )
        or not is_statement(RESOURCES.sub("it", one.clause.text))
    ]


def _announces(clause: Clause, following: Sequence[Clause]) -> bool:
    """Whether a clause only says how many requests follow, each with its file: "Three things at once: …"."""
    named = [other for other in following if any(resource.is_file for resource in other.resources)]
    return not clause.resources and len(named) > 1 and bool(ANNOUNCEMENT.match(clause.text))


class _Reader:
    """Reads clause after clause; what is asked for before may make the input for what comes after."""

    def __init__(
        self,
        can_have: Callable[[Kind, Sequence[str]], bool] | None,
        table: TaskTable,
        allowed: Collection[str] | None,
        is_page: bool,
        clauses: Sequence[Clause],
        attached: Sequence[Resource] = (),
    ) -> None:
        self.files = [one for clause in clauses for one in clause.resources if one.is_file] or list(attached)
        self.is_page = is_page
        self.clauses = clauses
        self.can_have = can_have
        self.table = table
        self.allowed = allowed
        self.intents: list[Intent] = []
        self.untasked: list[Untasked] = []
        self.has_other = False

    def read(self, clause: Clause, topic: Kind | None, scores: Mapping[str, float] | None) -> None:
        """Adds the task of a clause, or notes that there is none; `topic` is the kind of what it is about."""
        if not re.search(r"[A-Za-z]{2}", RESOURCES.sub("", clause.text)):
            if any(resource.is_file for resource in clause.resources):
                self.untasked.append(Untasked(clause, VAGUE))
            return
        last = self.intents[-1] if self.intents else None
        if last and says_no_more(self.table[last.task], last.clause, clause):
            return
        if refused := unmade.part_of(clause, topic) or self._out_of_reach(clause, topic):
            self._refuse(clause, refused)
            return
        made = heard.made_last([intent.task for intent in self.intents], self.table)
        topic, scores = heard.in_hand(clause, topic, made, scores)
        if scores is None:
            best: Intent | Untasked = _first_cued(clause, self._has_input(clause, topic), self.table) or Untasked(
                clause, UNCLEAR
            )
        elif (formed := self._by_form(clause, topic)) and not self._is_operation(formed, clause, topic, scores):
            best = formed
        else:
            best = self._of_material(clause, topic, self._best(clause, topic, scores), scores)
            best = self._told(clause, topic, best) if self.operation(clause, topic, scores)[1] < MIN_TOLD else best
            if isinstance(best, Intent) and topic in heard.HEARD:
                best = replace(best, task=heard.task_for(best, self.intents, self.table, self.allowed))
        if isinstance(best, Untasked):
            self.has_other |= best.part in SMALL_TALK
            if best.part in ASIDE and len(self.clauses) > 1 and not self._may_be_aside(clause):
                best = replace(best, part=UNCLEAR)  # nothing that is asked for is dropped without a word
            if best.part not in (*SMALL_TALK, *ASIDE):
                self.untasked.append(best)
        else:
            self._add(best)

    def _out_of_reach(self, clause: Clause, topic: Kind | None) -> str:
        """As what a clause is refused that asks a person for something, and not a program; "" for any other."""
        is_read = topic in ("text", "table") or (topic == "image" and self.is_page)
        is_heard = topic in heard.HEARD and all(
            one.kind in heard.HEARD for one in self.files
        )  # "sounds" may be of texts
        if is_heard and said_beside.judges_sound(RESOURCES.sub("", clause.text)):
            return said_beside.OPINION
        last = self.untasked[-1] if self.untasked else None
        if last and said_beside.goes_on(last.part, clause.text):
            return last.part
        return said_beside.out_of_reach(RESOURCES.sub("", clause.text), is_read=is_read)

    def _refuse(self, clause: Clause, part: str) -> None:
        """Notes that a clause is refused; with the one before it, where both are for the same reason."""
        last = self.untasked[-1] if self.untasked else None
        if last and last.part == part in (said_beside.ACTION, said_beside.LIVE) and not self.intents:
            clause = replace(last.clause, end=clause.end)
            self.untasked.pop()
        self.untasked.append(Untasked(clause, part))

    def _by_form(self, clause: Clause, topic: Kind | None) -> Intent | None:
        """What a clause asks by its form alone, of files or of a text; else None."""
        words = RESOURCES.sub("", clause.text)
        if len(self.files) > 1 and asked_of_texts.is_joined(words, self.table):
            return None
        task, aspect, why = forms.task_of(words, topic, self.table)
        if task and self._is_allowed(task):
            return Intent(task, clause, f'"{clause.text}" ({why})', aspect=aspect)
        is_edited = bool(self.intents) and any(cue.saved for cue in self.table[self.intents[-1].task].cues)
        wishes = [wish for one in self.clauses if one.start >= clause.start and (wish := saving.wish(one.text))]
        is_saved = is_edited or any(wish.format in (*saving.TABLE_FORMATS, "pdf") for wish in wishes)
        task = asked_of_texts.task_for(words, topic, self.files, self.table)
        task = task or working_out.task_for(words, topic, self.files, self.is_page, self.table)
        task = task or cued_in_hand(words, topic, is_saved, self.table)
        is_formed = bool(task) and self._is_allowed(task)
        return Intent(task, clause, f'"{clause.text}" (by its form)', of_page=topic != "text") if is_formed else None

    def _is_operation(self, formed: Intent, clause: Clause, topic: Kind | None, scores: Mapping[str, float]) -> bool:
        """Whether a clause is surely an operation, and no question, as its form would have it: "how much words is a.txt"."""
        task, score = self.operation(clause, topic, scores)
        if self.table[formed.task].wording == "question" and score < SURE_OPERATION:
            task, score = max(task_scores(scores).items(), key=lambda one: one[1])
            row = self.table.find(task)
            return score > PLAIN_SHARE and row is not None and row.wording in ("", "pair") and row.input_kind == "text"
        is_other = task != formed.task and not asked_of_texts.is_plain(clause.text)
        return score > SURE_OPERATION and is_other and not _is_operation(self.table[formed.task])

    def operation(self, clause: Clause, topic: Kind | None, scores: Mapping[str, float]) -> tuple[str, float]:
        """The likeliest operation that a clause asks for, and how likely it is; ("", 0) where none has its input."""
        has_input = self._has_input(clause, topic)
        found = {name: score for name, score in task_scores(scores).items() if name in self.table}
        exact = {name: score for name, score in found.items() if _is_operation(self.table[name]) and has_input(name)}
        task = max(exact, key=exact.__getitem__, default="")
        return task, exact.get(task, 0.0)

    def add_told(self, told: Sequence[tuple[Clause, Kind | None, Mapping[str, float]]]) -> None:
        """Where no clause asks for anything else, the likeliest operation of those that are only told; short clauses behind
        it that name nothing of their own go on about it: "photo finish is at 1:02 in a.mp4, save that image"."""
        found = [(*self.operation(*one)[::-1], one) for one in told]
        score, task, (clause, *_) = max(found, key=lambda one: one[0], default=(0.0, "", (None, None, {})))
        if score < MIN_TOLD or clause is None:
            return

        def goes_on(other: Clause) -> bool:
            return other.start > clause.start and not other.resources and len(other.text.split()) <= MAX_GOING_ON

        if all(goes_on(one.clause) and not _is_operation(self.table[one.task]) for one in self.intents):
            self.intents = [Intent(task, clause, f'"{clause.text}" ({score:.0%}, told)', score)]
            self.untasked = [one for one in self.untasked if not goes_on(one.clause)]

    def _add(self, intent: Intent) -> None:
        last = self.intents[-1] if self.intents else None
        row = self.table[intent.task]
        if last and last.task == intent.task and (clause := said_before(row, last.clause, intent.clause)):
            self.intents[-1] = replace(last, clause=clause)
        elif not _repeats(intent, self.table, self.intents):
            self.intents.append(intent)

    def _is_allowed(self, task: str) -> bool:
        return task in self.table and (self.allowed is None or task in self.allowed)

    def _has_input(self, clause: Clause, topic: Kind | None) -> Callable[[str], bool]:
        """Whether a task, by name, may be done with what the clause is about."""
        earlier = [intent.task for intent in self.intents]
        own = {resource.kind for resource in clause.resources if resource.is_file}

        def has_input(task: str) -> bool:
            if not self._is_allowed(task):
                return False
            row = self.table[task]
            if row.needs_words and not row.needs_words.regex.search(clause.text):
                return False
            if own & set(row.unless_named):
                return False
            if row.wording == "pair" and _CHOOSES.search(clause.text) and task not in cues_in(clause, self.table):
                return False  # how close two texts are does not say which of them is the friendlier one
            if self.can_have is None:
                return True
            if second_arg(row) and self._one_picture(row, earlier) and task not in cues_in(clause, self.table):
                return False
            if (
                row.is_exact
                and not own
                and row.input_kind in heard.HEARD
                and heard.made_last(earlier, self.table) not in (None, *accepted_kinds(row))
            ):
                return False  # "extract the sound and speed it up" is not about the video any more
            is_one = row.is_exact and row.input_kind == "table" and not row.input_arg.many
            if is_one and self.can_have("document", earlier):
                return True  # with tables in it
            if row.wording == "question" and row.input_kind == "text" and topic is None:
                return any(self.table[name].writes_text for name in earlier)
            is_made = any(row.input_kind in self.table[name].result.makes for name in earlier)
            if own and row.input_kind in FILE_KINDS and not is_made:
                return is_about(row, own, self.can_have(row.input_kind, earlier))
            return self.can_have(row.input_kind, earlier) or (
                row.input_arg.may_be_video and self.can_have("video", earlier)
            )

        return has_input

    def _one_picture(self, row: TaskType, earlier: Sequence[str]) -> bool:
        """Whether there is but one file for a task that takes two of a kind, and no other is made."""
        kinds = [one.kind for one in self.files if one.kind in (row.input_kind, None)]
        return len(kinds) == 1 and not any(row.input_kind in self.table[name].result.makes for name in earlier)

    def _best(self, clause: Clause, topic: Kind | None, scores: Mapping[str, float]) -> Intent | Untasked:
        """The most likely task with an input, else the part of "none"."""
        has_input = self._has_input(clause, topic)
        learned = task_scores(scores)
        best = max((score for name, score in learned.items() if name == NONE or has_input(name)), default=0.0)
        cues = {
            task: cue
            for task, cue in cues_in(clause, self.table).items()
            if self._counts(task, cue, learned)
            and (best < MIN_SHARE or not self.table[task].is_exact or has_input(task))
        }
        every = {
            task: (score + 1e-6) * (exp(cues[task].weight) if task in cues else 1.0)
            for task, score in {**{task: cue.unlearned for task, cue in cues.items()}, **learned}.items()
            if task == NONE or self._is_allowed(task)
        }
        weighted = {task: score for task, score in every.items() if task == NONE or has_input(task)}
        total = sum(weighted.values())
        task = max(weighted, key=weighted.__getitem__)
        others = {name: score for name, score in weighted.items() if name not in (task, NONE)}
        second = max(others, key=others.__getitem__, default=task)
        is_written = task not in (NONE, second) and self.table[task].writes_text
        is_repeated = not clause.resources and any(intent.task == task for intent in self.intents)
        if is_repeated and is_written and self.table[second].input_kind == "text":
            task = second if weighted[second] > MIN_INSTEAD * weighted[task] else task
        share = weighted[task] / total
        likeliest = max(every, key=every.__getitem__)
        is_sure = task in cues and cues[task].is_sure
        if likeliest not in weighted and not is_sure and not (topic and self.table[likeliest].wording == "question"):
            return Untasked(clause, LACKING, self.table[likeliest].input_kind)  # "how many people are in clip.mp4?"
        if task == NONE:
            part = likeliest_part(NONE, scores)
            is_guess = part in ASIDE and len(self.clauses) == 1 and learned[NONE] < MIN_SHARE
            return Untasked(clause, UNCLEAR if is_guess else part)
        least = MIN_TOLD_SHARE if says_how(self.table[task], clause) else MIN_SHARE
        if task not in cues and (share < least or total < MIN_TOTAL):
            return Untasked(clause, UNCLEAR)
        words = f', the words "{cues[task].words}"' if task in cues else ""
        row = self._put_to(self.table[task], topic, scores, has_input, task in cues_in(clause, self.table))
        aspect = likeliest_part(row.name, scores)
        if (
            aspect
            and row.input_kind == "image"
            and row.wording == "question"
            and asks_for_facts(RESOURCES.sub("", clause.text))
        ):
            aspect = ""
        return Intent(row.name, clause, f'"{clause.text}" ({share:.0%}{words})', share, aspect)

    def _counts(self, task: str, cue: CueMatch, learned: Collection[str]) -> bool:
        """Whether a cue adds to a score: the head has learned more than the cues of its tasks say, but for the rare ones
        that follow a control picture.
        """
        return cue.is_sure or task not in learned or bool(self.table[task].follows_control)

    def _of_material(
        self, clause: Clause, topic: Kind | None, best: Intent | Untasked, scores: Mapping[str, float]
    ) -> Intent | Untasked:
        """What a clause asks about the material in hand, where no class claims it, or the material is a page and it was
        taken for a question about a photograph; else `best`.
        """
        if topic is None or topic == "video" or (isinstance(best, Intent) and self._is_plain(best, topic)):
            return best
        is_last = clause is self.clauses[-1]
        is_aside = isinstance(best, Untasked) and best.part in ASIDE and self._may_be_aside(clause)
        is_open = asks(RESOURCES.sub("", clause.text), is_last) and not (is_aside and not phrase_head(clause.text))
        is_lacking = isinstance(best, Untasked) and best.part == LACKING and not clause.resources
        if not (is_open or is_lacking):
            return best
        row = None if isinstance(best, Untasked) else self.table[best.task]
        if isinstance(best, Intent) and row and row.input_kind == topic == "image":
            return self._of_page(best, row, scores)
        if row and row.wording not in ("remark", "writing", "scene"):
            return best
        is_read = topic in ("text", "table") or (topic == "image" and self.is_page)
        is_beyond = isinstance(best, Untasked) and best.part in BEYOND
        if (isinstance(best, Untasked) and best.part == VAGUE) or (is_beyond and not is_read):
            return best
        about, alone = clause_scores([f"{clause.text} {PLACEHOLDERS[topic]}", RESOURCES.sub("", clause.text)])
        if _elsewhere(alone, self.table) > (MAX_ELSEWHERE_WITH_FILE if self.files or is_read else MAX_ELSEWHERE):
            return best
        again = self._best(clause, topic, about)
        if isinstance(again, Intent) and self._may_be_meant(again, is_read and is_open and isinstance(best, Untasked)):
            return again
        task = self.table.question_task("text" if topic == "audio" else topic, clause.text)
        by_task, reader = task_scores(about), self.table.readers.get(topic, "")
        asked = sum(by_task.get(row.name, 0.0) for row in self.table if row.wording == "question")
        if by_task.get(reader, 0.0) > asked and not is_read:
            task = reader
        is_possible = is_open and bool(task) and self._has_input(clause, topic)(task)
        why, of_page = f'"{clause.text}" (about what is in hand)', topic == "image" and self.is_page
        return Intent(task, clause, why, MIN_SHARE, of_page=of_page) if is_possible else best

    def _told(self, clause: Clause, topic: Kind | None, best: Intent | Untasked) -> Intent | Untasked:
        """A question that what is said in a recording or video may answer, where nothing better was found; else `best`."""
        words = RESOURCES.sub("", clause.text)
        row, part = (None, best.part) if isinstance(best, Untasked) else (self.table[best.task], "")
        if isinstance(best, Intent) and topic in heard.HEARD and row and spoken_questions.asks_all_of(row, words):
            return replace(best, task=self.table.readers["audio"])  # "what is said in the joined one?"
        if not spoken_questions.may_stand_for(row, part, words) or not spoken_questions.is_asked(words, topic):
            return best
        is_near = _elsewhere(clause_scores([words])[0], self.table) <= (
            MAX_ELSEWHERE_WITH_FILE if self.files else MAX_ELSEWHERE
        )
        task = self.table.question_task("text")
        if not (is_near or asked_of_texts.is_duty(words)) or not self._is_allowed(task):
            return best
        return Intent(task, clause, f'"{clause.text}" (told in what is said)', MIN_SHARE, of_page=True)

    def _may_be_meant(self, intent: Intent, is_question: bool) -> bool:
        """Whether a task may be meant: "did they give me the right change?", of a page, does not ask to change it."""
        wording = self.table[intent.task].wording
        is_plain = not is_question or wording == "question" or intent.share > PLAIN_SHARE
        return is_plain and wording not in ("remark", "writing", "scene")

    def _may_be_aside(self, clause: Clause) -> bool:
        """Whether a clause beside others may only tell something: "…, which I need"."""
        is_asked = QUESTION.search(clause.text) and not _RELATIVE.match(clause.text)
        return len(self.clauses) > 1 and not (is_asked or is_command(RESOURCES.sub("", clause.text).lstrip(" :,")))

    def _is_plain(self, best: Intent, topic: Kind) -> bool:
        """Whether a clause plainly asks for a task that is no question, so that its words need not be parsed."""
        row = self.table[best.task]
        if row.wording in ("remark", "writing", "scene"):
            return False
        is_count = row is self.table.detector or row.wording == "question"
        return row.input_kind != topic or topic != "image" or (best.share > PLAIN_SHARE and not is_count)

    def _of_page(self, best: Intent, row: TaskType, scores: Mapping[str, float]) -> Intent:
        """What was taken for a question about a photograph is put to the text in it, too, where that is likely a page."""
        by_task = task_scores(scores)
        written = max((by_task.get(other.name, 0.0) for other in self.table if other.subject), default=0.0)
        is_likely = self.is_page or (row is self.table.detector and written > MIN_WRITTEN)
        is_detector = row is self.table.detector
        if not is_likely or (row.result.makes and not (is_detector and self.is_page)) or row.reads_files:
            return best
        task = row.name if row.subject else self.table.question_task("image", best.clause.text)
        return replace(best, task=task, aspect="", why=f"{best.why}, which may be on a page", of_page=True)

    def _put_to(
        self,
        row: TaskType,
        topic: Kind | None,
        scores: Mapping[str, float],
        has_input: Callable[[str], bool],
        is_cued: bool,
    ) -> TaskType:
        """The task, or for a question the one that is put to the kind of file that the clause is about."""
        is_saved = row.is_exact and task_scores(scores).get(row.name, 0.0) > SURE_OPERATION
        is_prediction = row.input_kind == "table" and row.wording != "question" and not (is_cued or is_saved)
        if topic == "table" and (is_prediction or (row.is_digest and not self.intents)):
            return next(iter(self.table.defaults.get("table", ())), row)
        kind: Kind | None = "text" if topic in ("audio", "video") else topic
        has_text = any(self.table[intent.task].writes_text for intent in self.intents)
        is_of_text = (row.input_kind == "text" and has_text and kind != "table") or (
            topic == "video" and row.input_arg.may_be_video
        )
        if row.wording != "question" or kind in (None, row.input_kind) or is_of_text:
            return row
        others = [other for other in self.table if other.wording == "question" and other.input_kind == kind]
        others = [other for other in others if has_input(other.name)]
        return max(others, key=lambda other: task_scores(scores).get(other.name, 0.0), default=row)


def _is_operation(row: TaskType) -> bool:
    """Whether a task does to a file what it is told to: to the letter, or by marking its parts."""
    return row.is_exact or row.result.draws == "masks"


def _elsewhere(scores: Mapping[str, float], table: TaskTable) -> float:
    """How likely a clause, without what is in hand, is small talk, or asks for general knowledge or what no task does."""
    parts = {f"{NONE}/{part}" for part in (*SMALL_TALK, *BEYOND)}
    remarks = {row.name for row in table if row.wording == "remark"}
    return sum(score for name, score in scores.items() if name in parts or name.partition("/")[0] in remarks)


def is_about_material(text: str, table: TaskTable, limit: float = MAX_ELSEWHERE) -> bool:
    """Whether a message without a file may ask about what is in hand, and is rather not about anything else."""
    if not asks(text):
        return False
    return all(_elsewhere(scores, table) <= limit for scores in clause_scores([text]))


def _first_cued(clause: Clause, feasible: Callable[[str], bool], table: TaskTable) -> Intent | None:
    """Without a head: the task of the first cue whose input is available (of several the longest), or of a question."""
    matches = [
        (match.start(), not cue.sure, -len(match[0]), order, match[0])
        for order, row in enumerate(table)
        for cue in row.cues
        if not cue.in_hand and (match := cue.regex.search(clause.text)) and feasible(row.name)
    ]
    if matches:
        *_, order, words = min(matches)
        return Intent(table.rows[order].name, clause, f'the words "{words}"')
    if QUESTION.search(clause.text):
        task = table.question_task("image", clause.text)
        if feasible(task):
            return Intent(task, clause, "a question about the picture")
        if any(resource.kind == "text" for resource in clause.resources):
            return Intent(table.question_task("text"), clause, "a question about the text")
    return None


def _repeats(intent: Intent, table: TaskTable, intents: Sequence[Intent]) -> bool:
    """Whether a clause repeats the task before it ("How many dogs …? And is there a cat in it?")."""
    if intent.clause.resources or not intents or intents[-1].task != intent.task:
        return False
    return not table[intent.task].is_repeatable


REFERRING = re.compile(
    r"\b(?:it|them|this|that|these|those|its|the (?:result|output|new|generated|cleaned|edited|changed|resulting)\w*|both)\b",
    re.IGNORECASE,
)
"""Words that refer to something mentioned before."""
