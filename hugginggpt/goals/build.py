"""Builds a goal loop from the configuration: in a folder of its own a workspace and a journal."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hugginggpt.common.scratch import remove_abandoned
from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import HuggingGPTError, MediaError, UserError
from hugginggpt.goals.goal import Goal, Limits, Prices
from hugginggpt.goals.journal import WORKSPACE, goal_folder
from hugginggpt.goals.loop import GoalLoop, Parts, new_goal_id
from hugginggpt.goals.policy import Policy, continuous_problems, read_rules
from hugginggpt.goals.prompts import Prompter
from hugginggpt.goals.records import GoalRecord, list_goals, remove_goal
from hugginggpt.goals.table import command_table
from hugginggpt.goals.thinking import LLMThinker, PlainThinker, Thinker
from hugginggpt.goals.tools import Document, Program, Tools
from hugginggpt.goals.workspace import Workspace, WorkspaceLimits
from hugginggpt.llm.base import LLM
from hugginggpt.llm.tokens import CHARS_PER_TOKEN
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.run import Runner

if TYPE_CHECKING:
    from hugginggpt.goals.web_search import Hit

PAID = ("openai", "azure", "huggingface")
"""The services whose tokens cost money."""
NATIVE_CONTEXT = 8000
"""The smallest context in tokens into which the schemas of native tools go, besides the commands in words."""


NO_PRICES = (
    "The cost of this goal is not limited: the prices of the language model are not set (goals.prices in the "
    "configuration). Its tokens are."
)
PAGE_NOTE_CHARS = 100
"""What is told of a page of a file besides its text."""


class ConfiguredWeb:
    """The web as the configuration says."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def search(self, query: str) -> Sequence[Hit]:
        from hugginggpt.goals.web_search import search

        return search(query, self.config)

    def read(self, url: str) -> Document:
        from hugginggpt.goals.web import fetch_document

        return fetch_document(url, self.config)


def _run_in_sandbox(files: Workspace, path: str, arguments: Sequence[str], seconds: float) -> Program:
    from hugginggpt.goals.sandbox import SandboxLimits, run_python

    usual = SandboxLimits()
    return run_python(files, path, arguments, replace(usual, seconds=min(usual.seconds, seconds)))


class GoalWorks:
    """Begins goals and goes on with them."""

    def __init__(self, config: Config, controller: Runner, llm: LLM | None, no_programs: str = "") -> None:
        """`no_programs` says why no programs are run; empty if they are, where there is a sandbox."""
        self.config, self.controller, self.llm, self.no_programs = config, controller, llm, no_programs
        self.folder = config.path(config.goals.folder)
        self.prices = Prices(config.goals.prices.prompt, config.goals.prices.completion)
        remove_abandoned()

    @property
    def limits(self) -> Limits:
        """The limits of the configuration."""
        own = self.config.goals
        return Limits(own.max_steps, own.max_tokens, own.max_seconds, own.max_cost)

    def begin(
        self, goal: Goal, files: Sequence[str | Attachment] = (), *, limits: Limits | None = None, continuous: int = 0
    ) -> GoalLoop:
        """A new goal. `files` are files of this machine, public paths or URLs: they are copied into its workspace.
        An Attachment, which anybody may have named, is never a file of this machine.

        Raises UserError for files or a goal that cannot be used, and for `continuous` without what it needs.
        """
        limits = limits or self.limits
        self._check_continuous(continuous, limits)
        folder = self.folder / new_goal_id()
        try:
            parts = self._parts(folder, limits)
            names = [self._copied(item, parts.tools) for item in files]
            return GoalLoop.begin(parts, folder, replace(goal, files=(*goal.files, *names)), limits, continuous)
        except HuggingGPTError:
            shutil.rmtree(folder, ignore_errors=True)  # nothing of it was worked on
            raise

    def resume(self, goal_id: str, *, limits: Limits | None = None, continuous: int = 0) -> GoalLoop:
        """A goal that goes on where its journal ends ("last": the newest). Raises UserError."""
        limits = limits or self.limits
        self._check_continuous(continuous, limits)
        folder = goal_folder(self.folder, goal_id)
        return GoalLoop.reopen(self._parts(folder, limits), folder, limits, continuous)

    def list(self) -> Sequence[GoalRecord]:
        """All goals, the newest first."""
        return list_goals(self.folder)

    def remove(self, goal_id: str) -> None:
        """Removes a goal with its files. Raises UserError if there is none, GoalBusy while it is at work."""
        remove_goal(self.folder, goal_id)

    def _parts(self, folder: Path, limits: Limits) -> Parts:
        table, config = command_table(), self.config
        rules = read_rules(config.path(config.goals.rules), table, self.folder)
        thinker: Thinker = PlainThinker()
        if self.llm:
            native = config.goals.native_tools and config.context_length >= NATIVE_CONTEXT
            prompter = Prompter(table, self.llm.count, config.context_length, native)
            thinker = LLMThinker(self.llm, prompter)
        page_chars = thinker.result_tokens() * CHARS_PER_TOKEN - PAGE_NOTE_CHARS
        files = Workspace(folder / WORKSPACE, WorkspaceLimits(page_chars=page_chars))
        programs = None if self.no_programs else partial(_run_in_sandbox, files)
        tools = Tools(files, self.controller, self.llm, ConfiguredWeb(config), programs)
        policy = Policy(rules, self.no_programs)
        return Parts(thinker, tools, table, policy, self.prices, config.secrets, self._warnings(limits))

    @property
    def _paid(self) -> bool:
        return self.llm is not None and self.llm.name in PAID

    def _warnings(self, limits: Limits) -> tuple[str, ...]:
        """Which limits have no effect."""
        return (NO_PRICES,) if limits.cost is not None and self._paid and not self.prices.known else ()

    def _check_continuous(self, continuous: int, limits: Limits) -> None:
        if not continuous:
            return
        if problems := continuous_problems(limits, self.prices, self._paid, self._sandbox_problem()):
            raise UserError(f"--continuous is not possible: {'; '.join(problems)}.")

    def _sandbox_problem(self) -> str:
        """Why programs cannot be run in a sandbox; empty if they can."""
        from hugginggpt.goals.sandbox import sandbox_status

        status = sandbox_status()
        return "" if status.name else status.sentence

    def _copied(self, item: str | Attachment, tools: Tools) -> str:
        """Copies a file into the workspace and returns its name there."""
        if isinstance(item, Attachment):
            media = MediaStore(self.config)
            file = media.fetch(item.source) if "://" in item.source else media.resolve(item.source)
            name = file.name if "://" in item.name else Path(item.name.replace("\\", "/")).name or file.name
            return tools.files.write(_free_name(name, tools), file.read_bytes()).path
        local = Path(item).expanduser()
        try:
            if "://" not in item and local.is_file():
                return tools.files.write(local.name, local.read_bytes()).path
        except OSError as error:
            raise MediaError(f"Cannot read the file {item}: {error.strerror or error}.") from error
        attachment = MediaStore(self.config).attachment(item)
        file = self.config.public_file(attachment.source)
        return tools.files.write(file.name, file.read_bytes()).path


def _free_name(name: str, tools: Tools) -> str:
    """The name, with a number if there is such a file already."""
    path = Path(name)
    names = (name if number == 1 else f"{path.stem}-{number}{path.suffix}" for number in itertools.count(1))
    return next(free for free in names if not tools.exists(free))
