"""Another way of saying a request that the offline planner does not understand: a language model says it again, as one
plain English request that stands for itself, and the offline planner plans that.

The files and numbers of the request have to be in it, so that what is planned is about the same things.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import replace

from hugginggpt.core.events import Event, PromptRead
from hugginggpt.llm.base import LLM, Reading
from hugginggpt.llm.bounds import text_tokens
from hugginggpt.llm.prompts import Prompts
from hugginggpt.media.names import base_name
from hugginggpt.stages.run import Run

BEFORE_CHARS, MOST_FILES = 300, 8
"""How much of the request before is told, and how many files of the conversation, the latest first."""
MOST_TOKENS = 200
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class Rewording:
    """Has a language model say a request again."""

    def __init__(self, llm: LLM, prompts: Prompts) -> None:
        self.llm = llm
        self.prompts = prompts

    @staticmethod
    def is_worthwhile(run: Run) -> bool:
        """Whether there is anything in the conversation for which something could be planned."""
        return bool(run.known_files or any(one.is_file for one in run.named) or any(turn.tasks for turn in run.turns))

    def of(self, run: Run) -> Generator[Event, None, Run | None]:
        """The run with its request in other words; None where there are none that say the same.

        Raises BackendError.
        """
        files = list(dict.fromkeys(base_name(file.name) for file in run.known_files))[:MOST_FILES]
        before = run.turns[-1].request[:BEFORE_CHARS] if run.turns else ""
        messages = self.prompts.reword(run.request, before, files)
        most = min(MOST_TOKENS, text_tokens(run.request, self.llm.count))
        pieces = run.stream(self.llm.stream(messages, stage="reword", most=most))
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                reply = end.value
                break
            if isinstance(piece, Reading):
                yield PromptRead(piece.read, piece.total)
        run.spend(reply.usage, "plan")
        said = " ".join(reply.text.split())
        if reply.cut_off or not self._says_the_same(said, run):
            return None
        message = {**run.messages[-1], "content": said}
        return replace(run, messages=[*run.history, message], _named=None, _models=None)

    @staticmethod
    def _says_the_same(said: str, run: Run) -> bool:
        """Whether the numbers and files of the request are in what is said, and it is another one."""
        named = [one.text for one in run.named if one.is_file]
        has_files = all(base_name(name) in said for name in named)
        has_numbers = set(_NUMBER.findall(run.request)) <= set(_NUMBER.findall(said))
        return bool(said) and said != run.request and has_files and has_numbers
