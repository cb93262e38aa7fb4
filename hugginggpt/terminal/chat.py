"""The interactive chat in a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from rich.console import Console
from rich.markup import escape

from hugginggpt.common.signals import obeyed
from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.core.events import RunRecord
from hugginggpt.stages.run import Runner
from hugginggpt.terminal.follow import follow, prepared

if TYPE_CHECKING:
    from hugginggpt.llm.base import Message

HISTORY = ".hugginggpt_history"
COMMANDS = {
    "/help": "this list",
    "/plan": "the plan of the last request",
    "/results": "its results",
    "/files": "the files of this chat",
    "/reset": "forget what was said",
    "/exit": "leave (also Ctrl-D)",
}


class Chat:
    """A conversation: what was said and the records of its requests."""

    def __init__(self, controller: Runner, console: Console, quiet: bool = False) -> None:
        self.controller = controller
        self.console = console
        self.quiet = quiet
        self.messages: list[Message] = []
        self.records: list[RunRecord] = []

    def say(self, line: str) -> bool:
        """Handles one line of the user; False when the chat is over."""
        line = line.strip()
        if line in ("exit", "quit", "/exit", "/quit"):
            return False
        if line.startswith("/") and " " not in line and line.count("/") == 1 and "." not in line:
            self._command(line)
        elif line:
            self._request(line)
        return True

    def _request(self, line: str) -> None:
        """Runs a request; Ctrl-C cancels it and keeps the chat."""
        self.messages.append({"role": "user", "content": line})
        try:
            record = follow(
                self.controller,
                prepared(self.controller, self.messages),
                "answer",
                self.quiet,
                cast(TextIO, self.console.file),
            )
        except KeyboardInterrupt:
            obeyed()
            self.messages.pop()
            self.console.print("[yellow]Cancelled.[/]")
            return
        except HuggingGPTError as error:
            self.messages.pop()
            self.console.print(f"[red]{escape(str(error))}[/]")
            return
        self.records.append(record)
        if record.message:
            self.messages.append({"role": "assistant", "content": record.message})
        else:
            self.messages.pop()
        if record.error:
            self.console.print(f"[red]{escape(record.error)}[/]")

    def _command(self, command: str) -> None:
        last = self.records[-1] if self.records else RunRecord()
        match command:
            case "/plan":
                self._print_json(last.plan.to_json())
            case "/results":
                self._print_json(last.results)
            case "/files":
                files = [file for record in self.records for file in record.files]
                self.console.print("\n".join(files) or "No files yet.", markup=False, highlight=False)
            case "/reset":
                self.messages.clear()
                self.records.clear()
                self.console.print("Forgotten.")
            case _:
                if command != "/help":
                    self.console.print(f"There is no command {command}.", markup=False, highlight=False)
                for name, about in COMMANDS.items():
                    self.console.print(f"  {name:10} {about}", markup=False, highlight=False)

    def _print_json(self, value: object) -> None:
        self.console.print(json.dumps(value, ensure_ascii=False, indent=2, default=str), markup=False, soft_wrap=True)


def chat(controller: Runner, quiet: bool = False) -> None:
    """Reads lines until the user leaves."""
    console = Console()
    name = controller.config.llm_name
    console.print(f"JARVIS (HuggingGPT), language model: {name}. /help lists the commands, Ctrl-C cancels a request.")
    if name == "offline":
        console.print("No key is set: planning and answering work offline. --doctor says what to set for more.")
    conversation = Chat(controller, console, quiet)
    session: PromptSession[str] = PromptSession(
        history=_history(),
        auto_suggest=AutoSuggestFromHistory(),
        completer=WordCompleter(list(COMMANDS), sentence=True),
    )
    while True:
        try:
            line = session.prompt("You: ")
        except KeyboardInterrupt:
            obeyed()
            continue
        except EOFError:
            return
        if not conversation.say(line):
            return


def _history() -> History:
    """The lines of earlier chats; only of this one where the home folder cannot be written to."""
    file = Path.home() / HISTORY
    try:
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))
