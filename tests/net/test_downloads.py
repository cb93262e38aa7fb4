"""Downloads: from public addresses only, within the limits, complete or not at all."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator

import pytest
import requests

from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.media.decoding import load_text
from hugginggpt.media.store import MediaStore
from hugginggpt.net.public_http import is_public
from hugginggpt.testing.fakes import FakeExperts, Fault, png
from tests.conftest import MakeConfig


@pytest.fixture
def media(make_config: MakeConfig) -> MediaStore:
    return MediaStore(make_config())


@pytest.mark.parametrize(
    ("address", "public"),
    [("8.8.8.8", True), ("127.0.0.1", False), ("10.0.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False),
     ("100.64.0.1", False), ("0.0.0.0", False), ("224.0.0.1", False), ("::1", False), ("fe80::1%eth0", False), ("fc00::1", False),
     ("::ffff:127.0.0.1", False), ("::ffff:8.8.8.8", True), ("2002:7f00:1::", False), ("2606:4700::1", True),
     ("64:ff9b::10.0.0.1", False), ("64:ff9b::7f00:1", False), ("64:ff9b::8.8.8.8", True), ("64:ff9b:1::8.8.8.8", False), ("fec0::1", False)],
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
    with pytest.raises(MediaError, match="localhost is an address of a private network"):
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
    expert_server.files["/odd.png"] = b"\x00\x01" * 1_500_000
    expert_server.files["/short.bin"] = b"x"
    media = MediaStore(make_config(allowed_hosts=["127.0.0.1"]))
    for name in ("odd.png", "short.bin"):
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
