"""What is asked of recordings and videos: in another language, and of what an operation made of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from hugginggpt.core.results import Kind
from hugginggpt.core.spoken_times import words_asked_for
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.references import Resource
from hugginggpt.offline import spans
from hugginggpt.offline.clauses import PLACEHOLDERS, Clause
from hugginggpt.offline.heads import clause_scores

PLAIN_SCORE = 0.6
"""From this score a clause plainly asks for an operation on what is in hand."""
HEARD: tuple[Kind, ...] = ("audio", "video")
"""The kinds of files that are heard."""

_IN_RECORDING = re.compile(
    rf" (?:in|during|of) (?:{'|'.join(re.escape(PLACEHOLDERS[kind]) for kind in HEARD)})", re.IGNORECASE
)


class Asked(Protocol):
    """A task that a clause asks for (`intents.Intent`)."""

    @property
    def task(self) -> str: ...

    @property
    def clause(self) -> Clause: ...


def task_for(asked: Asked, earlier: Sequence[Asked], table: TaskTable, allowed: Collection[str] | None) -> str:
    """The task, or in place of a translation of what is only heard the one that writes it down in that language:
    "vm.mp3, in English please".
    """
    if asked.task != table.translator or any(table[one.task].writes_text for one in earlier):
        return asked.task
    languages = spans.languages(asked.clause.text)
    rows = (row.name for row in table if row.writes_in and [row.writes_in] == languages)
    return next((name for name in rows if allowed is None or name in allowed), asked.task)


def with_recording(clause: Clause, named: Sequence[Resource]) -> Clause:
    """A clause that asks when some words are said, plainly, and with the only recording that came with the request: in
    «when does he say "ask not"?» the quoted words are no text to read, and "when is Anna mentioned?" asks for no names.
    """
    phrase = PLACEHOLDERS["text"]
    words, _ = words_asked_for(_IN_RECORDING.sub("", clause.text).replace(phrase, '"words"'))
    files = [one for one in clause.resources if one.is_file]
    recordings = files or [one for one in named if one.kind in HEARD]
    if not words or len(recordings) != 1 or recordings[0].kind not in HEARD:
        return clause
    text = f"when does he say {phrase if phrase in clause.text else words}?"
    return replace(clause, text=text, resources=tuple(dict.fromkeys((*clause.resources, *recordings))))


def is_told(asked: Asked, following: Sequence[Asked], table: TaskTable) -> bool:
    """Whether a clause may only tell of a recording what another task is asked for: "it is in Spanish, I need it in
    English".
    """
    written = any(table[one.task].writes_in for one in following)
    return written and table[asked.task].input_kind == "audio" and not table[asked.task].writes_text


def made_last(earlier: Sequence[str], table: TaskTable) -> Kind | None:
    """The kind of recording or video that an operation made last, which "it" means."""
    last = table[earlier[-1]] if earlier else None
    made = last.result.makes if last and last.is_exact else ()
    return next((kind for kind in made if kind in HEARD), None)


def of_recent(
    clauses: Sequence[Clause],
    topics: Sequence[Kind | None],
    recent: Kind | None,
    scores: Sequence[Mapping[str, float]],
    table: TaskTable,
) -> list[Mapping[str, float]]:
    """The scores of the clauses; of one that names no file, those of one about the recording or video in hand where it
    plainly asks for an operation on that: "make it a gif, 200 pixels wide".
    """
    found = list(scores)
    for at, clause in enumerate(clauses if scores and recent in HEARD else ()):
        if topics[at] is not None or clause.resources:
            continue
        (about,) = clause_scores([f"{clause.text} {PLACEHOLDERS[recent]}"])
        best = max(about, key=about.__getitem__)
        row = table.find(best)
        if row is not None and row.is_exact and row.result.makes and about[best] >= PLAIN_SCORE:
            found[at] = about
    return found


def in_hand(
    clause: Clause, topic: Kind | None, made: Kind | None, scores: Mapping[str, float] | None
) -> tuple[Kind | None, Mapping[str, float] | None]:
    """The kind of what a clause is about, with the clause's scores if it has any: "extract the sound and speed it up" is not about the
    video any more.
    """
    if scores is None or made is None or made == topic or topic not in HEARD or clause.resources:
        return topic, scores
    return made, clause_scores([f"{clause.text} {PLACEHOLDERS[made]}"])[0]
