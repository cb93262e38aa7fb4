"""Experts that are called over plain HTTP: what is sent, and where the answer has the result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from hugginggpt.config.base import Row, Seconds, Size
from hugginggpt.core.request_templates import ABOUT_FORMS, CONTENT_FORMS, TEXT_FORMS, mistakes, slots
from hugginggpt.core.result_paths import ResultMap
from hugginggpt.core.secrets import FROM_ENVIRONMENT, TOKEN, mentions, secret_in_url, written_secret
from hugginggpt.core.tasks import TaskType

Method = Literal["GET", "POST", "PUT", "PATCH"]
Code = int | str | bool | None
IN_TEXT = tuple(form for form in (*TEXT_FORMS, *CONTENT_FORMS, *ABOUT_FORMS) if form != "file")
ANYWHERE = (*IN_TEXT, "file")
PLACES: Mapping[str, tuple[str, ...]] = {
    "headers": ABOUT_FORMS, "query": IN_TEXT, "form": IN_TEXT, "json": IN_TEXT, "multipart": ANYWHERE, "body": ANYWHERE,
}  # fmt: skip
"""The parts of a request that are templates, and the forms of arguments that each takes."""
BODIES = ("form", "json", "multipart", "body")


def _address(url: str) -> str:
    """An http or https URL; `$NAME` may stand behind its host."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or not url.isprintable() or " " in url:
        raise PydanticCustomError("secret", "should be an address such as https://api.example.com/v1/images")
    if found := secret_in_url(url):
        raise PydanticCustomError("secret", "{found} " + FROM_ENVIRONMENT, {"found": found})
    if "$" in parts.netloc or "{" in url:
        raise PydanticCustomError(
            "secret", "should name its host; arguments belong in query, form, json, multipart or body"
        )
    return url


HttpAddress = Annotated[str, AfterValidator(_address)]


class _Request(Row):
    """A request as a template. Keys and tokens are named in it: they come from the environment."""

    url: HttpAddress
    method: Method = "POST"
    headers: dict[str, str] = Field({})
    query: dict[str, Any] = Field({})
    form: dict[str, Any] | None = None
    json_body: Any = Field(None, alias="json")
    multipart: dict[str, Any] | None = None
    body: str | None = None

    @property
    def templates(self) -> dict[str, Any]:
        """The parts of the request that are templates, by their keys."""
        return {key: getattr(self, "json_body" if key == "json" else key) for key in PLACES}

    @model_validator(mode="after")
    def _is_whole(self) -> _Request:
        for key, template in self.templates.items():
            if found := written_secret(template, "" if isinstance(template, Mapping) else key, key == "query"):
                where = found if found.startswith(key) else f"{key}.{found}"
                raise PydanticCustomError("secret", FROM_ENVIRONMENT, {"key": where})
        bodies = [key for key in BODIES if self.templates[key] is not None]
        if len(bodies) > 1:
            raise PydanticCustomError("bodies", "only one of {all} can be sent", {"all": ", ".join(bodies)})
        if bodies and self.method == "GET":
            raise PydanticCustomError("bodies", "a GET has no {body}: use query, or POST", {"body": bodies[0]})
        for name, value in self.headers.items():
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or not (value.isascii() and value.isprintable()):
                raise PydanticCustomError("header", "should be of printable ASCII characters", {"key": "headers"})
        return self


class HttpToken(_Request):
    """How a service gives out the token that `$token` stands for, and where its answer has it."""

    field: str = "access_token"
    expires: str | None = None

    @model_validator(mode="after")
    def _has_no_slots(self) -> HttpToken:
        if mentions(list(self.templates.values()), TOKEN):
            raise PydanticCustomError("token", "$token is what this request is for: it cannot be used in it")
        try:
            found = next((slot.name for template in self.templates.values() for slot in slots(template)), "")
        except ValueError as error:
            raise PydanticCustomError("slot", "{wrong}", {"wrong": str(error)}) from None
        if found:
            raise PydanticCustomError("slot", "a token does not depend on {slot}", {"slot": f"{{{found}}}"})
        return self


class HttpErrors(Row):
    """Where an answer tells of an error, whatever its HTTP status, and which codes mean something else."""

    code: str
    message: str | None = None
    ok: list[Code] = Field([0])
    expired: list[Code] = Field([])


class HttpExpert(_Request):
    """An expert of a service; its task is held against the task table by `tables`."""

    id: str = Field(pattern=r"^[A-Za-z0-9][\w.:@-]*(/[\w.:@-]+)*$", max_length=200)
    task: str
    about: str = ""
    token: HttpToken | None = None
    result: str | dict[str, Any] | None = None
    error: HttpErrors | None = None
    repeatable: bool = False
    seconds: Seconds | None = None
    max_input_mb: Size | None = None
    max_answer_mb: Size | None = None
    audio_rate: int | None = Field(None, ge=4000, le=192_000)
    check: dict[str, str | list[str]] = Field({})

    @property
    def sent(self) -> list[Any]:
        """Whatever may name variables of the environment."""
        token = [self.token.url, *self.token.templates.values()] if self.token else []
        return [self.url, *self.templates.values(), *token]

    def mistakes(self, task: TaskType) -> Iterator[tuple[str, str]]:
        """What does not fit the task: a key of the entry, and what is wrong with it."""
        for key, forms in PLACES.items():
            yield from ((key, wrong) for wrong in mistakes(self.templates[key], task, forms))
        yield from self._misplaced_files()
        yield from (("result", wrong) for wrong in ResultMap(task.result, self.result).mistakes())
        if not self.token and (self.error and self.error.expired):
            yield "error.expired", "is about the token: there is no token"
        if not self.token and mentions([self.url, *self.templates.values()], TOKEN):
            yield "token", "should say where $token comes from"
        for name in self.check:
            if not task.arg(name):
                yield "check", f"{name} is no argument of {task.name}"
        yield from self._not_sent(task)

    def _not_sent(self, task: TaskType) -> Iterator[tuple[str, str]]:
        try:
            used = {slot.name for template in self.templates.values() for slot in slots(template)}
        except ValueError:  # told above
            return
        for arg in task.required:
            if arg.name not in used:
                yield (
                    next((key for key in BODIES if self.templates[key] is not None), "query"),
                    (f"the argument {arg.name} of {task.name} is not sent"),
                )

    def _misplaced_files(self) -> Iterator[tuple[str, str]]:
        """{image:file} is a whole part or body."""
        places = {"body": self.body, **{f"multipart.{key}": part for key, part in (self.multipart or {}).items()}}
        for key, template in places.items():
            try:
                found = [slot for slot in slots(template) if slot.form == "file"]
            except ValueError:
                continue
            if found and template != f"{{{found[0].name}:file}}":
                yield key, f"{{{found[0].name}:file}} should stand alone"
