"""Which endpoints there are: each registers how it is made of a configuration."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, partial

from hugginggpt.common import plugins
from hugginggpt.common.plugins import Plugin
from hugginggpt.config import Config
from hugginggpt.endpoints.base import Endpoint
from hugginggpt.media.store import MediaStore

MODULES = ("server", "hub", "embedded")
"""The modules of this package that register an endpoint."""

Factory = Callable[[Config, MediaStore], Endpoint | None]
_factories: list[Factory] = []


def register_endpoint(factory: Callable[[Config, MediaStore], Endpoint | None]) -> Factory:
    """Registers a function that makes an endpoint as a configuration says, or None where that has no use for it.

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
        return endpoint
    except Exception as error:  # whatever somebody else's code raises
        plugin.reject(error)
        return None


def make_endpoints(config: Config, media: MediaStore) -> list[Endpoint]:
    """The places where models can run, by tier: in the order of preference for a model that several have."""
    _load()
    made = (factory(config, media) for factory in _factories)
    return sorted((endpoint for endpoint in made if endpoint), key=lambda endpoint: endpoint.tier)
