"""A group of replicas as an application of Ray Serve's own files, for `serve deploy` and for KubeRay's RayService:

    applications:
      - name: hugginggpt-texts
        route_prefix: null
        import_path: hugginggpt.serving.ray_application:build
        args: {config: /etc/hugginggpt/config.yaml, group: texts}

The model server in front then has `models_server.ray.deploy: false`, and the same groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from hugginggpt import config as settings
from hugginggpt.core.errors import ConfigError
from hugginggpt.serving.commands import make_model_pool, make_model_registry


class Arguments(BaseModel):
    """What stands in such a file under `args`: the settings, the name of a group in them, and the models, by id or
    folder, that each replica loads before it gets requests. Ray Serve replaces the replicas, one by one, when one of
    these has changed; `version` is any text, for changes within the settings.
    """

    model_config = ConfigDict(extra="forbid")

    config: str | dict[str, Any]
    group: str
    preload: tuple[str, ...] = ()
    version: str = ""


def build(args: Mapping[str, Any]) -> Any:
    """The application. Ray Serve calls it within the cluster. Raises ConfigError."""
    from hugginggpt.serving.ray_pool import RayPool

    try:
        given = Arguments.model_validate(args)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"args.{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}.") from None
    config = settings.load(given.config)
    model_registry = make_model_registry(config)
    pool = make_model_pool(config, warm=[model_registry.add(model) for model in given.preload])
    if not isinstance(pool, RayPool):
        raise ConfigError(f"{config.source}: models_server.engine is not ray.")
    return pool.application(given.group)
