"""Experts in this process: those that come with the project and need neither key nor GPU."""

from __future__ import annotations

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.common.content_cache import ContentCache
from hugginggpt.config import Config
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier, settle
from hugginggpt.endpoints.calls import current_call
from hugginggpt.endpoints.registry import register_endpoint
from hugginggpt.experts import registry
from hugginggpt.experts.extras import USUAL
from hugginggpt.experts.remembered import remembering
from hugginggpt.media.decoding import decoding
from hugginggpt.media.store import MediaStore

ABOUT = "experts that come with the project"


class Embedded(Endpoint):
    """The experts of `hugginggpt.experts`; `readings` remembers what several of them read from the same file."""

    name = "embedded"
    label = "this machine"
    tier = Tier.EMBEDDED
    is_free = True

    def __init__(self, media: MediaStore, readings: ContentCache | None = None) -> None:
        self.media = media
        self.readings = readings

    def status(self) -> EndpointStatus:
        every = [expert for expert in registry.all_experts() if expert.missing]
        lacking = [expert for expert in every if expert.extra == USUAL]
        more = sorted({(expert.id, expert.remedy) for expert in every if expert not in lacking})
        details = tuple(f"not installed: {name}, {remedy}" for name, remedy in more)
        if not lacking:
            return EndpointStatus(ABOUT, details=details)
        missing = sorted({package for expert in lacking for package in expert.missing})
        able = len(registry.all_experts()) - len(every)
        problem = f"{able or 'none'} of them can run, packages missing: {', '.join(missing)}"
        remedies = dict.fromkeys(expert.remedy for expert in lacking)
        return EndpointStatus(ABOUT, problem, f"For all experts on this machine: {'; '.join(remedies)}.", details)

    def what_to_set(self, task: TaskType) -> str:
        lacking = [expert for expert in registry.experts_for(task.name) if expert.missing]
        return lacking[0].remedy if lacking else ""

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        experts = [expert for expert in registry.experts_for(task.name) if not expert.missing]
        return [ModelCard(expert.id, task.name, expert.about) for expert in experts][:top]

    def covers(self, task: TaskType, aspect: str = "") -> bool:
        return any(expert.covers(aspect) for expert in registry.experts_for(task.name))

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        known = {name: value for name, value in args.items() if task.arg(name)}
        bounds = decoding(60 * self.media.max_minutes, lambda: current_call().is_over)
        with remembering(self.readings) as use, bounds:
            raw = registry.expert_for(model, task.name).run(**known)
        return Inference(settle(task, raw, args, self.media), remembered=bool(use and use.hits))

    def version(self, model: str, task: TaskType) -> str | None:
        return registry.expert_for(model, task.name).version


@register_endpoint
def make_embedded(config: Config, media: MediaStore) -> Embedded | None:
    readings = config.content_cache() if config.cache.embedded else None
    return Embedded(media, readings) if config.embedded else None
