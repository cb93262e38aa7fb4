"""One plan over many files over HTTP: planned, looked at, run, followed, stopped, gone on with, taken away."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.batch.journal import JOURNAL
from hugginggpt.common.file_locks import lock
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.testing import FakeEndpoint, task
from hugginggpt.testing.fakes import png
from hugginggpt.testing.servers import served
from hugginggpt.web import batches
from hugginggpt.web.app import create_app
from hugginggpt.web.batches import Batches, make_batches
from hugginggpt.web.stores import make_chats, make_runs
from hugginggpt.web.zips import zipped
from tests.batch.batches import FAILING, size_of
from tests.conftest import MakeConfig, controller_at
from tests.web.test_runs import stream

REQUEST = "Describe each picture"


class Server:
    """A server over one folder, which is begun anew as often as a test wants, and the expert behind it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.place = FakeEndpoint("local", {"image-to-text": ["teller", "other"]}, size_of)
        self.place.is_free = False
        self.url = ""
        self.batches: Batches

    def __enter__(self) -> Server:
        controller = controller_at(self.config, None, self.place)
        chats, runs = make_chats(self.config), make_runs(self.config)
        self.batches = make_batches(controller)
        self._open = served(create_app(controller, self.config, chats, runs, batches=self.batches))
        self.url = self._open.__enter__()
        self._stores = (chats, runs)
        return self

    def __exit__(self, *error: Any) -> None:
        chats, runs = self._stores
        self.batches.close(10)
        self._open.__exit__(None, None, None)
        runs.close(5)
        chats.close()

    def upload(self, name: str, content: bytes) -> dict[str, str]:
        answer = requests.post(f"{self.url}/v1/files", files={"file": (name, content)}, timeout=20)
        assert answer.status_code == 201, answer.text
        return {"name": name, "path": answer.json()["path"]}

    def pictures(self, number: int, *marks: bytes) -> list[dict[str, str]]:
        plain = [self.upload(f"{at}.png", png() + b"\0" * at) for at in range(number)]
        return plain + [self.upload(f"{mark.decode()}.png", png() + mark) for mark in marks]

    def ask(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        json_body = {"json": body} if method == "POST" else {}
        answer = requests.request(method, f"{self.url}/v1/{path}", **json_body, timeout=60)  # type: ignore[arg-type]
        assert answer.status_code == status, answer.text
        return answer.json()

    def follow(self, batch_id: str) -> list[dict[str, Any]]:
        """All events of a batch, to their end."""
        with requests.get(f"{self.url}/v1/batches/{batch_id}/events", stream=True, timeout=60) as answer:
            return list(stream(answer))


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(llm="offline", embedded=False)


@pytest.fixture
def server(config: Config) -> Iterator[Server]:
    with Server(config) as running:
        yield running


def test_it_is_planned_once_looked_at_and_then_run(server: Server) -> None:
    files = server.pictures(3, FAILING)
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=files)
    assert (batch["status"], batch["rows"], batch["paid"]) == ("waiting", 4, 4)
    assert batch["plan"]["inputs"] == [{"name": "file", "kind": "image"}]
    assert batch["plan"]["tasks"][0]["model"] == "teller"
    assert batch["sample"]["files"] == {"file": files[0]["path"]}
    assert server.place.calls == []
    assert [one["id"] for one in server.ask("GET", "batches")["batches"]] == [batch["id"]]
    assert server.ask("POST", f"batches/{batch['id']}/start")["status"] == "working"
    events = server.follow(batch["id"])
    rows = [event["data"] for event in events if event["event"] == "row"]
    numbers = [row["number"] for row in rows]  # none where all was done before anybody listened
    assert sorted(numbers) in ([], [1, 2, 3, 4])
    assert events[-1]["data"]["status"] == "done"
    told = server.ask("GET", f"batches/{batch['id']}")
    assert (told["status"], told["done"], told["failed"]) == ("done", 3, 1)
    table = server.ask("GET", f"batches/{batch['id']}/rows")
    assert [(row["name"], row["state"]) for row in table["rows"]] == [
        ("0.png", "done"), ("1.png", "done"), ("2.png", "done"), ("failing.png", "failed"),
    ]  # fmt: skip
    assert table["rows"][1]["tasks"]["0"]["text"] == f"{len(png()) + 1} bytes"
    assert "It cannot be seen." in table["rows"][3]["error"]
    assert server.ask("GET", f"batches/{batch['id']}/rows?offset=3&limit=5")["rows"][0]["number"] == 4


def test_results_are_taken_away(server: Server, tmp_path: Path) -> None:
    files = server.pictures(2)
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=files, start=True)
    server.follow(batch["id"])
    whole = f"{server.url}/v1/batches/{batch['id']}/results"
    text = requests.get(f"{whole}/csv", timeout=10).content.decode("utf-8-sig")
    assert [row["file"] for row in csv.DictReader(io.StringIO(text))] == ["0.png", "1.png"]
    lines = requests.get(f"{whole}/jsonl", timeout=10).text.splitlines()
    assert json.loads(lines[0])["files"] == {"file": files[0]["path"]}
    with zipfile.ZipFile(io.BytesIO(requests.get(f"{whole}/zip", timeout=10).content)) as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {"results.csv", "results.xlsx", "results.jsonl", "plan.json"}
        assert archive.read("results.csv").decode("utf-8-sig") == text
    assert requests.get(f"{whole}/exe", timeout=10).status_code == 404
    for sent in (text, *lines, json.dumps(server.ask("GET", f"batches/{batch['id']}"))):
        assert str(tmp_path) not in sent


def test_a_batch_ends_whatever_becomes_of_its_tables(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Any) -> None:
        raise RuntimeError("File size too large")

    with monkeypatch.context() as broken:
        broken.setattr(batches, "write_results", fail)
        batch = server.ask("POST", "batches", 201, request=REQUEST, files=server.pictures(2), start=True)
        server.follow(batch["id"])
    told = server.ask("GET", f"batches/{batch['id']}")
    assert (told["status"], told["done"]) == ("done", 2)
    assert told["error"] == "The results cannot be written; the server's log says why."
    server.ask("POST", f"batches/{batch['id']}/start")
    server.follow(batch["id"])
    assert server.ask("GET", f"batches/{batch['id']}")["error"] == ""


def test_tables_are_written_again_for_rows_that_came_meanwhile(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=server.pictures(1))
    live = server.batches.find(batch["id"])
    assert live
    written: list[str] = []
    write_results = batches.write_results

    def slow(folder: Any) -> Any:
        if not written:
            with (live.folder.folder / JOURNAL).open("a") as journal:  # a row comes once the writing has begun
                journal.write("\n")
        written.append(folder.folder.name)
        return write_results(folder)

    monkeypatch.setattr(batches, "write_results", slow)
    for _ in range(4):
        server.batches.results(live)
    assert len(written) == 2


def test_what_batches_name_is_read_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = server.pictures(2)
    server.ask("POST", "batches", 201, request=REQUEST, files=[one])
    assert server.batches.names(one["path"]) and not server.batches.names(two["path"])
    opened: list[Path] = []
    open_file = Path.open

    def told(path: Path, *args: Any, **more: Any) -> Any:
        opened.append(path)
        return open_file(path, *args, **more)

    monkeypatch.setattr(Path, "open", told)
    assert server.batches.names(one["path"]) and not server.batches.names(two["path"])
    assert opened == []
    server.ask("POST", "batches", 201, request=REQUEST, files=[two])
    assert server.batches.names(two["path"])


def test_old_files_are_taken_away_and_files_that_are_gone_are_left_out(tmp_path: Path) -> None:
    old, gone = tmp_path / "old.txt", tmp_path / "gone.txt"
    old.write_text("of 1970")
    os.utime(old, (0, 0))
    with zipfile.ZipFile(io.BytesIO(b"".join(zipped([("gone.txt", gone), ("old.txt", old)])))) as archive:
        assert archive.namelist() == ["old.txt"] and archive.getinfo("old.txt").date_time[0] == 1980


def test_another_plan_takes_the_place_of_the_one_that_was_made(server: Server) -> None:
    files = server.pictures(2)
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=files)
    plan = batch["plan"]
    plan["tasks"][0]["model"] = "other"
    server.ask("POST", f"batches/{batch['id']}/start", plan=plan)
    server.follow(batch["id"])
    rows = server.ask("GET", f"batches/{batch['id']}/rows")["rows"]
    assert {row["model"] for row in rows} == {"other"}
    told = server.ask("POST", f"batches/{batch['id']}/start", 400, plan=[task(0, "no-such-task", image="file")])
    assert "cannot be run" in told["message"] or "no input" in told["message"]


def test_only_what_is_missing_or_failed_is_run_by_another_server(server: Server, config: Config) -> None:
    files = server.pictures(2, FAILING)
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=files, start=True)
    server.follow(batch["id"])
    with Server(config) as other:
        other.place.work = lambda model, row, args: {"generated text": "seen"}
        other.ask("POST", f"batches/{batch['id']}/start")
        other.follow(batch["id"])
        told = other.ask("GET", f"batches/{batch['id']}")
        assert (told["done"], told["failed"], len(other.place.calls)) == (3, 0, 1)


def test_it_stops_and_goes_on(server: Server) -> None:
    files, gate, entered = server.pictures(6), threading.Semaphore(2), threading.Semaphore(0)

    def work(*args: Any) -> Any:
        entered.release()
        if not gate.acquire(timeout=20):
            raise BackendError("It was not let on.")
        return size_of(*args)

    server.place.work = work
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=files, start=True, workers=1)
    for _ in range(3):
        assert entered.acquire(timeout=20)
    threading.Timer(0.1, gate.release).start()  # the call that is under way comes to its end
    told = server.ask("DELETE", f"batches/{batch['id']}")
    assert (told["status"], told["failed"]) == ("stopped", 0)
    assert told["done"] in (2, 3)
    server.place.work = size_of
    before = len(server.place.calls)
    server.ask("POST", f"batches/{batch['id']}/start")
    server.follow(batch["id"])
    told = server.ask("GET", f"batches/{batch['id']}")
    assert (told["status"], told["done"]) == ("done", 6)
    assert len(server.place.calls) - before <= 4


def test_one_process_at_a_time_works_on_a_batch(server: Server, config: Config) -> None:
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=server.pictures(1))
    journal = server.batches.folder / batch["id"] / JOURNAL
    state = journal.with_name("state.json")
    state.write_text(state.read_text().replace('"waiting"', '"working"'))  # as a server that was killed leaves it
    assert server.ask("GET", f"batches/{batch['id']}")["status"] == "interrupted"
    with journal.open("rb") as held:
        lock(held)
        state.touch()
        assert server.ask("GET", f"batches/{batch['id']}")["status"] == "working"
        server.ask("POST", f"batches/{batch['id']}/start", 409)
        assert requests.delete(f"{server.url}/v1/batches/{batch['id']}?remove=true", timeout=10).status_code == 409
    server.ask("POST", f"batches/{batch['id']}/start")
    server.follow(batch["id"])
    assert server.ask("GET", f"batches/{batch['id']}")["status"] == "done"


def test_a_question_over_all_is_answered(server: Server) -> None:
    def detect(model: str, row: Any, args: Any) -> Any:
        number = Path(args["image"]).stat().st_size - len(png())
        return {"predicted": [{"label": "person", "score": 0.9, "box": {"xmin": at}} for at in range(number)]}

    server.place.work, server.place.by_task = detect, {"object-detection": ["detector"]}
    asked = "Which picture has the most people?"
    batch = server.ask("POST", "batches", 201, request=asked, files=server.pictures(3), start=True)
    server.follow(batch["id"])
    findings = server.ask("GET", f"batches/{batch['id']}")["findings"]
    assert "2.png" in findings[0]["reading"]


def test_texts_take_the_places_of_their_columns(server: Server) -> None:
    files = [{**file, "texts": {"owner": name}} for file, name in zip(server.pictures(2), ("Ada", "Bob"), strict=True)]
    plan = {"inputs": [{"name": "file", "kind": "image"}], "tasks": [task(0, "image-to-text", image="file")]}
    batch = server.ask("POST", "batches", 201, plan=plan, files=files, start=True)
    server.follow(batch["id"])
    rows = server.ask("GET", f"batches/{batch['id']}/rows")["rows"]
    assert [row["texts"] for row in rows] == [{"owner": "Ada"}, {"owner": "Bob"}]


def test_a_file_may_stand_in_several_rows(server: Server) -> None:
    [picture] = server.pictures(1)
    files = [{**picture, "texts": {"word": word}} for word in ("cat", "dog")]
    plan = {"inputs": [{"name": "file", "kind": "image"}], "tasks": [task(0, "image-to-text", image="file")]}
    batch = server.ask("POST", "batches", 201, plan=plan, files=files)
    rows = server.ask("GET", f"batches/{batch['id']}/rows")["rows"]
    assert [(row["name"], row["texts"]["word"]) for row in rows] == [("0 (1).png", "cat"), ("0 (2).png", "dog")]


def test_what_cannot_be_done_is_said(server: Server, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    [picture] = server.pictures(1)
    for body, said in (
        ({"files": []}, '"files" is empty'),
        ({"request": REQUEST}, "A file cannot be read"),
        ({"files": [picture]}, "Say what is to be done"),
        ({"files": [str(tmp_path / "secret.png")], "request": REQUEST}, "There is no file"),
        ({"files": ["/etc/passwd"], "request": REQUEST}, "There is no file"),
        ({"files": [{**picture, "texts": {"a": "b"}}, picture], "request": REQUEST}, "the same"),
        ({"files": [picture], "plan": [task(0, "image-to-text", image="x.png")]}, "There is no input"),
        ({"files": [picture], "request": REQUEST, "workers": 0}, '"workers" should be'),
    ):
        assert said in server.ask("POST", "batches", 400, **body)["message"]
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=[picture])
    told = server.ask("POST", f"batches/{batch['id']}/start", 400, max_calls=0)
    assert "This takes 1 calls to services of others" in told["message"]
    assert server.place.calls == []
    server.ask("GET", "batches/0123456789ab", 404)


def test_no_more_files_and_batches_than_are_allowed(make_config: MakeConfig) -> None:
    limits = {"max_files": 2, "at_work": 1, "max_calls": 1}
    with Server(make_config(llm="offline", embedded=False, batches=limits)) as server:
        files = server.pictures(3)
        assert "more than the 2" in server.ask("POST", "batches", 400, request=REQUEST, files=files)["message"]
        batch = server.ask("POST", "batches", 201, request=REQUEST, files=files[:2])
        assert "1 are allowed" in server.ask("POST", f"batches/{batch['id']}/start", 400, max_calls=9)["message"]
        server.place.is_free = True
        gate = threading.Event()
        server.place.work = lambda *args: gate.wait(20) and size_of(*args)
        try:
            one, two = (server.ask("POST", "batches", 201, request=REQUEST, files=files[:1]) for _ in range(2))
            server.ask("POST", f"batches/{one['id']}/start")
            server.ask("POST", f"batches/{one['id']}/start", 429)
            server.ask("POST", f"batches/{two['id']}/start", 429)
        finally:
            gate.set()
        server.follow(one["id"])


def test_a_removed_batch_takes_the_files_with_it_that_nothing_else_has(server: Server) -> None:
    shared, own = server.pictures(2)
    one = server.ask("POST", "batches", 201, request=REQUEST, files=[shared, own])
    two = server.ask("POST", "batches", 201, request=REQUEST, files=[shared])
    delete = f"{server.url}/v1/files{own['path']}"
    assert requests.delete(delete, timeout=10).status_code == 409
    files = server.batches.remove(server.batches.find(one["id"]))  # type: ignore[arg-type]
    assert files == {own["path"]}
    server.ask("GET", f"batches/{one['id']}", 404)
    assert requests.delete(delete, timeout=10).status_code == 200
    answer = requests.delete(f"{server.url}/v1/batches/{two['id']}?remove=true", timeout=10)
    assert answer.json() == {}
    assert server.ask("GET", "batches")["batches"] == []


def test_a_folder_that_cannot_be_written_is_told_without_its_path(server: Server, tmp_path: Path) -> None:
    files = server.pictures(1)
    server.batches.folder.write_text("a file where the folder should be")
    told = server.ask("POST", "batches", 500, request=REQUEST, files=files)["message"]
    assert told.startswith("The batch cannot be kept") and str(tmp_path) not in told


def test_a_damaged_batch_harms_no_other(server: Server) -> None:
    good, bad = (server.ask("POST", "batches", 201, request=REQUEST, files=server.pictures(1)) for _ in range(2))
    (server.batches.folder / bad["id"] / "state.json").write_text("{")
    assert [one["id"] for one in server.ask("GET", "batches")["batches"]] == [good["id"]]
    assert server.ask("GET", f"batches/{bad['id']}", 500)["message"].startswith("This batch is damaged")


def test_the_gallery(server: Server) -> None:
    files = server.pictures(2)
    listed = server.ask("GET", "files?kind=image&search=1.p")
    assert [(one["path"], one["name"], one["made"]) for one in listed["files"]] == [(files[1]["path"], "1.png", False)]
    assert server.ask("GET", "files")["total"] == 2
    assert server.ask("GET", "files?made=true")["files"] == []
    server.ask("GET", "files?kind=smell", 400)
    answer = requests.post(f"{server.url}/v1/files/zip", json={"paths": [one["path"] for one in files]}, timeout=10)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert sorted(archive.namelist()) == ["0.png", "1.png"]
        assert archive.read("1.png") == png() + b"\0"
    for path in ("/../config.yaml", "/etc/passwd", "/uploads/none.png"):
        assert server.ask("POST", "files/zip", 400, paths=[path])["message"].startswith("There is no file")
    batch = server.ask("POST", "batches", 201, request=REQUEST, files=files[:1])
    used = f"{server.url}/v1/files{files[0]['path']}"
    assert requests.delete(used, timeout=10).status_code == 409
    assert requests.delete(f"{used}?used=true", timeout=10).status_code == 200
    assert requests.delete(used, timeout=10).status_code == 404
    assert batch["rows"] == 1
    with closing(requests.get(f"{server.url}{files[1]['path']}", timeout=10)) as kept:
        assert kept.status_code == 200
