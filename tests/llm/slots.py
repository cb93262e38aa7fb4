"""What llama.cpp's server tells of its slots."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import httpx2

from hugginggpt.llm.llama_process import Served

PATIENCE = 60


def slots_of(served: Served, client: httpx2.Client) -> list[dict[str, Any]]:
    slots: list[dict[str, Any]] = client.get("/slots", headers={"Authorization": f"Bearer {served.key}"}).json()
    return slots


def client_of(served: Served) -> httpx2.Client:
    return httpx2.Client(base_url=served.url, timeout=PATIENCE, trust_env=False, verify=False)


def written_when_idle(served: Served, number: int) -> int:
    """Waits until a slot of the process has nothing to do; gives how many tokens it wrote last."""
    slot: dict[str, Any] = {"is_processing": True}
    with client_of(served) as client:
        while slot["is_processing"]:
            slot = slots_of(served, client)[number]
    tokens = slot.get("next_token") or [{"n_decoded": 0}]
    return int((tokens[0] if isinstance(tokens, list) else tokens)["n_decoded"])


def until_at_work(served: Served, asked: Future[Any]) -> None:
    """Waits until a slot works for somebody who has asked."""
    with client_of(served) as client:
        while not any(slot["is_processing"] for slot in slots_of(served, client)):
            assert not asked.done(), asked.exception() or asked.result()
