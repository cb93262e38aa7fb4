"""The texts of the configuration as templates: which slots they may have, and that values stay values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.core.errors import ConfigError
from hugginggpt.core.results import TEXT
from hugginggpt.core.tasks import Arg, TaskType, default_table
from hugginggpt.llm.prompts import WISH_CHARS, WISHES, Prompts
from hugginggpt.llm.templates import Template
from hugginggpt.llm.tokens import TokenCounter
from tests.conftest import MakeConfig

BRACES = 'show {{input}} and {{ 7 * 7 }} {% raw %} {"a": {"b": 1}} {# no #}'
CARD = ModelCard(id="org/model", task="image-to-text")


def prompts(make_config: MakeConfig, **settings: Any) -> Prompts:
    return Prompts(make_config(**settings), TokenCounter(), default_table())


def test_jarvis_templates(make_config: MakeConfig) -> None:
    made = prompts(
        make_config,
        prompt={
            "parse_task": "The chat log [ {{context}} ]. Now I input { {{ input }} }.",
            "choose_model": "For {{input}} choose from {{metas}} for {{task}}.",
            "response_results": "Yes. {{input}}: {{processes}}\n",
        },
        tprompt={"parse_task": '#1 [{"task": task, "args": {"text": text or <GENERATED>-dep_id}}]'},
    )
    first, *_, last = made.plan("draw a cat", [{"role": "user", "content": "hello"}])
    assert first["content"] == '#1 [{"task": task, "args": {"text": text or <GENERATED>-dep_id}}]'
    assert last["content"] == 'The chat log [ [{"role": "user", "content": "hello"}] ]. Now I input { draw a cat }.'
    choice = made.select("draw", {"id": 0}, [(CARD, "hub")])[-1]["content"]
    assert choice.startswith('For draw choose from [{"id": "org/model",')
    assert choice.endswith(' for {"id": 0}.')
    assert made.respond("draw", [])[-1]["content"] == "Yes. draw: []\n"


def test_values_are_not_read_as_templates(make_config: MakeConfig) -> None:
    made = prompts(make_config)
    history = [{"role": "user", "content": BRACES}]
    for messages in (
        made.plan(BRACES, history),
        made.select(BRACES, {"args": {"text": BRACES}}, [(CARD, "hub")]),
        made.respond(BRACES, [{"inference result": BRACES}]),
    ):
        whole = "\n".join(message["content"] for message in messages)
        assert BRACES in whole or json.dumps(BRACES) in whole
        assert "49" not in whole


@pytest.mark.parametrize(
    ("section", "stage", "text", "said"),
    [
        ("prompt", "parse_task", "Plan {{request}}", r"^prompt.parse_task names the slot \{\{request\}\}, .*\{\{input\}\}, \{\{c"),
        ("tprompt", "choose_model", "{{processes}}", r"tprompt.choose_model .*\{\{processes\}\}.* may use \{\{input\}\}, \{\{task"),
        ("prompt", "response_results", "{{ input", "^prompt.response_results cannot be read as a template: "),
        ("prompt", "choose_model", "{{ input.missing }}", "^prompt.choose_model cannot be filled in: "),
        ("prompt", "choose_model", "{{ input + 1 }}", "^prompt.choose_model cannot be filled in: "),
    ],
)  # fmt: skip
def test_a_template_that_cannot_be_filled_is_refused_at_once(
    make_config: MakeConfig, section: str, stage: str, text: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        prompts(make_config, **{section: {stage: text}})


def test_a_slot_of_the_demonstrations_is_checked(make_config: MakeConfig, tmp_path: Path) -> None:
    file = tmp_path / "demos.json"
    file.write_text(json.dumps([{"role": "user", "content": "{{metas}} {{wrong}}"}]))
    with pytest.raises(ConfigError, match=r"^demos_or_presteps.choose_model names the slot \{\{wrong\}\}"):
        prompts(make_config, demos_or_presteps={"choose_model": str(file)})


def test_templates_run_in_a_sandbox() -> None:
    with pytest.raises(ConfigError, match="cannot be filled in: "):
        Template("{{ input.__class__.__mro__ }}", "choose_model", "x")


def test_a_text_task_gets_all_its_arguments_whatever_their_names(make_config: MakeConfig) -> None:
    made = prompts(make_config)
    system, user = made.task(default_table()["translation"], {"text": "Good day", "language": "French"})
    assert "put a text into another language. The language to translate to: French. Reply with" in system["content"]
    assert user["content"] == "Good day"
    args = (Arg("style", required=False), Arg("subject", about="what it is about"), Arg("words", many=True))
    row = TaskType("haiku", "write a haiku", args, TEXT, llm=True)
    system, user = made.task(row, {"style": "sad", "subject": "the sea", "words": ["fog", "gull"]})
    assert "write a haiku. Style: sad. Words: fog, gull. Reply with" in system["content"]
    assert user["content"] == "the sea"


def test_a_text_task_is_told_what_the_request_says_of_it(make_config: MakeConfig) -> None:
    made, table = prompts(make_config), default_table()
    system, user = made.task(table["summarization"], {"text": "Long ago."}, "Sum up “Long ago.” in one sentence")
    assert system["content"].endswith("you follow: “Sum up “…” in one sentence” Reply with the resulting text alone.")
    assert user["content"] == "Long ago."
    for request in ("Long ago.", "“Long ago.”", "x" * (WISH_CHARS + 1)):  # nothing but the text, or another one
        assert WISHES not in made.task(table["summarization"], {"text": "Long ago."}, request)[0]["content"]


def test_a_text_to_be_written_is_told_its_wish_once(make_config: MakeConfig) -> None:
    made, row, request = prompts(make_config), default_table()["text-generation"], "Write a poem about it"
    assert WISHES not in made.task(row, {"text": "Write a poem about it: two giraffes"}, request)[0]["content"]
    assert request in made.task(row, {"text": "two giraffes"}, request)[0]["content"]
