"""Embedded experts for text in pictures: optical character recognition by RapidOCR, captions and document questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.core.documents import wanted_in
from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.core.results import BOXES, is_unsure, plural
from hugginggpt.experts import amounts, classifier, coco, foreign_reading, page_lines, slips, worked_questions
from hugginggpt.experts.grammar import PACKAGES
from hugginggpt.experts.objects import PERSON, objects_in
from hugginggpt.experts.ocr import Line, read_lines, text_of
from hugginggpt.experts.panels import panels
from hugginggpt.experts.picture_untold import untold
from hugginggpt.experts.registry import expert
from hugginggpt.experts.scenes import colour_words, joined, main_thing, person_words, things_in
from hugginggpt.experts.text import MINILM
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
MAX_PLACED = 3
"""Of so many objects of a kind at most the places are told."""
PUT_TOGETHER = "(put together from detections)"

MIN_SIGN_SCORE, MIN_SIGN_HEIGHT = 0.92, 0.025
"""The minimum score of a text in a photograph, and its height as a share of the photograph's shorter side."""

_WORD = re.compile(r"[^\W\d_]{3}|\d{3}")
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
    regions = objects_in(picture, MIN_FAINT_SCORE)
    sure = [one for one in regions if one["score"] > MIN_SCORE]
    look = _look(picture, sure, {one["label"] for one in regions})
    doubtful = [one for one in regions if one["score"] <= MIN_SCORE and not (look and look.name == one["label"])]
    places = {id(one): thing.place for one, thing in zip(sure, things_in(picture, sure), strict=True)}
    parts = [
        f"a picture with {_counted(sure, places)}" if sure else "",
        person_words(picture) if [one["label"] for one in sure].count("person") == 1 else "",
        f"it looks most like {look.words} ({100 * look.score:.0f} %)" if look else "",
        f"perhaps also {_counted(doubtful)}" if doubtful else "",
        f"the text: {' / '.join(text.splitlines())}" if text else "",
    ]
    if not any(parts):
        raise ExpertUnavailable(
            "No text and none of the 80 everyday objects that the offline detector knows is in the picture, and the "
            f"classifier is not sure what it shows; set HF_TOKEN or start {MODEL_SERVER} for a model that describes "
            "pictures."
        )
    parts.insert(-1, _colours(picture, sure))
    return {
        "generated text": f"{', '.join(filter(None, parts))} {PUT_TOGETHER}",
        "text in the picture": text,
        "objects": BOXES.to_text({"predicted": sure}),
    }


def _colours(picture: Image, regions: Sequence[dict[str, Any]]) -> str:
    """The colours of the main thing in a picture, and of the whole picture where there is none: "the motorcycle mostly
    red and black".
    """
    main = main_thing(things_in(picture, regions))
    if main is None or regions[main]["label"] == PERSON:
        return f"mostly {colour_words(picture)}"
    return f"the {regions[main]['label']} mostly {colour_words(picture, regions[main]['box'])}"


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


def _counted(regions: Sequence[dict[str, Any]], places: Mapping[int, str] | None = None) -> str:
    """How many of each label there are: "2 cats (53 %, on the left and in the middle)", with the lowest score where one
    of them is not sure, and their `places` by the identity of a region if they are few.
    """
    counts = Counter(one["label"] for one in regions)
    words = []
    for label, number in counts.most_common():
        own = [one for one in regions if one["label"] == label]
        lowest = min(one["score"] for one in own)
        notes = [f"{100 * lowest:.0f} %"] if is_unsure(label, lowest) else []
        notes += [joined([places[id(one)] for one in own])] if places and number <= MAX_PLACED else []
        note = f" ({', '.join(notes)})" if notes else ""
        words.append(f"{number} {label if number == 1 else plural(label)}{note}")
    return ", ".join(words)


def _look(picture: Image, sure: Sequence[dict[str, Any]], labels: set[str]) -> classifier.Look | None:
    """What a picture looks like beside the objects that the detector finds; nothing of a collage, nor an animal that it
    does not see beside others.
    """
    look = classifier.look(classifier.probabilities(picture)) if len(panels(picture)) == 1 else None
    if look is None or look.name in {one["label"] for one in sure}:
        return None
    called = {label for label in coco.group("animal") if classifier.members(look.name) <= classifier.members(label)}
    kinds = labels | {one["kind"] for one in sure if "kind" in one}
    return look if not (called and sure) or called & kinds else None


@expert(
    "rapidocr-minilm", "document-question-answering",
    "Reads a page (RapidOCR) and answers with the value whose name is asked for, if it is there (all-MiniLM-L6-v2).",
    ("rapidocr", *MINILM, *PACKAGES),
)  # fmt: skip
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
    page = text_of(rows)
    own = text.strip().partition("\n")[0]
    if computed := worked_questions.answer(own, page, lambda part: _read(rows, page, part)[0], page_lines.PLAINLY):
        return [computed]
    return _read(rows, page, text)


def _read(rows: Sequence[Sequence[Line]], page: str, text: str) -> list[dict[str, Any]]:
    """What a page says on a question, in its words."""
    text, code = foreign_reading.asked_in(text, page)
    if code != ENGLISH:
        return [foreign_reading.answer(text, page, code)]
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
