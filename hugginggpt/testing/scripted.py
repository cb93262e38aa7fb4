"""A scripted language model, and the plans that it answers with.

llm = ScriptedLLM(plan=plan(task(0, "image-to-text", image="/examples/a.jpg")), respond="A cat.")
...  # run requests with it
assert llm.messages("respond")[0][-1]["content"] == "Describe a.jpg"
llm.check_used_up()
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any

from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import Message, Reply, Schema, Stage, Tool
from hugginggpt.llm.tokens import TokenCounter

Scripted = str | Exception | Callable[[Sequence[Message]], str]
"""A reply: a text, an exception to raise, or a function of the messages."""


class ScriptedLLM:
    """A language model (`hugginggpt.llm.base.LLM`) that gives the replies of a script; usable from several threads.

    `script` gives the replies of each stage (plan, select, task, respond, chat, judge, goal, reword): one, or a list of
    them in order. A call beyond the script raises AssertionError; `check_used_up` raises it for replies that are left.
    `calls` keeps (stage, messages) of every call, `bounds` (stage, the most tokens of the reply).
    """

    name = "scripted"
    model = "scripted"

    def __init__(self, **script: Scripted | Sequence[Scripted]) -> None:
        self.script = {
            stage: [replies] if isinstance(replies, str | Exception) or callable(replies) else list(replies)
            for stage, replies in script.items()
        }
        self.calls: list[tuple[str, list[Message]]] = []
        self.bounds: list[tuple[str, int | None]] = []
        self.count = TokenCounter()
        self._lock = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stage: Stage,
        schema: Schema | None = None,
        tools: Sequence[Tool] = (),
        most: int | None = None,
    ) -> Reply:
        """The next reply of the script for this stage, whole."""
        with self._lock:
            self.calls.append((stage, list(messages)))
            self.bounds.append((stage, most))
            replies = self.script.get(stage)
            assert replies, f"the script has no (further) reply for the stage {stage}"
            reply = replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else reply(messages)
        return Reply(text, Usage(sum(self.count(m["content"]) for m in messages), self.count(text), 1), self.model)

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None, most: int | None = None
    ) -> Generator[str, None, Reply]:
        """The next reply of the script for this stage, four characters at a time."""
        reply = self.complete(messages, stage=stage, schema=schema, most=most)
        for at in range(0, len(reply.text), 4):
            yield reply.text[at : at + 4]
        return reply

    def close(self) -> None:
        """Does nothing: there are no connections."""

    def messages(self, stage: Stage) -> list[list[Message]]:
        """The messages of each call at a stage, in order."""
        return [messages for called, messages in self.calls if called == stage]

    def check_used_up(self) -> None:
        """Raises AssertionError where the script has replies that nothing called for."""
        left = {stage: len(replies) for stage, replies in self.script.items() if replies}
        assert not left, f"replies of the script that were never used: {left}"


def task(number: int, name: str, dep: list[int] | None = None, **args: Any) -> dict[str, Any]:
    """A task as a planner writes it; `dep` are the numbers of the tasks before it."""
    return {"task": name, "id": number, "dep": dep or [-1], "args": args}


def plan(*tasks: dict[str, Any]) -> str:
    """A plan of these tasks, as a language model writes it."""
    return json.dumps({"tasks": tasks})
