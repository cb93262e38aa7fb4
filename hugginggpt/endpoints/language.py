"""The language model itself, as the expert of the text tasks that it does well."""

from __future__ import annotations

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.common.paths import GET_LLM
from hugginggpt.core.errors import BackendError, HuggingGPTError
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier
from hugginggpt.endpoints.calls import current_call
from hugginggpt.llm.base import LLM
from hugginggpt.llm.bounds import CUT_OFF, text_tokens
from hugginggpt.llm.prompts import Prompts

ABOUT = "The language model in use, which does this text task well itself."
HINT = (
    "For a language model: set OPENAI_API_KEY, or HF_TOKEN, or local.endpoint (Ollama, vLLM, llama.cpp, ...); for one "
    f"on this machine: {GET_LLM}."
)


class LanguageModel(Endpoint):
    """Summarization, translation, conversation and writing, done by the controller's own language model, if any."""

    name = "llm"
    label = "the language model"
    tier = Tier.LANGUAGE_MODEL

    def __init__(self, llm: LLM | None, prompts: Prompts) -> None:
        self.llm = llm
        self.prompts = prompts

    def close(self) -> None:
        if self.llm:
            self.llm.close()

    def status(self) -> EndpointStatus:
        return EndpointStatus(self.llm.name) if self.llm else EndpointStatus("none", "not set up", HINT)

    def what_to_set(self, task: TaskType) -> str:
        missing = task.llm and self.llm is None
        return "set OPENAI_API_KEY (or local.endpoint) for a language model that does it" if missing else ""

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        return [ModelCard(self.llm.model, task.name, ABOUT)] if self.llm and task.llm else []

    def covers(self, task: TaskType, aspect: str = "") -> bool:
        return task.llm and self.llm is not None

    def configured(self, model: str, task: TaskType) -> str:
        """A text is made as the request wants it."""
        return current_call().request if task.llm else ""

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        if self.llm is None:
            raise BackendError("There is no language model.")
        messages = self.prompts.task(task, args, current_call().request)
        most = text_tokens(messages[-1]["content"], self.llm.count)
        reply = self.llm.complete(messages, stage="task", most=most)
        text = reply.text.strip()
        if reply.cut_off and text and task.is_free_text:  # half a translation or summary says something else
            return Inference(task.result.parse(text + CUT_OFF), reply.usage)
        try:
            return Inference(task.result.parse(reply.whole().strip()), reply.usage)
        except HuggingGPTError as error:
            error.usage = reply.usage
            raise
