"""`--mode auto`: follows a goal in a terminal and asks for leave."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TextIO

from hugginggpt.common.signals import DONE, INTERRUPTED, NOTHING_DONE, forget_signals
from hugginggpt.core.errors import UserError
from hugginggpt.goals import events as happened
from hugginggpt.goals.answers import read_answer
from hugginggpt.goals.build import GoalWorks
from hugginggpt.goals.commands import Risk
from hugginggpt.goals.display import escaped, shown_arguments
from hugginggpt.goals.goal import DEFAULT_NAME, DEFAULT_ROLE, MAX_GOALS, Goal, checked_goal, read_goal_file
from hugginggpt.goals.loop import GoalLoop
from hugginggpt.goals.state import DecisionRejected
from hugginggpt.llm.services import make_llm
from hugginggpt.stages.run import Runner

Ask = Callable[[str], str]
HELP = "y: run it, y -N: this and the next N-1 (programs are still asked for), n: pause, or say what to do instead"
SHOWN_RESULT, SHOWN_STEPS, SHOWN_GOAL = 600, 3, 80


def auto(args: argparse.Namespace, controller: Runner, ask: Ask = input) -> int:
    """Works on a goal; exit code 0 if it is complete. Raises UserError."""
    if args.list_goals or args.remove_goal:
        return _keep_house(args, GoalWorks(controller.config, controller, None))
    if args.continuous is not None and args.continuous < 1:
        raise UserError("--continuous needs the number of commands that may run without leave, at least 1.")
    works = GoalWorks(controller.config, controller, make_llm(controller.config))
    loop = _loop(args, works, ask)
    follower = Follower(loop, sys.stderr if args.json else sys.stdout, None if args.json else ask, args.quiet)
    if args.speak:
        from hugginggpt.terminal.aloud import say

        follower.say = say
    try:
        follower.begin()
        follower.follow()
    except KeyboardInterrupt:
        forget_signals()
        follower.pause("Interrupted")
        return INTERRUPTED
    finally:
        loop.close()
        if works.llm:
            works.llm.close()
    if args.json:
        print(json.dumps(loop.state.to_json(), ensure_ascii=False, indent=2))
    done = loop.state.done
    return DONE if done and done.stop is happened.Stop.COMPLETE else NOTHING_DONE


def _keep_house(args: argparse.Namespace, works: GoalWorks) -> int:
    """Lists the goals, or removes one."""
    if args.request or args.goals or args.resume or (args.list_goals and args.remove_goal):
        raise UserError("--list-goals and --remove-goal stand alone: give no goal beside them.")
    if args.remove_goal:
        works.remove(args.remove_goal)
        return DONE
    records = works.list()
    if args.json:
        print(json.dumps([asdict(record) for record in records], ensure_ascii=False, indent=2))
        return DONE
    for record in records:
        when = datetime.fromtimestamp(record.changed).strftime("%Y-%m-%d %H:%M")
        what = record.problem or textwrap.shorten(" / ".join(record.goals), SHOWN_GOAL, placeholder=" …")
        print(f"{escaped(record.id)}  {when}  {record.status:<9}  {record.steps:>3} steps  {escaped(what)}")
    return DONE


def _loop(args: argparse.Namespace, works: GoalWorks, ask: Ask) -> GoalLoop:
    continuous = args.continuous or 0
    if args.resume:
        if args.request or args.attach or args.goals:
            raise UserError("--resume goes on with a recorded goal: give no other one beside it.")
        return works.resume(args.resume, continuous=continuous)
    if args.goals and args.request:
        raise UserError("Give either a goal or --goals FILE.")
    limits = works.limits
    if args.goals:
        goal, cost = read_goal_file(Path(args.goals))
        limits = replace(limits, cost=cost) if cost else limits
    elif args.request:
        goal = checked_goal([sys.stdin.read() if args.request == "-" else args.request])
    else:
        goal = asked_goal(ask)
    return works.begin(goal, args.attach, limits=limits, continuous=continuous)


def asked_goal(ask: Ask) -> Goal:
    """The goal that a person names: name, role and up to five goals, as AutoGPT asks. Raises UserError."""
    try:
        name = ask(f"Name of the agent [{DEFAULT_NAME}]: ")
        role = ask(f"{name.strip() or DEFAULT_NAME} is [{DEFAULT_ROLE}]: ")
        goals: list[str] = []
        while len(goals) < MAX_GOALS and (goal := ask(f"Goal {len(goals) + 1} (empty: no more): ").strip()):
            goals.append(goal)
    except EOFError:
        raise UserError('There is no goal: give one ("what is to be reached"), or --goals FILE.') from None
    return checked_goal(goals or [""], name, role)


class Follower:
    """Shows the events of a goal and asks for decisions; without `ask` the goal pauses at the first one."""

    def __init__(self, loop: GoalLoop, out: TextIO, ask: Ask | None, quiet: bool = False) -> None:
        self.loop, self.out, self.ask, self.quiet = loop, out, ask, quiet
        self.say: Callable[[str], None] | None = None
        self.shown = 0
        """The step whose call a person has seen."""

    def begin(self) -> None:
        state = self.loop.state
        self._print(f"Goal {state.id}, language model: {state.llm}. Its files are in {state.workspace}")
        for warning in state.warnings:
            self._print(warning)
        for line in state.past[-SHOWN_STEPS:]:
            self._note(f"Before: {escaped(line)}")

    def follow(self) -> None:
        """To the end, or until it waits for a decision that nobody can give here."""
        while not self.loop.state.done:
            for event in self.loop.advance():
                self.show(event)
            if self.loop.state.pending and not self._decide():
                self.pause("Waiting for a decision")
                return

    def pause(self, why: str) -> None:
        self._print(f"{why}. To go on: --mode auto --resume {self.loop.state.id}")

    def show(self, event: happened.GoalEvent) -> None:
        """Prints what a person should know of an event; all texts of the model escaped."""
        match event:
            case happened.Thought():
                self._show_thought(event)
            case happened.Proposed():
                whole = event.risk in (Risk.NETWORK, Risk.EXECUTE, Risk.DELETE)
                self._note(f"Next: {event.command} {shown_arguments(event.args, whole=whole)}")
                self.shown = 0 if self.quiet or not whole else event.step
            case happened.CommandFinished() if "complete" not in event.changes:
                self._note(f"Result: {_short(event.result)}")
            case happened.CommandFailed():
                self._note(f"Failed: {_short(self.loop.state.step.result)}")
            case happened.Decided(by=happened.By.RULE, verdict=happened.Verdict.DENY):
                self._note(f"Refused: {escaped(event.text)}")
            case happened.ReplyRejected():
                self._note(f"The reply was not used: {_short(event.reason)}")
            case happened.AgentReturned():
                self._note(f"{self._name(event.agent)} answers: {_short(event.answer)}")
            case happened.Stuck():
                self._note(f"It turns in circles: {event.pattern}.")
            case happened.BudgetLow():
                self._note(f"The limit of {event.limit} is nearly reached; the rest is for the answer.")
            case happened.Compacted():
                self._note(f"Steps up to {event.until} are shortened from now on.")
            case happened.Done():
                self._print(escaped(event.message, lines=True))
                for name in event.files:
                    self._note(f"File: {Path(self.loop.state.workspace) / escaped(name)}")

    def _show_thought(self, event: happened.Thought) -> None:
        thoughts = event.thoughts
        self._note(f"\n{self._name(event.agent)}, step {event.step}: {escaped(thoughts.text, lines=True)}")
        for name in ("reasoning", "plan", "criticism"):
            if text := getattr(thoughts, name):
                self._note(f"{name.capitalize()}: {escaped(text, lines=True)}")
        if self.say and thoughts.speak:
            self.say(thoughts.speak)

    def _name(self, agent: str) -> str:
        state = self.loop.state
        return f"Agent {agent} ({escaped(state.agents[agent].name)})" if agent else escaped(state.goal.name)

    def _decide(self) -> bool:
        """Asks until there is a decision; False if nobody answers."""
        pending = self.loop.state.pending
        assert pending
        if self.ask is None:
            return False
        if pending.question:
            self._print(f"Question: {escaped(pending.question, lines=True)}")
        else:
            if self.shown != pending.step:  # quiet, or a goal that waited before
                step = self.loop.state.step
                self._print(f"Next: {step.command} {shown_arguments(step.args, whole=True)}")
            self._print(f"It needs your leave: {escaped(pending.reason)}\n{HELP}")
        while True:
            try:
                answer = self.ask("> ")
            except EOFError:
                return False
            if not answer.strip():
                continue
            try:
                self.loop.decide(read_answer(answer, pending.step, pending.hash, question=bool(pending.question)))
            except DecisionRejected as error:
                self._print(str(error))
            else:
                return True

    def _note(self, text: str) -> None:
        if not self.quiet:
            self._print(text)

    def _print(self, text: str) -> None:
        print(text, file=self.out, flush=True)


def _short(text: str) -> str:
    shown = escaped(text, lines=True)
    return shown if len(shown) <= SHOWN_RESULT else f"{shown[:SHOWN_RESULT]} …"
