"""Whether a request says anything by which one model is to be preferred to another.

It says nothing where each of its words belongs to the tasks themselves ("Describe this picture.") and none of them, nor
of the names of its files, stands in the description of one candidate and not of another. "Describe this X-ray" says
something: which of the candidates that is for, words alone do not tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.core.plan import REFERENCE, Task
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts.written_language import ENGLISH, function_word, words_of

STEM = 5
"""Words that begin alike in so many letters are taken for the same one: finance, financial."""
SHORTEST = 3
LONGEST = 1000
"""Characters of a request; a longer one says something."""
FILE_NAME = re.compile(r"://|[\w)]\.[A-Za-z]\w{1,4}\W*$")
"""In a word that names a file."""


def nothing_to_choose_by(request: str, task: Task, cards: Sequence[ModelCard], table: TaskTable) -> bool:
    """Whether nothing in the request or the task speaks for one of these models. One without a description may be for
    anything.
    """
    text = " ".join([request, *map(str, task.args.values())])
    if len(text) > LONGEST or not all(card.description for card in cards):
        return False
    text = REFERENCE.sub(" ", text)
    words = [word for word in text.split() if not FILE_NAME.search(word)]
    if any(map(_is_telling, words)) or not _words(words) <= _words_of_tasks(table):
        return False
    described = [_words([card.id, card.description, *map(str, card.meta.get("tags") or ())]) for card in cards]
    differing = described[0].union(*described) - described[0].intersection(*described)
    return not differing & _words([text])


@lru_cache(maxsize=4)
def _words_of_tasks(table: TaskTable) -> set[str]:
    return _words(word for row in table for word in (row.name, row.about, *row.aliases, *row.also_called))


def _is_telling(text: str) -> bool:
    """Whether a word says something that its beginning does not show: "4x", "3D", "UK", the "de" of "to de"."""
    return any(
        re.search(r"\d", word)
        or (len(word) > 1 and word.isupper())
        or (len(word) == SHORTEST - 1 and word.isascii() and not function_word(word.lower(), ENGLISH))
        for word in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text)
    )


def _words(texts: Iterable[str]) -> set[str]:
    """The beginnings of the words that mean something."""
    words = words_of(" ".join(texts))
    return {word[:STEM] for word in words if len(word) >= SHORTEST and not function_word(word, ENGLISH)}
