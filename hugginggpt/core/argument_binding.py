"""Binds the arguments of a task that came without names, or under names of the model's own.

An argument goes where its kind fits (a file by its suffix, a result by what its task generates, other texts as text).
Of several ways the one counts that fills most required arguments, then most of all, then the one whose names are most
alike, then the one whose form fits best (a question reads like one). Where two ways are equally good, nothing is bound
and the task says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.core.plan import REFERENCE
from hugginggpt.core.plan_forms import UNNAMED
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.core.tasks import Arg, TaskType

Kinds = Callable[[Any], Mapping[Kind, int]]
"""The kinds of resource that an argument may be, each with how likely: 2 if it is one, 1 if it is passed on."""

MAX_VALUES = 6
_QUESTION = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|does|do|did|can)\b.*|.*\?\s*", re.I | re.S
)
_SOURCE = re.compile(r"source|src|input|from(?![a-z])", re.IGNORECASE)
"""How names begin of what is the opposite of a target (the source language)."""
_FILLERS = frozenset({"the", "of", "a", "an", "to", "that", "or", "text", "file", "what", "holds"})


@dataclass(frozen=True, slots=True)
class Binding:
    """The arguments under the table's names; `bound` is {argument: name as written}, for the note. `left` are values
    without a place; `problem` is why there is not one way to bind them. `misfit` is a file that is of no kind that the
    task takes, the reason for an argument that stays missing.
    """

    args: Mapping[str, Any]
    bound: Mapping[str, str]
    left: tuple[str, ...] = ()
    problem: str = ""
    misfit: str = ""


def bind(row: TaskType, args: Mapping[str, Any], aliases: Mapping[str, str], kinds: Kinds) -> Binding:
    """The arguments of a task bound to those of its row.

    Those that stand under one of the row's names stay there, unless they cannot be there: a picture as a text, where
    the picture is missing. Nor is a text the question where another argument is called so.
    """
    named, loose = _divided(row, args, aliases, kinds)
    free = [arg for arg in row.args if arg.name not in named]
    if not loose or not free:
        return _unplaced(row, args, named, loose, {}, kinds)
    ways = sorted(_ways(free, loose, row, aliases, kinds), key=lambda way: way.score, reverse=True)
    if not ways:
        return _unplaced(row, args, named, loose, {}, kinds)
    best = [way for way in ways if way.score == ways[0].score]
    if len(best) > 1 and not _order_tells(row, best):
        return Binding({**named, **loose}, {}, problem=_undecided(row, best))
    return _unplaced(row, args, named, loose, dict(best[0].places), kinds)


def _divided(
    row: TaskType, args: Mapping[str, Any], aliases: Mapping[str, str], kinds: Kinds
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(arguments under names of the row that can be there, the others)."""
    wanted = {arg.kind for arg in row.required if arg.name not in args}
    doubted = row.text_arg if row.wording == "question" and _asks_elsewhere(row, args, aliases) else None
    named: dict[str, Any] = {}
    loose: dict[str, Any] = {}
    for name, value in args.items():
        arg = row.arg(name)
        is_misplaced = (
            arg
            and wanted & (can := kinds(value)).keys()
            and (arg is doubted or (not _is_reference(value) and arg.kind not in can))
        )
        (named if arg and not is_misplaced else loose)[name] = value
    return named, loose


def _asks_elsewhere(row: TaskType, args: Mapping[str, Any], aliases: Mapping[str, str]) -> bool:
    """Whether an argument under none of the row's names is called like the question ("user_query")."""
    if not (text := row.text_arg):
        return False
    called = {*_about(text), *(alias for alias, name in aliases.items() if name == text.name)}
    return any(not row.arg(name) and called & set(_words(name)) for name in args)


@dataclass(frozen=True, slots=True)
class _Way:
    """One way: (argument, name as written) pairs, and how good it is."""

    places: tuple[tuple[str, str], ...]
    score: tuple[int, ...]


def _ways(
    free: Sequence[Arg], loose: Mapping[str, Any], row: TaskType, aliases: Mapping[str, str], kinds: Kinds
) -> Iterator[_Way]:
    """The ways to fill arguments, those first in which they stand in the table's order."""
    names = [*list(loose)[:MAX_VALUES], *([None] * len(free))]
    can = {name: kinds(value) for name, value in loose.items()}
    seen = set()
    for chosen in itertools.permutations(names, len(free)):
        if chosen in seen:
            continue
        seen.add(chosen)
        pairs = [(arg, name) for arg, name in zip(free, chosen, strict=True) if name is not None]
        if not pairs or not all(arg.kind in can[name] for arg, name in pairs):
            continue
        if any(not arg.required and not _suits_option(arg, name, loose[name], aliases, row) for arg, name in pairs):
            continue
        alike = sum(_likeness(arg, name, aliases) for arg, name in pairs)
        form = sum(_form(arg, loose[name], row) for arg, name in pairs)
        sure = sum(can[name][arg.kind] for arg, name in pairs)
        needed = sum(arg.required for arg, _ in pairs)
        yield _Way(tuple((arg.name, name) for arg, name in pairs), (needed, len(pairs), alike, form, sure))


def _suits_option(arg: Arg, name: str, value: Any, aliases: Mapping[str, str], row: TaskType) -> bool:
    """Whether a value may be an optional argument: one without a name, or whose name is like it."""
    if aliases.get(f"target_{arg.name}") == arg.name and _SOURCE.match(name):
        return False
    return name.startswith(UNNAMED) or row.arg(name) is not None or _likeness(arg, name, aliases) > 0


def _likeness(arg: Arg, name: str, aliases: Mapping[str, str]) -> int:
    """How much a name is like that of an argument: 3 its own words, 2 its name, 1 its kind, 0 nothing."""
    if name.startswith(UNNAMED):
        return 0
    words = _words(name)
    whole = "".join(words)
    if _about(arg) & set(words):
        return 3
    if arg.name in whole or any(aliases.get(word) == arg.name or _begins(word, arg.name) for word in words):
        return 2
    return 1 if arg.kind in words and arg.kind != "text" else 0


def _words(name: str) -> list[str]:
    """The words and numbers of a name such as inputAudio_2, in lower case."""
    return re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def _about(arg: Arg) -> set[str]:
    """The words that tell what an argument is."""
    return set(re.findall(r"[a-z]+", arg.about.lower())) - _FILLERS


def _begins(word: str, name: str) -> bool:
    """Whether a word is a short form of a name ("lang")."""
    return len(word) >= 4 and name.startswith(word)


def _form(arg: Arg, value: Any, row: TaskType) -> int:
    """How well the form of a value fits an argument beside others of its kind."""
    if arg.many:
        return 2 if isinstance(value, list) or (isinstance(value, str) and "," in value) else 0
    if row.wording == "question" and arg is row.text_arg:
        return (2 if isinstance(value, str) and _QUESTION.fullmatch(value.strip()) else 0) - 3 * _is_reference(value)
    is_setting = not arg.required and arg.kind == "text"
    return -2 if is_setting and _is_reference(value) and any(other.kind == "text" for other in row.required) else 0


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and bool(REFERENCE.search(value))


def _order_tells(row: TaskType, ways: Sequence[_Way]) -> bool:
    """Whether the first way, in which arguments stand in the table's order, is the one that is meant: in a pair, and
    where a text comes before a setting such as a language.
    """
    differ = {arg for way in ways for arg, name in set(way.places) ^ set(ways[0].places)}
    filled = {frozenset(name for _, name in way.places) for way in ways}
    args = [arg for name in differ if (arg := row.arg(name))]
    return len(filled) == 1 and (row.wording == "pair" or any(not arg.required for arg in args))


def _undecided(row: TaskType, ways: Sequence[_Way]) -> str:
    firsts, seconds = dict(ways[0].places), dict(ways[1].places)
    arg = next((name for name in firsts if firsts[name] != seconds.get(name)), row.args[0].name)
    if set(firsts.values()) != set(seconds.values()):
        return f"it takes one {arg}, and is given more than one"
    return f"which of its arguments is the {arg} is not clear: name them"


def _unplaced(
    row: TaskType, args: Mapping[str, Any], named: Mapping[str, Any], loose: Mapping[str, Any],
    places: Mapping[str, str], kinds: Kinds,
) -> Binding:  # fmt: skip
    """The binding with those places. What has none is left out if it is a short text without a name, kept under its own
    name if it has one; a file or a result without a place is a problem.
    """
    rest = {name: value for name, value in loose.items() if name not in places.values()}
    filled = {**named, **{arg: loose[name] for arg, name in places.items()}}
    kept = {name: value for name, value in rest.items() if not name.startswith(UNNAMED)}
    unnamed = {name: value for name, value in rest.items() if name.startswith(UNNAMED)}
    left = tuple(str(value)[:60] for value in unnamed.values())
    missing = next((arg for arg in row.required if not filled.get(arg.name)), None)
    if missing:
        files = (str(value)[:60] for value in rest.values() if not _is_reference(value) and _is_file(kinds(value)))
        return Binding({**filled, **kept}, places, left, misfit=next(files, ""))
    problem = next(filter(None, (_surplus(row, value, kinds) for value in unnamed.values())), "")
    return Binding({**filled, **kept}, places, left, problem)


def _is_file(kinds: Mapping[Kind, int]) -> bool:
    """Whether that is the name of a file of one kind."""
    return len(kinds) == 1 and not kinds.keys() <= {"text"}


def _surplus(row: TaskType, value: Any, kinds: Kinds) -> str:
    """Why an argument without a place changes what is asked for; "" for a text where the task takes none."""
    can = kinds(value)
    if taken := [arg.kind for arg in row.args if arg.kind in can]:
        return f"it takes one {taken[0]}, and is given more than one: {str(value)[:60]} has no place"
    if _is_reference(value) or set(can) & set(FILE_KINDS):
        return f"it takes nothing like {str(value)[:60]}"
    return ""
