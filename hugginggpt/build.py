"""Builds the parts of a controller from the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from hugginggpt.catalog.catalog import Catalog
from hugginggpt.common.paths import CATALOGUE
from hugginggpt.config import Config
from hugginggpt.core.tasks import TaskTable
from hugginggpt.endpoints.base import Endpoint
from hugginggpt.endpoints.embedded import Embedded
from hugginggpt.endpoints.language import LanguageModel
from hugginggpt.endpoints.server import ModelServer
from hugginggpt.llm.base import LLM
from hugginggpt.llm.openai import make_llm
from hugginggpt.llm.prompts import Prompts
from hugginggpt.llm.tokens import TokenCounter
from hugginggpt.media.store import MediaStore
from hugginggpt.offline.planner import OfflinePlanner
from hugginggpt.offline.responder import OfflineResponder
from hugginggpt.records.run_log import RunLog
from hugginggpt.stages.demonstrations import make_demonstrations
from hugginggpt.stages.executor import Executor
from hugginggpt.stages.planner import LLMPlanner, Planner, ResumingPlanner
from hugginggpt.stages.responder import LLMResponder, Responder
from hugginggpt.stages.result_cache import ResultCache
from hugginggpt.stages.selector import Selector
from hugginggpt.tables import make_task_table


class Parts(TypedDict):
    table: TaskTable
    planner: Planner
    selector: Selector
    executor: Executor
    responder: Responder
    log: RunLog


def build(config: Config, llm: LLM | None = None, endpoints: Sequence[Endpoint] | None = None) -> Parts:
    """The four stages and the run log; `llm` in place of the configured language model.

    `endpoints` are those of another controller; their caches are then shared.
    """
    table = make_task_table(config)
    llm = llm or make_llm(config)
    media, cache = MediaStore(config), config.cache
    prompts = Prompts(config, llm.count if llm else TokenCounter(), table)
    places = list(endpoints) if endpoints is not None else make_endpoints(config, media)
    if llm:
        places = [LanguageModel(llm, prompts), *(place for place in places if place.name != LanguageModel.name)]
    planner: Planner = OfflinePlanner()
    responder: Responder = OfflineResponder()
    if llm:
        planner, responder = (
            LLMPlanner(llm, prompts, planner, config.stream_plan, make_demonstrations(config)),
            LLMResponder(llm, prompts, responder),
        )
    return Parts(
        table=table,
        planner=ResumingPlanner(planner),
        selector=Selector(places, llm, prompts, config),
        executor=Executor(
            media, ResultCache(config.path(cache.folder), int(cache.max_mb * 1e6), media) if cache.enabled else None
        ),
        responder=responder,
        log=RunLog(config),
    )


def make_endpoints(config: Config, media: MediaStore) -> list[Endpoint]:
    """The endpoints, in the order of preference for a model that several have."""
    own = [config.path(config.catalog)] if config.catalog else []
    catalog = Catalog(CATALOGUE, *own)
    endpoints: list[Endpoint] = []
    if config.inference_mode != "huggingface":
        endpoints.append(ModelServer(config, catalog, media))
    if config.inference_mode != "local" and (config.huggingface.token or config.huggingface.base_url):
        from hugginggpt.endpoints.hub import Hub

        endpoints.append(Hub(config, catalog, media))
    if config.embedded:
        endpoints.append(Embedded(media))
    return endpoints
