"""`--mode auto` in the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import UserError
from hugginggpt.goals import build
from hugginggpt.goals.answers import read_answer
from hugginggpt.goals.build import GoalWorks
from hugginggpt.goals.display import escaped, shown_arguments
from hugginggpt.goals.events import Verdict
from hugginggpt.goals.goal import checked_goal
from hugginggpt.goals.journal import GoalBusy
from hugginggpt.terminal import auto
from hugginggpt.terminal.cli import main, parser
from hugginggpt.testing import FakeLLM
from tests.conftest import MakeConfig, controller_with


def said(command: str, thought: str = "I think.", **args: object) -> str:
    thoughts = {"text": thought, "reasoning": "because", "plan": "- a", "criticism": "", "speak": "s"}
    return json.dumps({"thoughts": thoughts, "command": {"name": command, "args": args}})


COMPLETE = said("task_complete", reason="All is done.")


@pytest.fixture
def config(make_config: MakeConfig, llm_server: FakeLLM, tmp_path: Path) -> Config:
    return make_config(
        local={"endpoint": llm_server.url}, llm="local", embedded=False, inference_mode="local",
        goals={"folder": str(tmp_path / "goals")},
    )  # fmt: skip


def asking(*answers: str) -> Callable[[str], str]:
    """Answers in order, then the end of the input."""
    left = list(answers)

    def ask(prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return ask


def run(config: Config, *argv: str, answers: tuple[str, ...] = ()) -> int:
    args = parser().parse_args(["--mode", "auto", *argv])
    return auto.auto(args, controller_with(config), asking(*answers))


def test_a_cost_that_cannot_be_limited_is_said(
    config: Config, llm_server: FakeLLM, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "PAID", ("local",))
    llm_server.replies["goal"] = [COMPLETE]
    assert run(config, "-q", "Do it") == 0
    assert build.NO_PRICES in capsys.readouterr().out


def test_a_goal_in_the_terminal(config: Config, llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]) -> None:
    llm_server.replies["goal"] = [
        said("write_to_file", file="a.txt", text="x"),
        said("delete_file", file="a.txt"),
        COMPLETE,
    ]
    assert run(config, "Write and delete.", answers=("", "y")) == 0
    shown = capsys.readouterr().out
    assert "step 1: I think." in shown and "Reasoning: because" in shown
    assert 'Next: write_to_file file="a.txt", text="x"' in shown
    assert "It needs your leave: it deletes a file." in shown and "y -N" in shown
    assert shown.rstrip().endswith("All is done.")


def test_without_an_answer_it_pauses_and_goes_on_later(
    config: Config, llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    llm_server.replies["goal"] = [said("ask_user", question="Which?"), COMPLETE]
    assert run(config, "Ask me.", "-q") == 1
    shown = capsys.readouterr().out
    assert "Question: Which?" in shown and "--mode auto --resume " in shown
    goal_id = shown.split("--resume ")[1].split()[0]
    assert run(config, "--resume", goal_id, "-q", answers=("the blue one",)) == 0
    assert "the blue one" in json.dumps(llm_server.bodies("goal")[-1])


def test_the_goal_is_asked_for_as_autogpt_does(config: Config, llm_server: FakeLLM, tmp_path: Path) -> None:
    llm_server.replies["goal"] = [COMPLETE]
    assert run(config, "-q", answers=("Ada", "a counter", "Count.", "Report.", "")) == 0
    system = llm_server.bodies("goal")[0]["messages"][0]["content"]
    assert "You are Ada, a counter." in system and "1. Count.\n2. Report." in system
    with pytest.raises(UserError, match="There is no goal"):
        run(config)


def test_a_file_of_goals_and_files_for_it(config: Config, llm_server: FakeLLM, tmp_path: Path) -> None:
    llm_server.replies["goal"] = [said("read_file", file="notes.txt"), COMPLETE]
    settings, notes = tmp_path / "ai_settings.yaml", tmp_path / "notes.txt"
    settings.write_text("ai_name: Ada\nai_role: a reader\nai_goals: [Read notes.txt.]\napi_budget: 0\n")
    notes.write_text("It is Tuesday.")
    assert run(config, "--goals", str(settings), "-a", str(notes), "-q") == 0
    first, second = llm_server.bodies("goal")
    assert "File of the user: notes.txt" in first["messages"][-1]["content"]
    assert "It is Tuesday." in second["messages"][-1]["content"]


def test_as_json_nobody_is_asked(config: Config, llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]) -> None:
    llm_server.replies["goal"] = [said("delete_file", file="a.txt")]
    assert run(config, "Delete.", "--json", answers=("y",)) == 1
    state = json.loads(capsys.readouterr().out)
    assert state["phase"] == "wait" and state["pending"]["step"] == 1 and len(state["pending"]["hash"]) == 32


def test_continuous_needs_a_sandbox_and_limits(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto.GoalWorks, "_sandbox_problem", lambda self: "there is no sandbox")
    with pytest.raises(UserError, match="--continuous is not possible: there is no sandbox"):
        run(config, "Do it.", "--continuous", "3")
    with pytest.raises(UserError, match="at least 1"):
        run(config, "Do it.", "--continuous", "0")
    assert not list(config.path(config.goals.folder).glob("*"))


def test_what_does_not_go_together(config: Config, capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["x", "--continuous", "3"], ["x", "--speak"], ["--goals", "f"]):
        assert main(controller_with, argv) == 2
    assert capsys.readouterr().err.count("belong to --mode auto") == 3
    with pytest.raises(UserError, match="goes on with a recorded goal"):
        run(config, "x", "--resume", "last")
    with pytest.raises(UserError, match="Give either"):
        run(config, "x", "--goals", "f")
    with pytest.raises(UserError, match="There is no goal last"):
        run(config, "--resume", "last")


def test_arguments_cannot_fake_the_display(
    config: Config, llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "a.txt\x1b[2K\rNext: do_nothing \u202etxt.\u2066 \x9b1A \u200b"
    llm_server.replies["goal"] = [said("delete_file", f"I \x1b[31mthink {evil}", file=evil)]
    run(config, "Delete.")
    shown = capsys.readouterr().out
    assert not set(shown) & set("\x1b\r\u202e\u2066\x9b\u200b")
    assert "\\x1b[2K\\rNext: do_nothing \\u202etxt." in shown.replace("\\u001b", "\\x1b")


def test_escaping() -> None:
    assert (
        escaped("a\nb\t\x1b\x7f\u202e\ud800é 日本 🦒\U000e0041")
        == "a\\nb\\t\\x1b\\x7f\\u202e\\ud800é 日本 🦒\\U000e0041"
    )
    assert escaped("a\nb", lines=True) == "a\nb"
    long = shown_arguments({"text": "x" * 5000})
    assert len(long) < 2100 and long.endswith("(5002 characters)")
    assert len(shown_arguments({"text": "x" * 5000}, whole=True)) > 5000


@pytest.mark.parametrize(
    ("text", "verdict", "count"),
    [
        ("y", Verdict.APPROVE, 1), ("Yes", Verdict.APPROVE, 1), ("y -3", Verdict.APPROVE, 3), ("y 3", Verdict.APPROVE, 3),
        ("y -0", Verdict.APPROVE, 1), ("n", Verdict.STOP, 1), ("no", Verdict.STOP, 1),
        ("yesterday's file", Verdict.TELL, 1), ("no, the other", Verdict.TELL, 1),
    ],
)  # fmt: skip
def test_answers(text: str, verdict: Verdict, count: int) -> None:
    decision = read_answer(text, 1, "h")
    assert (decision.verdict, decision.count) == (verdict, count)


def test_ctrl_c_keeps_the_goal(config: Config, llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    llm_server.replies["goal"] = [said("delete_file", file="a"), COMPLETE]
    args = parser().parse_args(["--mode", "auto", "Delete."])
    assert auto.auto(args, controller_with(config), interrupt) == 130
    assert "--resume" in capsys.readouterr().out
    assert run(config, "--resume", "last", answers=("Leave it.",)) == 0


def test_goals_are_listed_and_removed(
    config: Config, llm_server: FakeLLM, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(config, "--list-goals") == 0 and capsys.readouterr().out == ""
    llm_server.replies["goal"] = [
        said("write_to_file", file="a.txt", text="x"),
        COMPLETE,
        said("delete_file", file="b"),
    ]
    assert run(config, "Write a.txt.") == 0
    assert run(config, "Delete \x1b[31mb.") == 1
    (tmp_path / "goals" / "broken").mkdir()
    (tmp_path / "goals" / "broken" / "journal.jsonl").write_text("{}\n")
    capsys.readouterr()
    assert run(config, "--list-goals", "--json") == 0
    listed = {
        record["goals"][0] if record["goals"] else record["id"]: record
        for record in json.loads(capsys.readouterr().out)
    }
    assert [(record["status"], record["steps"]) for record in listed.values()] == [
        ("damaged", 0),
        ("waits", 1),
        ("complete", 2),
    ]
    assert run(config, "--list-goals") == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "complete" in shown and "Write a.txt." in shown and "is damaged in line 1" in shown
    goal_id = listed["Write a.txt."]["id"]
    assert run(config, "--remove-goal", goal_id) == 0 and not (tmp_path / "goals" / goal_id).exists()
    for wrong in (goal_id, "last", "../goals", "broken"):
        with pytest.raises(UserError):
            run(config, "--remove-goal", wrong)
    with pytest.raises(UserError, match="stand alone"):
        run(config, "Count.", "--list-goals")
    assert sorted(path.name for path in (tmp_path / "goals").iterdir()) == sorted(
        ["broken", next(record["id"] for record in listed.values() if record["status"] == "waits")]
    )


def test_a_goal_at_work_is_not_removed(config: Config, llm_server: FakeLLM) -> None:
    works = GoalWorks(config, controller_with(config), None)
    loop = works.begin(checked_goal(["Count."]))
    with pytest.raises(GoalBusy):
        works.remove(loop.state.id)
    loop.close()
    works.remove(loop.state.id)
    assert works.list() == []


def test_what_is_approved_is_always_shown(
    config: Config, llm_server: FakeLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    llm_server.replies["goal"] = [said("delete_file", file="important.txt"), COMPLETE]
    run(config, "Delete it", "-q")
    assert "delete_file" in (shown := capsys.readouterr().out) and "important.txt" in shown
    run(config, "--resume", "last", answers=("Leave it.",))
    assert "important.txt" in capsys.readouterr().out
