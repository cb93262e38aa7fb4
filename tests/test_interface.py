"""The Python interface: what it answers, how it shows itself in a notebook, and its documented examples."""

from __future__ import annotations

import doctest
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import hugginggpt
from hugginggpt import HuggingGPT, config, interface, notebook
from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import BackendError
from hugginggpt.testing.endpoint import FakeEndpoint
from hugginggpt.testing.fakes import png
from hugginggpt.testing.scripted import ScriptedLLM, plan, task
from tests.conftest import EXAMPLES, MakeConfig

MODELS = {"object-detection": ["detector"], "image-to-text": ["captioner"], "text-to-image": ["painter"]}
DRAW_AND_DESCRIBE = plan(
    task(0, "text-to-image", text="a <b>cat</b>"), task(1, "image-to-text", [0], image="<GENERATED>-0")
)
Start = Callable[..., HuggingGPT]


@pytest.fixture
def start(make_config: MakeConfig, public: Path) -> Iterator[Start]:
    """Sets up the interface with a scripted language model and experts that are functions."""
    started = []

    def make(work: Any = None, **script: Any) -> HuggingGPT:
        def experts(model: str, *_: Any) -> Any:
            if model != "painter":
                return {"generated text": "a <cat>"}
            (public / "images").mkdir(exist_ok=True)
            (public / "images" / "cat.png").write_bytes(png())
            return {"generated image": "/images/cat.png"}

        gpt = HuggingGPT(make_config(embedded=False, stream_plan=False), ScriptedLLM(**script))
        gpt.controller.selector.endpoints = (FakeEndpoint("local", MODELS, work or experts),)
        started.append(gpt)
        return gpt

    yield make
    for gpt in started:
        gpt.close()


def test_an_answer_says_all_there_is_to_know(start: Start, public: Path) -> None:
    gpt = start(plan=DRAW_AND_DESCRIBE, respond="It is **a cat**.")
    answer = gpt.ask("Draw a cat and describe it")
    assert str(answer) == answer.message and answer.message.startswith("It is **a cat**.\n\n")
    assert answer.ok and answer.errors == () and answer.run_id
    assert repr(answer.plan) == "Plan(0 text-to-image, 1 image-to-text after 0)"
    assert answer.files == (public / "images" / "cat.png",) == answer.results[0].files
    assert isinstance(answer.files[0], Path) and answer.files[0].kind == "image"
    described = answer.results[1]
    assert (described.task, described.state, described.text) == ("image-to-text", "finished", "a <cat>")
    assert (described.model, described.endpoint) == ("captioner", "local")
    assert described.value == {"generated text": "a <cat>"} and dict(described.args) == {"image": "/images/cat.png"}
    assert answer.usage.calls == 2 and answer.usage.total_tokens > 0


def test_what_fails_is_in_the_answer_and_raises_nothing(start: Start) -> None:
    def broken(*_: Any) -> Any:
        raise BackendError("out of paint")

    answer = start(broken, plan=DRAW_AND_DESCRIBE, respond="I could not.").ask("Draw a cat")
    assert not answer.ok and not answer.files
    assert [result.state for result in answer.results.values()] == ["failed", "skipped"]
    assert any("out of paint" in error for error in answer.errors)
    assert "out of paint" in answer.results[0].error and "out of paint" in answer._repr_html_()


def test_everything_shows_itself_with_its_texts_escaped(start: Start) -> None:
    answer = start(plan=DRAW_AND_DESCRIBE, respond="<script>alert(1)</script>").ask("Draw <b>")
    shown = answer._repr_html_()
    assert "&lt;script&gt;" in shown and "data:image/png;base64," in shown and "<svg" in shown
    for part in (shown, answer.plan._repr_html_(), *(result._repr_html_() for result in answer.results.values())):
        assert tags_of(part) <= OUR_TAGS
    assert "&lt;script>" in answer._repr_markdown_() and "cat.png](file:///" in answer._repr_markdown_()


OUR_TAGS = {"div", "img", "br", "details", "summary", "table", "thead", "tbody", "tr", "th", "td"} | {
    "svg", "g", "rect", "path", "text", "title"
}  # fmt: skip


def tags_of(html: str) -> set[str]:
    tags: set[str] = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.add(tag)

    Reader().feed(html)
    return tags


@pytest.mark.parametrize(
    ("name", "element"),
    [("a.jpg", "<img "), ("speech.wav", "<audio controls "), ("notes.txt", "<a href="), ("x", "<a ")],
)
def test_files_show_themselves(tmp_path: Path, name: str, element: str) -> None:
    (tmp_path / name).write_bytes(b"some content")
    shown = hugginggpt.File(tmp_path / name)._repr_html_()
    assert shown is not None and shown.startswith(element)


def test_a_large_or_missing_file_is_not_written_into_the_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "MAX_DATA_BYTES", 3)
    (tmp_path / "a.png").write_bytes(b"1234")
    assert str(hugginggpt.File(tmp_path / "a.png")._repr_html_()).startswith('<a href="file:///')
    assert hugginggpt.File(tmp_path / "b.png")._repr_html_() is None
    assert hugginggpt.File(tmp_path)._repr_html_() is None and hugginggpt.File(tmp_path).kind is None


def test_the_graph_of_a_plan_goes_from_left_to_right(start: Start) -> None:
    tasks = [task(0, "image-to-text", image="a.jpg"), task(1, "image-to-text", image="b.jpg"),
             task(2, "sentence-similarity", [0, 1], text1="<GENERATED>-0", text2="<GENERATED>-1")]  # fmt: skip
    planned = start(plan=plan(*tasks)).plan("Are they alike?")
    drawing = ElementTree.fromstring(notebook.plan_svg(planned.tasks))
    boxes = drawing.findall("{*}g/{*}rect")
    x, y = ([int(box.attrib[side]) for box in boxes] for side in "xy")
    assert x[0] == x[1] < x[2] and y[0] != y[1]
    assert len(drawing.findall("{*}path")) == 2
    assert int(drawing.attrib["width"]) >= x[2] + notebook.BOX_WIDTH


def test_a_plan_is_made_and_nothing_is_run(start: Start) -> None:
    gpt = start(plan=DRAW_AND_DESCRIBE)
    planned = gpt.plan("Draw a cat and describe it")
    assert isinstance(planned, hugginggpt.Plan) and [step.task for step in planned] == [
        "text-to-image",
        "image-to-text",
    ]
    assert not gpt.controller.selector.endpoints[0].calls  # type: ignore[attr-defined]


def test_the_events_of_a_run_and_its_answer(start: Start) -> None:
    with start(plan=DRAW_AND_DESCRIBE).run("Draw a cat", until="results") as events:
        names = [type(event).__name__ for event in events]
        assert names[0] == "RunStarted" and names.count("Finished") == 2 and names[-1] == "Done"
        assert events.answer.ok and not events.answer.message and events.run_id == events.answer.run_id


def test_a_run_that_is_left_is_cancelled(start: Start) -> None:
    gpt = start(plan=DRAW_AND_DESCRIBE)
    with gpt.run("Draw a cat") as events:
        next(events)
    assert list(events) == []
    record = gpt.controller.log.load(events.run_id)
    assert record is not None and record["stop"] == "cancelled"


def test_a_chat_remembers_and_requests_beside_it_do_not(start: Start) -> None:
    gpt = start(plan=["[]"] * 3, chat=["Hello Ada.", "Ada.", "I do not know."])
    chat = gpt.chat()
    assert str(chat.ask("I am Ada")) == "Hello Ada."
    assert str(chat.ask("Who am I?")) == "Ada."
    assert str(gpt.ask("Who am I?")) == "I do not know."
    seen = ["I am Ada" in str(messages) for messages in gpt.controller.planner.planner.model.llm.messages("chat")]  # type: ignore[attr-defined]
    assert seen == [True, True, False]
    assert [turn.message for turn in chat.turns] == ["Hello Ada.", "Ada."]


def test_files_are_attached_to_the_request(start: Start, tmp_path: Path) -> None:
    picture = tmp_path / "my zoo.jpg"
    picture.write_bytes((EXAMPLES / "b.jpg").read_bytes())
    gpt = start(plan=lambda messages: plan(task(0, "image-to-text", image=path_in(messages))), respond="A zoo.")
    answer = gpt.ask("What is this?", files=[picture])
    assert answer.ok and str(answer.results[0].args["image"]).startswith("/uploads/my")


def path_in(messages: Any) -> str:
    text = messages[-1]["content"]
    return str(text[text.index("/uploads/") :].split('"')[0])


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (["none.jpg"], "none.jpg"),
        ("zoo.jpg", "should be a list"),
        ([Path("/no/such.wav")], "such.wav"),
        ([3], "not int"),
    ],
)
def test_files_that_cannot_be_used(start: Start, files: Any, sentence: str) -> None:
    with pytest.raises(hugginggpt.UserError, match=sentence):
        start().ask("What is this?", files=files)


def test_wrong_use_is_told_in_a_sentence(start: Start) -> None:
    gpt = start()
    with pytest.raises(hugginggpt.UserError, match="empty"):
        gpt.ask(" ")
    with pytest.raises(hugginggpt.UserError, match="plan, results, answer"):
        gpt.run("x", until="end")  # type: ignore[arg-type]
    with pytest.raises(hugginggpt.ConfigError, match=r"the settings: limits.max_tasks"):
        HuggingGPT({"limits": {"max_tasks": "many"}})
    with pytest.raises(hugginggpt.ConfigError, match="nowhere.yaml"):
        hugginggpt.ask("x", config="nowhere.yaml")
    with pytest.raises(hugginggpt.ConfigError, match="a file or a mapping of settings, not list"):
        HuggingGPT(["offline"])  # type: ignore[arg-type]


def test_all_names_are_there_and_documented() -> None:
    for name in hugginggpt.__all__:
        assert name in dir(hugginggpt)
        assert name == "__version__" or getattr(hugginggpt, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'answer'"):
        hugginggpt.answer  # noqa: B018


def test_importing_the_package_loads_none_of_it() -> None:
    code = "import sys, hugginggpt; print([m for m in sys.modules if m.startswith('hugginggpt.')], 'typing' in sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert done.stdout.strip() == "['hugginggpt.common', 'hugginggpt.common.version'] False"


@pytest.mark.slow
def test_the_documented_examples(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The examples of the docstrings, offline, with the embedded experts."""
    for variable in config.ENVIRONMENT:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(config, "user_folder", lambda: tmp_path)
    failed, tried = doctest.testmod(
        interface, extraglobs={"hugginggpt": hugginggpt}, optionflags=doctest.ELLIPSIS, report=True
    )
    assert tried > 10 and not failed
