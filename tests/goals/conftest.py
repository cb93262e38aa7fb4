"""Goals in a folder of the test, with a real workspace and a scripted language model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.goals.commands import LeadsElsewhere
from hugginggpt.goals.events import GoalEvent, Verdict
from hugginggpt.goals.goal import Limits, checked_goal
from hugginggpt.goals.loop import Decision, GoalLoop, Parts
from hugginggpt.goals.policy import Policy, Rules
from hugginggpt.goals.prompts import Prompter
from hugginggpt.goals.table import command_table
from hugginggpt.goals.thinking import LLMThinker, PlainThinker
from hugginggpt.goals.tools import Tools
from hugginggpt.goals.workspace import Workspace
from hugginggpt.llm.base import LLM
from hugginggpt.testing import ScriptedLLM

LIMITS = Limits(steps=25, tokens=1_000_000, seconds=600, cost=1.0)


def said(command: str, thought: str = "next", **args: Any) -> str:
    """A reply as AutoGPT's prompt asks for it."""
    thoughts = {"text": thought, "reasoning": "r", "plan": "- a", "criticism": "c", "speak": "s"}
    return json.dumps({"thoughts": thoughts, "command": {"name": command, "args": args}})


@dataclass
class Hit:
    title: str
    url: str
    snippet: str


@dataclass
class WebPage:
    url: str
    title: str
    text: str
    addresses: list[str] = field(default_factory=list)

    @property
    def links(self) -> list[Hit]:
        return [Hit("", address, "") for address in self.addresses]


@dataclass
class SmallWeb:
    """A web of a few pages; `visited` keeps what was asked for."""

    pages: dict[str, WebPage] = field(default_factory=dict)
    hits: list[Hit] = field(default_factory=list)
    visited: list[str] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)

    def search(self, query: str) -> Sequence[Hit]:
        self.visited.append(query)
        return self.hits

    def read(self, url: str) -> WebPage:
        self.visited.append(url)
        if target := self.elsewhere.get(url):
            raise LeadsElsewhere(f"{url} leads to another host: {target}", target)
        if url not in self.pages:
            raise HuggingGPTError(f"{url} answers 404.")
        return self.pages[url]


@dataclass
class Program:
    exit_code: int
    stdout: str
    stderr: str = ""
    limit: str = ""
    problems: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()


class Bench:
    """Makes loops over one folder; `script` are the replies of the language model, in order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "0123456789ab"
        self.files = Workspace(self.folder / "workspace")
        self.web = SmallWeb()
        self.loops: list[GoalLoop] = []
        self.programs: list[str] = []
        self.output: Callable[[str], str] = "{} ran".format
        self.rules = Rules()
        self.native = False
        self.window = 16384
        self.more: dict[str, Any] = {}

    def parts(self, llm: LLM | None) -> Parts:
        table = command_table()
        tools = Tools(files=self.files, llm=llm, web=self.web, run_program=self.run, **self.more)
        thinker = LLMThinker(llm, Prompter(table, llm.count, self.window, self.native)) if llm else PlainThinker()
        return Parts(thinker, tools, table, Policy(self.rules), secrets=("sk-very-secret",))

    def run(self, path: str, arguments: Sequence[str], seconds: float) -> Program:
        self.programs.append(path)
        return Program(0, self.output(path))

    def begin(
        self, *script: Any, goal: str = "Do it.", limits: Limits = LIMITS, continuous: int = 0, llm: LLM | None = None
    ) -> GoalLoop:
        """A new goal."""
        parts = self.parts(llm or ScriptedLLM(goal=list(script)))
        loop = GoalLoop.begin(parts, self.folder, checked_goal([goal]), limits, continuous)
        self.loops.append(loop)
        return loop

    def again(self, *script: Any, limits: Limits = LIMITS, llm: LLM | None = None, **kwargs: Any) -> GoalLoop:
        """The goal from its journal, in what would be another process."""
        while self.loops:
            self.loops.pop().close()
        parts = self.parts(llm or ScriptedLLM(goal=list(script)))
        self.loops.append(GoalLoop.reopen(parts, self.folder, limits, **kwargs))
        return self.loops[-1]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    for loop in made.loops:
        loop.close()


Answer = str | tuple[Verdict, str]


def follow(loop: GoalLoop, *answers: Answer, until: Callable[[GoalEvent], bool] | None = None) -> list[GoalEvent]:
    """The events to the end, or to a decision for which no answer is left; each answer is y, y -N, n or a feedback."""
    events: list[GoalEvent] = []
    left = list(answers)
    while True:
        for event in loop.advance():
            events.append(event)
            if until and until(event):
                return events
        if loop.state.done or not left:
            return events
        events.append(loop.decide(decision(loop, left.pop(0))))


def decision(loop: GoalLoop, answer: Answer) -> Decision:
    from hugginggpt.goals.answers import read_answer

    assert loop.state.pending
    step, hashed = loop.state.pending.step, loop.state.pending.hash
    if isinstance(answer, tuple):
        return Decision(step, hashed, *answer)
    return read_answer(answer, step, hashed, question=bool(loop.state.pending.question))
