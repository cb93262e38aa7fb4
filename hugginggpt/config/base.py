"""What the sections of the configuration are made of: their bases, and kinds of values."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from hugginggpt.core.errors import SECRET_CHARS

SECRET_KEYS = ("api_key", "token")
"""The keys of the configuration whose values are never shown."""
MANY = 1_000_000_000
LONG = 1_000_000
"""Seconds, eleven days: the timers of sockets take no more than 24."""
LARGE = 1_000_000
"""MB, GB or megapixels."""
Count = Annotated[int, Field(ge=1, le=MANY)]
Seconds = Annotated[float, Field(gt=0, le=LONG)]
Size = Annotated[float, Field(gt=0, le=LARGE)]
Bias = Annotated[float, Field(ge=-100, le=100)]


def _sendable(secret: str) -> str:
    """A key or token that is valid in an HTTP header; any other would fail with each request."""
    if not (secret.isascii() and secret.isprintable() and secret == secret.strip()):
        raise PydanticCustomError("secret", "input should be printable ASCII characters, with no blanks around them")
    return secret


def _host_name(written: str) -> str:
    """The name or address of a host, in lower case, for comparison with the Host header."""
    name = written.lower().strip("[]")
    if not re.fullmatch(r"[a-z0-9._-]+|[0-9a-f.]*(?::[0-9a-f.]*){2,}", name):
        raise PydanticCustomError("host", "input should be a host's name, without http:// and port")
    return name


def _long(token: str) -> str:
    """A token of the server: a short one could be guessed, and could not be masked in logs."""
    if len(token) < SECRET_CHARS:
        raise PydanticCustomError("short", f"input should have at least {SECRET_CHARS} characters")
    return token


Secret = Annotated[str, AfterValidator(_sendable)]
ListenToken = Annotated[Secret, AfterValidator(_long)]
HostName = Annotated[str, AfterValidator(_host_name)]
Origin = Annotated[str, AfterValidator(lambda written: written.lower().rstrip("/"))]


def _store(url: str) -> str:
    if not re.match(r"[a-z][a-z0-9+]*://", url):
        raise PydanticCustomError("store", "input should be an address such as redis://HOST:6379/0")
    return url


def _runs(place: str) -> str:
    if not place.endswith(".sqlite") and not re.match(r"[a-z][a-z0-9+]*://", place):
        raise PydanticCustomError("store", "input should be a file NAME.sqlite, or an address: redis://HOST:6379/0")
    return place


StoreUrl = Annotated[str, AfterValidator(_store)]
RunStorePlace = Annotated[str, AfterValidator(_runs)]


class Section(BaseModel):
    """A part of the configuration. Its keys and tokens are left out where it is printed."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", allow_inf_nan=False)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            is_login = isinstance(value, str) and re.search("://.*(?:@|password=)", value)
            yield name, "***" if value and (name in SECRET_KEYS or is_login) else value


class Row(Section):
    """A part of the configuration in which every key must be known."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_known_keys(cls, value: Any) -> Any:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in value if isinstance(value, Mapping) else ():
            if key not in known:
                near = difflib.get_close_matches(str(key), known, 1)
                hint = f" (did you mean {near[0]}?)" if near else ""
                # a key of a service has digits, and may stand where none belongs
                shown = key if re.fullmatch(r"[A-Za-z_]{1,24}", str(key)) else "…"
                context = {"key": shown, "hint": hint}
                raise PydanticCustomError("unknown", "extra inputs are not permitted{hint}", context)
        return value
