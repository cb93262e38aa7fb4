"""A short part of the fault suite (`make chaos`), and a test for each bug that it found."""

from __future__ import annotations

import json
import logging
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hugginggpt import logs
from hugginggpt.catalog.catalog import Catalog
from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import BackendError, MediaError, StopReason
from hugginggpt.core.events import Started
from hugginggpt.endpoints.base import settle
from hugginggpt.endpoints.server import ModelServer
from hugginggpt.llm.services import make_llm
from hugginggpt.media.store import MediaStore
from hugginggpt.records.feeds import TooManyRuns
from hugginggpt.records.live_runs import Runs
from hugginggpt.testing import FakeEndpoint, plan, task
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault, png
from hugginggpt.web.chats import Chats
from tests.chaos import scenarios
from tests.chaos.lab import Lab, open_lab
from tests.chaos.plans import every_fault, mark
from tests.chaos.services import FAULTS, ChaosExperts
from tests.conftest import TABLE, MakeConfig, controller_at, controller_with

SEED = 1
A = "/examples/a.jpg"
WAITING = ("stall", "drip", "slow_head", "huge", "429_after", "503_after")
"""Faults that take their time: left to the slow tests."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with open_lab(tmp_path_factory.mktemp("chaos") / "lab") as opened:
        yield opened


def test_a_sample_of_all_faults_breaks_no_invariant(lab: Lab) -> None:
    rng = random.Random(SEED)
    quick = [case for case in every_fault(rng) if not any(way in str((case.faults, case.plan)) for way in WAITING)]
    rng.shuffle(quick)
    scenarios.warm_up(lab)
    counts = scenarios.run_together(lab.config(limits={"llm_retries": 0}), quick[:12])
    assert counts["runs"] == 12
    assert len(FAULTS) > len(WAITING)


@pytest.mark.slow
@pytest.mark.timeout(330)  # the longest scenario takes 100 s, most of them waits that are part of it
@pytest.mark.parametrize(
    "scenario",
    [
        "random_plans", "refused_connections", "jumping_clock", "read_only_public", "full_disk",
        "signals", "signals_to_servers", "model_server_killed", "huge_answers",
    ],
)  # fmt: skip
def test_more_of_the_fault_suite(scenario: str) -> None:
    """In a process of its own, whose sockets and threads are all its doing. `make chaos` tries the rest, too."""
    command = [sys.executable, "-m", "tests.chaos", "--seed", "1", "--only", scenario]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


# Answers that do not end, or are none


@pytest.mark.parametrize(
    ("fault", "said"), [("drip", "did not answer in time"), ("huge", "larger than"), ("nested", "no JSON")]
)
def test_a_model_servers_answer_is_bounded(make_config: MakeConfig, public: Path, fault: str, said: str) -> None:
    with ChaosExperts("local", public) as server:
        address = {"host": "127.0.0.1", "port": server.port}
        limits = {"inference_seconds": 0.3 if fault == "drip" else 30}
        config = make_config(local_inference_endpoint=address, inference_mode="local", limits=limits)
        endpoint = ModelServer(config, Catalog(), MediaStore(config))
        text = mark("n0000000000z", 0, (fault, "always"))
        with pytest.raises(BackendError, match=said):
            endpoint.infer("chaos/local-text-classification-0", TABLE["text-classification"], {"text": text})
        endpoint.close()


@pytest.mark.parametrize("fault", ["drip", "slow_head"])
def test_a_download_that_drips_is_given_up(make_config: MakeConfig, public: Path, fault: Any) -> None:
    with ChaosExperts("local", public) as server:
        server._about = lambda call, route: server.fail(call, fault)  # type: ignore[method-assign]
        media = MediaStore(make_config(allowed_hosts=["127.0.0.1"], limits={"inference_seconds": 0.3}))
        with pytest.raises(MediaError, match=r"took longer than 0.3 s"):
            media.fetch(f"{server.url}/x.png")


CHOICES = '{"choices": [{"index": 0, "message": {"role": "assistant", "content": %s}}], "usage": %s}'


@pytest.mark.parametrize(
    "body",
    [
        CHOICES % ("5", "null"), CHOICES % ('{"a": 1}', "null"), '{"choices": 5}', "[]", "7",
        '{"choices": [null]}', '{"choices": {"a": 1}}', "[" * 100_000, '"' + "x" * 21_000_000 + '"',
    ],
    ids=lambda body: body[:40],
)  # fmt: skip
def test_a_completion_of_the_wrong_type_is_a_backend_error(
    make_config: MakeConfig, llm_server: FakeLLM, body: str
) -> None:
    llm_server.always["all"] = Fault(body=body)
    llm = make_llm(make_config(local={"endpoint": llm_server.url}, limits={"llm_seconds": 20}))
    assert llm
    for ask in (lambda: llm.complete(ASK, stage="chat"), lambda: list(llm.stream(ASK, stage="chat"))):
        with pytest.raises(BackendError):
            ask()
    llm.close()


ASK = [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize("usage", ['{"prompt_tokens": 3, "completion_tokens": "many"}', "7", "[]"])
def test_odd_counts_of_tokens_are_estimated_instead(make_config: MakeConfig, llm_server: FakeLLM, usage: str) -> None:
    llm_server.always["all"] = Fault(body=CHOICES % ('"x"', usage))
    llm = make_llm(make_config(local={"endpoint": llm_server.url}))
    assert llm and llm.complete(ASK, stage="chat").usage.calls == 1
    llm.close()


ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(), st.sampled_from(["x", "/examples/a.jpg"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["label", "score", "box", "xmin", "ymin", "xmax", "ymax", "answer", "word", "path", "generated image",
                 "predicted", "mask", "generated_text", "sequence", "labels", "scores", "entity_group"]
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.fixture
def media(make_config: MakeConfig, public: Path) -> MediaStore:
    (public / "small.png").write_bytes(png())
    return MediaStore(make_config())


@example(name="object-detection", raw={"generated image": []})
@example(name="object-detection", raw={"generated image": [None]})
@given(name=st.sampled_from(list(TABLE.names)), raw=ODD)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_an_expert_answers_is_a_result_that_reads_or_an_error(media: MediaStore, name: str, raw: Any) -> None:
    row = TABLE[name]
    try:
        value = settle(row, raw, {"image": media.public / "small.png"}, media)
    except BackendError:
        return
    assert isinstance(row.result.describe(value) + row.result.to_text(value), str)
    json.dumps(value)


def test_a_service_that_was_away_for_a_moment_is_asked_again(
    make_config: MakeConfig, expert_server: FakeExperts
) -> None:
    """Not being reached is no answer, and is not remembered as one."""
    address = {"host": "127.0.0.1", "port": expert_server.port}
    config = make_config(local_inference_endpoint=address, inference_mode="local")
    server = ModelServer(config, Catalog(), MediaStore(config))
    server._loaded._failed_seconds = 0.0
    expert_server.faults["status dslim/bert-base-NER"] = [Fault(drop=True)] * 2
    row = TABLE["token-classification"]
    found = [[card.id for card in server.models(row, 5)] for _ in range(3)]
    server.close()
    assert found[0] == [] and found[-1] == ["dslim/bert-base-NER"]


# Ends


def test_a_run_that_is_left_in_the_middle_has_a_whole_record(make_config: MakeConfig, scripted: Any) -> None:
    over = threading.Event()
    place = FakeEndpoint("local", {"image-to-text": ["caption"]}, lambda *_: over.wait(60) and {"generated text": "x"})
    tasks = [task(0, "image-to-text", image=A), task(1, "image-to-text", [0], image="<GENERATED>-0")]
    controller = controller_at(make_config(embedded=False, stream_plan=False), scripted(plan=plan(*tasks)), place)
    request = controller.prepare([{"role": "user", "content": "x"}])
    stream = controller.run(request)
    next(event for event in stream if isinstance(event, Started))
    stream.close()  # as Ctrl-C does
    over.set()
    kept = controller.log.load(request.id)
    assert kept and kept["stop"] == StopReason.CANCELLED
    assert [result["inference result"]["error"]["type"] for result in kept["results"].values()] == ["failed", "skipped"]


def test_a_server_that_ends_cancels_its_runs_and_takes_no_more(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    llm_server.always["plan"] = Fault(hang=True)
    controller = controller_with(make_config(local={"endpoint": llm_server.url}))
    runs, said = Runs(5), [{"role": "user", "content": "x"}]
    live = runs.start(controller, controller.prepare(said), "answer")
    runs.close(20)
    assert live.record.stop is StopReason.CANCELLED
    assert controller.log.load(live.run.id)
    with pytest.raises(TooManyRuns, match="ending"):
        runs.start(controller, controller.prepare(said), "answer")


# Disks and clocks


def test_a_full_disk_is_no_traceback_in_the_log(make_config: MakeConfig, capsys: pytest.CaptureFixture[str]) -> None:
    handler = logs.LogFile("/dev/full", delay=True)
    handler.emit(logging.LogRecord("x", logging.WARNING, "x", 1, "said", None, None))
    try:
        handler.close()
    except OSError:
        pass  # what could not be written before cannot be at the end
    assert capsys.readouterr().err == ""


def test_conversations_that_cannot_be_kept_are_a_typed_error(tmp_path: Path) -> None:
    chats = Chats(tmp_path / "chats.sqlite")
    chats.begin("a", "run1", "hello")
    pages = chats._db.execute("PRAGMA page_count").fetchone()[0]
    chats._db.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(BackendError, match="cannot be kept"):
        chats.begin("a", "run2", "x" * 100_000)
    with pytest.raises(BackendError, match="cannot be kept"):
        chats.finish("a", "run1", "answered", "x" * 100_000, {})
    assert [turn.status for turn in chats.turns("a")] == ["running"]
    chats.close()
    with pytest.raises(BackendError):
        chats.list()


def test_an_upload_that_cannot_be_copied_leaves_nothing(make_config: MakeConfig, public: Path, tmp_path: Path) -> None:
    media = MediaStore(make_config())
    picture = tmp_path / "mine.jpg"
    picture.write_bytes((public / "examples" / "a.jpg").read_bytes())
    (public / "uploads").mkdir()
    target = media.attach(picture)
    target.unlink()
    target.mkdir()
    target.rename(target.with_name("x"))
    (public / "uploads" / "x").rmdir()
    public.joinpath("uploads").rmdir()
    public.joinpath("uploads").write_text("a file where the folder should be")
    with pytest.raises(BackendError, match="Cannot create"):
        media.attach(picture)
    assert not list(public.rglob("*.part"))


WALL_CLOCK = {
    "chats.py": 3,
    "content_cache.py": 2,
    "atomic_files.py": 1,
    "events.py": 1,
    "run_log.py": 1,
    "workspace.py": 1,
    "renewal.py": 2,
    "draining.py": 1,
    "batch.py": 1,
    "batches.py": 2,
    "sqlite_runs.py": 4,
    "guard.py": 2,  # sessions end on a date
    "share_store.py": 3,  # links, too
    "shares.py": 1,
    "pictures.py": 1,  # "created" of OpenAI's replies
}
"""Where the time of day is asked for: to be shown, to name a folder, to find what was abandoned (also by another process: leases), or beside a stamp of another
library that only orders connections; never to wait."""


def test_no_deadline_depends_on_the_time_of_day() -> None:
    for file in [*(ROOT / "hugginggpt").rglob("*.py"), ROOT / "awesome_chat.py", ROOT / "models_server.py"]:
        calls = re.findall(r"\btime\.time\(|\bdatetime\.(?:now|utcnow)\(", file.read_text(encoding="utf-8"))
        assert len(calls) <= WALL_CLOCK.get(file.name, 0), file
