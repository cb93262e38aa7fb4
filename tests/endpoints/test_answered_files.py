"""Files in answers: base64, data URLs, URLs at the service or in public, and what is none."""

from __future__ import annotations

import base64
import warnings
import zlib
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hugginggpt.core.errors import BackendError
from hugginggpt.core.tasks import default_table
from hugginggpt.endpoints.answered_files import save_file, with_files
from hugginggpt.endpoints.base import settle
from hugginggpt.endpoints.calls import Call, calling
from hugginggpt.media.store import MediaStore
from hugginggpt.net.public_http import RedirectRefused, get_public, service_session
from hugginggpt.testing.fakes import Server, png, wav
from tests.conftest import MakeConfig

TABLE = default_table()
PNG = base64.b64encode(png()).decode()


class Files(Server):
    """A service that has a picture, a page, a redirect to another place, and something large."""

    elsewhere = ""
    end: Future[None] | None = None
    sent_slowly = False

    def answer(self, call: Any) -> None:
        self.requests.append({"path": call.path, "headers": dict(call.headers)})
        if call.path == "/away.png":
            call.send(b"", 302, headers={"Location": f"{self.elsewhere}/a.png"})
        elif call.path == "/slow.png":
            self._send_slowly(call)
        elif call.path == "/large.png":
            call.send(png() + bytes(3_000_000), kind="image/png")
        else:
            call.send(b"<html>" if call.path == "/page.png" else png(), kind="image/png")

    def _send_slowly(self, call: Any) -> None:
        """A header that comes byte by byte, which exceeds no time-out of a single read."""
        call.close_connection = True
        with suppress(OSError):
            call.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            if self.end:
                self.end.set_result(None)
            for _ in range(150):
                call.wfile.write(b"a")
                call.wfile.flush()
                self.over.wait(0.02)
            self.sent_slowly = True


@pytest.fixture
def files() -> Iterator[Files]:
    with Files() as server:
        yield server


@pytest.fixture
def media(make_config: MakeConfig) -> MediaStore:
    return MediaStore(make_config(limits={"max_file_mb": 2}))


@pytest.mark.parametrize("value", [PNG, f"data:image/png;base64,{PNG}", png(), f"{PNG[:40]}\n{PNG[40:]}"])
def test_a_picture_is_saved_by_its_content(media: MediaStore, value: str | bytes) -> None:
    path = save_file("image", value, media)
    assert media.resolve(path).read_bytes() == png()
    assert path.startswith("/images/") and path.endswith(".png")


def test_the_result_of_a_task(media: MediaStore) -> None:
    task = TABLE["text-to-speech"]
    value = settle(task, with_files(task, base64.b64encode(wav()).decode(), media), {}, media)
    assert value["generated audio"].endswith(".wav")
    task = TABLE["object-detection"]
    value = with_files(task, {"generated image": PNG, "predicted": []}, media)
    assert settle(task, value, {}, media)["generated image"].endswith(".png")
    assert with_files(TABLE["summarization"], "short", media) == "short"


def test_masks_are_pictures(media: MediaStore, public: Path) -> None:
    task, photo = TABLE["image-segmentation"], public / "examples" / "a.jpg"
    with Image.open(photo) as picture:
        mask = base64.b64encode(png("L", picture.size)).decode()
    rows = with_files(task, [{"label": "sky", "score": 0.5, "mask": f"data:image/png;base64,{mask}"}], media)
    value = settle(task, rows, {"image": photo}, media)
    assert value["predicted"] == [{"label": "sky", "score": 0.5}] and value["generated image"].startswith("/images/")
    with pytest.raises(BackendError, match="something unreadable in place of a mask"):
        with_files(task, [{"label": "sky", "mask": base64.b64encode(b"<html>").decode()}], media)


def test_a_url_of_the_service_itself_is_fetched(media: MediaStore, files: Files) -> None:
    path = save_file("image", f"{files.url}/a.png", media, origin=f"{files.url}/v1/images")
    assert media.resolve(path).read_bytes() == png()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no base64!", "neither base64 nor a URL"),
        ("file:///etc/passwd", "neither base64 nor a URL"),
        ("data:image/png,abc", "a data URL without base64"),
        (base64.b64encode(b"<html>").decode(), "something unreadable in place of image data"),
        (base64.b64encode(wav()).decode(), "audio/x-wav in place of image data"),
        ("A" * 4_000_000, "of more than 2 MB"),
        (bytes(3_000_000), "of more than 2 MB"),
        ("http://[x/a.png", "cannot be fetched"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_such_file(media: MediaStore, value: str | bytes, said: str) -> None:
    with pytest.raises(BackendError, match=said):
        save_file("image", value, media)
    assert not list((media.public / "images").glob("*")) if (media.public / "images").exists() else True


def test_a_private_address_is_fetched_from_the_service_alone(media: MediaStore, files: Files) -> None:
    with Files() as other:
        files.elsewhere = other.url.replace("127.0.0.1", "localhost")
        with pytest.raises(BackendError, match="127.0.0.1 is an address of a private network"):
            save_file("image", f"{other.url}/a.png", media, origin=files.url)
        with pytest.raises(BackendError, match="it leads to another host, localhost"):
            save_file("image", f"{files.url}/away.png", media, origin=files.url)
        assert other.requests == []


@pytest.mark.parametrize(("name", "said"), [("large", "more than 2 MB"), ("page", "something unreadable")])
def test_files_at_urls_are_checked(media: MediaStore, files: Files, name: str, said: str) -> None:
    with pytest.raises(BackendError, match=said):
        save_file("image", f"{files.url}/{name}.png", media, origin=files.url)


def test_what_is_agreed_to_about_a_host_is_about_the_one_that_is_asked(media: MediaStore, files: Files) -> None:
    with Files() as other:
        own = files.url.removeprefix("http://")
        odd = f"{other.url}\\@{own}/a.png"  # the host of `files` for urlsplit, that of `other` for requests
        with pytest.raises(BackendError, match=r"at 127.0.0.1 cannot be fetched: .* of a private network"):
            save_file("image", odd, media, origin=files.url)
        files.elsewhere = odd.removesuffix("/a.png")
        with service_session() as session, pytest.raises(RedirectRefused) as refused:
            get_public(session, f"{files.url}/away.png", (5, 5), lambda _: False)
        assert refused.value.target.startswith(f"{other.url}/%5C@")
        assert other.requests == []


def bomb() -> bytes:
    """A small PNG file with 400 megapixels in one bit each."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    side = (20_000).to_bytes(4, "big")
    rows = zlib.compress(bytes(1000))
    head = chunk(b"IHDR", side + side + bytes((1, 0, 0, 0, 0)))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_mask_that_would_fill_the_memory_is_an_error_of_the_expert(media: MediaStore) -> None:
    rows = [{"label": "sky", "mask": base64.b64encode(bomb()).decode()}]
    with warnings.catch_warnings(), pytest.raises(BackendError, match="unreadable in place of a mask"):
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        with_files(TABLE["image-segmentation"], rows, media)


@pytest.mark.parametrize("origin", ["service", "public"])
def test_headers_that_come_slowly_are_cut_in_time(make_config: MakeConfig, files: Files, origin: str) -> None:
    media = MediaStore(make_config(limits={"inference_seconds": 0.5}, allowed_hosts=["127.0.0.1"]))
    with pytest.raises(BackendError, match="took longer than 0.5 s to download"):
        save_file("image", f"{files.url}/slow.png", media, files.url if origin == "service" else "")
    assert not files.sent_slowly


def test_a_file_for_which_nobody_waits_is_not_fetched_on(media: MediaStore, files: Files) -> None:
    files.end = Future()
    with calling(Call((files.end,))), pytest.raises(BackendError, match="nobody waits for it any more"):
        save_file("image", f"{files.url}/slow.png", media, files.url)
    with calling(Call((files.end,))), pytest.raises(BackendError, match="nobody waits for it any more"):
        save_file("image", f"{files.url}/a.png", media, files.url)
    assert [request["path"] for request in files.requests if request["path"] == "/a.png"] == []
