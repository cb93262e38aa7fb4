"""Language models fetched from a Hub on loopback."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub.utils._http import default_client_factory

from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, UserError
from hugginggpt.llm.downloads import TRIES, fetch, look_up
from hugginggpt.terminal.llm_download import download_llm
from hugginggpt.testing.fakes import HANG, Server
from tests.conftest import MakeConfig

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
FILE = "own/model-GGUF/tiny.gguf"


class FakeHub(Server):
    """Has one file; `sent` and `size` may be made wrong. `ranges` are those that were asked for."""

    sent, size, sha256, commit = CONTENT, len(CONTENT), SHA256, "c" * 40

    def __init__(self) -> None:
        self.ranges: list[str | None] = []
        self.stalls = False
        super().__init__()

    def answer(self, call: Any) -> None:
        if fault := self.fault("all"):
            call.misbehave(fault)
            return
        if "/paths-info/" in call.path:
            lfs = {"size": self.size, "oid": self.sha256, "pointerSize": 100}
            there = {"type": "file", "path": "tiny.gguf", "size": self.size, "oid": "1" * 40, "lfs": lfs}
            if b"expand" in call.body and self.commit:
                there["lastCommit"] = {"id": self.commit, "title": "Upload", "date": "2026-01-01T00:00:00.000Z"}
            call.json([there] if b"tiny.gguf" in call.body else [])
            return
        self.ranges.append(call.headers.get("Range"))
        begin = int((self.ranges[-1] or "bytes=0-").removeprefix("bytes=").partition("-")[0])
        if self.stalls:
            call.send_response(206 if begin else 200)
            call.send_header("Content-Length", str(len(self.sent) - begin))
            call.end_headers()
            self.over.wait()
            return
        call.send(self.sent[begin:], 206 if begin else 200, "application/octet-stream")


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    """Afterwards huggingface_hub has its own client again, not one with the limits of a test."""
    with FakeHub() as server:
        yield server
    huggingface_hub.set_client_factory(default_client_factory)


@pytest.fixture
def config(make_config: MakeConfig, hub: FakeHub) -> Config:
    rows = [{"name": "small", "repo": "own/model-GGUF", "file": "tiny.gguf", "about": "tiny", "licence": "MIT"}]
    return make_config(huggingface={"base_url": hub.url}, embedded_llm={"models": rows})


def test_it_is_looked_up_fetched_and_checked(config: Config, hub: FakeHub) -> None:
    offer = look_up(config, FILE)
    assert (offer.size, offer.sha256, offer.there) == (len(CONTENT), SHA256, 0) and not hub.ranges
    file = fetch(config, offer)
    assert file.read_bytes() == CONTENT and file == config.embedded_file
    assert fetch(config, look_up(config, FILE)) == file and len(hub.ranges) == 1


def test_a_broken_download_goes_on_where_it_was(config: Config, hub: FakeHub) -> None:
    offer = look_up(config, "small")
    offer.part.parent.mkdir(parents=True)
    offer.part.write_bytes(CONTENT[:1000])
    assert offer.there == 1000
    assert fetch(config, offer).read_bytes() == CONTENT
    assert hub.ranges == ["bytes=1000-"] and not offer.part.exists()


def test_another_file_of_the_same_name_stays_and_nothing_is_fetched(config: Config, hub: FakeHub) -> None:
    """Whether it has another size, or the same."""
    offer = look_up(config, FILE)
    offer.part.parent.mkdir(parents=True)
    offer.part.write_bytes(CONTENT[:1000])
    for other in (b"other", CONTENT[::-1]):
        offer.target.write_bytes(other)
        with pytest.raises(UserError, match=r"tiny\.gguf is not this file: .* Rename or remove it"):
            fetch(config, look_up(config, FILE))
        assert offer.target.read_bytes() == other and not hub.ranges
    offer.target.unlink()
    assert fetch(config, look_up(config, FILE)).read_bytes() == CONTENT and hub.ranges == ["bytes=1000-"]


def test_a_hub_that_does_not_answer_is_not_waited_for_without_end(make_config: MakeConfig, hub: FakeHub) -> None:
    hub.always["all"] = HANG
    impatient = make_config(huggingface={"base_url": hub.url}, limits={"inference_seconds": 0.2})
    asked = spawn(look_up, impatient, FILE)
    with pytest.raises(BackendError, match=r"cannot be asked for own/model-GGUF/tiny\.gguf"):
        asked.result(20)


def test_a_piece_of_a_model_is_refused(config: Config, hub: FakeHub) -> None:
    with pytest.raises(UserError, match=r"one piece of a model .* choose a model of own/model-GGUF in one file"):
        look_up(config, "own/model-GGUF/tiny-00001-of-00003.gguf")
    assert not hub.requests
    with pytest.raises(BackendError, match="has no file"):  # a whole model, although it is numbered
        look_up(config, "own/model-GGUF/whole-00001-of-00001.gguf")


def test_what_has_arrived_is_kept_when_it_breaks_off(config: Config, hub: FakeHub) -> None:
    hub.sent = CONTENT[:5000]
    offer = look_up(config, FILE)
    with pytest.raises(BackendError, match="broke off after .* give the same command again"):
        fetch(config, offer)
    assert offer.part.read_bytes() == CONTENT[:5000] and not offer.target.exists()
    hub.sent = CONTENT
    assert fetch(config, offer).read_bytes() == CONTENT


def test_a_part_of_another_repositorys_file_of_that_name_is_not_gone_on_with(config: Config, hub: FakeHub) -> None:
    hub.sent = CONTENT[:5000]
    offer = look_up(config, FILE)
    with pytest.raises(BackendError, match="broke off"):
        fetch(config, offer)
    hub.sent = b"other" * 2000
    hub.size, hub.sha256 = len(hub.sent), hashlib.sha256(hub.sent).hexdigest()
    other = look_up(config, "other/model-GGUF/tiny.gguf")
    assert fetch(config, other).read_bytes() == hub.sent
    assert offer.part.read_bytes() == CONTENT[:5000]


@pytest.mark.slow  # the library waits a second between its tries
def test_a_hub_that_is_mute_in_mid_transfer_is_given_up_soon(
    config: Config, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.2)
    hub.stalls = True
    with pytest.raises(BackendError, match="broke off after"):
        fetch(config, look_up(config, FILE))
    assert len(hub.ranges) == 1 + TRIES


@pytest.mark.parametrize(("commit", "asked"), [("c" * 40, "c" * 40), ("", "main")])
def test_what_is_fetched_is_the_revision_whose_checksum_was_told(
    config: Config, hub: FakeHub, commit: str, asked: str
) -> None:
    """A gateway may not tell it."""
    hub.commit = commit
    fetch(config, look_up(config, FILE))
    assert hub.requests[-1]["path"] == f"/own/model-GGUF/resolve/{asked}/tiny.gguf"


def test_a_model_of_the_list_is_looked_up_and_fetched_at_the_revision_of_the_list(
    config: Config, hub: FakeHub, make_config: MakeConfig
) -> None:
    """Whatever its repository has got since."""
    row = {**config.embedded_llm.models[0].model_dump(), "revision": "d" * 40, "sha256": SHA256, "size": len(CONTENT)}
    pinned = make_config(huggingface={"base_url": hub.url}, embedded_llm={"models": [row]})
    fetch(pinned, look_up(pinned, "small"))
    asked = [request["path"] for request in hub.requests]
    assert asked == [
        f"/api/models/own/model-GGUF/paths-info/{'d' * 40}",
        f"/own/model-GGUF/resolve/{'d' * 40}/tiny.gguf",
    ]


def test_the_checksum_of_the_configuration_is_the_one_that_counts(
    config: Config, hub: FakeHub, make_config: MakeConfig
) -> None:
    row = {**config.embedded_llm.models[0].model_dump(), "sha256": SHA256}
    pinned = make_config(huggingface={"base_url": hub.url}, embedded_llm={"models": [row]})
    offer = look_up(pinned, "small")
    assert offer.checked_by == "configuration"
    hub.sent = CONTENT[::-1]  # whatever the Hub states, this is another file
    with pytest.raises(
        BackendError, match=rf"its SHA-256 is \w+, that of the configuration is {SHA256}. It was removed"
    ):
        fetch(pinned, offer)
    hub.sha256 = hashlib.sha256(hub.sent).hexdigest()
    with pytest.raises(BackendError, match=rf"has changed: .* is {hub.sha256}, .* {SHA256}. Nothing was fetched"):
        look_up(pinned, "small")
    assert pinned.embedded_file is None


def test_a_damaged_file_is_not_kept(config: Config, hub: FakeHub) -> None:
    hub.sent = CONTENT[::-1]
    offer = look_up(config, FILE)
    with pytest.raises(BackendError, match="arrived damaged"):
        fetch(config, offer)
    assert not offer.part.exists() and config.embedded_file is None


def test_what_cannot_be_had_is_told(config: Config, hub: FakeHub, make_config: MakeConfig) -> None:
    for name in ("huge", "own/model-GGUF", "own/model/../x.gguf", "own/model/weights.bin"):
        with pytest.raises(UserError, match=r"is no model to download: choose small, or OWNER/REPOSITORY/FILE\.gguf"):
            look_up(config, name)
    with pytest.raises(BackendError, match=r"no file other\.gguf in own/model"):
        look_up(config, "own/model/other.gguf")
    row = {
        "name": "small",
        "repo": "own/model-GGUF",
        "file": "tiny.gguf",
        "about": "tiny",
        "licence": "MIT",
        "sha256": "0" * 64,
    }
    changed = make_config(huggingface={"base_url": hub.url}, embedded_llm={"models": [row]})
    with pytest.raises(BackendError, match="has changed"):
        look_up(changed, "small")
    hub.size = 10**18
    with pytest.raises(UserError, match=r"needs .* GB in .* are free"):
        fetch(config, look_up(config, FILE))


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_it_asks_before_it_fetches(
    config: Config,
    hub: FakeHub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    code: int,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert download_llm(config, "") == code
    told = capsys.readouterr().out
    assert (
        f"own/model-GGUF/tiny.gguf\n  tiny; MIT\n  0.00 GB, 0.00 to fetch, into {config.path(config.embedded_llm.folder)}"
        in told
    )
    assert SHA256 in told and len(hub.ranges) == (code == 0)


def test_the_rows_that_come_with_it_are_whole(make_config: MakeConfig) -> None:
    models = make_config().embedded_llm.models
    assert [row.name for row in models] == ["small", "medium", "large"]
    assert all(row.licence and row.about for row in models)
    assert all(row.revision and row.sha256 and row.size and row.size > 1e9 for row in models)


def test_the_other_models_are_named_with_their_sizes(
    config: Config, hub: FakeHub, make_config: MakeConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [config.embedded_llm.models[0], *make_config().embedded_llm.models[1:]]
    listed = make_config(huggingface={"base_url": hub.url}, embedded_llm={"models": [row.model_dump() for row in rows]})
    assert download_llm(listed, "", ask=False) == 0
    told = capsys.readouterr().out
    assert "\n    medium: 2.50 GB, Qwen3 4B Instruct 2507 (2025), 4 bits; about 5 GB of memory" in told
    assert "\n    large: 5.03 GB, " in told and "small: " not in told


def test_a_model_that_is_there_is_used_before_offline_and_before_nothing_else(
    make_config: MakeConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my.gguf"
    file.write_bytes(b"")
    monkeypatch.setattr("hugginggpt.config.find_spec", lambda name: name == "xllamacpp")
    own = {"embedded_llm": {"file": str(file)}}
    assert make_config().llm_name == "offline"
    assert make_config(**own).llm_name == "embedded"
    assert make_config({"OPENAI_API_KEY": "sk-1"}, **own).llm_name == "openai"
    assert make_config(llm="offline", **own).llm_name == "offline"
    with pytest.raises(UserError, match="embedded needs --download-llm"):
        make_config(llm="embedded")
    monkeypatch.setattr("hugginggpt.config.find_spec", lambda name: None)
    assert make_config(**own).llm_name == "offline"
