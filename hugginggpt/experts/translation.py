"""The embedded expert that translates texts: Apertium, a separate program, where it is installed.

Apertium is under the GPL and translates by rules and dictionaries between related languages. It is run by its own
command, with the pairs of languages that are installed beside it; nothing of it is part of this project.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from hugginggpt.common.environment import without_keys
from hugginggpt.core.errors import BackendError, ExpertUnavailable, UserError
from hugginggpt.experts.extras import NONE, program_path
from hugginggpt.experts.registry import expert
from hugginggpt.experts.text_operations import ranked_languages

PROGRAM = "apertium"
HOW = "install Apertium with a pair of languages (Debian: apt install apertium-eng-spa)"
SECONDS = 30.0
MAX_CHARACTERS = 20_000
MAX_UNKNOWN = 0.4
"""A text of which a larger share of the words is unknown is not in the language that it was taken for."""
SHOWN_WORDS = 5
_PAIR = re.compile(r"^\s*([a-z]{2,3})-([a-z]{2,3})$")
_MARKED = re.compile(r"(?<![\w*@#])([*@#])(\w+)")
"""A word that Apertium could not translate, or not inflect."""


@expert(
    "apertium", "translation", "By rules and dictionaries, rough; between the languages that are installed (Apertium).",
    ("langcodes", "py3langid"), deterministic=False, extra=NONE, program=PROGRAM, how=HOW,
)  # fmt: skip
def translate(text: str, language: str = "") -> dict[str, Any]:
    """The text in a language, English if none is named, with a note on how rough it is.

    Raises ExpertUnavailable for languages without an installed pair, and where too many words are unknown.
    """
    if len(text) > MAX_CHARACTERS:
        raise UserError(f"At most {MAX_CHARACTERS:,} characters are translated at a time, not {len(text):,}.")
    modes = installed_modes(_run(["-l"], ""))
    target = code_of(language or "English")
    source = _source_of(text, target, modes)
    made = _run([modes[source, target]], text)
    plain, unknown = without_marks(made, text)
    if len(unknown) > MAX_UNKNOWN * len(re.findall(r"\w+", text)):
        raise ExpertUnavailable(f"Most words of the text are unknown to Apertium as {_name(source)}.")
    listed = ", ".join(unknown[:SHOWN_WORDS]) + (" …" if len(unknown) > SHOWN_WORDS else "")
    note = f"from {_name(source)} by rules, rough" + (f"; unknown words: {listed}" if unknown else "")
    return {"generated text": plain.strip(), "note": note}


def installed_modes(listing: str) -> dict[tuple[str, str], str]:
    """The modes that Apertium lists, by the codes of their languages; variants of a language are left out."""
    pairs = (match for line in listing.splitlines() if (match := _PAIR.match(line)))
    return {(_code(match[1]), _code(match[2])): match[0].strip() for match in pairs}


def code_of(language: str) -> str:
    """The code of a language that is named in English, or by its code. Raises UserError for an unknown one."""
    import langcodes

    name = language.strip()
    try:
        return _code(name) if re.fullmatch("[A-Za-z]{2,3}", name) else _code(langcodes.find(name).to_tag())
    except LookupError:
        raise UserError(f'"{name[:40]}" is no language that is known here: name it in English.') from None


def without_marks(made: str, text: str) -> tuple[str, list[str]]:
    """A translation without Apertium's marks, and the words that it did not know; marks of the text itself stay."""
    unknown: list[str] = []

    def bare(match: re.Match[str]) -> str:
        if match[0] in text:
            return match[0]
        if match[1] == "*" and match[2] not in unknown:
            unknown.append(match[2])
        return match[2]

    return _MARKED.sub(bare, made), unknown


def _source_of(text: str, target: str, modes: Mapping[tuple[str, str], str]) -> str:
    """The language of a text, of those from which it can be translated, and the target itself."""
    known = [source for source, into in modes if into == target]
    if not known:
        pairs = ", ".join(f"{_name(source)} to {_name(into)}" for source, into in modes) or "nothing"
        raise ExpertUnavailable(
            f"Apertium cannot translate to {_name(target)} here, only {pairs}: install another of its pairs, or set a "
            "language model."
        )
    ranked = [code for code, _ in ranked_languages(text)]
    if ranked[0] not in (*known, target) and ranked[0] in {source for source, _ in modes} | _TOLD:
        raise ExpertUnavailable(f"Apertium cannot translate from {_name(ranked[0])} to {_name(target)} here.")
    source = next(code for code in ranked if code in known or code == target)
    if source == target:
        raise UserError(f"The text seems to be {_name(target)} already.")
    return source


_TOLD = {
    "ar",
    "de",
    "el",
    "en",
    "es",
    "fr",
    "he",
    "hi",
    "it",
    "ja",
    "ko",
    "nl",
    "pl",
    "pt",
    "ru",
    "sv",
    "th",
    "tr",
    "zh",
}
"""Languages that are told surely enough from a sentence to refuse others."""


def _code(code: str) -> str:
    """The shortest code of a language: "spa" is "es"."""
    from langcodes import Language

    return str(Language.get(code).language)


def _name(code: str) -> str:
    from langcodes import Language

    return str(Language.get(code).language_name())


def _run(arguments: Sequence[str], text: str) -> str:
    """What Apertium writes for a text. It is a script that starts others, which end with it."""
    path = program_path(PROGRAM)
    if path is None:
        raise ExpertUnavailable(f"Apertium is not installed: {HOW}.")
    with subprocess.Popen(  # noqa: S603 (no shell; the text is passed on standard input)
        [path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", errors="replace", start_new_session=True, env=without_keys(),
    ) as process:  # fmt: skip
        try:
            written, said = process.communicate(text, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            _end(process)
            raise BackendError(f"Apertium took longer than {SECONDS:g} s.") from None
    if process.returncode:
        raise BackendError(f"Apertium failed: {said.strip()[-200:] or f'exit code {process.returncode}'}")
    return written


def _end(process: subprocess.Popen[str]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
