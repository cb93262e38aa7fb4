"""Embedded experts for text in pictures: optical character recognition by RapidOCR, captions and document questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.core.documents import wanted_in
from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.core.results import BOXES
from hugginggpt.experts import (
    amounts,
    bar_charts,
    captions,
    classifier,
    coco,
    foreign_reading,
    page_lines,
    plain_questions,
    sections,
    slips,
    worked_questions,
)
from hugginggpt.experts.objects import objects_in
from hugginggpt.experts.ocr import Line, read_lines, text_of
from hugginggpt.experts.panels import panels
from hugginggpt.experts.picture_untold import untold
from hugginggpt.experts.registry import expert
from hugginggpt.experts.vision import MIN_FAINT_SCORE, MIN_SCORE, ONNX
from hugginggpt.experts.written_language import ENGLISH
from hugginggpt.media import frames
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    from PIL.Image import Image

MIN_PAGE_WORDS = 8
"""A picture with at least so many words counts as a document, not as a scene with a sign in it."""

MAX_PAGES = 20
"""Of a picture of more pages so many are read: each takes seconds."""
MIN_GUESS, MUCH_LIKELIER, MIN_EITHER = 0.25, 1.5, 0.5
"""What the classifier is not sure of is guessed from this probability on, if it is so many times that of the next; else
both are, where they have the third probability together."""
MIN_FAR_AHEAD, FAR_AHEAD = 0.15, 3.0
"""From this probability on, too, if it is so many times that of the next: a flower whose kind has no name here."""

MIN_SIGN_SCORE, MIN_SIGN_HEIGHT = 0.92, 0.025
"""The minimum score of a text in a photograph, and its height as a share of the photograph's shorter side."""

_WORD = re.compile(r"[^\W\d_]{3}|(\d)(?!\1)\d{2}")
"""What a text in a photograph holds; single letters are mostly shapes."""


@expert(
    "rapidocr-nanodet", "image-to-text",
    "Reads the text in a picture (RapidOCR); otherwise names the objects a detector finds and what the picture looks "
    "like, of 1,000 kinds (no learned captions).",
    ("rapidocr", *ONNX),
)  # fmt: skip
def describe(image: Path) -> dict[str, Any]:
    """The text of a page; for other pictures the objects in it, what it looks like beside them, and any text that is
    read with certainty. The text and the objects also under their own keys.
    """
    if frames.unit_of(image) == "page" and (number := frames.count(image)) > 1:
        return _of_pages(image, number)
    rows = read_lines(image)
    text = text_of(rows)
    if len(text.split()) >= MIN_PAGE_WORDS:
        return {"generated text": text, "text in the picture": text}
    picture = load_image(image)
    text = text_of(_signs(rows, min(picture.size)))
    probable = classifier.probabilities(picture)
    regions = objects_in(picture, MIN_FAINT_SCORE, probable)
    sure = [one for one in regions if one["score"] > MIN_SCORE]
    told = shown_in(picture, regions, text, probable)
    if not told:
        raise ExpertUnavailable(
            "No text and none of the 80 everyday objects that the offline detector knows is in the picture, and the "
            f"classifier is not sure what it shows; set HF_TOKEN or start {MODEL_SERVER} for a model that describes "
            "pictures."
        )
    return {"generated text": told, "text in the picture": text, "objects": BOXES.to_text({"predicted": sure})}


def shown_in(
    picture: Image, regions: Sequence[dict[str, Any]], text: str = "", probable: classifier.Array | None = None
) -> str:
    """What a picture shows, in sentences, with the `text` in it; "" where nothing of it is known. `probable` are the
    classifier's probabilities, where they are known.
    """
    sure = [one for one in regions if one["score"] > MIN_SCORE]
    probable = classifier.probabilities(picture) if probable is None else probable
    look = _look(picture, probable, sure, {one["label"] for one in regions})
    return captions.caption(picture, regions, look, _guess(probable), text)


def _of_pages(image: Path, number: int) -> dict[str, Any]:
    """The text of each page of a picture with several."""
    read = range(1, min(number, MAX_PAGES) + 1)
    texts = [f"Page {page}: {text_of(rows).strip() or '(no text)'}" for page, rows in _rows_of(image, read)]
    left = f"of {number} pages the first {MAX_PAGES} were read" if number > MAX_PAGES else ""
    text = "\n\n".join(texts)
    return {"generated text": text, "text in the picture": text, "pages": number, **({"note": left} if left else {})}


def _signs(rows: Sequence[Sequence[Line]], side: int) -> list[list[Line]]:
    """The lines in a photograph that are certainly text: what is small or doubtful are mostly patterns and edges."""
    sure = ([line for line in row if _is_sign(line, side)] for row in rows)
    return [row for row in sure if row]


def _is_sign(line: Line, side: int) -> bool:
    return line.score >= MIN_SIGN_SCORE and line.height >= MIN_SIGN_HEIGHT * side and bool(_WORD.search(line.text))


def _guess(probable: Any) -> classifier.Look | None:
    """What a picture may well look like though it is not sure."""
    (name, first), (other, second) = sorted(classifier.named(probable).items(), key=lambda pair: -pair[1])[:2]
    if first < MIN_GUESS:
        return classifier.Look(name, first) if first >= max(MIN_FAR_AHEAD, FAR_AHEAD * second) else None
    if first >= MUCH_LIKELIER * second:
        return classifier.Look(name, first)
    return classifier.Look(f"{name} or {other}", first + second) if first + second >= MIN_EITHER else None


def _look(picture: Image, probable: Any, sure: Sequence[dict[str, Any]], labels: set[str]) -> classifier.Look | None:
    """What a picture looks like beside the objects that the detector finds; nothing of a collage, nor an animal that it
    does not see beside others.
    """
    look = classifier.look(probable) if len(panels(picture)) == 1 else None
    if look is None or look.name in {one["label"] for one in sure}:
        return None
    called = {label for label in coco.group("animal") if classifier.members(look.name) <= classifier.members(label)}
    kinds = labels | {one["kind"] for one in sure if "kind" in one}
    return look if not (called and sure) or called & kinds else None


def answer_from_page(image: Path, text: str) -> list[dict[str, Any]]:
    """Up to three values of the page that answer the question, the likeliest first, or that it is not on the page.

    A question about running text, as in a letter, is answered by a sentence of it; of several in one, each is answered.
    Of a picture of several pages all are read, or those that the question names.
    """
    if frames.unit_of(image) == "page" and (number := frames.count(image)) > 1:
        return _answer_from_pages(image, text, number)
    return _answered(read_lines(image), text)


def _answered(rows: Sequence[Sequence[Line]], text: str) -> list[dict[str, Any]]:
    if not rows:
        missing = untold(text)
        cannot = f"From a picture I cannot tell {missing}." if missing else "No text was found in the picture."
        raise ExpertUnavailable(cannot)
    if charted := bar_charts.answer(text.strip().partition("\n")[0], rows):
        return [{"answer": charted}]
    page = text_of(rows)

    def read(part: str) -> dict[str, Any]:
        return _read(rows, page, part)[0]

    if computed := worked_questions.answer(text, page, read, page_lines.PLAINLY, [rows]):
        return [computed]
    return _read(rows, page, text)


def _read(rows: Sequence[Sequence[Line]], page: str, text: str) -> list[dict[str, Any]]:
    """What a page says on a question, in its words."""
    text, code = foreign_reading.asked_in(text, page)
    if code != ENGLISH:
        return [foreign_reading.answer(text, page, code)]
    if (section := sections.asked_for(text, page)) and section.is_list:
        return [{"answer": section.text}]
    text = plain_questions.in_short(text)
    read = slips.corrected(text, page)
    note = slips.note_of(text, read)
    given = [amounts.with_sums(read, answer) for answer in page_lines.answer(read, rows)]
    return [{**answer, "note": note} if note else answer for answer in given]


def _answer_from_pages(image: Path, text: str, number: int) -> list[dict[str, Any]]:
    """The answer of the page that gives the likeliest, and which one that is. Raises ExpertUnavailable where no page
    has any text.
    """
    wanted, rest = wanted_in(text)
    named = [one if one > 0 else number for one in wanted.numbers] if wanted and wanted.unit == "page" else []
    if named and not (chosen := [one for one in named if one <= number]):
        raise UserError(f"{image.name} has {number} pages.")
    read = chosen if named else list(range(1, min(number, MAX_PAGES) + 1))
    given = [(page, _answered(rows, rest if named else text)) for page, rows in _rows_of(image, read) if rows]
    if not given:
        raise ExpertUnavailable("No text was found on the pages.")
    page, answers = max(given, key=lambda one: (one[1][0].get("found", True), float(one[1][0].get("score") or 0)))
    left = f"of {number} pages the first {MAX_PAGES} were read" if not named and number > MAX_PAGES else ""
    notes = "; ".join(filter(None, (str(answers[0].get("note") or ""), left)))
    where = [{"unit": "page", "name": str(page)}]
    is_there = answers[0].get("found", True) or "closest" in answers[0]
    more = {"pages": number, **({"where": where} if is_there else {}), **({"note": notes} if notes else {})}
    return [{**answer, **more} for answer in answers]


def _rows_of(image: Path, numbers: Sequence[int]) -> Iterator[tuple[int, list[list[Line]]]]:
    """The lines of some pages of a picture, each with its number."""
    with TemporaryDirectory(prefix=scratch_prefix()) as folder:
        for page in numbers:
            file = Path(folder) / f"page-{page}.png"
            frames.load(image, [page])[0].save(file, compress_level=1)
            yield page, read_lines(file)
