"""The resources of a conversation: files and texts that the user named, and those that tasks generated.

They are read from the turns as data (`core.conversation.Turn`), never from the wording of answers. The user's files
come first; an answer adds only files that its tasks generated. A cleaned recording or an edited picture replaces its
input; edges, boxes and masks do not: a later "it" still means their input. Files that a task could not open are
dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from hugginggpt.core.conversation import PastTask, Turn, earlier_files
from hugginggpt.core.documents import without_part
from hugginggpt.core.errors import ErrorCode
from hugginggpt.core.moments import PARTS
from hugginggpt.core.results import FILE_KINDS, Kind, files_of
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.experts import board_questions
from hugginggpt.media.references import Resource, find_resources, find_texts, with_attachments
from hugginggpt.media.types import kind_of
from hugginggpt.offline.measuring import REFERENCE, end_named
from hugginggpt.offline.selection import content_words, find_selection, is_plural, kinds_named, refers_to_result

ACCEPTED_KINDS: dict[Kind, tuple[Kind | None, ...]] = {
    "audio": ("audio", "video"),
    "image": ("image", None),
    "document": ("text", "table"),
}
"""The kinds accepted for a kind of input: videos have sound, URLs of unknown kind count as pictures, and a document is
a file with a text or table.
"""


def accepted_kinds(row: TaskType) -> tuple[Kind | None, ...]:
    """The kinds of files that a task can be about."""
    kinds = ACCEPTED_KINDS.get(row.input_kind, (row.input_kind,))
    return (*kinds, "video") if row.input_arg.may_be_video else kinds


def is_about(row: TaskType, kinds: Collection[Kind | None], has_input: bool) -> bool:
    """Whether a clause that names files of these kinds can be about a task: one of them is its input, or all may stand
    beside an input that is there.
    """
    beside = {arg.kind for arg in row.args if not arg.required}
    return not set(kinds).isdisjoint(accepted_kinds(row)) or (has_input and beside.issuperset(kinds))


CHOOSING = ("most", "fewest", "filter", "measure", "totals")
"""The operations whose answers are files."""
MIN_PAGE_WORDS = 12
"""A text of fewer words that was read in a picture may describe it."""
MAX_LENGTH = 20_000
"""Further characters of a message are ignored."""
PAST_REQUESTS = 256
"""The number of requests of earlier turns whose resources are cached, so that each is parsed once."""


def _cuts(row: TaskType) -> bool:
    """Whether an operation leaves something out of a recording or video."""
    return row.is_exact and row.result.makes in (("audio",), ("video",)) and row.arg("part") is not None


_ONE = re.compile(r"\b(?:(?:that|this|the) one|it|that)\b", re.IGNORECASE)
_EACH = re.compile(
    r"\b(?:each|one by one|separate(?:ly)?|single|(?:per|a|by) page|(?:photo|picture|image)s)\b", re.IGNORECASE
)
"""Words for the files that one was made of: "a PDF with one photo per page"."""
_WHOLE = re.compile(
    r"\b(?:whole|full|entire|complete|uncut) (?:\w+ )?(?:films?|videos?|movies?|clips?|recordings?|audio|sound|memo|song|track|tape|talk|"
    r"speech|interview|message|voicemail|podcast|file|thing)\b",
    re.IGNORECASE,
)
"""Words for a recording or video of which nothing is left out."""
_ORIGINAL = re.compile(r"\b(?:original|old|unchanged|first)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"\bthe (?:one|version|picture|photo|image|recording|audio|video|clip|file) (?:just |right )?before(?: (?:that|this|it))?\b|"
    r"\bthe previous (?:one|version|picture|photo|image|recording|audio|video|clip|file)\b",
    re.IGNORECASE,
)
"""Words for the file before the last change."""
_GENERATED = re.compile(rf"/?(?:public/)?(?:{'|'.join(f'{kind}s' for kind in FILE_KINDS)})/[^/]+")


@dataclass(frozen=True, slots=True)
class KnownResource:
    """A resource from a turn: `turn` is its index; for a `generated` file, `maker` is the task type, if known."""

    resource: Resource
    turn: int
    maker: TaskType | None = None
    generated: bool = False

    @property
    def is_spoken(self) -> bool:
        """Whether it is a text that was read aloud."""
        return self.maker is not None and self.maker.wording == "speech"


_OF_ONE_PICTURE = re.compile(
    r"\b(?:it|this|that|him|her|he|she|the (?:\w+ )?(?:picture|photo|image|one)|first|second|third|last|other|left|right)\b",
    re.IGNORECASE,
)
"""What speaks of a single picture, or of one of several."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The resources of a conversation, in the order of its turns."""

    table: TaskTable
    named: tuple[KnownResource, ...] = ()
    turns: tuple[Turn, ...] = ()

    def without_files(self) -> Memory:
        """The memory without the files of the conversation; its texts and results stay."""
        return replace(self, named=tuple(item for item in self.named if not item.resource.is_file))

    def files(self, kind: Kind, words: str) -> list[str]:
        """The files of a kind that a clause refers to."""
        return [resource.text for resource in self.meant(ACCEPTED_KINDS.get(kind, (kind,)), words) if resource.is_file]

    def has_moving_pictures(self, words: str) -> bool:
        """Whether of the pictures and videos that a clause may refer to it means a video."""
        return any(resource.kind == "video" for resource in self.meant(("image", None, "video"), words)[-1:])

    def in_hand(self, kind: Kind) -> list[str]:
        """The user's files of a kind that "which one" chooses among: those of the latest turn with several, else all."""
        kinds = ("image", None) if kind == "image" else (kind,)
        files = [item for item in self.named if item.resource.kind in kinds and not item.generated]
        files = [item for item in files if item.resource.is_file]
        by_turn = [[item for item in files if item.turn == turn] for turn in {item.turn: 0 for item in files}]
        latest = by_turn[-1] if by_turn else []
        return [resource.text for resource in _unique(latest if len(latest) > 1 else files)]

    def last_given(self, kind: Kind, number: int) -> list[str]:
        """The last files of a kind that the user gave, in whatever turns, in their order; [] where they are fewer."""
        given = [item for item in self.named if item.resource.kind == kind and not item.generated]
        files = [resource.text for resource in _unique([item for item in given if item.resource.is_file])]
        return files[-number:] if len(files) >= number else []

    def together(self, words: str, named: Sequence[Resource], results: Sequence[object]) -> list[str]:
        """The pictures that the last turn's question was put to, where they were several, and a new one goes on about
        them: it names no file, speaks of no single one, and nothing is made in between.
        """
        if named or results or _OF_ONE_PICTURE.search(words) or not self.turns or not self.turns[-1].tasks:
            return []
        last = self.turns[-1].tasks
        row = self.table.find(last[0].task)
        if row is None or row.input_kind != "image" or (row.result.makes and not row.result.draws):
            return []
        given = [past.args.get(row.input_arg.name) for past in last if past.task == row.name]
        files = list(dict.fromkeys(one for one in given if isinstance(one, str)))
        return files if len(files) > 1 and len(given) == len(last) else []

    def kind_in_hand(self, words: str) -> Kind | None:
        """The kind of the file of the conversation that a message is about: one that it names, else that of the user's
        last file, else of the last one; None without any.
        """
        files = [item for item in self.named if item.resource.is_file]
        called = kinds_named(words)
        meant = [item for item in files if item.resource.kind in called] or files
        meant = [item for item in meant if not item.generated] or meant
        return next((item.resource.kind or "image" for item in reversed(meant)), None)

    def compared(self, kind: Kind, words: str) -> list[str]:
        """The files that a question compares which names none: those in hand; of "the new one" also this result, in the
        place of what it was made of.
        """
        files = self.in_hand(kind)
        if not refers_to_result(words):
            return files
        made = [item.resource.text for item in self.named if item.generated and item.resource.kind == kind][-1:]
        sources = {value for path in made for value in self._inputs_of(path)}
        return [*made, *(one for one in files if one not in sources)]

    def _inputs_of(self, path: str) -> list[str]:
        """The files that a generated one was made of."""
        makers = (past for turn in self.turns for past in turn.tasks if past.ok and path in files_of(past.value))
        values = (value for past in makers for value in past.args.values())
        return [
            one for value in values for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)
        ]

    def made_of(self, files: Collection[str]) -> bool:
        """Whether a task has made one file of several, as a joined recording is."""
        made = (item.resource.text for item in self.named if item.generated)
        return any(set(files) <= set(self._inputs_of(path)) for path in made)

    def sources(self, words: str) -> list[Resource]:
        """The sources of a text that a clause refers to, without generated speech, which was a text before."""
        kinds = (*FILE_KINDS, None, "text")
        spoken = self._spoken()
        others = (item for item in self.named if item.resource.text not in spoken)
        return Memory(self.table, tuple(others)).meant(kinds, words)

    def _spoken(self) -> set[str]:
        """The files of texts that were read aloud, and those that were made of them: they say what the texts say."""
        spoken = {item.resource.text for item in self.named if item.is_spoken}
        for past in (past for turn in self.turns for past in turn.tasks if past.ok):
            if spoken and _is_given(past, spoken):
                spoken.update(files_of(past.value))
        return spoken

    def meant(self, kinds: Sequence[Kind | None], words: str) -> list[Resource]:
        """The resources of some kinds that a clause refers to; by default the one mentioned last."""
        candidates = [item for item in self.named if item.resource.kind in kinds]
        called = kinds_named(words)
        accepted = {kind for one in called for kind in ACCEPTED_KINDS.get(one, (one,))}
        candidates = [item for item in candidates if item.resource.kind in accepted] or candidates
        if "audio" in called:  # "the sound", "the voice": the user's own before ours
            candidates = [item for item in candidates if not item.is_spoken] or candidates
        provided = _unique(item for item in candidates if not item.generated)
        selection = find_selection(words)
        if selection and selection.others:
            return selection.of([one for one in provided if one.text not in self.in_focus()])
        if selection and (picked := selection.of(provided)):
            return picked
        if measured := self._at_end(candidates, words):
            return measured
        if _ONE.search(words) and (chosen := [one for one in provided if one.text in self.chosen_last()]):
            return chosen
        if refers_to_result(words) and any(item.generated for item in candidates):
            return [next(item.resource for item in reversed(candidates) if item.generated)]
        if "original" in words.lower().split() and provided:
            return provided[-1:]
        if _WHOLE.search(words) and (uncut := self._uncut(candidates)):
            return uncut
        current = [item for item in candidates if item.maker is None or item.maker.transforms_input]
        if current and _EACH.search(words):
            parts = set(self._inputs_of(current[-1].resource.text))
            if len(several := _unique(item for item in current if item.resource.text in parts)) > 1:
                return several
        if current and is_plural(words):
            return _unique(item for item in current if item.turn == current[-1].turn)
        return [item.resource for item in (current or candidates)[-1:]]

    def _uncut(self, candidates: Sequence[KnownResource]) -> list[Resource]:
        """What a recording or video was before something was cut off it, where that was done last; else []."""
        made = candidates[-1] if candidates else None
        if made is None or made.maker is None or not _cuts(made.maker):
            return []
        return self._origin(made.resource)

    def _at_end(self, candidates: Sequence[KnownResource], words: str) -> list[Resource]:
        """The file that "the dark one" means: of the files that were measured last, the darkest; [] for other words."""
        known = {item.resource.text: item.resource for item in candidates}
        kinds = dict.fromkeys(item.resource.kind for item in candidates)
        for measure, is_more in filter(None, (end_named(words, kind) for kind in kinds)):
            for turn in reversed(self.turns):
                found = {
                    file: number
                    for past in turn.tasks
                    for file in past.args.values()
                    if isinstance(file, str) and file in known and (number := measure.of(past.value)) is not None
                }
                if len(found) > 1:
                    return [known[(max if is_more else min)(found, key=found.__getitem__)]]
        return []

    def referent(self, words: str) -> Resource | None:
        """The only file that some words of a message mean by its order, a measure, or by what became of it, placed at
        these words; None where they mean none, or several.
        """
        selection = find_selection(words)
        if selection and not find_selection(words[selection.end :]) and len(selected := self.selected(words)) == 1:
            return replace(selected[0], start=selection.start, end=selection.end)
        files = [item for item in self.named if item.resource.is_file and not item.is_spoken]
        made = [item for item in files if item.generated]
        if made and (match := _BEFORE.search(words)) and (earlier := self._before(made[-1].resource)):
            return Resource(earlier.text, earlier.kind, match.start(), match.end())
        for match in () if selection else REFERENCE.finditer(words):
            found = self._at_end(files, match[0])
            if not found and made and refers_to_result(match[0]):
                found = [made[-1].resource]
            if not found and made and _ORIGINAL.search(match[0]):
                found = self._origin(made[-1].resource)
            if found:
                return Resource(found[0].text, found[0].kind, match.start(), match.end())
        return None

    def _before(self, made: Resource) -> Resource | None:
        """The file that a generated one was made of directly."""
        known = {item.resource.text: item.resource for item in self.named}
        return next((known[path] for path in self._inputs_of(made.text) if path in known), None)

    def _origin(self, made: Resource) -> list[Resource]:
        """The user's file that a generated one was made of."""
        own = {item.resource.text: item.resource for item in self.named if not item.generated}
        path, seen = made.text, {made.text}
        while path not in own:
            path = next((one for one in self._inputs_of(path) if one in own or one not in seen), "")
            if not path:
                return []
            seen.add(path)
        return [own[path]]

    def selected(self, words: str) -> list[Resource]:
        """The user's files that "the first" or "the other one" select, of the kind that it names, else of that which
        the last turn's tasks used; [] without such words.
        """
        selection = find_selection(words)
        if selection is None:
            return []
        provided = _unique(item for item in self.named if not item.generated and item.resource.is_file)
        kinds = {selection.kind} if selection.kind else {one.kind for one in provided if one.text in self.used_last()}
        candidates = [resource for resource in provided if not kinds or resource.kind in kinds]
        if selection.others:
            candidates = [resource for resource in candidates if resource.text not in self.in_focus()]
        return [Resource(resource.text, resource.kind) for resource in selection.of(candidates)]

    def used_last(self) -> set[str]:
        """The texts and files that the tasks of the last turn with tasks were given."""
        turn = self._last_turn()
        given = [value for past in (turn.tasks if turn else ()) for value in past.args.values()]
        every = [one for value in given for one in (value if isinstance(value, list) else [value])]
        return {one for one in every if isinstance(one, str)}

    def in_focus(self) -> set[str]:
        """What "the other one" is not: the files that the last answer chose among several, else all that were used."""
        return self.chosen_last() or self.used_last()

    def chosen_last(self) -> set[str]:
        """The files that the last answer chose among several."""
        turn = self._last_turn()
        return {
            source.file
            for finding in (turn.findings if turn else ())
            if finding.operation in CHOOSING and isinstance(finding.value, tuple)
            for source in finding.sources
            if source.name in finding.value
        }

    def table_in_hand(self) -> Resource | None:
        """The table that the tasks of the last turn with tasks were about, of several the last."""
        return next(iter(self.tables_in_hand()[-1:]), None)

    def tables_in_hand(self) -> list[Resource]:
        """The tables that the tasks of the last turn with tasks were about."""
        used = self.used_last()
        tables = [item.resource for item in self.named if item.resource.kind == "table" and item.resource.text in used]
        return [Resource(text, "table") for text in dict.fromkeys(one.text for one in tables)]

    def documents_in_hand(self) -> list[Resource]:
        """The documents that the tasks of the last turn with tasks were about, with the pages that were read in pictures
        beside them; [] unless there are several.
        """
        used = self.used_last()
        files = [
            one for one in _unique(self.named) if one.is_file and one.text in used and one.kind in ("text", "image")
        ]
        several = sum(one.kind == "text" for one in files) > 1
        return [Resource(one.text, one.kind) for one in files] if several else []

    def has_page_in_hand(self, shows_page: Callable[[str], bool] = lambda name: False) -> bool:
        """Whether the user's last picture has shown to be a page of text, or looks like one."""
        pictures = [item.resource.text for item in self.named if item.resource.kind == "image" and not item.generated]
        read = [(past, self.table.find(past.task)) for turn in self.turns for past in turn.tasks if past.ok]
        if pictures and shows_page(pictures[-1]):
            return True
        return bool(pictures) and any(
            row.input_kind == "image"
            and past.args.get(row.input_arg.name) == pictures[-1]
            and (row.subject is not None or (row.reads_files and _is_page(past, row)))
            for past, row in read
            if row is not None
        )

    def text_in_hand(self, question: str) -> str:
        """The text that a question without a file is about: the whole one that was read or worked on last, else an
        earlier one that has a word of the question; "" where the last turn was about something else and none has.
        """
        spoken = self._spoken()
        working = [turn for turn in self.turns if any(past.ok and not _is_given(past, spoken) for past in turn.tasks)]
        for back, turn in enumerate(reversed(working)):
            read = [(text, past) for past in reversed(turn.tasks) if (text := self._read_by(past, turn, question))]
            fitting = (
                text
                for text, past in read
                if len(read) > 1 and any(word in f"{text} {past.text}".lower() for word in content_words(question))
            )
            text = next(fitting, read[0][0] if read else "")
            text = without_part(text) if question else text  # a later question is not about that chapter alone
            if text and (back == 0 or any(word in text.lower() for word in content_words(question))):
                return text
        return ""

    def _read_by(self, past: PastTask, turn: Turn, question: str) -> str:
        """The whole text that a task of a turn has read or worked on; of one that went on with an answer, what the
        answer was found in. Of pages, questions for another expert are left to it.
        """
        row = self.table.find(past.task)
        if row is None or not past.ok:
            return ""
        asked = (other for other in turn.tasks if other.id in past.dep and other.form == "answer")
        if row.input_kind == "text" and (found_in := next(asked, None)):
            return self._read_by(found_in, turn, question)
        if row.reads_files:
            special = (
                self.table[self.table.question_task("image", question)].subject if row.input_kind == "image" else None
            )
            is_of_places = row.input_kind == "image" and board_questions.asked_for(question)
            is_special = is_of_places or bool(special and special.regex.search(question))
            return past.text if _is_page(past, row) and not is_special else ""
        if row.input_kind != "text" or row.wording in ("scene", "writing", "remark"):
            return ""
        texts = [past.args.get(arg.name) for arg in reversed(row.required) if arg.kind == "text" and not arg.many]
        return next((self._source_of(text) for text in texts if isinstance(text, str)), "")

    def texts_meant(self, row: TaskType, words: str) -> list[str]:
        """The texts of the conversation that a task is about: what was last written, said or read aloud for one that
        writes or speaks, else (and for "the original") the text in hand.
        """
        whole = self.text_in_hand("")
        if not (row.writes_text or row.wording == "speech") or "original" in words.lower().split():
            return [whole] if whole else []
        results = self._last_results()
        if any(past.form not in ("text", "audio") for past in results):
            return []
        pages = [past for past in results if (row_of := self.table.find(past.task)) and row_of.reads_files]
        if row.wording == "speech" and len(results) > 1 and pages:
            return [past.text for past in pages if past.text]  # and not what was answered beside the page
        spoken = [past for past in results if (maker := self.table.find(past.task)) and maker.wording == "speech"]
        texts = [str(past.args.get("text", "")) for past in spoken] or [past.text for past in results]
        return [text for text in texts if text] or ([whole] if whole else [])

    def _source_of(self, text: str) -> str:
        """The text that another one was made of: of a summary that was read aloud, what was summed up; "" where it
        describes a picture.
        """
        for turn in reversed(self.turns):
            for past in turn.tasks:
                row = self.table.find(past.task)
                source = past.args.get(row.input_arg.name) if row and past.text == text else None
                if row is None or not isinstance(source, str):
                    continue
                if row.reads_files:
                    return text if _is_page(past, row) else ""
                if row.input_kind == "text" and len(source) > len(text):
                    return self._source_of(source)
        return text

    def control(self) -> tuple[str, str]:
        """The type of the last control image (canny, openpose, ...), and its path; ("", "") without one."""
        for item in reversed(self.named):
            if item.maker and item.maker.draws_control:
                return item.maker.draws_control, item.resource.text
        return "", ""

    def result(self, task: str) -> str:
        """The last text result of a task type; "" without one."""
        texts = (past.text for turn in reversed(self.turns) for past in reversed(turn.tasks) if past.task == task)
        return next(filter(None, texts), "")

    def last_text(self) -> str:
        """The text that the last turn with tasks has given, and which is no answer in several parts; else ""."""
        results = self._last_results()
        return results[0].text if len(results) == 1 else ""

    def last_answer(self) -> str:
        """The result of the last turn with tasks: the text of its only final task, else its answer."""
        turn = self._last_turn()
        return self.last_text() or (turn.answer or turn.message if turn else "")

    def last_answer_in_words(self) -> str:
        """Like `last_answer`, but "" for a turn whose tasks generated files."""
        forms = {past.form for past in self._last_results()}
        return self.last_answer() if forms and not forms & set(FILE_KINDS) else ""

    def _last_turn(self) -> Turn | None:
        """The last turn with tasks; where no tasks are known, the last turn."""
        return next((turn for turn in reversed(self.turns) if turn.tasks), next(reversed(self.turns), None))

    def _last_results(self) -> list[PastTask]:
        """The final tasks of the last turn, whose results no other task has used."""
        turn = self._last_turn()
        finished = [past for past in turn.tasks if past.ok] if turn else []
        used = {dep for past in finished for dep in past.dep}
        return [past for past in finished if past.id not in used]


def remember(turns: Sequence[Turn], table: TaskTable) -> Memory:
    """The memory after the turns of a conversation."""
    named: list[KnownResource] = []
    for index, turn in enumerate(turns):
        unreadable = set(_unusable(turn.tasks, table))
        named += [
            KnownResource(resource, index)
            for resource in resources_of(turns, index)
            if not (resource.is_file and resource.text in unreadable)
        ]
        known_texts = {item.resource.text for item in named}
        named += [item for item in _generated_by(turn, index, table) if item.resource.text not in known_texts]
    return Memory(table, tuple(named), tuple(turns))


def resources_of(turns: Sequence[Turn], index: int) -> list[Resource]:
    """The resources of an earlier turn's request."""
    request, files = turns[index].request, turns[index].files
    return with_attachments(request, _resources_in(request[:MAX_LENGTH]), files, earlier_files(turns[:index]))


@lru_cache(PAST_REQUESTS)
def _resources_in(request: str) -> tuple[Resource, ...]:
    return tuple(find_texts(request, find_resources(request)))


def _is_given(past: PastTask, files: Collection[str]) -> bool:
    """Whether a task was given one of some files."""
    return any(value in files for value in past.args.values() if isinstance(value, str))


def _is_page(past: PastTask, row: TaskType) -> bool:
    """Whether a text was read in a recording or on a page, and does not just describe a picture."""
    value = past.value if isinstance(past.value, Mapping) else {}
    if row.input_kind != "image":
        return True
    # what stands in a picture, where the result tells it; of a video nothing else is written
    written = str(value.get(PARTS[0], "" if "chunks" in value else past.text))
    return not value.get("objects") and len(written.split()) >= MIN_PAGE_WORDS


def _unique(items: Iterable[KnownResource]) -> list[Resource]:
    return list({item.resource.text: item.resource for item in items}.values())


def _unusable(tasks: Iterable[PastTask], table: TaskTable) -> Iterator[str]:
    """The arguments of tasks that could not open a file; a video without sound is still seen."""
    for past in tasks:
        if past.code == ErrorCode.MEDIA:
            row = table.find(past.task)
            is_heard = row is not None and row.input_kind == "audio"
            given = (value for value in past.args.values() if isinstance(value, str))
            yield from (value for value in given if not (is_heard and kind_of(value) == "video"))


def _generated_by(turn: Turn, at: int, table: TaskTable) -> Iterator[KnownResource]:
    """The files that the tasks of a turn generated; of a turn without task records, the paths in its message, with the
    task type that its request most likely asked for.
    """
    for past in turn.tasks:
        if past.ok:
            for path in files_of(past.value):
                yield KnownResource(Resource(path, kind_of(path)), at, table.find(past.task), generated=True)
    if not turn.tasks:
        for resource in _resources_in(turn.message[:MAX_LENGTH]):
            if resource.is_file and _GENERATED.fullmatch(resource.text):
                yield KnownResource(resource, at, _likely_maker(turn.request, resource.kind, table), generated=True)


def _likely_maker(request: str, kind: Kind | None, table: TaskTable) -> TaskType | None:
    """The task type that generates such files and has a cue in the request; None without one."""
    matches = [
        (not cue.sure, match.start(), row.name)
        for row in table
        if kind in row.result.kinds
        for cue in row.cues
        if (match := cue.regex.search(request))
    ]
    return table[min(matches)[2]] if matches else None
