"""POST /v1/images/generations: pictures of a description."""

from __future__ import annotations

import base64
import time
from typing import Any

import flask

from hugginggpt.endpoints.base import settle
from hugginggpt.serving.openai_api.bodies import PicturesBody
from hugginggpt.serving.openai_api.models import Invalid, Models, body_of


def pictures(models: Models) -> Any:
    body = body_of(PicturesBody)
    entry, row = models.find(body.model, "images")
    if not body.prompt.strip():
        raise Invalid("prompt: the text is empty.", "prompt")
    args: dict[str, Any] = {row.input_arg.name: body.prompt}
    width, _, height = (body.size or "").partition("x")
    sized = {"width": int(width), "height": int(height)} if height else {}
    if sized and entry.embedded:
        raise Invalid(f"{entry.id} makes pictures of one size.", "size")
    asked = [models.ask(entry, row.name, {**args, **sized}) for _ in range(body.n or 1)]
    made = [settle(row, one.answer(), args, models.media)["generated image"] for one in asked]
    return {"created": int(time.time()), "data": [_shown(path, body.response_format, models) for path in made]}


def _shown(path: str, form: str | None, models: Models) -> dict[str, str]:
    if form == "b64_json":
        return {"b64_json": base64.b64encode(models.media.resolve(path).read_bytes()).decode()}
    return {"url": flask.request.host_url.rstrip("/") + path}
