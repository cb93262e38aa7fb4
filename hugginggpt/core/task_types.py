"""A row of the task table: what there is to know of a task type."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from hugginggpt.core.results import TEXT, Kind, ResultSchema

Wording = Literal[
    "", "scene", "instruction", "writing", "remark", "speech", "pair", "question", "calculation", "inscription"
]
"""What the text of a task is: a scene to show, an instruction, something to be written, a remark to reply to, words to
be read aloud, a pair of texts, a question to a text, a calculation, or words to be written on a picture.
"""

Serves = Literal["", "chats", "embeddings", "transcriptions", "speech", "images"]
"""What clients of OpenAI's API get from the models of a task."""


@dataclass(frozen=True, slots=True)
class Arg:
    """An argument of a task: `kind` is the kind of its value; `many` means a list of strings.

    By `pattern`, a regular expression, the offline planner finds a text in the words of a request: its first group, or
    all that it matches. Of several matches the first with a number counts ("smaller, 300 px wide"), or all of them
    where the argument `takes_all`. For a second file of the same kind the pattern finds its place in the words. A
    picture that `may_be_video` may be one: then the task is done to pictures of it.
    """

    name: str
    kind: Kind = "text"
    required: bool = True
    about: str = ""
    many: bool = False
    pattern: str = ""
    takes_all: bool = False
    may_be_video: bool = False

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of files that it may be, its own first."""
        return (self.kind, "video") if self.may_be_video else (self.kind,)

    def found_in(self, words: str) -> str:
        """What the pattern finds in a text; "" if nothing, or without a pattern."""
        matches = re.finditer(self.pattern, words, re.IGNORECASE) if self.pattern else ()
        found = [text.strip() for match in matches if (text := (match[1] if match.re.groups else match[0]) or "")]
        if self.takes_all:
            return ", ".join(found)
        return next((text for text in found if re.search(r"\d", text)), next(iter(found), ""))


@dataclass(frozen=True, slots=True)
class HubMethod:
    """A method of `InferenceClient` and the task's argument for each of its parameters."""

    name: str
    params: Mapping[str, str]


@dataclass(frozen=True)
class Cue:
    """Words by which the offline planner knows a task, as a regular expression; a `sure` one leaves no doubt.

    One that counts only where a file of a kind is in hand names it in `in_hand` ("remove Anna" from a table), and one
    that counts only where the result is to be saved is marked `saved` ("sort by year and make a PDF").
    """

    pattern: str
    sure: bool = False
    in_hand: str = ""
    saved: bool = False

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)

    @classmethod
    def any_of(cls, *patterns: str, sure: bool = False) -> Cue:
        """A cue for any of several patterns, each of which begins a word."""
        return cls(rf"\b(?:{'|'.join(patterns)})", sure)


@dataclass(frozen=True, slots=True)
class Aspect:
    """A part of what a task type is asked for that not every expert for it covers: `about` completes "No expert can".

    An aspect that only says how the task is to be done (`is_manner`: in which voice) may be left out of it.
    """

    name: str
    about: str
    is_manner: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TaskType:
    """One row of the table.

    `answer` is the sentence for an answer, with {} for the result and {image}, {audio}, ... for arguments.

    `aliases` are names that no other row may have; `also_called` are those that small language models make up for it,
    which mean this row where none has that name.

    What the offline planner knows: `cues` and `needs_words` are words of a request that ask for the task, and words
    without which it is not meant; `unless_named` are kinds of files beside which it is not meant. `is_repeatable`
    tells that two clauses that ask for it mean two tasks; `transforms_input` that what comes after is about its file
    and no longer about what it was made of; `reads_files` that it is the way to have the text in a file;
    `writes_text` that its result is a text to work on, which is called by any of `result_names`. A task that draws a
    control picture (edges, a pose) names it in `draws_control`; one that follows such a picture in `follows_control`.
    `is_digest` tells that its result stands for its text and leaves things out. Of tasks that answer questions about
    the same kind of file, `subject` has the words for those that are this one's.
    `wording` says what its text is, where that is not just a text to work on. One that `is_exact` is done by code to
    the letter, so that "it" means what was made last, drawings included. `default` makes it the task for a file of
    its kind with which nothing particular is asked for: the text that it then takes beside the file, "" for none.
    `writes_in` is the language of its texts where that is always the same, whatever that of its file. One that
    `takes_frames` works on all frames or pages of a picture that has several; others look at the first. What its models
    do for clients of OpenAI's API, besides the task, is `serves`. One that measures names the numbers of its result in
    `measures` (`core.measures`).
    """

    name: str
    about: str
    args: tuple[Arg, ...]
    result: ResultSchema
    answer: str = "{}"
    aliases: tuple[str, ...] = ()
    also_called: tuple[str, ...] = ()
    llm: bool = False
    hub: HubMethod | None = None
    models: tuple[str, ...] = ()
    cues: tuple[Cue, ...] = ()
    needs_words: Cue | None = None
    unless_named: tuple[Kind, ...] = ()
    is_repeatable: bool = False
    transforms_input: bool = False
    reads_files: bool = False
    writes_text: bool = False
    result_names: tuple[str, ...] = ()
    is_digest: bool = False
    subject: Cue | None = None
    draws_control: str = ""
    follows_control: str = ""
    wording: Wording = ""
    is_exact: bool = False
    default: str | None = None
    aspects: tuple[Aspect, ...] = ()
    writes_in: str = ""
    takes_frames: bool = False
    serves: Serves = ""
    measures: tuple[str, ...] = ()
    _by_name: dict[str, Arg] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name.update((arg.name, arg) for arg in self.args)

    def arg(self, name: str) -> Arg | None:
        """The argument of that name, or None if the task has none."""
        return self._by_name.get(name)

    def aspect(self, name: str) -> Aspect | None:
        """The aspect of that name, or None."""
        return next((aspect for aspect in self.aspects if aspect.name == name), None)

    @property
    def required(self) -> tuple[Arg, ...]:
        return tuple(arg for arg in self.args if arg.required)

    @property
    def input_kind(self) -> Kind:
        """The kind of file that the task is about, "text" for one that is about none."""
        return next((arg.kind for arg in self.args if arg.kind != "text"), "text")

    @property
    def is_free_text(self) -> bool:
        """Whether it writes a text of its own, about anything: what a request that no other task fits may want."""
        return self.wording in ("writing", "remark")

    @property
    def input_arg(self) -> Arg:
        """The argument for what the task is about: its file, else its text ("text", or the first text it requires)."""
        of_kind = [arg for arg in self.args if arg.kind == self.input_kind and not arg.many]
        required = [arg for arg in of_kind if arg.required]
        return next((arg for arg in of_kind if arg.name == "text"), next(iter([*required, *of_kind, *self.args])))

    @property
    def text_arg(self) -> Arg | None:
        """The argument for a text about the input, such as a question: "text", or the only text that it requires."""
        texts = [arg for arg in self.required if arg.kind == "text" and not arg.many and not arg.pattern]
        return self.arg("text") or (texts[0] if len(texts) == 1 else None)

    def sentence(self, result: str, args: Mapping[str, object]) -> str:
        """The sentence for an answer; `result` is what the task gave, in words."""
        return self.answer.format(result, **{arg.name: args.get(arg.name, "") for arg in self.args})

    def mistakes(self) -> Iterator[str]:
        """What is wrong with the row, or missing in it: for rows that others write."""
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            yield f'name should be lower-case words joined by hyphens, such as video-classification, not "{self.name}"'
        if not self.about.strip():
            yield "about should say what the task does"
        if not self.args:
            yield "args should name what the task takes"
        if len(self._by_name) < len(self.args):
            yield "args should have different names"
        kinds = get_args(Kind)
        yield from (
            f"the argument {arg.name} is of no kind of {', '.join(kinds)}" for arg in self.args if arg.kind not in kinds
        )
        if self.llm and (self.input_kind != "text" or self.result.name != TEXT.name):
            yield "llm is for tasks that take and give texts: a language model gets no files and answers in words"
        yield from self._mistakes_of_answer()
        unknown = [name for name in (self.hub.params.values() if self.hub else ()) if name not in self._by_name]
        if unknown:
            yield f"hub.params should name arguments of the task, not {', '.join(unknown)}"
        patterns = [("cue", cue.pattern) for cue in self.cues]
        for what, pattern in [*patterns, *(("pattern", arg.pattern) for arg in self.args)]:
            try:
                re.compile(pattern)
            except re.error as error:
                yield f'the {what} "{pattern}" is no regular expression: {error}'

    def _mistakes_of_answer(self) -> Iterator[str]:
        try:
            slots = [slot for _, slot, _, _ in string.Formatter().parse(self.answer) if slot is not None]
        except ValueError as error:
            yield f"answer has an odd brace: {error}"
            return
        if "" not in slots:
            yield "answer should hold {} where the result stands"
        if unknown := [slot for slot in slots if slot and slot not in self._by_name]:
            yield f"answer should name arguments of the task, not {{{'}, {'.join(unknown)}}}"
