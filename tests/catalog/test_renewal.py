"""The catalogue is renewed from a Hub on loopback, by huggingface_hub itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import set_client_factory
from huggingface_hub.utils._http import default_client_factory

from hugginggpt.catalog.catalog import make_catalog
from hugginggpt.catalog.entries import DESCRIPTION_CHARS, description_in
from hugginggpt.catalog.hub_client import HubListing
from hugginggpt.catalog.renewal import Renewal
from hugginggpt.common.paths import CATALOGUE
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, UserError
from hugginggpt.core.results import visible_line
from hugginggpt.testing.fake_hub import FakeHub, listed
from hugginggpt.testing.fakes import DROP, HANG, HTML, Fault, status
from tests.conftest import TABLE, MakeConfig

DETECTION, SPEECH = "object-detection", "automatic-speech-recognition"
OLD, KNOWN, NEW = "me/old", "me/known", "facebook/detr-resnet-101"
TOKEN = "hf_own_token"


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    models = [listed(KNOWN, DETECTION, 500), listed(NEW, DETECTION, 300), listed("me/unserved", DETECTION, 900, ())]
    with FakeHub(models, {NEW: "---\nlicense: mit\n---\n# DETR\n\nFinds *80* kinds.\n"}) as server:
        yield server
    set_client_factory(default_client_factory)


@pytest.fixture
def config(make_config: MakeConfig, hub: FakeHub, tmp_path: Path) -> Config:
    entries = [
        {"id": OLD, "task": DETECTION, "downloads": 9, "likes": 1, "meta": {}, "description": "Old."},
        {
            "id": KNOWN,
            "task": DETECTION,
            "downloads": 9,
            "likes": 1,
            "meta": {"library": "timm"},
            "description": "Mine.",
        },
        {"id": "me/unfit", "task": DETECTION, "meta": {"unfit": "draws nothing"}},
        {"id": "me/speech", "task": SPEECH, "description": "Writes."},
        {"id": "me/kept", "task": "canny-control", "description": "No task of the Hub."},
    ]
    file = tmp_path / "models.jsonl"
    file.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    gateway = {"base_url": hub.url, "token": TOKEN}
    return make_config(base_catalog=str(file), huggingface=gateway, limits={"inference_seconds": 10})


def renewal(config: Config, says: Callable[[str], None] = lambda line: None) -> Renewal:
    return Renewal(config, TABLE, HubListing(config, says))


def fetched(config: Config) -> Renewal:
    done = renewal(config)
    done.fetch(lambda line: None)
    return done


def ids(config: Config, task: str = DETECTION) -> list[str]:
    return [card.id for card in make_catalog(config).models(task)]


def test_the_models_that_a_provider_serves_take_the_place_of_others(config: Config, hub: FakeHub) -> None:
    done = fetched(config)
    (changes,) = done.changes()
    assert changes.task == DETECTION
    assert [entry["id"] for entry in changes.added] == [NEW]
    assert [entry["id"] for entry in changes.removed] == [OLD]
    assert changes.changed == {KNOWN: ["downloads", "likes", "meta"]}
    assert ids(config) == [OLD, KNOWN]  # nothing is written unasked
    done.write()
    assert ids(config) == [KNOWN, NEW]
    new, known = make_catalog(config).models(DETECTION)[::-1]
    assert (new.description, new.downloads, new.likes) == ("Finds 80 kinds.", 300, 30)
    assert new.meta["license"] == "apache-2.0"
    assert new.meta["language"] == ["en"]
    assert new.meta["size"] == 4 * 41_500_000 + 8 * 100
    assert (known.description, known.meta["library"]) == ("Mine.", "timm")
    assert ids(config, SPEECH) == ["me/speech"]  # of which no provider serves a model
    assert "me/unfit" in Path(config.base_catalog).read_text()
    assert not Path(f"{config.base_catalog}.progress").exists()
    assert list(fetched(config).changes()) == []


def test_each_request_asks_for_what_is_served_by_downloads(config: Config, hub: FakeHub) -> None:
    fetched(config)
    assert all(request["headers"]["Authorization"] == f"Bearer {TOKEN}" for request in hub.requests)
    wanted = {"pipeline_tag": DETECTION, "inference_provider": "all", "sort": "downloads"}
    assert [wanted.items() <= asked.items() for asked in hub.asked].count(True) == 1


def test_the_configured_provider_alone_counts(make_config: MakeConfig, config: Config, hub: FakeHub) -> None:
    hub.models = [listed("me/fal", DETECTION, 5, ["fal-ai"]), listed("me/other", DETECTION, 9, ["together"])]
    own = make_config(base_catalog=config.base_catalog, huggingface={"base_url": hub.url, "provider": "fal-ai"})
    fetched(own).write()
    assert ids(own) == ["me/fal"]


def test_a_model_that_is_served_for_another_task_is_none_for_this(config: Config, hub: FakeHub) -> None:
    odd = listed("me/odd", DETECTION, 999)
    odd["inferenceProviderMapping"][0]["task"] = "image-classification"
    staged = listed("me/staged", DETECTION, 998)
    staged["inferenceProviderMapping"][0]["status"] = "staging"
    hub.models += [odd, staged]
    fetched(config).write()
    assert ids(config) == [KNOWN, NEW]


def test_pages_are_followed_until_there_are_enough(config: Config, hub: FakeHub) -> None:
    hub.models = [listed(f"me/m{n}", DETECTION, 1000 - n) for n in range(60)]
    hub.page = 4
    fetched(config).write()
    assert ids(config) == [f"me/m{n}" for n in range(15)]
    assert len([asked for asked in hub.asked if asked["pipeline_tag"] == DETECTION]) == 4


def test_a_link_to_another_host_is_not_followed_and_gets_no_token(config: Config, hub: FakeHub) -> None:
    hub.models, hub.page = hub.models[:1], 1
    with FakeHub() as other:
        hub.next_page = other.url
        done = fetched(config)
        assert other.requests == []
    assert "leads to another address" in done.failed[DETECTION]


def test_pages_without_an_end_end(config: Config, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hugginggpt.catalog.hub_client.MOST_REQUESTS", 30)
    hub.models, hub.next_page = [], hub.url
    with pytest.raises(BackendError, match="there is no end"):
        fetched(config)


@pytest.mark.parametrize(
    "fault", [status(500), status(404), HTML, DROP, Fault(body="[1]"), Fault(body="7"), Fault(body="[" * 9999)]
)
def test_a_task_that_cannot_be_listed_stays_and_is_asked_for_again(config: Config, hub: FakeHub, fault: Fault) -> None:
    hub.faults[f"list {SPEECH}"] = [fault]
    hub.models.append(listed("openai/whisper-large-v3", SPEECH, 7))
    done = fetched(config)
    done.write()
    if fault.body == "[1]":  # an entry that is none is left out
        assert done.listing.unread == 1
        return
    assert done.failed[SPEECH]
    assert ids(config, SPEECH) == ["me/speech"]
    before = len(hub.asked)
    fetched(config).write()
    assert [asked["pipeline_tag"] for asked in hub.asked[before:]] == [SPEECH]
    assert ids(config, SPEECH) == ["openai/whisper-large-v3"]


@pytest.mark.parametrize(
    "odd",
    [
        7,
        {"pipeline_tag": DETECTION, "inferenceProviderMapping": [{}]},
        {**listed("me/odd", DETECTION), "inferenceProviderMapping": 7},
        {**listed("me/odd", DETECTION), "cardData": {"ignore_metadata_errors": True}},
        {**listed("me/odd", DETECTION), "safetensors": {"a": 1}},
        {**listed("no id at all", DETECTION)},
    ],
)
def test_an_odd_entry_is_left_out_and_counted(config: Config, hub: FakeHub, odd: Any) -> None:
    hub.models.insert(0, odd)
    done = fetched(config)
    done.write()
    assert ids(config) == [KNOWN, NEW]
    assert done.listing.unread >= 1


def test_odd_values_do_not_reach_the_catalogue(config: Config, hub: FakeHub) -> None:
    odd = {
        **listed("me/odd", DETECTION),
        "downloads": "many",
        "likes": None,
        "safetensors": {"parameters": [], "total": 1},
    }
    odd["cardData"] = {
        "license": ["mit\u202e", 7],
        "language": "e\u200bn\n",
        "tags": [f"t{n}" for n in range(99)],
        "datasets": 3,
    }
    hub.models = [odd]
    fetched(config).write()
    (card,) = make_catalog(config).models(DETECTION)
    assert (card.downloads, card.likes) == (0, 0)
    assert card.meta == {"license": ["mit"], "language": "en", "tags": [f"t{n}" for n in range(10)]}


def test_a_limited_number_of_requests_is_waited_for(config: Config, hub: FakeHub) -> None:
    hub.faults["list object-detection"] = [status(429, Retry_After="0")]
    said: list[str] = []
    done = renewal(config, said.append)
    done.fetch(said.append)
    assert [entry["id"] for entry in done.fetched[DETECTION]] == [KNOWN, NEW]
    assert f"{hub.url} takes no more requests for the moment; going on in 0 s." in said


def test_the_limit_that_the_hub_tells_in_its_own_header_counts(config: Config, hub: FakeHub) -> None:
    hub.faults[f"list {DETECTION}"] = [status(429, RateLimit='"api";r=0;t=900')]
    with pytest.raises(BackendError, match="takes no more requests for 900 s: try again then"):
        fetched(config)


def test_a_wait_of_an_hour_ends_it_and_what_was_fetched_stays(config: Config, hub: FakeHub) -> None:
    hub.faults[f"list {SPEECH}"] = [status(429, Retry_After="3600")]
    with pytest.raises(BackendError, match="takes no more requests for 3600 s: try again then"):
        fetched(config)
    first = {asked["pipeline_tag"] for asked in hub.asked} - {SPEECH}
    assert DETECTION in first
    hub.asked.clear()
    fetched(config).write()
    assert not first & {asked["pipeline_tag"] for asked in hub.asked}
    assert ids(config) == [KNOWN, NEW]


def test_a_hub_that_hangs_is_left(make_config: MakeConfig, config: Config, hub: FakeHub) -> None:
    hub.always[f"list {DETECTION}"] = HANG
    limits = {"inference_seconds": 0.3}
    own = make_config(base_catalog=config.base_catalog, huggingface={"base_url": hub.url}, limits=limits)
    assert "no answer in time" in fetched(own).failed[DETECTION] or "timed out" in fetched(own).failed[DETECTION]


def test_a_hub_that_is_not_there(make_config: MakeConfig, config: Config) -> None:
    own = make_config(base_catalog=config.base_catalog, huggingface={"base_url": "http://127.0.0.1:9"})
    with pytest.raises(BackendError, match="cannot be asked"):
        fetched(own)
    assert ids(own) == [OLD, KNOWN]


@pytest.mark.parametrize("token", [TOKEN, None])
def test_a_refused_token_is_said_but_not_shown(
    make_config: MakeConfig, config: Config, hub: FakeHub, token: str | None
) -> None:
    hub.always["list text-classification"] = status(401)
    own = make_config(base_catalog=config.base_catalog, huggingface={"base_url": hub.url, "token": token})
    with pytest.raises(BackendError, match="answered 401: check HF_TOKEN") as caught:
        fetched(own)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("fault", [status(404), status(403), status(500), DROP, Fault(body=b"\xff\xfe" * 9)])
def test_a_card_that_cannot_be_read_costs_its_description_alone(config: Config, hub: FakeHub, fault: Fault) -> None:
    hub.always[f"card {NEW}"] = fault
    done = fetched(config)
    done.write()
    assert ids(config) == [KNOWN, NEW]


def test_progress_is_kept_task_by_task(config: Config, hub: FakeHub) -> None:
    seen: list[str] = []

    class Killed(BaseException):
        pass

    def say(line: str) -> None:
        seen.append(line)
        if line.startswith(DETECTION):
            raise Killed

    with pytest.raises(Killed):
        renewal(config).fetch(say)
    assert ids(config) == [OLD, KNOWN]
    progress = Path(f"{config.base_catalog}.progress")
    with progress.open("a") as file:
        file.write('{"task": "image-classification", "mod')  # and a line was cut off
    hub.asked.clear()
    done = fetched(config)
    assert DETECTION not in {asked["pipeline_tag"] for asked in hub.asked}
    assert [entry["id"] for entry in done.fetched[DETECTION]] == [KNOWN, NEW]
    assert len(renewal(config).progress.done) == len(done.tasks)


@pytest.mark.parametrize("begun", ['{"from": ["https://elsewhere", "auto"], "began": 1}', "[]", "{", '{"from": "x"}'])
def test_progress_that_is_of_no_use_is_replaced(config: Config, hub: FakeHub, begun: str) -> None:
    Path(f"{config.base_catalog}.progress").write_text(f'{begun}\n{{"task": "{DETECTION}", "models": []}}\n')
    assert [entry["id"] for entry in fetched(config).fetched[DETECTION]] == [KNOWN, NEW]


def test_old_progress_is_fetched_again(config: Config, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched(config)
    monkeypatch.setattr("hugginggpt.catalog.renewal.KEPT_SECONDS", 0.0)
    assert renewal(config).progress.done == {}


def test_a_catalogue_that_was_changed_meanwhile_is_not_overwritten(config: Config) -> None:
    done = fetched(config)
    with Path(config.base_catalog).open("a") as file:
        file.write('{"id": "me/later", "task": "object-detection"}\n')
    with pytest.raises(UserError, match="was changed meanwhile"):
        done.write()
    assert "me/later" in ids(config)


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_fetched(
    config: Config, hub: FakeHub, make_config: MakeConfig, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    own = make_config(base_catalog=str(CATALOGUE), huggingface={"base_url": hub.url})
    object.__setattr__(own, "base_catalog", str(tmp_path / "file" / "models.jsonl"))
    with pytest.raises(UserError, match="cannot be (renewed|read)|Cannot read"):
        fetched(own)
    assert hub.requests == []


def test_the_catalogue_that_comes_with_the_project_is_the_default(make_config: MakeConfig) -> None:
    assert make_catalog(make_config()).files == (CATALOGUE,)


CARDS = {
    "# Title\n\nIt sees.": "It sees.",
    "---\nlicense: mit\n---\nIt sees.\n\nAnd hears.": "It sees. And hears.",
    "---\nbroken: [\n": "",
    "[![badge](https://img.example/x.svg)](https://x.example) ![a](b)\n\nIt sees [all](https://x.example).": "It sees all.",
    '<p align="center">HTML</p>\n\nIt <b>sees</b> `code` &amp; *more*.': "It sees code & more.",
    "- a list\n\n> a quote\n\n| a |\n|---|\n| b |\n\n```\ncode\n```\n\nWords.": "Words.",
    "See https://x.example/y?z now.": "See now.",
    "In\u202evisible\u200b \x07marks\ufe0f\U000e0101 and\u00a0blanks.": "Invisible marks and blanks.",
    "": "",
    "***": "",
}


@pytest.mark.parametrize("card", CARDS)
def test_the_description_in_a_card(card: str) -> None:
    assert description_in(card) == CARDS[card]


@pytest.mark.parametrize("card", ["word " * 9999, "x" * 99999, "[" * 99999, "> " * 9999, "a\n\n" * 9999])
def test_a_long_card_gives_a_short_description(card: str) -> None:
    assert len(description_in(card)) <= DESCRIPTION_CHARS


def test_a_line_is_cut_with_a_mark() -> None:
    assert visible_line("one two", 5) == "one…"
    assert visible_line("one\n two", 7) == "one two"


def test_a_renewal_leaves_the_catalogue_of_the_project_as_it_is(
    hub: FakeHub, make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("hugginggpt.config.user_folder", lambda: tmp_path)
    config = make_config(huggingface={"base_url": hub.url, "token": TOKEN}, limits={"inference_seconds": 10})
    before = CATALOGUE.read_bytes()
    assert config.catalog_file == CATALOGUE
    fetched(config).write()
    assert CATALOGUE.read_bytes() == before
    assert make_catalog(config).files == (tmp_path / "data" / "p0_models.renewed.jsonl",)
    assert NEW in [card.id for card in make_catalog(config).models(DETECTION)]
