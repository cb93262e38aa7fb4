"""One contract for the pool in this process and for the one on Ray: answers, errors, limits, files, equal JSON."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from hugginggpt.core.errors import BackendError, ExpertUnavailable, MediaError
from hugginggpt.experts import families
from hugginggpt.experts.source import Placement
from hugginggpt.media.store import MediaStore
from hugginggpt.serving.app import create_app
from hugginggpt.serving.commands import make_model_registry
from hugginggpt.serving.devices import Devices
from hugginggpt.serving.model_pool import Busy, ModelPool
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.pool import Pool
from hugginggpt.testing.servers import Serving, served
from tests.conftest import MakeConfig
from tests.serving import told_models
from tests.serving.on_ray import QUIET, needs_ray, plugin_path, ray_pool, started
from tests.serving.told_models import TASK, write_model

pytestmark = [QUIET, pytest.mark.timeout(180)]
QUEUE, BATCH, OPEN, BUDGET = 8, 4, 16, 1_000_000


@pytest.fixture(scope="module", params=["embedded", pytest.param("ray", marks=[pytest.mark.slow, pytest.mark.alone])])
def pool(request: pytest.FixtureRequest) -> Iterator[ModelPool]:
    """A pool of either kind with the same limits, for the tests of this module."""
    with ExitStack() as stack:
        if request.param == "ray":
            needs_ray()
            stack.enter_context(plugin_path())
            yield stack.enter_context(started(ray_pool(QUEUE, BATCH, OPEN, BUDGET / 1e9)))
            return
        patched = stack.enter_context(pytest.MonkeyPatch.context())
        families.lender_of(TASK)  # the modules that register families are loaded
        patched.setitem(families._families, TASK, [told_models.made_to_be_told()])
        yield stack.enter_context(
            closing(Pool(Devices(lambda: [Placement("cpu", "float32")], BUDGET), QUEUE, BATCH, max_open=OPEN))
        )


@pytest.fixture
def model(pool: ModelPool, tmp_path: Path) -> Iterator[Entry]:
    """A model that does what it is told, under a name of the test's own."""
    entry = Entry(f"told-{tmp_path.name}"[:90], (TASK,), write_model(tmp_path / "told"))
    yield entry
    pool.unload(entry.id)


@contextmanager
def hold() -> Iterator[tuple[str, Any]]:
    """The text that holds a model up until the block ends, and a function that waits for it to have begun."""
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as held:
        server.settimeout(60)

        def began() -> socket.socket:
            return held.enter_context(server.accept()[0])

        yield f"hold {server.getsockname()[1]}", began


def ask(pool: ModelPool, model: Entry, text: str, **args: Any) -> Any:
    return pool.submit(model, TASK, {"text": text, **args}).result(60)


def test_requests_at_the_same_time_get_their_own_answers(pool: ModelPool, model: Entry) -> None:
    asked = [pool.submit(model, TASK, {"text": str(number)}) for number in range(QUEUE)]
    assert [one.result(60) for one in asked] == [str(number) for number in range(QUEUE)]
    assert pool.waiting() == 0


def test_a_file_is_there_for_the_model_under_its_name(pool: ModelPool, model: Entry, tmp_path: Path) -> None:
    for size in (0, 10, 300_000):  # below what models may use
        (tmp_path / "a picture.png").write_bytes(b"x" * size)
        assert ask(pool, model, "file", image=tmp_path / "a picture.png") == f"a picture.png {size}"


def test_those_that_wait_are_run_together_and_a_bad_one_fails_alone(pool: ModelPool, model: Entry) -> None:
    with hold() as (text, began):
        first = pool.submit(model, TASK, {"text": text})
        began()
        texts = ["together", "fail", "together", "other"]
        asked = [pool.submit(model, TASK, {"text": one}) for one in texts]
        wait_until_queued(pool, 1 + len(texts), model)
    assert first.result(60) == text
    # The batch of four failed as a whole; then each was run alone.
    assert [asked[at].result(60) for at in (0, 2, 3)] == ["1", "1", "other"]
    with pytest.raises(BackendError, match=f"^{model.id} failed: ValueError: bad input$"):
        asked[1].result(60)


def wait_until_queued(pool: ModelPool, count: int, model: Entry) -> None:
    """Until so many requests have come to the model, the held one included: on Ray they travel first."""
    if isinstance(pool, Pool):
        return
    while sum(state.waiting for state in fresh_states(pool)) < count - 1:
        pass


def fresh_states(pool: Any) -> list[Any]:
    found: list[Any] = next(iter(pool._handles.values())).broadcast("state").results(timeout_s=60)
    return found


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("fail", BackendError, "{} failed: ValueError: bad input"),
        ("memory", BackendError, "{} ran out of memory: give it a smaller input, or unload other models."),
        ("refuse", MediaError, "This file is refused."),
    ],
)
def test_errors(pool: ModelPool, model: Entry, text: str, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as raised:
        ask(pool, model, text)
    assert (type(raised.value), str(raised.value)) == (kind, said.format(model.id))
    assert ask(pool, model, "still there") == "still there"


def test_a_model_that_does_not_fit_and_a_folder_without_one(pool: ModelPool, tmp_path: Path) -> None:
    large = Entry("large", (TASK,), write_model(tmp_path / "large", BUDGET))
    with pytest.raises(ExpertUnavailable, match=r"^large needs 4 MB, more than the 1 MB that models may use"):
        ask(pool, large, "x")
    (tmp_path / "none").mkdir()
    with pytest.raises(ExpertUnavailable, match="^none "):
        pool.load(Entry("none", (TASK,), tmp_path / "none")).result(60)
    assert pool.status("none").state == "failed" and pool.status("none").error.startswith("none ")


def test_a_full_queue_is_busy_and_empties(pool: ModelPool, model: Entry) -> None:
    with hold() as (text, began):
        asked = [pool.submit(model, TASK, {"text": text})]
        began()
        with pytest.raises(Busy, match="try again later"):
            while len(asked) <= 2 * OPEN:  # it is refused at once, or its future says so
                asked.append(pool.submit(model, TASK, {"text": "x"}))
        with pytest.raises(Busy, match="try again later"):
            pool.submit(model, TASK, {"text": "x"}).result(60)
    outcomes = [str(one.exception(60) or "done") for one in asked]
    assert outcomes.count("done") > QUEUE
    assert {said for said in outcomes if said != "done"} <= {
        f"{QUEUE} requests wait for {model.id} already; try again later."
    }
    assert ask(pool, model, "again") == "again"


def test_loading_and_unloading(pool: ModelPool, model: Entry) -> None:
    assert (pool.status(model.id).state, pool.unload(model.id)) == ("available", False)
    pool.load(model).result(60)
    status = pool.status(model.id)
    assert (status.state, status.bytes, status.uses) == ("loaded", 40, 0)
    ask(pool, model, "x")
    assert pool.statuses()[model.id].uses == 1
    assert pool.unload(model.id) is True
    assert (pool.status(model.id).state, pool.status(model.id).bytes) == ("available", 0)
    assert (pool.budget, pool.placement.device) == (BUDGET, "cpu")


def test_the_least_recently_used_make_room(pool: ModelPool, tmp_path: Path) -> None:
    models = [Entry(name, (TASK,), write_model(tmp_path / name, 100_000)) for name in ("room-a", "room-b", "room-c")]
    for entry in models:
        assert ask(pool, entry, entry.id) == entry.id
    pool.load(models[2]).result(60)
    assert [pool.status(entry.id).bytes for entry in models] == [0, 400_000, 400_000]
    for entry in models:
        pool.unload(entry.id)


def test_what_nobody_waits_for_is_dropped(pool: ModelPool, model: Entry) -> None:
    with hold() as (text, began):
        first = pool.submit(model, TASK, {"text": text})
        began()
        gone = pool.submit(model, TASK, {"text": "die"}, has_gone=lambda: True)
        late = pool.submit(model, TASK, {"text": "die"}, seconds=0)
        given_up = pool.submit(model, TASK, {"text": "die"})
        last = pool.submit(model, TASK, {"text": "last"})
        assert given_up.cancel()
        pool.drop_unwanted()
        for dropped in (gone, late):
            with pytest.raises(CancelledError):
                dropped.result(60)
    assert (first.result(60), last.result(60)) == (text, "last")


def test_a_function_is_told_while_the_model_runs(pool: ModelPool, model: Entry) -> None:
    told: list[str] = []
    assert ask(pool, model, "tell me", tell=told.append) == "tell me"
    assert told == ["one", "two"]


def test_each_request_is_counted_with_its_outcome(pool: ModelPool, model: Entry) -> None:
    done: list[tuple[str, str]] = []
    pool.on_done = lambda model, queued, seconds, outcome: done.append((model, outcome))
    ask(pool, model, "x")
    with pytest.raises(BackendError):
        ask(pool, model, "fail")
    pool.on_done = lambda *_: None
    assert done == [(model.id, "ok"), (model.id, "BackendError")]


# Over HTTP, beside the embedded pool


@contextmanager
def serving_on(pool: ModelPool, make_config: MakeConfig, **own: Any) -> Iterator[Serving]:
    config = make_config(device="cpu", log_file=None, **own)
    model_registry = make_model_registry(config)
    with served(create_app(config, model_registry, pool)) as url:
        yield Serving(url, model_registry, pool, MediaStore(config))


REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("vader", {"text": "I love it"}),
    ("vader", {}),
    ("no/model", {"text": "x"}),
    ("nanodet-coco", {"img_url": "/examples/b.jpg"}),
    ("nanodet-coco", {"img_url": "/examples/b.jpg", "text": "How many giraffes are there?"}),
    ("nanodet-coco", {"img_url": "/examples/none.jpg"}),
    ("nanodet-coco", {"img_url": "/examples/broken.png"}),
    ("canny-control", {"img_url": "/examples/b.jpg"}),
    ("collage", {"images": ["/examples/a.jpg", "/examples/b.jpg"]}),
    ("selfie-segmentation", {"img_url": "/examples/b.jpg"}),
]


def said(server: Serving, answer: requests.Response) -> tuple[int, Any, bytes]:
    """What is the same in equal answers: the status, the JSON without the name of a new file, and that file."""
    body = answer.json()
    file = server.file(body.pop("path")).read_bytes() if isinstance(body, dict) and "path" in body else b""
    return answer.status_code, body, file


def test_the_answers_over_http_are_those_of_the_embedded_pool(
    pool: ModelPool, server: Serving, make_config: MakeConfig, public: Path
) -> None:
    (public / "examples" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with serving_on(pool, make_config) as other:
        for model, data in REQUESTS:
            expected = said(server, server.post(model, data))
            assert said(other, other.post(model, data)) == expected, (model, data)
        with (public / "examples" / "b.jpg").open("rb") as file:
            uploaded = [
                running.post("nanodet-coco", files={"file": file}).json()
                for running in (server, other)
                if not file.seek(0)
            ]
        assert uploaded[0] == uploaded[1] and len(uploaded[0]) == 2
        listed = requests.get(f"{other.url}/models", timeout=60).json()["models"]
        assert [row["id"] for row in listed] == [
            row["id"] for row in requests.get(f"{server.url}/models", timeout=60).json()["models"]
        ]
        assert next(row for row in listed if row["id"] == "vader")["state"] == "loaded"
        assert requests.get(f"{other.url}/healthz", timeout=10).json() == {"status": "ok", "waiting": 0}
        assert (
            'models_server_requests_total{model="vader",outcome="ok"} 1.0'
            in requests.get(f"{other.url}/metrics", timeout=10).text
        )


def test_a_model_that_is_too_busy_is_503(pool: ModelPool, model: Entry, make_config: MakeConfig) -> None:
    with serving_on(pool, make_config) as other, hold() as (text, began):
        other.model_registry.added[model.id] = model
        asked = [pool.submit(model, TASK, {"text": text})]
        began()
        with pytest.raises(Busy):
            while len(asked) <= 2 * OPEN:
                asked.append(pool.submit(model, TASK, {"text": "x"}))
        refused = other.post(model.id, {"text": "one too many"})
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "2")
        assert "try again later" in refused.json()["error"]["message"]


def test_the_guard_is_in_front_of_it(pool: ModelPool, make_config: MakeConfig) -> None:
    body, known = {"text": "I love it"}, {"Authorization": "Bearer a-token-of-ours"}
    with serving_on(pool, make_config, local_inference_endpoint={"token": "a-token-of-ours"}) as other:
        answers = [other.post("vader", body, headers=headers).status_code for headers in ({}, known)]
        assert answers == [401, 200]
    with serving_on(pool, make_config) as other:
        for foreign in ({"Host": "rebound.example"}, {"Origin": "https://rebound.example"}):
            assert other.post("vader", body, headers=foreign).status_code == 403


# Ray by itself


@pytest.mark.slow
def test_ray_listens_on_loopback_alone_and_wants_its_token(pool: ModelPool) -> None:
    if isinstance(pool, Pool):
        pytest.skip("not on Ray")
    import grpc

    here = psutil.Process()
    processes = {}
    for each in (here, *here.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # it has ended: so has a zombie
            processes[each.pid] = " ".join(each.cmdline())
    listening = [
        found for found in psutil.net_connections("tcp") if found.status == "LISTEN" and found.pid in processes
    ]
    assert {found.laddr.ip.removeprefix("::ffff:") for found in listening} == {"127.0.0.1"}
    assert not any("--dashboard" in line and "--include-dashboard" in line for line in processes.values())
    daemons = [psutil.Process(number) for number, line in processes.items() if "gcs_server" in line or "raylet" in line]
    assert daemons and {daemon.environ().get("RAY_USAGE_STATS_ENABLED") for daemon in daemons} == {"0"}
    ports = {found.laddr.port for found in listening if "gcs_server" in processes[found.pid]}
    replicas = {found.laddr.port for found in listening if "ServeReplica" in processes[found.pid]}
    assert ports and replicas
    calls = [*((port, "/ray.rpc.NodeInfoGcsService/GetAllNodeInfo") for port in ports)]
    calls += [(port, "/ray.serve.ASGIService/HandleRequest") for port in replicas]
    refused = [code_of(grpc, port, method) for port, method in calls]
    assert "UNAUTHENTICATED" in refused and "OK" not in refused


def code_of(grpc: Any, port: int, method: str) -> str:
    """The outcome of a call without a token."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            channel.unary_unary(method)(b"", timeout=10)
        except grpc.RpcError as error:
            return str(error.code().name)
    return "OK"
