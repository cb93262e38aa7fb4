"""The section `models_server.ray`: the model server's experts in processes of Ray Serve."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from hugginggpt.config.base import Count, ListenToken, Row, Section, Size


def _address(written: str) -> str:
    if written not in ("local", "auto") and not written.startswith("ray://"):
        raise PydanticCustomError("address", "input should be local, auto, or ray://HOST:10001")
    return written


class ReplicaGroup(Row):
    """Models that share replicas. A replica is a process that can run each of them; `models` are ids, `*` in them for
    any characters. Each model is in the first group that names it.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    models: list[str] = Field(default=["*"], min_length=1)
    replicas: Count = 1
    most_replicas: Count | None = None
    """With more of them than `replicas`, there are as many as the load needs."""
    requests: Annotated[float, Field(gt=0, le=10_000)] = 4
    """The requests at work for each replica from which there are more replicas."""
    cpus: Annotated[float, Field(gt=0, le=10_000)] = 1
    memory: Size | None = None
    """The GB that the models of a replica may use."""

    @model_validator(mode="after")
    def _has_a_range(self) -> ReplicaGroup:
        if self.most_replicas is not None and self.most_replicas < self.replicas:
            raise PydanticCustomError("range", "most_replicas should not be less than replicas")
        return self

    @property
    def most(self) -> int:
        return self.most_replicas or self.replicas


class RayServe(Section):
    """Where the replicas run and what for."""

    address: Annotated[str, AfterValidator(_address)]
    token: ListenToken | None
    dashboard: bool
    files_mb: Annotated[int, Field(ge=80, le=1_000_000)]
    gpu_memory: Size | None
    deploy: bool
    groups: Annotated[list[ReplicaGroup], Field(min_length=1)]
