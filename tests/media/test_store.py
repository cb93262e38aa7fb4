"""Reading and saving media: the sandboxed folders, sizes, types, addresses."""

from __future__ import annotations

import os
import wave
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.media.decoding import load_audio, load_image, load_text, sound_seconds
from hugginggpt.media.encoding import mp4_bytes, wav_bytes
from hugginggpt.media.store import MediaStore
from hugginggpt.testing.fakes import png, wav
from tests.conftest import EXAMPLES, MakeConfig


@pytest.fixture
def media(make_config: MakeConfig) -> MediaStore:
    return MediaStore(make_config())


@pytest.mark.parametrize(
    "ref", ["/examples/a.jpg", "examples/a.jpg", "public/examples/a.jpg", "/public//examples/a.jpg"]
)
def test_public_paths_in_all_spellings(media: MediaStore, ref: str) -> None:
    assert media.open(ref, "image") == media.public.resolve() / "examples" / "a.jpg"


def test_an_attached_file_is_opened_by_its_name_or_path(media: MediaStore, tmp_path: Path) -> None:
    (tmp_path / "cat.png").write_bytes(png())
    files = [media.attachment(str(tmp_path / "cat.png")), media.public_attachment("examples/a.jpg", "my holiday.jpg")]
    assert [(file.name, file.kind) for file in files] == [("cat.png", "image"), ("my holiday.jpg", "image")]
    assert (files[0].source[:13], files[1].source) == ("/uploads/cat-", "/examples/a.jpg")
    for file, refs in zip(files, (("cat.png", files[0].source), ("my holiday.jpg", "holiday.jpg")), strict=True):
        assert {media.open(ref, "image", files) for ref in refs} == {media.resolve(file.source)}
    with pytest.raises(MediaError, match=r"There is no file cat\.png"):
        media.open("cat.png", "image")


@pytest.mark.parametrize("source", ["/etc/passwd", "file:///etc/passwd", "../secret.png", "examples/none.jpg", ""])
def test_a_client_attaches_nothing_but_public_files_and_urls(media: MediaStore, source: str) -> None:
    (media.public.parent / "secret.png").write_bytes(png())
    assert media.public_attachment("https://a.example/x?n=1", "cat.png").kind == "image"
    with pytest.raises(MediaError):
        media.public_attachment(source, "cat.png")


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
    files = [Attachment("my cat (1).png", mine.as_uri(), "image")]
    first = media.open("my cat (1).png", "image", files)
    assert first == media.open("my cat (1).png", "image", files)
    assert media.public_path(first).startswith("/uploads/my-cat-1-")
    assert load_image(first).size == (64, 64)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("page.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "of an unknown type"),
        ("notes.xml", b"<notes/>", "of an unknown type"),
        ("doc.rtf", b"{\\rtf1}", "application/rtf"),
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


def test_a_name_of_a_type_that_cannot_be_read_is_told_so(media: MediaStore) -> None:
    with pytest.raises(
        MediaError, match=r"^report.RTF cannot be read, as rtf files cannot: give a picture \(jpg, .*docx.*json"
    ):
        media.open("report.RTF", "image")


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


def test_a_long_recording_is_refused_before_it_is_decoded(make_config: MakeConfig) -> None:
    config = make_config(limits={"max_minutes": 0.05})
    seconds = np.zeros(8000 * 4, np.float32)
    (config.public_dir / "examples" / "short.wav").write_bytes(wav_bytes(seconds[: 8000 * 2], 8000))
    (config.public_dir / "examples" / "long.wav").write_bytes(wav_bytes(seconds, 8000))
    media = MediaStore(config)
    assert sound_seconds(media.open("/examples/short.wav", "audio"), 60) == pytest.approx(2)
    with pytest.raises(
        MediaError, match=r"^long.wav has more than the 0.05 minutes of sound allowed \(limits.max_minutes\).$"
    ):
        media.open("/examples/long.wav", "audio")


@pytest.mark.parametrize("suffix", ["flac", "mp3", "m4a", "ogg"])
def test_the_length_of_a_recording_is_counted_by_its_packets(tmp_path: Path, suffix: str) -> None:
    """Also where the container's header says that there is nothing."""
    file = tmp_path / f"x.{suffix}"
    with av.open(str(file), "w") as out:
        stream = out.add_stream({"m4a": "aac", "ogg": "libopus"}.get(suffix, suffix), rate=48000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 48000 * 5), np.float32), format="flt", layout="mono")
        frame.sample_rate = 48000
        out.mux(stream.encode(frame))
        out.mux(stream.encode())
    assert sound_seconds(file, 60) == pytest.approx(5, abs=0.2)
    assert 1 < sound_seconds(file, 1) < 2
    assert len(load_audio(file, 16000)) / 16000 == pytest.approx(5, abs=0.2)


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
    path = media.resolve(media.save("audio", wav_bytes(tone, 8000)))
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


def test_a_video_of_pictures_of_odd_sides(tmp_path: Path) -> None:
    import av

    colours = [(250, 0, 0), (0, 250, 0), (0, 0, 250)]
    (tmp_path / "x.mp4").write_bytes(mp4_bytes([Image.new("RGB", (33, 17), colour) for colour in colours], 8))
    with av.open(str(tmp_path / "x.mp4")) as video:
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
    assert [frame.shape for frame in frames] == [(16, 32, 3)] * 3
    assert [int(frame.mean((0, 1)).argmax()) for frame in frames] == [0, 1, 2]


def test_what_is_no_file_is_refused_at_once(media: MediaStore, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(MediaError, match=r"pipe\.csv is a named pipe, not a file"):
        media.attach(tmp_path / "pipe.csv")
    (tmp_path / "zero.jpg").symlink_to("/dev/zero")
    with pytest.raises(MediaError, match=r"zero\.jpg is a device, not a file"):
        media.attach(tmp_path / "zero.jpg")
