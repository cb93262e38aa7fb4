"""What the experts for operations have in common: the words that say what is to be done are short."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.experts.registry import expert

MAX_CHARS, MAX_STEPS = 300, 8


def operation(
    id: str, task: str, about: str, packages: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as an expert that follows words; it raises UserError for too many of them."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def checked(*args: Any, **named: Any) -> Any:
            for words in (*args, *named.values()):
                if isinstance(words, str):
                    check(words)
            return function(*args, **named)

        return expert(id, task, about, packages)(checked)

    return register


def check(words: str) -> None:
    """Raises UserError for words that are too long, or ask for too much at a time."""
    if len(words) > MAX_CHARS:
        raise UserError(f"What is to be done is said in {MAX_CHARS} characters at most, not in {len(words):,}.")
    if len(re.findall(r",| and | then ", words)) >= MAX_STEPS:
        raise UserError(f"At most {MAX_STEPS} changes are made at a time: ask for the others afterwards.")
