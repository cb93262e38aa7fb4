"""How the parts of a controller are assembled and shared, and their reprs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from hugginggpt.endpoints.base import Tier
from hugginggpt.endpoints.circuit_breaker import FAILURES
from hugginggpt.llm.services import llm_with_key
from hugginggpt.testing import FakeLLM, ScriptedLLM, plan, run, task
from hugginggpt.testing.fakes import status
from tests.conftest import MakeConfig, controller_with

SECRETS = {
    "OPENAI_API_KEY": "sk-openai-000001",
    "AZURE_OPENAI_API_KEY": "azure-key-000002",
    "HF_TOKEN": "hf_token_0000003",
}
TOKENS = {
    "local": {"endpoint": "http://localhost:1", "api_key": "local-key-000004"},
    "http_listen": {"token": "listen-token-05"},
}


def test_another_language_model_shares_all_that_does_not_depend_on_it(make_config: MakeConfig) -> None:
    mine = controller_with(make_config(cache={"enabled": True}), ScriptedLLM())
    llm = ScriptedLLM()
    theirs = mine.with_llm(llm)
    assert (theirs.selector.llm, mine.selector.llm) != (mine.selector.llm, llm)
    assert theirs.executor.media is mine.executor.media
    assert theirs.executor.cache is mine.executor.cache
    assert theirs.selector.prompts.demos is mine.selector.prompts.demos
    assert (theirs.table, theirs.log) == (mine.table, mine.log)
    shared = [endpoint for endpoint in mine.endpoints if endpoint.tier is not Tier.LANGUAGE_MODEL]
    assert [endpoint for endpoint in theirs.endpoints if endpoint.tier is not Tier.LANGUAGE_MODEL] == shared
    assert [endpoint.name for endpoint in theirs.endpoints].count("llm") == 1


def test_breakers_are_shared_but_for_that_of_the_language_model(make_config: MakeConfig) -> None:
    mine = controller_with(make_config(), ScriptedLLM())
    theirs, others = mine.with_llm(ScriptedLLM()), mine.with_llm(ScriptedLLM())
    for _ in range(FAILURES):
        theirs.executor.breakers.was_down("llm")
        theirs.executor.breakers.was_down("local")
    allowed = {
        (who, endpoint): controller.executor.breakers.allows(endpoint)
        for who, controller in (("mine", mine), ("theirs", theirs), ("others", others))
        for endpoint in ("llm", "local", "huggingface")
    }
    assert [pair for pair, is_allowed in allowed.items() if not is_allowed] == [
        ("mine", "local"), ("theirs", "llm"), ("theirs", "local"), ("others", "local"),
    ]  # fmt: skip


def test_a_key_of_a_client_that_is_refused_leaves_the_servers_model_in_use(
    make_config: MakeConfig, llm_server: FakeLLM
) -> None:
    """The tasks that a language model does itself go on with the server's own, however many bad keys there were."""
    llm_server.replies["plan"] = plan(task(0, "summarization", text="A long text."))
    config = make_config(local={"endpoint": llm_server.url}, embedded=False)
    controller = controller_with(config)
    llm_server.faults["chat"] = [status(401)] * 10
    for _ in range(FAILURES + 1):
        with closing(llm_with_key(config, "bad-key-1")) as llm:
            assert not run(controller.with_llm(llm), "Sum up").tasks[0].ok
    llm_server.faults.clear()
    assert run(controller, "Sum up").tasks[0].ok


# Secrets


def reachable(root: Any) -> Iterator[Any]:
    """Every object that attributes, slots and containers lead to, the object itself first."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        item = waiting.pop()
        if (
            id(item) in seen
            or isinstance(item, type | str | bytes | int | float)
            or (callable(item) and not hasattr(item, "__dict__"))
        ):
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list | tuple | set | frozenset):
            waiting += item
        waiting += getattr(item, "__dict__", {}).values() if not isinstance(item, type) else ()
        waiting += [getattr(item, slot, None) for kind in type(item).__mro__ for slot in getattr(kind, "__slots__", ())]


def test_no_repr_shows_a_key(make_config: MakeConfig) -> None:
    controller = controller_with(make_config(SECRETS, llm="openai", **TOKENS))
    llm: Any = controller.selector.llm
    _ = llm._client  # made at the first call
    theirs = controller.with_llm(llm_with_key(controller.config, "sk-client-000006"))
    keys = [*SECRETS.values(), "local-key-000004", "listen-token-05", "sk-client-000006"]
    assert all(key in controller.config.secrets for key in keys[:-1])
    shown = 0
    for item in (*reachable(controller), *reachable(theirs)):
        if isinstance(item, dict | list | tuple | set | frozenset):
            continue  # of the objects around them, which are looked at
        shown += 1
        for text in (repr(item), str(item)):
            assert not any(key in text for key in keys), type(item)
    assert shown > 100


def test_the_configuration_shows_that_a_key_is_set(make_config: MakeConfig) -> None:
    config = make_config(SECRETS)
    assert "api_key='***'" in repr(config.openai)
    assert "api_key=None" in repr(make_config().openai)
    assert config.openai.api_key == SECRETS["OPENAI_API_KEY"]
