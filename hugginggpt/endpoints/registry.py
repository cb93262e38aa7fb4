"""Which endpoints there are: each registers how it is made of a configuration."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import TypeVar

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.common import plugins
from hugginggpt.common.plugins import Plugin
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, HuggingGPTError
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier
from hugginggpt.endpoints.language import LanguageModel
from hugginggpt.media.store import MediaStore

log = logging.getLogger(__name__)

MODULES = ("server", "hub", "mcp_experts.endpoint", "http_experts.endpoint", "embedded")
"""The modules of this package that register an endpoint."""

T = TypeVar("T")
Factory = Callable[[Config, MediaStore], Endpoint | Sequence[Endpoint] | None]
_factories: list[Factory] = []


def register_endpoint(factory: Factory) -> Factory:
    """Registers a function that makes one or several endpoints as a configuration says, or None where that has no use
    for it.

    An endpoint that the configuration allows and that is not set up is made, too: its status says what to set.
    """
    if factory not in _factories:
        _factories.append(factory)
    return factory


@cache
def _load() -> None:
    for module in MODULES:
        importlib.import_module(f"hugginggpt.endpoints.{module}")
    _add_plugins()


def _add_plugins() -> None:
    for plugin in plugins.load(plugins.ENDPOINT_GROUP):
        register_endpoint(partial(_made_by, plugin))


def _made_by(plugin: Plugin, config: Config, media: MediaStore) -> Endpoint | None:
    """A plug-in's endpoint; None, with a warning, where it cannot be made."""
    try:
        endpoint = plugin.value(config, media)
        if not isinstance(endpoint, Endpoint | None):
            raise TypeError(f"its entry point should make an Endpoint, not {type(endpoint).__name__}")
        return PluginEndpoint(endpoint, plugin) if endpoint else None
    except Exception as error:  # whatever somebody else's code raises
        plugin.reject(error)
        return None


def make_endpoints(config: Config, media: MediaStore) -> list[Endpoint]:
    """The places where models can run, by tier: in the order of preference for a model that several have."""
    _load()
    by_name: dict[str, Endpoint] = {}
    for factory in _factories:
        made = factory(config, media)
        for endpoint in made if isinstance(made, Sequence) else [made] if made else []:
            if isinstance(endpoint, PluginEndpoint) and endpoint.name in (*by_name, LanguageModel.name):
                endpoint.plugin.reject(f"there is an endpoint called {endpoint.name} already")
            else:
                by_name[endpoint.name] = endpoint
    return sorted(by_name.values(), key=lambda endpoint: endpoint.tier)


class PluginEndpoint(Endpoint):
    """A plug-in's endpoint. What it raises unawares is its failure, and not the program's."""

    def __init__(self, endpoint: Endpoint, plugin: Plugin) -> None:
        """Raises AttributeError or ValueError for an endpoint without name, label, or a tier that it can have."""
        self.name, self.label, self.tier = endpoint.name, endpoint.label, Tier(endpoint.tier)
        self.is_free = bool(endpoint.is_free)
        if self.tier is Tier.LANGUAGE_MODEL:
            raise ValueError("the tier LANGUAGE_MODEL is for the controller's own language model")
        self.endpoint = endpoint
        self.plugin = plugin

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        return self._guarded(lambda: self.endpoint.models(task, top), [])

    def offers(self, model: str, task: TaskType) -> ModelCard | None:
        return self._guarded(lambda: self.endpoint.offers(model, task), None)

    def knows(self, model: str) -> bool:
        return self._guarded(lambda: self.endpoint.knows(model), False)

    def covers(self, task: TaskType, aspect: str = "") -> bool:
        return self._guarded(lambda: self.endpoint.covers(task, aspect), False)

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        try:
            return self.endpoint.infer(model, task, args)
        except (HuggingGPTError, OSError):
            raise
        except Exception as error:
            log.warning("%s on %s failed", model, self.label, exc_info=True)
            raise BackendError(f"{model} on {self.label} failed: {type(error).__name__}: {error}") from error

    def repeatable(self, model: str, task: TaskType) -> bool:
        return self._guarded(lambda: self.endpoint.repeatable(model, task), True)

    def check(self, table: TaskTable) -> Iterator[tuple[str, str]]:
        nothing: list[tuple[str, str]] = []
        return iter(self._guarded(lambda: list(self.endpoint.check(table)), nothing))

    def notices(self, task: TaskType) -> list[str]:
        return self._guarded(lambda: self.endpoint.notices(task), [])

    def status(self) -> EndpointStatus:
        return self._guarded(
            self.endpoint.status, EndpointStatus(self.label, f"the plug-in {self.plugin.package} fails")
        )

    def what_to_set(self, task: TaskType) -> str:
        return self._guarded(lambda: self.endpoint.what_to_set(task), "")

    def what_to_set_for(self, model: str) -> str:
        return self._guarded(lambda: self.endpoint.what_to_set_for(model), "")

    def close(self) -> None:
        self._guarded(self.endpoint.close, None)

    def _guarded(self, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except Exception as error:  # whatever somebody else's code raises
            self.plugin.warn(f"The endpoint {self.name} of the plug-in {self.plugin.package} fails", error)
            return otherwise
