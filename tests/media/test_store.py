"""What comes in and goes out: the jail, sizes, types, addresses."""

from __future__ import annotations

import os
import tracemalloc
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import requests
from PIL import Image

from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.media.store import MediaStore, load_audio, load_image, load_text, mp4_bytes, wav_bytes
from hugginggpt.net.public_http import is_public
from hugginggpt.testing.fakes import FakeExperts, Fault, png, wav
from tests.conftest import EXAMPLES, MakeConfig


@pytest.fixture
def media(make_config: MakeConfig) -> MediaStore:
    return MediaStore(make_config())


@pytest.mark.parametrize(
    "ref", ["/examples/a.jpg", "examples/a.jpg", "public/examples/a.jpg", "/public//examples/a.jpg"]
)
def test_public_paths_in_all_spellings(media: MediaStore, ref: str) -> None:
    assert media.open(ref, "image") == media.public.resolve() / "examples" / "a.jpg"


@pytest.mark.parametrize(
    "ref",
    ["/examples/none.jpg", "/etc/passwd", "../secret.png", "/examples/../../secret.png", "..\\secret.png", "/examples",
     "file:///etc/passwd", "ftp://x/a.jpg", "data:image/png;base64,AAAA", "a\0b", "", "x" * 5000],
)  # fmt: skip
def test_nothing_outside_can_be_named(media: MediaStore, ref: str) -> None:
    (media.public.parent / "secret.png").write_bytes(png())
    with pytest.raises(MediaError):
        media.open(ref, "image")


def test_a_link_out_of_the_folder_is_not_followed(media: MediaStore) -> None:
    secret = media.public.parent / "secret.png"
    secret.write_bytes(png())
    (media.public / "examples" / "link.png").symlink_to(secret)
    with pytest.raises(MediaError, match="There is no file"):
        media.open("/examples/link.png", "image")


def test_a_file_the_user_named_is_copied_in_once(media: MediaStore, tmp_path: Path) -> None:
    mine = tmp_path / "my cat (1).png"
    mine.write_bytes(png())
    first = media.open("my cat (1).png", "image", {"my cat (1).png": mine})
    assert first == media.open("my cat (1).png", "image", {"my cat (1).png": mine})
    assert media.public_path(first).startswith("/uploads/my-cat-1-")
    assert load_image(first).size == (64, 64)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("page.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "of an unknown type"),
        ("page.html", b"<html></html>", "of an unknown type"),
        ("doc.pdf", b"%PDF-1.4", "application/pdf"),
        ("fake.png", b"hello", "of an unknown type"),
        ("empty.wav", b"", "empty.wav is empty"),
    ],
)
def test_other_types_are_refused_by_their_content(
    media: MediaStore, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MediaError, match=said):
        media.attach(tmp_path / name)


def test_a_wrong_kind_is_told(media: MediaStore) -> None:
    with pytest.raises(MediaError, match=r"a.jpg is not an audio file but image/jpeg"):
        media.open("/examples/a.jpg", "audio")


def test_a_damaged_picture(media: MediaStore) -> None:
    (media.public / "examples" / "half.png").write_bytes(png()[:40])
    with pytest.raises(MediaError, match="damaged"):
        load_image(media.open("/examples/half.png", "image"))


def test_a_file_that_passed_is_looked_into_again_when_it_has_changed(media: MediaStore) -> None:
    file = media.public / "examples" / "changes.png"
    file.write_bytes(png())
    assert [media.open("/examples/changes.png", "image") for _ in range(3)] == [file] * 3
    assert media._check_content.cache_info().hits == 2
    file.write_bytes(png()[:40])
    with pytest.raises(MediaError, match="damaged"):
        media.open("/examples/changes.png", "image")
    file.write_bytes(b"text")
    with pytest.raises(MediaError, match="is not an image"):
        media.open("/examples/changes.png", "image")
    with pytest.raises(MediaError, match="is not an audio"):
        media.open("/examples/a.jpg", "audio")


def test_limits_of_size_and_pixels(make_config: MakeConfig, tmp_path: Path) -> None:
    media = MediaStore(make_config(limits={"max_file_mb": 0.0001, "max_megapixels": 0.001}))
    with pytest.raises(MediaError, match="larger than the 0.0001 MB"):
        media.open("/examples/a.jpg", "image")
    media.max_bytes = 10**9
    with pytest.raises(MediaError, match=r"megapixels.*max_megapixels"):
        media.open("/examples/a.jpg", "image")


def test_missing_and_unreadable_files(media: MediaStore, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="No such file"):
        media.attach(tmp_path / "none.png")
    with pytest.raises(MediaError, match="Cannot read"):
        media.attach(tmp_path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("\ufeffÜber Bären\n".encode(), "Über Bären"),
        ("Über Bären".encode("cp1252"), "Über Bären"),
        (b"a\0b", "is not plain text"),
        (b" \n", "holds no text"),
        (b"x" * 1_000_001, "larger than the 1 MB"),
    ],
)
def test_a_text_is_read_or_refused(tmp_path: Path, content: bytes, text: str) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(content)
    if text == "Über Bären":
        assert load_text(file) == text
    else:
        with pytest.raises(MediaError, match=text):
            load_text(file)


def test_names_of_new_files_do_not_collide(media: MediaStore) -> None:
    image = Image.new("RGB", (4, 4))
    paths = {media.save_image(image) for _ in range(50)} | {media.save_image(image, photo=True) for _ in range(50)}
    assert len(paths) == 100
    assert all(media.resolve(path).is_file() for path in paths)


def test_saved_sound_can_be_read(media: MediaStore) -> None:
    tone = np.sin(np.arange(8000) / 10).astype(np.float32) * 2  # beyond 1: clipped
    path = media.resolve(media.save_audio(tone, 8000))
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate(), file.getnframes()) == (1, 2, 8000, 8000)
    again = load_audio(path, 16000)
    assert again.dtype == np.float32
    assert abs(len(again) - 16000) < 200
    assert np.abs(again).max() <= 1.05


def test_only_what_it_should_be_is_saved(media: MediaStore) -> None:
    assert media.save("audio", wav()).startswith("/audios/")
    with pytest.raises(BackendError, match="in place of audio"):
        media.save("audio", b"<html>")
    with pytest.raises(BackendError, match="image/png in place of audio"):
        media.save("audio", png())


def test_a_folder_that_cannot_be_written_to(media: MediaStore) -> None:
    (media.public / "images").write_text("a file where the folder should be")
    with pytest.raises(BackendError, match="Cannot create"):
        media.save_image(Image.new("RGB", (4, 4)))


def test_sound_is_read_from_a_picture_with_an_error(media: MediaStore) -> None:
    with pytest.raises(MediaError, match="no sound"):
        load_audio(EXAMPLES / "a.jpg", 16000)
    assert len(wav_bytes(np.zeros(10, np.float32), 8000)) == 44 + 20


@pytest.mark.parametrize(
    ("address", "public"),
    [("8.8.8.8", True), ("127.0.0.1", False), ("10.0.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False),
     ("100.64.0.1", False), ("0.0.0.0", False), ("224.0.0.1", False), ("::1", False), ("fe80::1%eth0", False), ("fc00::1", False),
     ("::ffff:127.0.0.1", False), ("::ffff:8.8.8.8", True), ("2002:7f00:1::", False), ("2606:4700::1", True)],
)  # fmt: skip
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f000001", "2130706433", "127.1", "[::1]"])
def test_private_hosts_are_not_fetched_from_however_they_are_spelt(
    media: MediaStore, expert_server: FakeExperts, host: str
) -> None:
    with pytest.raises(MediaError, match="cannot be fetched"):
        media.fetch(f"http://{host}:{expert_server.port}/x.png")
    assert not expert_server.requests


def test_an_allowed_host_is_fetched_from(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    expert_server.files["/cat.png"] = png()
    media = MediaStore(make_config(allowed_hosts=["127.0.0.1"]))
    path = media.open(f"{expert_server.url}/cat.png", "image")
    assert path.name.startswith("cat-")
    assert path.read_bytes() == png()
    expert_server.files["/letter.txt"] = b"Dear Ada"
    assert load_text(media.open(f"{expert_server.url}/letter.txt", "text")) == "Dear Ada"
    with pytest.raises(MediaError, match="answers 404"):
        media.fetch(f"{expert_server.url}/models/none")


def test_a_redirect_to_a_private_host_is_not_followed(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    target = f"http://localhost:{expert_server.port}/cat.png"
    expert_server.models["moved"] = "x"
    expert_server.always["info moved"] = Fault(302, headers={"Location": target})
    media = MediaStore(make_config(allowed_hosts=["127.0.0.1"]))
    with pytest.raises(MediaError, match="localhost is the address"):
        media.fetch(f"{expert_server.url}/models/moved")
    assert len(expert_server.requests) == 1


def test_a_download_has_limits(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    expert_server.files["/big.png"] = png() + b"\0" * 300_000
    expert_server.models["slow"] = "x"
    expert_server.always["info slow"] = Fault(hang=True)
    media = MediaStore(make_config(allowed_hosts=["127.0.0.1"], limits={"max_file_mb": 0.2, "inference_seconds": 0.3}))
    with pytest.raises(MediaError, match="larger than the 0.2 MB"):
        media.fetch(f"{expert_server.url}/big.png")
    with pytest.raises(MediaError, match="cannot be fetched"):
        media.fetch(f"{expert_server.url}/models/slow")
    assert not list(media.public.glob("uploads/big*"))


def test_a_large_download_is_streamed_to_its_file(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    whole = png() + bytes(range(256)) * 80_000  # 20 MB
    expert_server.files["/large.png"] = whole
    media = MediaStore(make_config(allowed_hosts=["127.0.0.1"]))
    media.fetch(f"{expert_server.url}/large.png")  # what is loaded at the first use
    tracemalloc.start()
    path = media.fetch(f"{expert_server.url}/large.png")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.read_bytes() == whole
    assert most < 5_000_000


def test_what_a_program_left_behind_in_the_middle_of_a_download_is_removed(
    make_config: MakeConfig, expert_server: FakeExperts
) -> None:
    expert_server.files["/cat.png"] = png()
    media = MediaStore(make_config(allowed_hosts=["127.0.0.1"]))
    left = media.fetch(f"{expert_server.url}/cat.png").with_name("other-cat.part")
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    media.fetch(f"{expert_server.url}/cat.png")
    assert not left.exists()


def test_what_is_no_such_file_or_breaks_off_leaves_nothing(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    expert_server.files["/page.png"] = b"<html>" + b" " * 3_000_000
    expert_server.files["/short.bin"] = b"x"
    media = MediaStore(make_config(allowed_hosts=["127.0.0.1"]))
    for name in ("page.png", "short.bin"):
        with pytest.raises(MediaError, match="of an unknown type"):
            media.fetch(f"{expert_server.url}/{name}")

    def breaks_off() -> Iterator[bytes]:
        yield png()
        raise requests.ConnectionError("gone")

    with pytest.raises(requests.ConnectionError):
        media.save("image", breaks_off())
    with pytest.raises(BackendError, match="in place of audio"):
        media.save("audio", iter([png()]))
    assert not [file for file in media.public.rglob("*") if file.is_file() and "examples" not in file.parts]


def test_the_environment_sets_no_proxy_for_downloads(
    make_config: MakeConfig, expert_server: FakeExperts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "HTTP_PROXY", "http://127.0.0.1:9")
    expert_server.files["/cat.png"] = png()
    assert MediaStore(make_config(allowed_hosts=["127.0.0.1"])).fetch(f"{expert_server.url}/cat.png").is_file()


def test_a_video_of_pictures_of_odd_sides(tmp_path: Path) -> None:
    import av

    colours = [(250, 0, 0), (0, 250, 0), (0, 0, 250)]
    (tmp_path / "x.mp4").write_bytes(mp4_bytes([Image.new("RGB", (33, 17), colour) for colour in colours], 8))
    with av.open(str(tmp_path / "x.mp4")) as video:
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
    assert [frame.shape for frame in frames] == [(16, 32, 3)] * 3
    assert [int(frame.mean((0, 1)).argmax()) for frame in frames] == [0, 1, 2]


def test_the_body_of_a_redirect_is_not_read(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    """requests reads it whole before it goes on, however long it is: here, until it hangs up on us."""
    expert_server.models["moved"] = "x"
    expert_server.files["/cat.png"] = png()
    endless = {"Location": "/cat.png", "Transfer-Encoding": "chunked"}
    expert_server.always["info moved"] = Fault(302, body="80000000\r\nbegins", headers=endless)
    media = MediaStore(make_config(allowed_hosts=["127.0.0.1"], limits={"inference_seconds": 5}))
    assert media.fetch(f"{expert_server.url}/models/moved").read_bytes() == png()
    expert_server.always["info moved"] = Fault(302, headers={"Location": f"{expert_server.url}/models/moved"})
    with pytest.raises(MediaError, match="more than 5 redirects"):
        media.fetch(f"{expert_server.url}/models/moved")
