"""A goal, what it may take, and what was taken: values that the events of a goal carry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hugginggpt.common.text_files import read_text
from hugginggpt.core.errors import UserError
from hugginggpt.core.usage import Usage

MAX_GOALS = 5
DEFAULT_NAME, DEFAULT_ROLE = "JARVIS", "an assistant that reaches the user's goals"


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be reached, as AutoGPT puts it: the agent's name, its role, and up to five goals.

    `files` are the names under which the person's files stand in the workspace.
    """

    goals: tuple[str, ...]
    name: str = DEFAULT_NAME
    role: str = DEFAULT_ROLE
    files: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All words of the person about it."""
        return "\n".join((self.role, *self.goals))

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Goal:
        return cls(tuple(value["goals"]), value["name"], value["role"], tuple(value["files"]))


@dataclass(frozen=True, slots=True)
class Limits:
    """What a goal may take; None: as much as it wants. `cost` is in the currency of the prices in the configuration."""

    steps: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    cost: float | None = None

    def missing(self) -> list[str]:
        """The names of the limits that are not set."""
        return [name for name, value in asdict(self).items() if value is None]


@dataclass(frozen=True, slots=True)
class Spent:
    """What was taken: tokens and calls of language models, seconds of work (waiting for a person is none), cost."""

    usage: Usage = Usage()
    seconds: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.usage + other.usage, self.seconds + other.seconds, self.cost + other.cost)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Spent:
        return cls(Usage(**value["usage"]), value["seconds"], value["cost"])


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a million tokens; None: unknown."""

    prompt: float | None = None
    completion: float | None = None

    @property
    def known(self) -> bool:
        return self.prompt is not None and self.completion is not None

    def cost(self, usage: Usage) -> float:
        return ((self.prompt or 0) * usage.prompt_tokens + (self.completion or 0) * usage.completion_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class Thoughts:
    """What the model says about its next command."""

    text: str = ""
    reasoning: str = ""
    plan: str = ""
    criticism: str = ""
    speak: str = ""


def read_goal_file(file: Path) -> tuple[Goal, float | None]:
    """The goal in AutoGPT's ai_settings.yaml, and its api_budget. Raises UserError."""
    import yaml

    try:
        content = yaml.safe_load(read_text(file, "the goals", UserError))
    except (yaml.YAMLError, ValueError):
        raise UserError(f"{file} is not valid YAML: it should hold ai_name, ai_role and ai_goals.") from None
    if not isinstance(content, dict) or not isinstance(content.get("ai_goals"), list):
        raise UserError(f"{file} should hold ai_goals, a list of goals, besides ai_name and ai_role.")
    name, role = (
        content.get(key) or default for key, default in (("ai_name", DEFAULT_NAME), ("ai_role", DEFAULT_ROLE))
    )
    budget = content.get("api_budget") or 0
    if isinstance(budget, bool) or not isinstance(budget, int | float) or budget < 0 or not math.isfinite(budget):
        raise UserError(f"{file}: api_budget should be a number, 0 for none.")
    return checked_goal(content["ai_goals"], str(name), str(role)), float(budget) or None


def checked_goal(goals: list[Any], name: str = DEFAULT_NAME, role: str = DEFAULT_ROLE) -> Goal:
    """A goal of these parts. Raises UserError where there is none, or where there are too many."""
    texts = tuple(text.strip() for text in goals if isinstance(text, str) and text.strip())
    if not texts or len(texts) < len(goals):
        raise UserError("A goal is empty or not a text: say in words what is to be reached.")
    if len(texts) > MAX_GOALS:
        raise UserError(f"There are {len(texts)} goals: give at most {MAX_GOALS}.")
    return Goal(texts, name.strip() or DEFAULT_NAME, role.strip() or DEFAULT_ROLE)
