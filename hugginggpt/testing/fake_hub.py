"""The Hub on loopback: listings of models in pages, model cards; misbehaves on demand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from hugginggpt.testing.fakes import Server, _Handler


def listed(
    model: str, task: str, downloads: int = 1000, providers: Sequence[str] = ("hf-inference",)
) -> dict[str, Any]:
    """An entry of a listing, in the shape in which the Hub gives what its readers ask it to `expand`."""
    served = [{"provider": name, "providerId": model, "status": "live", "task": task} for name in providers]
    return {
        "_id": f"{downloads:024x}",
        "id": model,
        "pipeline_tag": task,
        "downloads": downloads,
        "likes": downloads // 10,
        "library_name": "transformers",
        "cardData": {"license": "apache-2.0", "language": ["en"], "tags": ["vision"], "datasets": ["coco"]},
        "safetensors": {"parameters": {"F32": 41_500_000, "I64": 100}, "total": 41_500_100},
        "inferenceProviderMapping": served,
    }


class FakeHub(Server):
    """The Hub: GET /api/models, with pages of `page` entries and Link headers, and /ID/resolve/main/README.md.

    `models` are entries as `listed` makes them, `cards` texts by id. Faults are named "list TASK" and "card ID".
    """

    def __init__(self, models: Sequence[Any] = (), cards: Mapping[str, str] | None = None, page: int = 100) -> None:
        super().__init__()
        self.models = list(models)
        self.cards = dict(cards or {})
        self.page = page
        self.next_page = ""
        """Where the link to a further page leads, in place of this server."""
        self.asked: list[dict[str, str]] = []
        """The queries of the listings so far."""

    def answer(self, call: _Handler) -> None:
        if call.route == "/api/models":
            return self._list(call)
        model = call.route.lstrip("/").removesuffix("/resolve/main/README.md")
        if fault := self.fault(f"card {model}"):
            return call.misbehave(fault)
        if model not in self.cards:
            return call.send(b"", 404, headers={"X-Error-Code": "EntryNotFound"})
        return call.send(self.cards[model].encode(), kind="text/plain; charset=utf-8")

    def _list(self, call: _Handler) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(call.path).query).items()}
        self.asked.append(asked)
        if fault := self.fault(f"list {asked['pipeline_tag']}"):
            return call.misbehave(fault)
        fitting = [entry for entry in self.models if not isinstance(entry, dict) or self._fits(entry, asked)]
        begin = int(asked.get("cursor", 0))
        end = begin + min(self.page, int(asked.get("limit", 1000)))
        following = f"{self.next_page or self.url}/api/models?{urlencode({**asked, 'cursor': end})}"
        link = {"Link": f'<{following}>; rel="next"'} if end < len(fitting) or self.next_page else {}
        return call.send(json.dumps(fitting[begin:end]).encode(), headers=link)

    @staticmethod
    def _fits(entry: dict[str, Any], asked: Mapping[str, str]) -> bool:
        served = "inference_provider" not in asked or bool(entry.get("inferenceProviderMapping"))
        words = asked.get("search", "").lower() in str(entry.get("id")).lower()
        return entry.get("pipeline_tag") == asked["pipeline_tag"] and served and words
