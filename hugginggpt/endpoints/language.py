"""The language model itself, as the expert of the text tasks that it does well."""

from __future__ import annotations

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args, Inference
from hugginggpt.llm.base import LLM
from hugginggpt.llm.prompts import Prompts


class LanguageModel:
    """Summarization, translation, conversation and writing by the controller's language model."""

    name = "llm"

    def __init__(self, llm: LLM, prompts: Prompts) -> None:
        self.llm = llm
        self.prompts = prompts

    def close(self) -> None:
        self.llm.close()

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        if not task.llm:
            return []
        return [
            ModelCard(self.llm.model, task.name, "The language model in use, which does this text task well itself.")
        ]

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        reply = self.llm.complete(self.prompts.task(task, args), stage="task")
        return Inference(task.result.parse(reply.whole().strip()), reply.usage)
