"""The interactive chat in a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO, cast

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from rich.console import Console
from rich.markup import escape

from hugginggpt.common.signals import forget_signals
from hugginggpt.core.conversation import Attachment, Turn
from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.core.events import RunRecord
from hugginggpt.core.plan import Change
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.run import Run, Runner, turn_of
from hugginggpt.terminal.approval import Approval
from hugginggpt.terminal.follow import follow, prepared

AGAIN = "/again 0 MODEL, /again 1 language=German"
HISTORY = ".hugginggpt_history"
COMMANDS = {
    "/help": "this list",
    "/plan": "the plan of the last request",
    "/results": "its results",
    "/approve": "ask before a plan is run; again: no longer",
    "/again": "TASK MODEL, or TASK NAME=VALUE: do a task of the last plan again, and what depends on it",
    "/attach": "FILE or URL: attach it to the next request",
    "/files": "the files of this chat",
    "/reset": "start a new conversation",
    "/exit": "leave (also Ctrl-D)",
}


class Chat:
    """A conversation: its turns, the records of its requests, and the files attached to the next one."""

    def __init__(
        self, controller: Runner, console: Console, quiet: bool = False, approval: Approval | None = None
    ) -> None:
        self.controller = controller
        self.console = console
        self.quiet = quiet
        self.approval = approval or Approval(controller, console)
        self.approve = approval is not None
        self.media = MediaStore(controller.config)
        self.turns: list[Turn] = []
        self.records: list[RunRecord] = []
        self.attached: list[Attachment] = []

    def say(self, line: str) -> bool:
        """Handles one line of input; False ends the chat."""
        line = line.strip()
        if line in ("exit", "quit", "/exit", "/quit"):
            return False
        if line.split(maxsplit=1)[:1] == ["/attach"]:
            self._attach(line.removeprefix("/attach").strip())
        elif line.split(maxsplit=1)[:1] == ["/again"]:
            self._again(line.removeprefix("/again"))
        elif line.startswith("/") and " " not in line and line.count("/") == 1 and "." not in line:
            self._command(line)
        elif line:
            self._request(line)
        return True

    def _request(self, line: str) -> None:
        """Runs a request; Ctrl-C cancels it and keeps the chat and the attachments."""
        done = self._run(lambda: prepared(self.controller, line, self.attached, self.turns), self.approve)
        if done and done[1].message:
            self.turns.append(turn_of(*done))
            self.attached = []

    def _again(self, words: str) -> None:
        """Does a task of the last request again; the new answer takes the place of the old one."""
        number, _, what = words.strip().partition(" ")
        name, is_argument, value = what.strip().partition("=")
        if not number.isdecimal() or not name or not self.records:
            self.console.print(f"Say which task of the last request, and its model or an argument: {AGAIN}")
            return
        change = Change(int(number), args={name.strip(): value.strip()}) if is_argument else Change(int(number), name)
        last = self.records[-1].run_id
        done = self._run(lambda: self.controller.again(last, change), approve=False)
        if done and done[1].message and not done[1].nothing_done:
            self.turns[-1:] = [turn_of(*done)]

    def _run(self, make: Callable[[], Run], approve: bool) -> tuple[Run, RunRecord] | None:
        """A run to its end, with its record; None if it was cancelled, refused, or could not begin."""
        try:
            run: Run | None = make()
            if run and approve:
                run = self.approval.run_of(run)
            if run is None:
                self.console.print("Nothing was run.")
                return None
            record = follow(self.controller, run, "answer", self.quiet, cast(TextIO, self.console.file))
        except KeyboardInterrupt:
            forget_signals()
            self.console.print("[yellow]Cancelled.[/]")
            return None
        except HuggingGPTError as error:
            self.console.print(f"[red]{escape(str(error))}[/]")
            return None
        self.records.append(record)
        if record.error:
            self.console.print(f"[red]{escape(record.error)}[/]")
        return run, record

    def _attach(self, item: str) -> None:
        """Attaches a file or URL to the next request."""
        if not item:
            self.console.print("Name the file or URL: /attach FILE.")
            return
        try:
            self.attached.append(self.media.attachment(item.strip("\"'")))
        except HuggingGPTError as error:
            self.console.print(f"[red]{escape(str(error))}[/]")
            return
        names = ", ".join(file.name for file in self.attached)
        self.console.print(f"Attached to the next request: {names}", markup=False, highlight=False, soft_wrap=True)

    def _command(self, command: str) -> None:
        last = self.records[-1] if self.records else RunRecord()
        match command:
            case "/plan":
                self._print_json(last.plan.to_json())
            case "/results":
                self._print_json(last.results)
            case "/approve":
                self.approve = not self.approve
                self.console.print("Plans need your leave." if self.approve else "Plans are run at once.")
            case "/files":
                files = [file for record in self.records for file in record.files]
                self.console.print("\n".join(files) or "No files yet.", markup=False, highlight=False)
            case "/reset":
                self.turns.clear()
                self.records.clear()
                self.attached.clear()
                self.console.print("Forgotten.")
            case _:
                if command != "/help":
                    self.console.print(f"There is no command {command}.", markup=False, highlight=False)
                for name, about in COMMANDS.items():
                    self.console.print(f"  {name:10} {about}", markup=False, highlight=False)

    def _print_json(self, value: object) -> None:
        self.console.print(json.dumps(value, ensure_ascii=False, indent=2, default=str), markup=False, soft_wrap=True)


def chat(controller: Runner, quiet: bool = False, approve: bool = False, lines: Sequence[str] | None = None) -> None:
    """Reads lines until the user leaves, or handles the given ones; with `approve` each plan needs leave."""
    console = Console()
    if lines is not None:
        _say_all(lines, Chat(controller, console, quiet))
        return
    name = controller.config.llm_name
    console.print(f"JARVIS (HuggingGPT), language model: {name}. /help lists the commands, Ctrl-C cancels a request.")
    if name == "offline":
        console.print("No key is set: planning and answering work offline. --doctor says what to set for more.")
    conversation = Chat(controller, console, quiet, Approval(controller, console) if approve else None)
    session: PromptSession[str] = PromptSession(
        history=_history(),
        auto_suggest=AutoSuggestFromHistory(),
        completer=WordCompleter(list(COMMANDS), sentence=True),
    )
    while True:
        try:
            line = session.prompt("You: ")
        except KeyboardInterrupt:
            forget_signals()
            continue
        except EOFError:
            return
        if not conversation.say(line):
            return


def _say_all(lines: Sequence[str], conversation: Chat) -> None:
    """Handles lines that were piped in, each shown before its answer, as a terminal shows what is typed."""
    for line in lines:
        conversation.console.print(f"You: {line}", markup=False, highlight=False, soft_wrap=True)
        if not conversation.say(line):
            return


def _history() -> History:
    """The input history; of this chat only if the home folder is not writable."""
    file = Path.home() / HISTORY
    try:
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))
