"""Common to all answers, whoever words them: files and failures come from the run record."""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from hugginggpt.answers.accounting import model_lines, on_the_way
from hugginggpt.answers.checking import Checker, is_row, split_sentences
from hugginggpt.common.paths import EXAMPLES, PUBLIC
from hugginggpt.core import moments
from hugginggpt.core.events import Corrected, RunRecord, TaskRecord
from hugginggpt.core.findings import Finding
from hugginggpt.core.results import FILE_KINDS, files_of
from hugginggpt.llm.base import Reading
from hugginggpt.media.types import kind_of

NO_SUCH_FILE = "(no such file)"
_PATH = re.compile(
    r"https?://[^\s<>\"'`)\]]+|(?:(?<![\w/.])|(?<=public))/?(?:images|audios|videos|documents|uploads|examples)/[^\s<>\"'`)\]]+"
)
_TRAILING = ".,;:!?*_"
MAX_RESULT_CHARS = 90


@dataclass(frozen=True, slots=True)
class Composed:
    """What the results say, as code words it: the answers to questions first, then what else the tasks gave.

    `findings` are those answers as data, `told` the tasks that they are about, `caveat` what is to be known of them.
    """

    sentences: tuple[str, ...]
    findings: tuple[Finding, ...]
    told: frozenset[int]
    caveat: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.sentences)


class CheckedAnswer:
    """An answer of a language model in sentences, each held against the results before it is told."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self._corrected: list[Corrected] = []
        self._is_code = False

    def sentences(self, pieces: Iterable[str]) -> Iterator[str]:
        """The sentences, those that the results do not bear out replaced. `Reading` passes as it is."""
        held = ""
        for piece in pieces:
            if isinstance(piece, Reading):
                yield piece
            *whole, held = split_sentences(held + piece)
            yield from map(self._checked, whole)
        yield self._checked(held)

    def new_corrections(self) -> list[Corrected]:
        """What was replaced since this was last asked."""
        new, self._corrected = self._corrected, []
        return new

    def _checked(self, sentence: str) -> str:
        """The sentence or another one. Code passes: its lines are no sentences, and one less breaks it."""
        is_fence = sentence.lstrip().startswith(("```", "~~~"))
        self._is_code ^= is_fence
        if is_fence or self._is_code or not (why := self.checker.problem(sentence)):
            return sentence
        instead = f"| (left out: {why}) |" if is_row(sentence) else self.checker.instead(sentence)
        self._corrected.append(Corrected(sentence.strip(), instead, why))
        return instead + sentence[len(sentence.rstrip()) :] if instead else ""


def _made_by(task: TaskRecord) -> str:
    """The task that made a file; of one in which things are marked, that, too."""
    drawn = "boxes and labels drawn, " if task.row and task.type.result.draws == "boxes" else ""
    return f"{drawn}{task.task['task']}"


def files_line(record: RunRecord, besides: str = "") -> str:
    """The generated files that are results and not in `besides`, each with its task; "" if there are none."""
    made_by = {path: _made_by(task) for task in record.tasks.values() if task.ok for path in files_of(task.value)}
    steps = {path for number in on_the_way(record) for path in files_of(record.tasks[number].value)}
    wanted = [path for path in record.files if path not in besides and path not in steps]
    files = ", ".join(f"{path} ({made_by.get(path, 'file')})" for path in wanted)
    return f"Files: {files}" if files else ""


def work_text(record: RunRecord, told: Collection[int] = ()) -> str:
    """Which models did what; the results of the tasks in `told` are shown, too."""
    lines = Counter(_work_line(task, number in told) for number, task in record.tasks.items() if task.ok)
    work = [f"- {line}{f' ({times} times)' if times > 1 else ''}" for line, times in lines.items()]
    return "\n".join(["What was done:", *work]) if work else ""


def _work_line(task: TaskRecord, with_result: bool) -> str:
    row = task.type
    model = f" with {task.choice.id} {task.choice.place}".rstrip() if task.choice else ""
    description = f": {' '.join(row.result.describe(task.value).split())}" if with_result else ""
    looked = moments.looked_of(task.value)
    how = f" ({', '.join([moments.how_closely(looked), *_least_sure(task.value)])})" if looked else ""
    return f"{row.name}{model}{textwrap.shorten(description, MAX_RESULT_CHARS, placeholder=' …')}{how}"


def _least_sure(value: Any) -> list[str]:
    """How sure the least sure of the objects is that were seen in a video."""
    rows = value.get("predicted", ()) if isinstance(value, dict) else ()
    scores = [row["score"] for row in rows if isinstance(row.get("score"), int | float)]
    return [f"at least {100 * min(scores):.0f} % sure"] if scores else []


def failures_text(record: RunRecord) -> str:
    """The tasks that failed or were skipped, and the models that were to be used and were not, with the reasons; "" if
    there are none.
    """
    return "\n".join([*(f"Not done: {error}" for error in record.errors), *model_lines(record)])


def only_real_paths(pieces: Iterable[str], record: RunRecord) -> Iterator[str]:
    """The pieces of a streamed answer with made-up paths, and addresses of made-up files, replaced.

    Text after the last blank is held back, so that no path is checked before it is complete. `Reading` passes as it is.
    """
    known = _known(record)
    held = ""
    for piece in pieces:
        if isinstance(piece, Reading):
            yield piece
        held += piece
        cut = max(held.rfind(" "), held.rfind("\n")) + 1
        if cut:
            yield _checked(held[:cut], known)
            held = held[cut:]
    if held:
        yield _checked(held, known)


def _known(record: RunRecord) -> str:
    """All texts of the run that may contain a path or URL: request, attachments, arguments and results."""
    attached = [file.to_json() for file in record.attachments]
    results = [[task.task["args"], task.value] for task in record.tasks.values()]
    return record.request + json.dumps([attached, results], ensure_ascii=False, default=str)


def _checked(text: str, known: str) -> str:
    def check(match: re.Match[str]) -> str:
        path = match[0].rstrip(_TRAILING)
        named = path if path.startswith(("http", "/")) else f"/{path}"
        is_real = named in known or path in known or _is_page(path) or _is_example(named)
        return match[0] if is_real else NO_SUCH_FILE + match[0][len(path) :]

    return _PATH.sub(check, text)


def _is_page(path: str) -> bool:
    """Whether an address is not that of a picture, sound or video, and so not of something that a task has made."""
    try:
        address = urlsplit(path)
    except ValueError:  # half an address of IPv6
        return True
    return bool(address.netloc) and kind_of(address.path) not in FILE_KINDS


def _is_example(path: str) -> bool:
    """Whether it is one of the files that come with the project."""
    name = path.removeprefix(f"/{EXAMPLES}")
    return name != path and "/" not in name and (PUBLIC / EXAMPLES / name).is_file()
