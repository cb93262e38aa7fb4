"""Leave for a plan: it is shown as a table; a person agrees, refuses, edits it, or says what should be different."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hugginggpt.core.errors import HuggingGPTError, UserError
from hugginggpt.core.plan import Plan
from hugginggpt.core.usage import Usage
from hugginggpt.goals.display import escaped
from hugginggpt.stages.plan_files import GIVEN, checked_plan, plan_of_text, refuse_problems
from hugginggpt.stages.run import Run, Runner
from hugginggpt.terminal.follow import follow

HELP = "y: run it, n: leave it, e: edit it, or say in a sentence what should be different"
SHOWN_CHARS = 300
Ask = Callable[[str], str]
Edit = Callable[[str], str | None]


def edit_in_editor(text: str) -> str | None:
    """The text as a person leaves it in $VISUAL or $EDITOR; None where it was not saved. Raises UserError."""
    try:
        return click.edit(text, extension=".json")
    except click.ClickException as error:
        raise UserError(f"{error.format_message()} Set EDITOR to an editor that there is.") from error


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan for the request of a run, and who made it."""

    run: Run
    plan: Plan
    planned_by: Mapping[str, Any]

    def to_run(self, controller: Runner) -> Run:
        """A run of the plan; the time that the decision took does not count."""
        run = controller.prepare(self.run.messages, self.run.files, self.run.turns)
        run.nearby, run.planner = self.run.nearby, self.run.planner
        run.plan, run.planned_by = self.plan, self.planned_by
        return run


def proposed(controller: Runner, run: Run, say: Callable[[str], None]) -> Proposal:
    """The plan for a run, of which nothing is run. Raises the error of the planning."""
    record = follow(controller, run, "plan", quiet=True)
    if record.error:
        raise HuggingGPTError(record.error)
    for notice in record.notices:
        say(notice)
    return Proposal(run, record.plan, {**record.planned_by, "usage": record.usage.get("plan", Usage())})


class Approval:
    """Asks on a console for leave to run plans; nothing is run before. `about` says more of a run that is planned."""

    def __init__(
        self,
        controller: Runner,
        console: Console,
        ask: Ask | None = None,
        edit: Edit = edit_in_editor,
        about: Callable[[Run], str] = lambda run: "",
    ) -> None:
        self.controller, self.console, self.about = controller, console, about
        self.ask: Ask = ask or console.input
        self.edit = edit

    def run_of(self, run: Run) -> Run | None:
        """A run of the plan that was agreed to, None if none was. Raises the error of the planning.

        Of a request without a task there is nothing to agree to.
        """
        proposal = self._planned(run)
        while proposal.plan.tasks:
            self._show(proposal)
            try:
                answer = self.ask("> ").strip()
            except EOFError:
                return None
            match answer.lower():
                case "":
                    continue
                case "y" | "yes":
                    break
                case "n" | "no":
                    return None
                case "e" | "edit":
                    proposal = self._edited(proposal)
                case _:
                    proposal = self._planned_anew(proposal, answer)
        return proposal.to_run(self.controller)

    def _planned(self, run: Run) -> Proposal:
        return proposed(self.controller, run, self._say)

    def _planned_anew(self, before: Proposal, sentence: str) -> Proposal:
        """The plan for the request with a further sentence; the language model is shown the one before."""
        run = before.run
        messages = [*run.messages[:-1], {"role": "user", "content": f"{run.request}\n{sentence}"}]
        again = self.controller.prepare(messages, run.files, run.turns)
        again.nearby, again.planner, again.rejected = run.nearby, run.planner, before.plan.to_json()
        made = self._planned(again)
        if not made.plan.tasks:
            self._say("No plan was found for that: the one before stands. Say it in other words, or edit it (e).")
            return before
        if made.plan.to_json() == before.plan.to_json():
            self._say("That is the same plan again: say it in other words, or edit it (e).")
        return made

    def _edited(self, before: Proposal) -> Proposal:
        """The plan as a person has edited it; edited again as long as it cannot be run, if that is wanted."""
        text = _as_text(before.plan)
        while True:
            try:
                edited = self.edit(text)
                if edited is None:
                    self._say("Nothing was changed.")
                    return before
                text = edited
                return self._checked(before, text)
            except UserError as error:
                self._say(str(error))
            try:
                again = self.ask("Enter: edit it again, n: leave the plan as it was > ")
            except EOFError:
                return before
            if again.strip().lower().startswith("n"):
                return before

    def _checked(self, before: Proposal, text: str) -> Proposal:
        """Raises UserError for a plan that cannot be run."""
        given = replace(plan_of_text(text), questions=before.plan.questions)
        plan = checked_plan(given, self.controller.table, before.run)
        refuse_problems(plan)
        return Proposal(before.run, plan, {"planner": GIVEN, "why": "it was edited before it was run"})

    def _show(self, proposal: Proposal) -> None:
        plan = proposal.plan
        table = Table("", "task", "after", "arguments", "", box=None, padding=(0, 1))
        for task in plan:
            given = ", ".join(f"{name}: {_shown(value)}" for name, value in task.args.items())
            notes = [f"cannot be run: {task.problem}"] if task.problem else []
            notes += ["under a condition"] if task.when else []
            notes += [f"with {task.model}"] if task.model else []
            cells = (str(task.id), task.task, ", ".join(map(str, task.dep)), given, "; ".join(notes))
            table.add_row(*(Text(escaped(cell)) for cell in cells))
        self.console.print(table)
        for part in plan.unplanned:
            self._say(f"Not planned: “{part.text}”")
        about = self.about(proposal.to_run(self.controller))
        for line in filter(None, (*plan.notes, about, HELP)):
            self._say(line)

    def _say(self, text: str) -> None:
        self.console.print(Text(escaped(text)), soft_wrap=True)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]} …"


def _as_text(plan: Plan) -> str:
    """The tasks as JSON, one a line."""
    lines = (json.dumps(task, ensure_ascii=False) for task in plan.to_json())
    return "[\n  " + ",\n  ".join(lines) + "\n]\n"
