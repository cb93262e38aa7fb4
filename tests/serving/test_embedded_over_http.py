"""The experts that come with the project, through the model server: the same answers as in this process."""

from __future__ import annotations

import shutil
import wave
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from hugginggpt.catalog.catalog import Catalog
from hugginggpt.common.paths import CATALOGUE, ROOT
from hugginggpt.config import Config
from hugginggpt.core.results import FILE_KINDS
from hugginggpt.core.tasks import Arg
from hugginggpt.endpoints.embedded import Embedded
from hugginggpt.endpoints.server import ModelServer
from hugginggpt.experts import registry
from hugginggpt.media import video
from hugginggpt.media.store import MediaStore
from hugginggpt.terminal.cli import EXAMPLES
from hugginggpt.testing import run
from hugginggpt.testing.servers import Serving
from tests.conftest import TABLE, MakeConfig, controller_with
from tests.experts.families.loading import same
from tests.serving.operations import DOCUMENT, HOW, MOVING, SUBTITLES, VIDEO, write_documents, write_video

pytestmark = pytest.mark.slow

TRANSCRIPT = (
    "Marie Curie was born in Warsaw and later worked in Paris. "
    "Albert Einstein lived in Berlin before he moved to the United States."
)
INPUTS: dict[str, Any] = {
    "image": "person.jpg", "audio": "noisy.wav", "text": TRANSCRIPT, "text1": "A cat sits.", "text2": "A kitten sits.",
    "video": VIDEO, "document": DOCUMENT, "labels": ["history", "sports"], "context": TRANSCRIPT, "calculation": "0.17 * 240",
    "table": "a,b,c\n1,2,x\n2,1,x\n8,9,y\n9,8,y\n1,1,\n9,9,", "change": "drop the column b", "chart": "a bar chart of a by c",
    "tables": ["name,town\nAnn,Bonn\nBob,Kiel", "name,town\nBob,Kiel\nCem,Ulm"],
}  # fmt: skip
OF_TASK: dict[str, dict[str, Any]] = {
    "object-detection": {"image": "b.jpg"}, "image-classification": {"image": "b.jpg"},
    "visual-question-answering": {"image": "b.jpg", "text": "How many giraffes are there?"},
    "image-to-text": {"image": "invoice.png"},
    "document-question-answering": {"image": "invoice.png", "text": "What is the total?"},
    "question-answering": {"text": "Where was Marie Curie born?"},
    "table-question-answering": {"text": "How many rows are there?"},
    "image-frames": {"image": MOVING}, "page-to-table": {"image": "invoice.png"},
    "move-subtitles": {"document": SUBTITLES, "by": "2 seconds later"},
}  # fmt: skip
"""What the experts for a task get where INPUTS would not do."""
OF_EXPERT: dict[str, dict[str, Any]] = {"grabcut": {"image": "b.jpg"}}  # it marks everyday objects where nobody is
MADE_UP = ("piper-joe",)
"""Experts that answer a little differently each time."""


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """A public folder with all the examples."""
    folder = tmp_path / "public"
    shutil.copytree(ROOT / "public" / "examples", folder / "examples")
    write_video(folder / "examples")
    write_documents(folder / "examples")
    return folder


@pytest.fixture
def client(make_config: MakeConfig, server: Serving) -> Config:
    """A configuration that knows the server and nothing else."""
    address = {"host": "127.0.0.1", "port": int(server.url.rpartition(":")[2])}
    limits = {"inference_seconds": 300}  # as patient as experts in this process
    return make_config(
        inference_mode="local", local_inference_endpoint=address, embedded=False, log_file=None, limits=limits
    )


def inputs(expert: registry.Expert, media: MediaStore) -> dict[str, Any]:
    task = expert.task
    given = {**INPUTS, **OF_TASK.get(task, {}), **OF_EXPERT.get(expert.id, {})}

    def value(arg: Arg) -> Any:
        if arg.kind not in FILE_KINDS:
            return HOW.get(task) or given[arg.name]
        file = media.resolve(f"/examples/{given[arg.kind]}")
        return [file, file] if arg.many else file

    return {arg.name: value(arg) for arg in TABLE[task].required}


def with_contents(value: Any, media: MediaStore) -> Any:
    """A result with the bytes of its files in place of their paths."""
    if not isinstance(value, Mapping):
        return value
    files = {"path", *(f"generated {kind}" for kind in FILE_KINDS)}
    several = {f"{name}s" for name in files}
    return {
        key: _content(media.resolve(entry)) if key in files
        else [_content(media.resolve(one)) for one in entry] if key in several
        else entry
        for key, entry in value.items()
    }  # fmt: skip


def _content(file: Path) -> Any:
    """The bytes of a file; of a video, whose encoder works in threads, how long and how large it is; of a PDF, each of
    which has a name of its own, the texts of its pages; of a workbook, which says when it was made, all else in it.
    """
    if file.suffix == ".xlsx":
        with zipfile.ZipFile(file) as book:
            return {name: book.read(name) for name in book.namelist() if name != "docProps/core.xml"}
    if file.suffix == ".pdf":
        with pypdfium2.PdfDocument(file) as document:
            return [page.get_textpage().get_text_range() for page in document]
    if file.suffix != ".mp4":
        return file.read_bytes()
    return video.seconds(file), video.frame_at(file, 0.0)[1].size


OF_TASKS = [expert for expert in registry.all_experts() if expert.task in TABLE]
"""Without what is no task of a plan, such as vectors, which have a route of OpenAI's API."""


@pytest.mark.parametrize("expert", OF_TASKS, ids=lambda expert: f"{expert.id}-{expert.task}")
def test_an_expert_answers_over_http_as_in_this_process(
    expert: registry.Expert, server: Serving, client: Config
) -> None:
    if expert.program in expert.missing:
        pytest.skip(f"{expert.program} is not installed")
    media, row = MediaStore(client), TABLE[expert.task]
    remote, here = ModelServer(client, Catalog(CATALOGUE), media), Embedded(media)
    assert expert.id in [card.id for card in remote.models(row, 100)]
    args = inputs(expert, media)
    answered = with_contents(remote.infer(expert.id, row, args).value, media)
    remote.close()
    status = server.pool.status(expert.id)
    assert (status.state, status.uses, status.bytes) == ("loaded", 1, 0)
    expected = with_contents(here.infer(expert.id, row, args).value, media)
    if expert.id in MADE_UP:
        assert answered.keys() == expected.keys()
    else:
        assert same(answered, expected)


def test_what_is_made_up_is_a_recording(server: Serving) -> None:
    answer = server.ask("piper-joe", text="The quick brown fox jumps over the lazy dog.")
    with wave.open(str(server.file(answer["path"]))) as file:
        assert (file.getframerate(), file.getnchannels()) == (22_050, 1)
        assert 1.5 < file.getnframes() / file.getframerate() < 6


@pytest.mark.timeout(300)
def test_the_demo_with_everything_on_the_server(server: Serving, client: Config) -> None:
    """The requests of `make demo` by a controller without experts of its own."""
    controller = controller_with(client)
    records = [run(controller, request) for request in EXAMPLES]
    assert not [error for record in records for error in record.errors]
    giraffes, invoice, people, edges, mood, hello = records
    assert giraffes.message.startswith("The detector found 3 giraffes in these 3 pictures")
    assert "Total: $484.00" in invoice.message
    assert "people: Marie Curie, Albert Einstein; places: Warsaw, Paris, Berlin" in people.message
    assert TRANSCRIPT in people.message
    assert mood.message.startswith("The text is positive")
    assert "JARVIS" in hello.message
    for record in records:
        for file in record.files:
            assert file in record.message
            assert controller.executor.media.resolve(file).stat().st_size > 1000
    chosen = [task.choice for record in records for task in record.tasks.values() if task.choice]
    assert {choice.endpoint for choice in chosen} == {"local"}
    used = {model: status.uses for model, status in server.pool.statuses().items() if status.uses}
    assert used == Counter(choice.id for choice in chosen)
    assert {"nanodet-coco", "whisper-tiny.en", "piper-joe", "en_core_web_sm", "canny-control"} <= set(used)
    assert {task.task["task"] for task in edges.tasks.values()} == {"openpose-control", "canny-control"}
