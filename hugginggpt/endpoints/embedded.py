"""Experts in this process: those that come with the project and need neither key nor GPU."""

from __future__ import annotations

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args, Inference, settle
from hugginggpt.experts import registry
from hugginggpt.media.store import MediaStore


class Embedded:
    """The experts of `hugginggpt.experts`."""

    name = "embedded"

    def __init__(self, media: MediaStore) -> None:
        self.media = media

    def close(self) -> None:
        pass

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        experts = [expert for expert in registry.experts_for(task.name) if not expert.missing]
        return [ModelCard(expert.id, task.name, expert.about) for expert in experts][:top]

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        known = {name: value for name, value in args.items() if task.arg(name)}
        raw = registry.expert_for(model, task.name).run(**known)
        return Inference(settle(task, raw, args, self.media))
