"""What stands in answers, names and results commands no terminal."""

from __future__ import annotations

import io

from rich.console import Console

from hugginggpt.core.events import Failed, Notice, Planned, RunRecord
from hugginggpt.goals.display import without_controls
from hugginggpt.terminal.follow import follow, prepared
from hugginggpt.terminal.progress import LiveTable
from hugginggpt.testing import ScriptedLLM
from hugginggpt.testing.scripted import plan
from tests.conftest import MakeConfig, controller_with, parse_plan

TITLE = "\x1b]0;owned\x07"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_control_characters_become_codes_and_what_scripts_need_stays() -> None:
    assert without_controls(f"{TITLE}\ta\n\x9b2J\r") == "\\x1b]0;owned\\x07\ta\n\\x9b2J\\r"
    assert without_controls("می\u200cخواهم 👩\u200d🚀 \u200fשלום") == "می\u200cخواهم 👩\u200d🚀 \u200fשלום"


def test_an_answer_commands_no_terminal_and_stays_as_it_is_elsewhere(make_config: MakeConfig) -> None:
    for speak, shown in ((Screen(), without_controls(TITLE)), (io.StringIO(), TITLE)):
        llm = ScriptedLLM(plan=[plan()], chat=[f"Hello {TITLE} there."])
        controller = controller_with(make_config(), llm)
        follow(controller, prepared(controller, "Hello, who are you?"), "answer", True, speak)
        assert shown in speak.getvalue() and ("\x1b" in speak.getvalue()) is (shown == TITLE)


def test_the_table_shows_names_and_results_as_they_are() -> None:
    screen = io.StringIO()
    table, record = LiveTable(Console(file=screen, force_terminal=True, width=200, color_system=None)), RunRecord()
    planned = Planned(parse_plan(plan({"task": "[/x]", "args": {"text": "long"}})))
    for event in (planned, Failed(0, f"{TITLE} failed"), Notice(TITLE)):
        record.apply(event)
        table.show(event, record)
    table.close(record)
    assert "[/x]" in screen.getvalue() and "]0;owned" in screen.getvalue()
    assert "\x1b]0" not in screen.getvalue()
