"""JARVIS's Python interface: the function that its Gradio client imports from `awesome_chat`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from typing import Any

from hugginggpt import config as settings
from hugginggpt.config import Config
from hugginggpt.core.events import RunRecord
from hugginggpt.llm.base import Message
from hugginggpt.llm.services import llm_with_key
from hugginggpt.stages.run import Runner

MakeRunner = Callable[[Config], Runner]


def chat_huggingface(make: MakeRunner, messages: Sequence[Message], api_key: str, api_endpoint: str, until: str) -> Any:
    """The answer to a chat, the plan, or the results, in JARVIS's forms.

    {"message": ...} for "answer", and for any request without tasks; a list of tasks for "plan"; results by the task's
    number for "results". What went wrong is told in `message`. `api_key` is a key for this call's language model, at
    `api_endpoint` or OpenAI. Raises UserError for messages that cannot be read, ConfigError for wrong settings.
    """
    controller = _controller(make)
    if not api_key:
        return _run(controller, messages, until)
    with closing(llm_with_key(controller.config, api_key, api_endpoint or None)) as llm:
        return _run(controller.with_llm(llm), messages, until)


@cache
def _controller(make: MakeRunner) -> Runner:
    """One for all calls, as the settings are when the first comes."""
    return make(settings.load())


def _run(controller: Runner, messages: Sequence[Message], until: str) -> Any:
    record, run = RunRecord(), controller.prepare(messages)
    for event in controller.run(run, until):
        record.apply(event)
    if until != "answer" and not record.plan.tasks and not record.error:
        run = controller.prepare(messages)
        run.plan = record.plan  # it is answered as it was planned
        record = RunRecord()
        for event in controller.run(run, "answer"):
            record.apply(event)
    elif until != "answer" and not record.error:
        return record.plan.to_json() if until == "plan" else record.results
    return {"message": record.message or record.error}
