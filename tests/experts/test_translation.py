"""Translation by Apertium: by a small program in its place, and by itself where it is installed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from hugginggpt.core.errors import BackendError, ExpertUnavailable, UserError
from hugginggpt.experts import registry, translation
from hugginggpt.experts.translation import code_of, installed_modes, translate, without_marks

SPANISH = "El perro duerme en el jardín y la casa es pequeña."
posix = pytest.mark.skipif(sys.platform == "win32", reason="Apertium is a script")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that lists pairs as Apertium does, and marks what it was given as its only translation."""
    path = tmp_path / "apertium"
    path.write_text(
        "#!/bin/sh\n"
        'case "$1" in\n'
        '-l) printf "  eng-spa\\n  spa-eng\\n  spa-eng_US\\n  eco-es-fr\\n  fr-es\\n" ;;\n'
        'spa-eng) cat >/dev/null; printf "The dog sleeps in the *jardín and the #house is small." ;;\n'
        'fr-es) sed "s/[[:alpha:]][[:alpha:]]*/*&/g" ;;\n'
        '*) echo "no such mode" >&2; exit 1 ;;\nesac\n'
    )
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return path


def test_pairs_and_names_of_languages() -> None:
    assert installed_modes("  eng-spa\n  spa-eng_US\n  eco-es-fr\n  fr-es\n") == {
        ("en", "es"): "eng-spa", ("fr", "es"): "fr-es",
    }  # fmt: skip
    assert [code_of(name) for name in ("Spanish", "es", "spa", "French")] == ["es", "es", "es", "fr"]
    with pytest.raises(UserError, match='"Blurbish" is no language'):
        code_of("Blurbish")


def test_marks_go_and_those_of_the_text_stay() -> None:
    assert without_marks("El *frotz #casa @home #1", "The frotz house @home #1") == (
        "El frotz casa @home #1", ["frotz"],
    )  # fmt: skip


@posix
def test_a_text_is_translated_from_the_language_that_it_is_in(program: Path) -> None:
    assert translate(SPANISH) == {
        "generated text": "The dog sleeps in the jardín and the house is small.",
        "note": "from Spanish by rules, rough; unknown words: jardín",
    }


@posix
@pytest.mark.parametrize(
    ("text", "language", "error", "words"),
    [
        (
            SPANISH,
            "German",
            ExpertUnavailable,
            "cannot translate to German here, only English to Spanish, .* to English",
        ),
        ("Der Hund schläft im Garten und das Haus ist klein.", "English", ExpertUnavailable, "from German to English"),
        (SPANISH, "Spanish", UserError, "seems to be Spanish already"),
        ("Le chat est noir et la maison est petite.", "es", ExpertUnavailable, "unknown to Apertium as French"),
        ("The dog sleeps in the garden.", "es", BackendError, "Apertium failed: no such mode"),
        ("a " * 10_001, "es", UserError, "At most 20,000 characters"),
    ],
)
def test_what_is_not_translated_is_said(
    program: Path, text: str, language: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        translate(text, language)


@posix
def test_a_program_that_hangs_is_ended(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program.write_text("#!/bin/sh\nsleep 60 | cat\n")
    monkeypatch.setattr(translation, "SECONDS", 0.2)
    with pytest.raises(BackendError, match="took longer"):
        translate(SPANISH)


def test_without_the_program_there_is_no_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    expert = registry.expert_for("apertium", "translation")
    assert expert.missing == ["apertium"] and not expert.covers("") and "apt install apertium" in expert.remedy
    with pytest.raises(ExpertUnavailable, match="Apertium is not installed: install"):
        translate(SPANISH)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("apertium") is None, reason="Apertium is not installed")
def test_apertium_itself_translates() -> None:
    modes = installed_modes(translation._run(["-l"], ""))
    if ("es", "en") not in modes:
        pytest.skip("its pair of Spanish and English is not installed")
    assert "The dog sleeps" in translate(SPANISH)["generated text"]


@posix
def test_the_program_gets_no_keys_and_the_text_is_no_option(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    program.write_text('#!/bin/sh\n[ "$1" = -l ] && echo "  spa-eng" && exit\necho "$# $1"; env; cat\n')
    made = translate(f"-l -d / {SPANISH}")["generated text"]
    assert made.startswith("1 spa-eng\n") and made.endswith(f"-l -d / {SPANISH}")
    assert "PATH=" in made and "sk-secret" not in made
