"""How many tokens a reply can need at each stage: a model that never ends is stopped there.

The bounds are generous, several times what a good reply takes: they are for models that repeat themselves. A plan that
is cut off is asked for once more, with more room; then a choice is the first of the ranking, an answer the composed
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hugginggpt.llm.base import Message
from hugginggpt.llm.tokens import TokenCounter

OTHER_REPLY = 8000
"""Of a conversational answer and of a text task: room for a story of 3,000 words in most languages."""
SENTENCE = 200
"""Of an answer in one sentence."""
CUT_OFF = " … (cut off)"
"""Appended to an incomplete text: half a sentence can mean the opposite of the whole one."""
MORE_ROOM = 3
"""How many times the bound of a plan its repair turn may take."""

_FORM, _TASK, _REASON, _ANSWER = 30, 70, 60, 200
_TASKS_BESIDES = 3
_CLAUSE_END = re.compile(
    r"[.,;:!?\n](?=\s)|[。、，；！？]|\b(?:and|then|und|dann|et|puis|y|luego|that|which)\b", re.IGNORECASE
)
_FILE = re.compile(r"(?<![\w/-])[\w/-]+\.[a-z0-9]{2,4}\b", re.IGNORECASE)  # from a word's begin alone: in linear time


def plan_tokens(messages: Sequence[Message], request: str, max_tasks: int, count: TokenCounter) -> int:
    """Of the plan of a request: a task for each of its clauses and each file of the last message, in which the chat
    stands, too, and room for its texts, which the arguments may carry.
    """
    asked = messages[-1]["content"]
    clauses = len(_CLAUSE_END.findall(request)) + 1
    files = set(_FILE.findall(asked))
    tasks = min(max_tasks, _TASKS_BESIDES + clauses * max(1, len(files)))
    path = max((count(file) for file in files), default=0)
    return _FORM + tasks * (_TASK + path) + count(request) + count(asked)


def choice_tokens(offered: Iterable[Sequence[str]], count: TokenCounter) -> int:
    """Of the choice of a model for each task, whose candidates have these ids."""
    return _FORM + sum(_REASON + max(map(count, ids), default=0) for ids in offered)


def answer_tokens(composed: str, count: TokenCounter) -> int:
    """Of an answer to what code composes an answer for: short, but texts that were asked for stand in it in full, in
    whatever language.
    """
    return _ANSWER + 2 * count(composed)


def text_tokens(text: str, count: TokenCounter) -> int:
    """Of a text that a language model makes of another one, such as a translation."""
    return OTHER_REPLY + 2 * count(text)
