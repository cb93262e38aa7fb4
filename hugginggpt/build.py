"""Builds the parts of a controller from the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import MediaError
from hugginggpt.core.tasks import TaskTable
from hugginggpt.endpoints.base import Endpoint, Tier
from hugginggpt.endpoints.language import LanguageModel
from hugginggpt.endpoints.registry import make_endpoints
from hugginggpt.llm.base import LLM
from hugginggpt.llm.prompts import Prompts
from hugginggpt.llm.services import make_llm
from hugginggpt.llm.tokens import TokenCounter
from hugginggpt.media.store import MediaStore
from hugginggpt.offline.planner import OfflinePlanner
from hugginggpt.offline.responder import OfflineResponder
from hugginggpt.records.run_log import RunLog
from hugginggpt.stages.completing import CompletingResponder
from hugginggpt.stages.demonstrations import Demonstrations, few_demonstrations, make_demonstrations
from hugginggpt.stages.executor import Executor
from hugginggpt.stages.planner import GivenPlanner, LLMPlanner, Planner
from hugginggpt.stages.responder import LLMResponder, Responder
from hugginggpt.stages.result_cache import ResultCache
from hugginggpt.stages.rewording import Rewording
from hugginggpt.stages.screening import Screening
from hugginggpt.stages.selector import Selector
from hugginggpt.stages.texts_in_hand import TextsInHand
from hugginggpt.stages.two_planners import TwoPlanners
from hugginggpt.tables import make_task_table


class ModelParts(TypedDict):
    """What depends on the language model."""

    planner: Planner
    selector: Selector
    responder: Responder


@dataclass(frozen=True, slots=True)
class Parts:
    """The four stages of a controller, its run log, and what they share."""

    config: Config
    table: TaskTable
    planner: Planner
    selector: Selector
    executor: Executor
    responder: Responder
    log: RunLog
    demonstrations: Demonstrations | None
    media: MediaStore

    def with_llm(self, llm: LLM) -> Parts:
        """The same parts with another language model: endpoints, files, caches, prompts and breakers are shared, but
        for the breaker of the language model, as a key that is refused says nothing about the other one.
        """
        endpoints = [endpoint for endpoint in self.selector.endpoints if endpoint.tier is not Tier.LANGUAGE_MODEL]
        parts = _model_parts(self.config, llm, self.selector.prompts, self.demonstrations, endpoints, self.media)
        return replace(self, executor=self.executor.with_breaker_for(LanguageModel.name), **parts)


def build(config: Config, llm: LLM | None = None) -> Parts:
    """All parts of a controller; `llm` in place of the configured language model."""
    table = make_task_table(config)
    media, cache = MediaStore(config), config.cache
    values = config.content_cache() if cache.enabled or cache.embedded else None
    results = ResultCache(values, media, everything=cache.enabled) if values else None
    screening = Screening(media, config.withhold_unsafe_from) if config.withhold_unsafe_from is not None else None
    prompts, demonstrations = Prompts(config, TokenCounter(), table), make_demonstrations(config)
    endpoints = make_endpoints(config, media)
    return Parts(
        config=config,
        table=table,
        executor=Executor(media, results, screening=screening),
        log=RunLog(config),
        demonstrations=demonstrations,
        media=media,
        **_model_parts(config, llm or make_llm(config), prompts, demonstrations, endpoints, media),
    )


def _model_parts(
    config: Config,
    llm: LLM | None,
    prompts: Prompts,
    demonstrations: Demonstrations | None,
    endpoints: Sequence[Endpoint],
    media: MediaStore,
) -> ModelParts:
    """The stages over a language model, or offline; `endpoints` are the others."""
    table = prompts.table
    if llm:
        prompts = prompts.counted_by(llm.count)
    selector = Selector([LanguageModel(llm, prompts), *endpoints], llm, prompts, config)
    offline = OfflinePlanner(table, selector.lacking, lambda file: _shows_page(file, media))
    planner: Planner = offline
    composer = OfflineResponder(table)
    responder: Responder = composer
    if llm:
        model = LLMPlanner(llm, prompts, offline, config.stream_plan, demonstrations, media.has)
        keeps_prompt = getattr(llm, "keeps_prompt", False)  # what is not ours need not say so
        completes = config.completes(llm.name)
        few = few_demonstrations(config)
        rewording = Rewording(llm, prompts) if completes else None
        planner = TwoPlanners(offline, model, few, keeps_prompt, config.planner_sure_from, rewording)
        leading = LLMResponder(llm, prompts, composer)
        responder = CompletingResponder(leading, TextsInHand(media, table)) if completes else leading
    return ModelParts(planner=GivenPlanner(planner), selector=selector, responder=responder)


def _shows_page(file: Attachment, media: MediaStore) -> bool:
    """Whether a picture of the user shows a page of text; False for one that is not on this machine."""
    from hugginggpt.media.page_likeness import looks_like_page

    try:
        return looks_like_page(file.local_path or media.resolve(file.source))
    except MediaError:
        return False
