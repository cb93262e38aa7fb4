"""What of a request its offline plan does not account for: the words that are in no argument and no question of the plan,
and that nobody used who wrote the phrases for its tasks.

A plan of which such a word is left may be right all the same ("the blurry one"), but is not to be gone by alone: it
may be the verb of another task, a condition, or a word of a language that was taken for English.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.core.plan import Plan, Task
from hugginggpt.experts.written_language import ENGLISH, function_word, language_names, words_of
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import masked
from hugginggpt.offline.intents import REFERRING
from hugginggpt.offline.languages.vocabulary import CODES, WITHOUT_BLANKS
from hugginggpt.offline.selection import kinds_named
from hugginggpt.offline.small_talk import NONE

ENGLISH_FILES = ("phrases.txt", "sentences.txt", "clauses.txt")
COMMON = 0.3
"""A word that is used in the phrases for this share of all tasks says nothing of the task ("please", "picture")."""
CONDITIONS = frozenset("only except unless if until but instead without".split())
COMPARING = frozenset("same different".split())
"""Words that are common, and yet change what is asked for: those are in a plan with a condition, these are in none."""
WORDED = ("question", "instruction")
"""The wordings of tasks that are handed the words of the request as they stand, whatever these say."""
_HEADING = re.compile(r"\[([\w-]+)[^\]]*\]")
_YES_OR_NO = re.compile(r"\W*+(?:is|are|was|were|do|does|did|has|have)\b", re.IGNORECASE)
_GREETING = re.compile(r"\W*+(?:hey|hi|hello|hallo|good (?:morning|evening|day)|salut|bonjour|hola)\b", re.IGNORECASE)
_GOING_ON = re.compile(
    r"\W*+(?:and|or|no|now|then|what about|how about|again|same|instead|und|et|y|pero|mais|aber)\b", re.IGNORECASE
)
"""The start of a message that goes on with the one before: "and dogs?"."""
_NAMING = re.compile(r"\b(?:there|here|he|she|they|him|her|one|ones|other|first|second|last|each|all)\b", re.IGNORECASE)


def open_words(text: str, resources: Sequence[Resource], plan: Plan) -> tuple[str, ...]:
    """The words of a request, without its files and quoted texts, that its plan does not account for."""
    language = plan.language or ENGLISH
    own = masked(text, [one for one in resources if one.has_place]).replace("▯", " ")
    if language in WITHOUT_BLANKS or language not in (ENGLISH, *CODES):
        return tuple(own.split())
    known, common = _vocabulary(language)
    every = frozenset[str]().union(*known.values())
    said = {_stem(word) for text in _said(plan) for word in words_of(text)}
    if language == ENGLISH:
        said |= {_stem(word) for text in _handed_on(plan) for word in words_of(text)} & every
    learned = frozenset[str]().union(*(known.get(task.task, frozenset()) for task in plan))
    has_condition = any(task.when for task in plan) or any(question.when for question in plan.questions)

    def is_open(word: str) -> bool:
        stem = _stem(word)
        if stem in said or len(word) == 1:
            return False
        if word in COMPARING or word in language_names() or (word in CONDITIONS and not has_condition):
            return True
        return not (stem in common or stem in learned or function_word(word, language))

    words = words_of(own)
    unanswered = words[:1] if _YES_OR_NO.match(own) and not _answers(plan) else ()
    return tuple(dict.fromkeys([*unanswered, *filter(is_open, words)]))


def _answers(plan: Plan) -> bool:
    """Whether a plan puts a question to something."""
    return bool(plan.questions) or any(task.row is not None and task.row.wording == "question" for task in plan)


def stands_apart(text: str, resources: Sequence[Resource]) -> bool:
    """Whether a message that is not the first of its conversation greets, or names nothing that was there before."""
    if _GREETING.match(text):
        return True
    if resources or kinds_named(text):
        return False
    return not (REFERRING.search(text) or _NAMING.search(text) or _GOING_ON.match(text))


def _said(plan: Plan) -> Iterator[str]:
    """The texts that a plan's tasks need in their arguments, and the objects of its questions."""
    for task in plan:
        if task.row is not None and task.row.wording not in WORDED:
            yield from _texts(task)
    for question in plan.questions:
        for one in question.objects:
            yield from (one.words, *one.labels, *one.excluded)


def _handed_on(plan: Plan) -> Iterator[str]:
    for task in plan:
        if task.row is not None and task.row.wording in WORDED:
            yield from _texts(task)


def _texts(task: Task) -> Iterator[str]:
    for value in task.args.values():
        yield from map(str, value if isinstance(value, list) else [value])


@cache
def _vocabulary(language: str) -> tuple[Mapping[str, frozenset[str]], frozenset[str]]:
    """The words in the phrases for each task, and those that say nothing of a task."""
    files = ENGLISH_FILES if language == ENGLISH else (f"phrases.{language}.txt",)
    words: dict[str, set[str]] = defaultdict(set)
    for file in files:
        task = NONE
        for line in (PLANNER_DATA / file).read_text(encoding="utf-8").splitlines():
            if heading := _HEADING.fullmatch(line.strip()):
                task = heading[1]
            elif not line.startswith("#"):
                words[task].update(map(_stem, words_of(line)))
    tasks = {task: frozenset(its) for task, its in words.items() if task != NONE}
    return tasks, frozenset(_in_many(tasks.values()))


def _in_many(sets: Iterable[frozenset[str]]) -> Iterator[str]:
    every = list(sets)
    for word in frozenset[str]().union(*every):
        if sum(word in its for its in every) >= COMMON * len(every):
            yield word


def _stem(word: str) -> str:
    """A word without the ending of a plural or of a verb, roughly."""
    return re.sub(r"(?:ings?|ed|es|s|e)$", "", word) if len(word) > 4 else word.removesuffix("s")
