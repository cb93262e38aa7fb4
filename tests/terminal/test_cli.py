"""The command line: in this process where that is enough, as a program where it matters."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from rich.console import Console

import awesome_chat
from hugginggpt.common.paths import GET_LLM, ROOT, install_command
from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment, find_attachment
from hugginggpt.core.errors import UserError
from hugginggpt.experts import registry
from hugginggpt.goals.sandbox import sandbox_status
from hugginggpt.media.named_files import named_files
from hugginggpt.media.references import find_resources, with_attachments
from hugginggpt.terminal.chat import Chat
from hugginggpt.terminal.cli import attachments, copy_files
from hugginggpt.testing import FakeEndpoint, says, task
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault, png, status
from hugginggpt.testing.servers import program_serving
from tests.conftest import MakeConfig, controller_at, controller_with

CONFIG_NAME = "config.yaml"
NO_KEYS = dict.fromkeys(("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "HF_TOKEN", "HUGGINGFACE_ACCESS_TOKEN"), "")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NO_KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def config_file(hub_config: Config, tmp_path: Path) -> str:
    """A configuration with the language model and the Hub on loopback."""
    return str(tmp_path / CONFIG_NAME)


@pytest.fixture
def offline_file(make_config: MakeConfig, tmp_path: Path) -> str:
    make_config()
    return str(tmp_path / CONFIG_NAME)


def program(
    *args: str, stdin: str | None = "", cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "awesome_chat.py"), *args],
        input=stdin, capture_output=True, text=True, timeout=60, cwd=cwd, env={**os.environ, **NO_KEYS, **environment},
    )  # fmt: skip


# As a program


@pytest.mark.slow
def test_a_text_that_is_piped_in_is_what_the_request_is_about(offline_file: str) -> None:
    done = program(
        "Which people are named in this text?", "--config", offline_file, "-q", stdin="Ada met Charles Babbage."
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Charles Babbage" in done.stdout


@pytest.mark.slow
def test_the_answer_says_where_its_files_are(offline_file: str, tmp_path: Path) -> None:
    done = program("Draw the edges of /examples/b.jpg", "--config", offline_file, "-q", "-o", str(tmp_path / "out"))
    place = re.search(r"^Saved: (.+)$", done.stdout, re.MULTILINE)
    assert place and Path(place[1]).parent == tmp_path / "out" and Path(place[1]).is_file()


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import atexit, sys, runpy\nsys.argv = ['awesome_chat.py', '--help']\n"
        "heavy = {'torch', 'transformers', 'diffusers', 'spacy', 'cv2', 'openai', 'flask', 'pydantic', 'rich', 'numpy'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)), file=sys.stderr))\n"
        "runpy.run_path('awesome_chat.py', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert done.stderr.strip() == "[]"
    assert "Exit codes: 0 answered" in done.stdout


def test_a_picture_offline_as_json(offline_file: str) -> None:
    """The main job: a true answer about real pictures, JSON and nothing else on stdout, no torch."""
    request = "A: /examples/a.jpg, B: /examples/b.jpg, C: /examples/c.jpg, how many giraffes are in these pictures?"
    done = program("--config", offline_file, "--json", request)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer) >= {"message", "plan", "results", "files", "timings", "usage", "errors"}
    assert answer["message"].startswith("The detector found 3 giraffes in these 3 pictures: 1 in a.jpg, 2 in b.jpg")
    assert len(answer["files"]) == 3
    assert done.stderr.splitlines()[0] == "Plan: 0 object-detection, 1 object-detection, 2 object-detection"


@pytest.mark.slow
def test_a_question_about_a_recording_offline(offline_file: str) -> None:
    done = program("--config", offline_file, "-q", "Where did Einstein live, according to /examples/speech.wav?")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Albert Einstein lived in Berlin")


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["--config", "/none.yaml", "x"], 2, "error: Cannot read the configuration /none.yaml"),
        (["--llm", "openai", "x"], 2, "error: The language model service openai needs OPENAI_API_KEY"),
        (["--llm", "gpt", "x"], 2, "error: There is no such language model service (it is 'gpt')"),
        ([""], 2, "error: The request is empty"),
        (["x", "-a", "/none.png"], 2, "error: Cannot read the file /none.png: No such file or directory."),
        ([], 2, "error: There is no request"),
        (["--plan", "--results", "x"], 2, "not allowed with argument"),
        (["--frobnicate"], 2, "unrecognized arguments"),
        (["-q", "Transcribe /examples/none.wav"], 1, ""),
    ],
)
def test_mistakes_are_told_in_a_sentence_with_an_exit_code(
    args: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    try:
        ended = awesome_chat.main(args if "--llm" in args else ["--llm", "offline", *args])
    except SystemExit as leaving:
        ended = leaving.code
    out, err = capsys.readouterr()
    assert (ended, "Traceback" in out + err) == (code, False)
    assert said in err


def test_a_mistake_ends_the_program() -> None:
    done = program("--config", "/none.yaml", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: Cannot read the configuration /none.yaml")


@pytest.mark.slow
def test_server_mode_serves(config_file: str, llm_server: FakeLLM, tmp_path: Path) -> None:
    import requests

    config = Path(config_file)
    config.write_text(config.read_text() + "http_listen: {host: 127.0.0.1, port: 0}\n")
    with program_serving(config) as url:
        answer = requests.post(f"{url}/hugginggpt", json={"messages": [{"role": "user", "content": "hi"}]}, timeout=20)
        assert answer.json()["message"] == "Hello!"


# In this process


def main(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = awesome_chat.main(args)
    out = capsys.readouterr()
    return code, out.out, out.err


PLAN = [task(0, "object-detection", image="/examples/b.jpg"), task(1, "image-to-text", [0], image="<GENERATED>-0")]


@pytest.fixture
def planned(llm_server: FakeLLM) -> FakeLLM:
    llm_server.replies["plan"] = json.dumps(PLAN)
    return llm_server


def test_the_answer_on_stdout_and_progress_on_stderr(
    capsys: pytest.CaptureFixture[str], config_file: str, planned: FakeLLM
) -> None:
    code, out, err = main(capsys, "--config", config_file, "What is in it?")
    assert code == 0
    assert out.startswith("It is done.\n\nFiles: ")
    assert "\nSaved: " in out
    assert "Task 1 done in" in err
    assert "a picture of a cat" in err


def test_an_answer_that_breaks_off_is_told_whole(
    capsys: pytest.CaptureFixture[str], config_file: str, planned: FakeLLM
) -> None:
    planned.faults["respond"] = [Fault(half=True)]
    code, out, err = main(capsys, "--config", config_file, "What is in it?")
    assert code == 0
    assert out.count("a picture of a cat") >= 1
    assert "composed without the language model" in err


def test_quiet_shows_no_progress(capsys: pytest.CaptureFixture[str], config_file: str, planned: FakeLLM) -> None:
    assert main(capsys, "--config", config_file, "-q", "What is in it?")[2] == ""


def test_plan_and_results_stop_there(capsys: pytest.CaptureFixture[str], config_file: str, planned: FakeLLM) -> None:
    code, out, _ = main(capsys, "--config", config_file, "--plan", "x")
    assert (code, json.loads(out)) == (0, PLAN)
    code, out, _ = main(capsys, "--config", config_file, "--results", "x")
    assert code == 0
    assert json.loads(out)["1"]["inference result"] == {"generated text": "a picture of a cat"}
    assert not planned.bodies("respond")


def test_a_request_from_standard_input(
    capsys: pytest.CaptureFixture[str], config_file: str, llm_server: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Good morning!\n"))
    assert main(capsys, "--config", config_file, "-")[1] == "Hello!\n"
    assert "Good morning!" in llm_server.bodies("plan")[0]["messages"][-1]["content"]


@pytest.mark.parametrize("piped", ["Good morning!", "Good morning!\n", "\nGood morning!\r\n\n"])
def test_a_request_that_is_piped_in_alone(
    piped: str,
    capsys: pytest.CaptureFixture[str],
    config_file: str,
    llm_server: FakeLLM,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(piped))
    assert main(capsys, "--config", config_file)[:2] == (0, "Hello!\n")
    assert "Good morning!" in llm_server.bodies("plan")[0]["messages"][-1]["content"]


def test_lines_that_are_piped_in_are_a_conversation(
    capsys: pytest.CaptureFixture[str], config_file: str, llm_server: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Good morning!\n\nAnd again!\n/exit\nNever read.\n"))
    code, out, _ = main(capsys, "--config", config_file, "-q")
    assert (code, out) == (0, "You: Good morning!\nHello!\nYou: And again!\nHello!\nYou: /exit\n")
    asked = llm_server.bodies("plan")
    assert len(asked) == 2
    assert "Good morning!" in str(asked[1]["messages"])  # what was said before


def test_attachments_are_listed_beside_the_request(
    capsys: pytest.CaptureFixture[str], config_file: str, llm_server: FakeLLM, public: Path
) -> None:
    picture = str(public.parent / "cat.jpg")
    Path(picture).write_bytes((public / "examples" / "b.jpg").read_bytes())
    main(capsys, "--config", config_file, "What is it?", "-a", picture, "-a", str(public / "examples" / "a.jpg"))
    asked = llm_server.bodies("plan")[0]["messages"][-1]["content"]
    assert asked.startswith("My request: What is it?")  # no chat, no word of it
    assert '[{"name": "cat.jpg", "path": "/uploads/cat-' in asked
    assert '{"name": "a.jpg", "path": "/examples/a.jpg", "kind": "image"}]' in asked  # public: it is not copied
    assert "My request: What is it?\n" in asked


def test_files_are_copied(
    capsys: pytest.CaptureFixture[str], config_file: str, planned: FakeLLM, tmp_path: Path
) -> None:
    code, _, _ = main(capsys, "--config", config_file, "x", "-o", str(tmp_path / "deep" / "out"))
    assert code == 0
    assert [file.suffix for file in (tmp_path / "deep" / "out").iterdir()] == [".jpg"]
    (tmp_path / "file").write_text("")
    code, _, err = main(capsys, "--config", config_file, "x", "-o", str(tmp_path / "file"))
    assert code == 2
    assert "Cannot copy the files" in err


def test_a_language_model_that_fails(capsys: pytest.CaptureFixture[str], config_file: str, llm_server: FakeLLM) -> None:
    llm_server.always["plan"] = status(401)
    code, out, err = main(capsys, "--config", config_file, "x")
    assert (code, out) == (1, "")
    assert "error: The language model service local" in err
    code, out, _ = main(capsys, "--config", config_file, "--json", "x")
    assert code == 1
    assert "refused the key (401)" in json.loads(out)["errors"][0]


@pytest.mark.parametrize("kept", [True, False])
def test_to_resume_is_offered_where_records_are_kept(
    capsys: pytest.CaptureFixture[str], config_file: str, planned: FakeLLM, expert_server: FakeExperts, kept: bool
) -> None:
    expert_server.always = {
        model: status(400) for model, kind in expert_server.models.items() if kind == "object-detection"
    }
    if not kept:
        settings = yaml.safe_load(Path(config_file).read_text())
        Path(config_file).write_text(yaml.safe_dump({**settings, "log_file": None}))
    planned.replies["plan"] = json.dumps([PLAN[0], task(1, "image-to-text", image="/examples/b.jpg")])
    _, _, err = main(capsys, "--config", config_file, "x")
    assert ("To try only these again: --resume " in err) == kept


def test_debug_shows_what_is_sent_without_keys(
    capsys: pytest.CaptureFixture[str], config_file: str, llm_server: FakeLLM
) -> None:
    config = Path(config_file)
    config.write_text(config.read_text().replace("endpoint:", "api_key: sk-secret\n  endpoint:"))
    llm_server.replies["chat"] = "Your key is sk-secret."
    _, _, err = main(capsys, "--config", config_file, "--debug", "What is my key?")
    assert "plan asks local" in err
    assert "What is my key?" in err
    assert "sk-secret" not in err
    assert "***" in err


def test_the_doctor_says_what_can_be_reached(
    capsys: pytest.CaptureFixture[str], config_file: str, llm_server: FakeLLM, expert_server: FakeExperts
) -> None:
    code, out, _ = main(capsys, "--config", config_file, "--doctor")
    assert code == 0
    assert "model fake-model" in out
    assert "hustvl/yolos-tiny (huggingface)" in out


def test_the_doctor_offline(capsys: pytest.CaptureFixture[str], offline_file: str) -> None:
    code, out, _ = main(capsys, "--config", offline_file, "--doctor")
    assert code == 0
    assert "none: planning and answering work offline" in out
    assert "nanodet-coco (embedded)" in out
    assert "set OPENAI_API_KEY" in out and f"one on this machine: {GET_LLM}." in out
    assert sandbox_status().sentence in out
    assert "Web search  " in out


def test_the_doctor_with_nothing_to_check_says_so(capsys: pytest.CaptureFixture[str], offline_file: str) -> None:
    _, out, _ = main(capsys, "--config", offline_file, "--doctor", "--check")
    assert "--check: nothing to call: the configuration has no http_experts" in out


def test_the_doctor_names_the_extra_of_missing_packages(
    capsys: pytest.CaptureFixture[str], offline_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "is_installed", lambda package: package != "cv2")
    _, out, _ = main(capsys, "--config", offline_file, "--doctor")
    assert "packages missing: cv2\n" in out
    assert f"{install_command('experts')}." in out


def test_the_doctor_with_a_service_that_is_not_there(
    capsys: pytest.CaptureFixture[str], make_config: MakeConfig, tmp_path: Path
) -> None:
    make_config(local={"endpoint": "http://127.0.0.1:9"})
    code, out, _ = main(capsys, "--config", str(tmp_path / CONFIG_NAME), "--doctor")
    assert code == 0
    assert "cannot be reached" in " ".join(out.split())


def local_files(request: str) -> list[Attachment]:
    return named_files(request, find_resources(request))


def test_files_the_user_names_may_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.wav").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    request = "Clean mine.wav and none.wav, not /etc/passwd"
    (mine,) = local_files(request)
    assert (mine.name, mine.local_path, mine.kind) == ("mine.wav", tmp_path / "mine.wav", "audio")
    assert named_files(request, find_resources(request), [Attachment("mine.wav", "/uploads/mine-1.wav")]) == []


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("Segment the person in my own cut out.png", "my own cut out.png"),
        (r"Denoise my\ own\ cut\ out.png", "my own cut out.png"),
        ("Describe ~nobody-of-that-name/x.png", None),
        (f"Describe {'a' * 300}.png", None),
    ],
)
def test_names_that_are_more_than_a_word_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_text: str, name: str | None
) -> None:
    (tmp_path / "my own cut out.png").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    files = local_files(request_text)
    assert [(file.name, file.local_path) for file in files] == ([(name, tmp_path / name)] if name else [])
    (named,) = with_attachments(request_text, find_resources(request_text), files)
    assert name is None or (named.text, named.kind, named.has_place) == (name, "image", True)
    for other in (name, "out.png"):  # a language model may use the end of the name
        assert name is None or find_attachment(str(other), files) == files[0]


def test_two_names_that_end_alike_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("my cat.png", "your cat.png"):
        (tmp_path / name).write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"Several names end in cat\.png: put each whole name in quotes"):
        local_files("Compare my cat.png and your cat.png")
    files = local_files('Compare "my cat.png" and "your cat.png"')
    assert [file.name for file in files] == ["my cat.png", "your cat.png"]


def test_attached_files_stand_where_the_request_names_them(make_config: MakeConfig, tmp_path: Path) -> None:
    config = make_config()
    for name in ("d.png", "my cat.png", "cat"):
        (tmp_path / name).write_bytes(png())
    d, cat, bare = str(tmp_path / "d.png"), str(tmp_path / "my cat.png"), str(tmp_path / "cat")

    def places(request: str, *items: str) -> list[tuple[str, str]]:
        """The path of each file, and how the request names it."""
        named = with_attachments(request, find_resources(request), attachments(request, items, config))
        return [(one.text, request[one.start : one.end] if one.has_place else "") for one in named]

    named = places("Compare d.png with 'my cat.png', and the cat", d, cat, bare)
    assert [name for _, name in named] == ["d.png", "'my cat.png'", ""]
    for (path, _), form in zip(named, (r"d-\w+", r"my-cat-\w+", r"cat-\w+"), strict=True):
        assert re.fullmatch(rf"/uploads/{form}\.png", path)
    assert places("Compare d.png with my cat.png", d, cat) == [named[0], (named[1][0], "my cat.png")]
    assert places(f"Look at {d}", d) == [(named[0][0], d)]
    for other in ("Is ad.png in and.png?", "See https://x.example/?f=d.png", "Is d.png-old older?"):
        assert places(other, d)[-1] == (named[0][0], "")
    assert places("Translate 'I like d.png best of all things' into French", d)[-1] == (named[0][0], "")


def test_files_are_copied_also_to_where_they_lie(make_config: MakeConfig, public: Path) -> None:
    (public / "images").mkdir(exist_ok=True)
    (public / "images" / "x.png").write_bytes(png())
    made: Any = SimpleNamespace(files=["/images/x.png"])
    copy_files(made, public / "images", make_config())
    assert (public / "images" / "x.png").read_bytes() == png()


# The chat


@pytest.fixture
def chat(hub_config: Config) -> tuple[Chat, io.StringIO]:
    out = io.StringIO()
    return Chat(controller_with(hub_config), Console(file=out, width=100), quiet=True), out


def test_a_chat_remembers_and_forgets(chat: tuple[Chat, io.StringIO], planned: FakeLLM) -> None:
    talk, out = chat
    assert talk.say("What is in /examples/b.jpg?")
    assert talk.say("And who made it?")
    asked = planned.bodies("plan")[1]["messages"][-1]["content"]
    assert "What is in /examples/b.jpg?" in asked
    assert "It is done." in asked  # the answer, too
    assert talk.say("/plan") and talk.say("/results") and talk.say("/files") and talk.say("/help")
    shown = out.getvalue()
    assert '"task": "image-to-text"' in shown
    assert "a picture of a cat" in shown
    assert "/images/" in shown
    assert "Ctrl-D" in shown
    talk.say("/reset")
    talk.say("Hello again")
    assert "b.jpg" not in planned.bodies("plan")[2]["messages"][-1]["content"]
    assert talk.say("/frobnicate") and talk.say("/attach")
    assert "/attach FILE" in out.getvalue()
    assert "There is no command /frobnicate" in out.getvalue()
    assert not talk.say("exit")


def test_a_file_is_attached_to_the_next_request_of_a_chat(
    chat: tuple[Chat, io.StringIO], planned: FakeLLM, tmp_path: Path
) -> None:
    talk, out = chat
    (tmp_path / "my cat.png").write_bytes(png())
    talk.say(f"/attach {tmp_path / 'none.png'}")
    assert "Cannot read the file" in out.getvalue()
    talk.say(f"/attach {tmp_path / 'my cat.png'}")
    assert "Attached to the next request: my cat.png" in out.getvalue()
    for request in ("What is it?", "And now?"):
        talk.say(request)
    first, second = (body["messages"][-1]["content"] for body in planned.bodies("plan"))
    attached = '"files": [{"name": "my cat.png", "path": "/uploads/my-cat-'
    assert '[{"name": "my cat.png", "path": "/uploads/my-cat-' in first
    assert attached not in first and attached in second  # it came with the request before
    assert second.count("my cat.png") == 1


def test_a_chat_goes_on_with_what_it_asked_for(make_config: MakeConfig) -> None:
    endpoint = FakeEndpoint("local", {"image-to-text": ["captioner"]}, says("a cat"))
    out = io.StringIO()
    talk = Chat(controller_at(make_config(embedded=False), None, endpoint), Console(file=out, width=100), quiet=True)
    for line in ("Describe it", "/examples/b.jpg"):
        talk.say(line)
    assert "Which picture do you mean?" in out.getvalue()
    assert [task.args["image"] for task in talk.turns[-1].tasks] == ["/examples/b.jpg"]
    assert "b.jpg: a cat" in out.getvalue()


def test_a_path_is_no_command(chat: tuple[Chat, io.StringIO], planned: FakeLLM) -> None:
    chat[0].say("/examples/b.jpg what is it?")
    assert len(planned.bodies("plan")) == 1


def test_ctrl_c_cancels_the_request_and_keeps_the_chat(
    chat: tuple[Chat, io.StringIO], planned: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, out = chat
    talk.say("What is in /examples/b.jpg?")
    ended: list[str] = []

    class Interrupting:
        def show(self, event: Any, record: Any) -> None:
            if type(event).__name__ == "Selected":
                raise KeyboardInterrupt

        def close(self, record: Any = None) -> None:
            ended.extend({task.state for task in record.tasks.values()})

    monkeypatch.setattr("hugginggpt.terminal.follow.make_progress", lambda quiet: Interrupting())
    assert talk.say("Once more")
    assert "Cancelled." in out.getvalue()
    assert ended == ["skipped"]  # no row is left as if it were running
    monkeypatch.undo()
    talk.say("And now?")
    asked = planned.bodies("plan")[-1]["messages"][-1]["content"]
    assert "What is in /examples/b.jpg?" in asked
    assert "Once more" not in asked


def test_an_error_keeps_the_chat(chat: tuple[Chat, io.StringIO], llm_server: FakeLLM) -> None:
    talk, out = chat
    llm_server.faults["plan"] = [status(401)]
    assert talk.say("Hello")
    assert "refused the key (401)" in " ".join(out.getvalue().split())
    assert talk.say("Hello")
    assert "Hello!" in out.getvalue()
