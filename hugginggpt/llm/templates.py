"""Texts of the configuration and of demos/ as templates: their `{{slots}}` are checked when they are read.

Jinja2 in its sandbox. A value is never read as a template, whatever braces a user or a model writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

from hugginggpt.core.errors import ConfigError

SLOTS: Mapping[str, tuple[str, ...]] = {
    "parse_task": ("tasks", "input", "context"),
    "choose_model": ("input", "task", "metas", "call", "candidates"),
    "response_results": ("input", "processes", "results", "facts"),
}
"""What the texts of each stage may name: the task table, the request, the chat before it; a task and its candidate
models, as JSON and in few tokens; tasks with their models and results as JSON, without the models in few tokens, and
what code made of the results."""

_ENVIRONMENT = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)


@lru_cache(maxsize=256)
def read_template(text: str, stage: str, setting: str) -> Template:
    """The template of a text, compiled once for all controllers. Raises ConfigError as Template does."""
    return Template(text, stage, setting)


class Template:
    """A text with slots. `setting` says where it stands: "prompt.parse_task", or a file of demonstrations; `slots` are
    the names of those that it has.
    """

    def __init__(self, text: str, stage: str, setting: str) -> None:
        """Raises ConfigError for a slot that the stage does not have, and for a text that is no template."""
        known = SLOTS[stage]
        try:
            self.slots = find_undeclared_variables(_ENVIRONMENT.parse(text))
            unknown = sorted(self.slots - set(known))
            self._template = _ENVIRONMENT.from_string(text)
        except TemplateError as error:
            raise ConfigError(f"{setting} cannot be read as a template: {error}.") from error
        if unknown:
            names = ", ".join(f"{{{{{name}}}}}" for name in known)
            raise ConfigError(f"{setting} names the slot {{{{{unknown[0]}}}}}, which there is not: it may use {names}.")
        self.setting = setting
        self.fill(dict.fromkeys(known, ""))  # what cannot be computed is told now, not in the middle of a request

    def fill(self, slots: Mapping[str, Any]) -> str:
        """The text with its slots filled. Raises ConfigError for an expression that cannot be computed."""
        try:
            return self._template.render(slots)
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise ConfigError(f"{self.setting} cannot be filled in: {error}.") from error
