"""The section `embedded_llm`: the language model that runs on this machine."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hugginggpt.config.base import MANY, Count, Row, Section


class LanguageModelFile(Row):
    """A GGUF file on the Hub that `--download-llm` knows by name.

    `revision` None: the newest; `size` (bytes) and `sha256` None: what the Hub says.
    """

    name: str = Field(pattern=r"^[a-z0-9][\w.-]*$")
    repo: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    file: str = Field(pattern=r"^[\w-][\w./-]*\.gguf$")
    about: str
    licence: str
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")] | None = None
    size: int | None = Field(default=None, ge=1)
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None


class EmbeddedModel(Section):
    """What runs and how; `threads` None: what proves fastest, `gpu_layers` None: as many as fit."""

    file: str | None
    folder: str
    context: int = Field(ge=512, le=MANY)
    threads: Count | None
    gpu_layers: int | None = Field(ge=0, le=10_000)
    reply_tokens: Count
    models: list[LanguageModelFile]
