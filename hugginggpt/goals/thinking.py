"""What the next command is: asked of the language model, or, without one, a plain policy."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

from hugginggpt.core.errors import BackendError, ModelOutputError
from hugginggpt.core.results import well_formed
from hugginggpt.goals.agents import AgentPrompter
from hugginggpt.goals.budget import REPLY_TOKENS
from hugginggpt.goals.commands import BadCall
from hugginggpt.goals.goal import Thoughts
from hugginggpt.goals.prompts import HUMAN, Prompter
from hugginggpt.goals.replies import Call, read_reply
from hugginggpt.goals.state import COMPLETE, GoalState, Step
from hugginggpt.goals.tools import FILE_NAME, Spend
from hugginggpt.llm.base import LLM, Message, Reply

REPORT = "report.md"
_CLAUSE = re.compile(r"[.!?;]\s+|,?\s+(?:and then|and|then)\s+", re.IGNORECASE)
"""Where a clause of a goal ends."""


class Thinker(Protocol):
    """Proposes commands. Methods that ask the language model raise BackendError when the language model fails."""

    name: str

    def check(self, state: GoalState) -> None:
        """Raises UserError for a goal that cannot be worked on."""

    def prompt_tokens(self, state: GoalState) -> int:
        """How many tokens the next prompt takes."""

    def compact_until(self, state: GoalState) -> int:
        """The step up to which steps should be told in a line each; 0: none."""

    def next_call(self, state: GoalState, spend: Spend) -> Call:
        """The next command. Raises ModelOutputError for a reply that cannot be used."""

    def agent_tokens(self, state: GoalState) -> int:
        """How many tokens the next prompt of the agent that works takes."""

    def agent_call(self, state: GoalState, spend: Spend) -> Call | str:
        """The next command of the agent that works, or its answer. Raises ModelOutputError."""

    def answer(self, state: GoalState, why: str, tokens: int | None, spend: Spend) -> str:
        """The answer where the work ends early, for at most so many tokens; empty if there is none."""

    def result_tokens(self) -> int:
        """How many tokens of a result are told."""


class LLMThinker:
    """Asks a language model: with native tools where the service offers them, else for AutoGPT's JSON.

    A model that was offered tools and called none is asked for JSON from then on: many services accept tools that their
    model does not know how to call, and hold its replies to the JSON schema only where none are sent.
    """

    def __init__(self, llm: LLM, prompter: Prompter) -> None:
        self.llm, self.name = llm, llm.name
        self._use(prompter)

    def _use(self, prompter: Prompter) -> None:
        self.prompter, self.agents = prompter, AgentPrompter(prompter)

    def check(self, state: GoalState) -> None:
        self.prompter.check(state)

    def prompt_tokens(self, state: GoalState) -> int:
        return self.prompter.size(self.prompter.messages(state))

    def compact_until(self, state: GoalState) -> int:
        return self.prompter.compact_until(state)

    def next_call(self, state: GoalState, spend: Spend) -> Call:
        table = self.prompter.table
        tools = [row.tool for row in table.rows] if self.prompter.tools else []
        reply = self.llm.complete(self.prompter.messages(state), stage="goal", schema=table.schema, tools=tools)
        spend(reply.usage)
        if tools and not reply.calls:
            self._use(replace(self.prompter, tools=False))
        return read_reply(replace(reply, text=well_formed(reply.text)))

    def agent_tokens(self, state: GoalState) -> int:
        return self.agents.size(self.agents.messages(state))

    def agent_call(self, state: GoalState, spend: Spend) -> Call | str:
        table = self.agents.table
        tools = [row.tool for row in table.rows] if self.prompter.tools else []
        reply = self.llm.complete(self.agents.messages(state), stage="task", schema=table.schema, tools=tools)
        spend(reply.usage)
        text: str = well_formed(reply.whole()).strip()
        if not reply.calls and text and not text.startswith(("{", "```", "<")):
            return text  # an answer in words
        call = read_reply(replace(reply, text=text))
        try:
            ends = table.find(call.command).name == COMPLETE
        except BadCall:
            ends = False
        if not ends:
            return call
        return str(call.args.get("reason") or call.thoughts.text or "It gave no answer.")

    def answer(self, state: GoalState, why: str, tokens: int | None, spend: Spend) -> str:
        messages = self.prompter.answer_messages(state, why)
        if tokens is not None and self._size(messages) + REPLY_TOKENS > tokens:
            return ""
        reply = self.llm.complete(messages, stage="goal")
        spend(reply.usage)
        return _plain_answer(reply)

    def _size(self, messages: list[Message]) -> int:
        return sum(self.llm.count(message["content"]) for message in messages)

    def result_tokens(self) -> int:
        return self.prompter.result_tokens


def _plain_answer(reply: Reply) -> str:
    """The text of an answer; small models write one more command, whose reason or thought is one."""
    try:
        call = read_reply(reply)
    except ModelOutputError:
        return reply.text.strip()
    reason = call.args.get("reason")
    return reason if isinstance(reason, str) else call.thoughts.text or call.thoughts.speak


class PromptlessThinker:
    """What is the same for all that think without a language model."""

    def check(self, state: GoalState) -> None:
        pass

    def prompt_tokens(self, state: GoalState) -> int:
        return 0

    def compact_until(self, state: GoalState) -> int:
        return 0

    def agent_tokens(self, state: GoalState) -> int:
        return 0

    def agent_call(self, state: GoalState, spend: Spend) -> Call | str:
        return "An agent needs a language model, and there is none any more."

    def answer(self, state: GoalState, why: str, tokens: int | None, spend: Spend) -> str:
        return ""

    def result_tokens(self) -> int:
        return 2000


class PlainThinker(PromptlessThinker):
    """Without a language model: each goal goes through HuggingGPT, the answers are written to a file, done."""

    name = "offline"

    def next_call(self, state: GoalState, spend: Spend) -> Call:
        """The goals in order, then the report, then the end. Raises BackendError where nothing could be done."""
        goals = state.goal.goals
        tried = [step for step in state.steps if step.command == "hugginggpt" and not step.question]
        report = _report_name(state)
        last = state.steps[-1] if state.steps else None
        if last and last.question:
            return Call(Thoughts("An answer is missing."), "ask_user", {"question": last.question})
        if len(tried) < len(goals):
            goal = without_report(goals[len(tried)], report)
            if last and last.command == "ask_user":
                goal = f"{goal} {_answered(last)}"
            thoughts = Thoughts(f"Goal {len(tried) + 1} goes through HuggingGPT.", speak="I have experts work on it.")
            files = [name for name in state.goal.files if name not in goal] if len(goals) == 1 else []
            return Call(thoughts, "hugginggpt", {"request": goal, **({"files": files} if files else {})})
        if not any(step.ok for step in tried):
            why = tried[-1].result.removeprefix("Error: ")
            raise BackendError(f"{why} With a language model more can be tried: --doctor says what to set")
        if not any(step.command == "write_to_file" for step in state.steps):
            asked = [without_report(goal, report) for goal in goals]
            sections = [f"# {goal}\n\n{step.result}" for goal, step in zip(asked, tried, strict=True)]
            text = "\n\n".join(sections) + "\n"
            return Call(Thoughts("The answers are written down."), "write_to_file", {"file": report, "text": text})
        answers = "\n".join(step.result for step in tried if step.ok)
        reason = f"{answers}\nThe report is {report}."
        return Call(
            Thoughts("That is all that can be done without a language model."), "task_complete", {"reason": reason}
        )


def _answered(step: Step) -> str:
    """What the person answered. Raises BackendError if they did not."""
    if not step.result.startswith(HUMAN):
        raise BackendError(f"It was not answered: {step.args['question']}")
    return step.result.removeprefix(HUMAN)


def without_report(goal: str, report: str) -> str:
    """The goal without its clause about the report: "…, and write it to report.md"."""
    at = goal.find(report)
    begin = max((match.end() for match in _CLAUSE.finditer(goal, 0, max(at, 0))), default=0)
    rest = goal[:begin].rstrip(" ,;") if at > 0 else goal
    after = goal[at + len(report) :].lstrip(" .!?;,") if at > 0 else ""
    rest = re.sub(r"[\s,;]+(?:and|then|and then)$", "", rest)
    if not rest:
        return goal
    return f"{rest}{'' if rest[-1] in '.!?' else '.'} {after}" if after else rest


def _report_name(state: GoalState) -> str:
    """The first text file that the goals name and that was not given; else REPORT."""
    named = FILE_NAME.findall("\n".join(state.goal.goals))
    texts = (name for name in named if name.lower().endswith((".md", ".txt")) and name not in state.goal.files)
    return next(texts, REPORT)
