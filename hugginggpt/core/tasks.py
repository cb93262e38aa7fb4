"""The task table: which task types there are, as a value that is built once and handed to whoever needs it.

A row (`TaskType`) defines a task's arguments, the schema of its result (`results.ResultSchema`), the sentence that puts
the result into an answer, whether a language model does the task well by itself, which method of
`huggingface_hub.InferenceClient` runs it, which models it has besides the catalogue's, and the words by which the
offline planner knows it. Experts that run on this machine declare their task themselves.

`default_table()` holds the project's rows (`task_rows.py`); `TaskTable.extended` adds those of the configuration and
of plug-ins.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hugginggpt.core.results import ANSWER, LABELS, Kind
from hugginggpt.core.task_rows import ROWS
from hugginggpt.core.task_types import Arg, Cue, HubMethod, TaskType

__all__ = ["Arg", "Cue", "HubMethod", "TaskTable", "TaskType", "default_table"]

ARG_ALIASES: Mapping[str, str] = {
    "question": "text",
    "prompt": "text",
    "query": "text",
    "sentence": "text",
    "input": "text",
    "instruction": "text",
    "img": "image",
    "image_url": "image",
    "img_url": "image",
    "audio_url": "audio",
    "video_url": "video",
    "sentence1": "text1",
    "sentence2": "text2",
    "source_sentence": "text1",
    "candidate_labels": "labels",
    "target_language": "language",
    "target_lang": "language",
    "tgt_lang": "language",
    "output_language": "language",
    "csv": "table",
    "data": "table",
}
"""Names that language models and clients give to arguments, and the default table's name for each."""


NEARLY_AS_LIKE = 0.1
"""How much less like a name than the nearest one another known name may be to be meant as well (ratio of difflib)."""


@dataclass(frozen=True, eq=False)
class TaskTable:
    """The task types, in their order. Immutable; `extended` makes a larger one."""

    rows: tuple[TaskType, ...]
    arg_aliases: Mapping[str, str] = field(default_factory=lambda: dict(ARG_ALIASES))

    def __iter__(self) -> Iterator[TaskType]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> TaskType:
        """The row of exactly that name. Raises KeyError."""
        return self._by_name[name]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def find(self, name: str) -> TaskType | None:
        """The row for a name as a language model may write it ("Image to Text", "image_to_text", "ocr")."""
        return self._by_name.get(self.canonical(name))

    def canonical(self, name: str) -> str:
        """The table's spelling of a name; one that it does not know in lower case with hyphens."""
        key = "-".join(name.strip().lower().replace("_", " ").replace("-", " ").split())
        return self._aliases.get(key, key)

    def meant(self, name: str) -> TaskType | None:
        """The row that is called so by models that make up names; else the one whose words stand, in their order, in a
        name with more words ("Conversational Response Modeling"): of rows whose words hold another's the longer, of
        others one that is longer and stands in one piece; None where that leaves several.
        """
        written = self.canonical(name)
        if called := next((row for row in self.rows if written in row.also_called), None):
            return called
        words = written.split("-")
        found = {key: row for key, row in self._by_words.items() if _stand_in(key, words)}
        held = {key for key in found for other in found if key != other and _stand_in(key, other)}
        left = sorted((key for key in found if key not in held), key=len, reverse=True)
        is_one = len({found[key].name for key in left}) == 1
        is_longer = len(left) > 1 and len(left[0]) > len(left[1]) and "-".join(left[0]) in written
        return found[left[0]] if is_one or is_longer else None

    def nearest(self, name: str) -> str:
        """The known name that is most like another one; "" where none is."""
        return next(iter(self.near(name, 1)), "")

    def near(self, name: str, most: int = 3) -> list[str]:
        """The known names that are about as like another one as the nearest, which is the first."""
        matches = difflib.get_close_matches(name, self._by_name, most)
        likeness = [difflib.SequenceMatcher(None, match, name).ratio() for match in matches]
        return [match for match, ratio in zip(matches, likeness, strict=True) if ratio > likeness[0] - NEARLY_AS_LIKE]

    def extended(self, rows: Iterable[TaskType]) -> TaskTable:
        """This table with further rows. Raises ValueError for one that has mistakes or a name that is taken."""
        table = self
        for row in rows:
            if wrong := next(row.mistakes(), ""):
                raise ValueError(f"{row.name}: {wrong}")
            if taken := [name for name in (row.name, *row.aliases) if table.find(name)]:
                raise ValueError(f"{taken[0]}: there is a task of that name already")
            table = replace(table, rows=(*table.rows, row))
        return table

    @cached_property
    def readers(self) -> dict[Kind, str]:
        """The task by which the text in a file of each kind is had; that of a video is what is said in it."""
        readers = {row.input_kind: row.name for row in reversed(self.rows) if row.reads_files}
        return {"video": readers["audio"], **readers} if "audio" in readers else readers

    @cached_property
    def defaults(self) -> dict[Kind, tuple[TaskType, ...]]:
        """The tasks for a file of each kind with which nothing particular is asked for: for a video those for what it
        shows and for what is said in it.
        """
        one = {row.input_kind: (row,) for row in reversed(self.rows) if row.default is not None}
        seen = tuple(row for row in one.get("image", ()) if row.input_arg.may_be_video)
        return {"video": (*seen, *one.get("audio", ())), **one}

    @cached_property
    def describers(self) -> frozenset[str]:
        """The tasks whose result may be wanted in a language: what a picture shows, what a text is about."""
        return frozenset(row.name for row in self.rows if row.is_digest or row.name == self.readers.get("image"))

    @cached_property
    def detector(self) -> TaskType:
        """The task that finds, names and boxes the objects in a picture."""
        return next(row for row in self.rows if row.input_kind == "image" and row.result.draws == "boxes")

    def classifier(self, kind: Kind) -> TaskType:
        """The task that gives a text, picture or recording labels of its own choice."""
        rows = (row for row in self.rows if row.input_kind == kind and row.result is LABELS)
        return next(row for row in rows if not any(arg.many and arg.required for arg in row.args))

    @cached_property
    def translator(self) -> str:
        """The task that puts a text into a language."""
        return next(row.name for row in self.rows if row.input_kind == "text" and row.arg("language"))

    @cached_property
    def calculator(self) -> TaskType | None:
        """The task that works out a calculation, if there is one."""
        return next((row for row in self.rows if row.wording == "calculation"), None)

    @cached_property
    def sound_finder(self) -> str:
        """The task that says what kinds of sound are heard in a recording, and when; "" where there is none."""
        rows = (row for row in self.rows if row.input_kind == "audio" and row.result is ANSWER)
        return next((row.name for row in rows if not row.measures and not row.text_arg), "")

    def question_task(self, kind: Kind, words: str = "") -> str:
        """The task for a question about a text or a file of a kind; of several that whose subject the words name."""
        rows = [row for row in self.rows if row.wording == "question" and row.input_kind == kind]
        special = (row.name for row in rows if row.subject and row.subject.regex.search(words))
        return next(special, next((row.name for row in rows if not row.subject), ""))

    @cached_property
    def by_result_name(self) -> dict[str, str]:
        """The task for each name of a result ("summary"); tasks that write as they are told come last."""
        rows = sorted(self.rows, key=lambda row: row.wording in ("writing", "remark"))
        return {name: row.name for row in rows for name in row.result_names}

    @cached_property
    def _by_name(self) -> dict[str, TaskType]:
        return {row.name: row for row in self.rows}

    @cached_property
    def _by_words(self) -> dict[tuple[str, ...], TaskType]:
        return {tuple(name.split("-")): row for row in self.rows for name in (row.name, *row.aliases)}

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return {alias: row.name for row in self.rows for alias in row.aliases}


def _stand_in(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether words stand among others in the same order."""
    rest = iter(many)
    return all(word in rest for word in few)


def default_table() -> TaskTable:
    """The table of the project's rows."""
    return TaskTable(ROWS)
