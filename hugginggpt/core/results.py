"""The schemas of task results, and how results are put into words.

The shapes are those Hugging Face's tasks return, except that generated text and files carry JARVIS's
names: `{"generated text": ...}`, `{"generated image": "/images/….png"}`. A `ResultSchema` parses an expert's
answer (or rejects it), and describes it in words, for people and for the tasks that take it as text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from hugginggpt.core import moments
from hugginggpt.core.documents import in_words
from hugginggpt.core.text_tables import text_table

Kind = Literal["text", "image", "audio", "video", "table", "document"]
"""What an argument or a result is. A document is a file as it is (a PDF, a workbook), not the text or table in it."""
FILE_KINDS: tuple[Kind, ...] = ("image", "audio", "video", "document")
"""The kinds of generated files; each has a folder public/<kind>s and a result key "generated <kind>". Where a task
makes several files, that key holds the first, and "generated <kind>s" all of them.
"""
INVALID_RESULT_ERRORS = (ValueError, LookupError, TypeError, AttributeError, OverflowError)
"""The exceptions that parsing an invalid result raises, at whatever depth it is invalid."""


@dataclass(frozen=True, slots=True)
class ResultSchema:
    """One shape of result; `name` is what the wire calls it (a finished task's "form").

    `parse` turns an expert's answer into the shape, or raises one of INVALID_RESULT_ERRORS.
    `to_text` is what a later task receives for `<GENERATED>-n` as text; `describe` is for people,
    scores included. `kinds` are the resources that a later task can take from such a result, and
    `draws` whether the controller draws the boxes or masks over the input picture when the expert did
    not.
    """

    name: str
    kinds: tuple[Kind, ...]
    parse: Callable[[Any], Any]
    to_text: Callable[[Any], str]
    describe: Callable[[Any], str]
    draws: Literal["", "boxes", "masks"] = ""

    def validate(self, raw: Any) -> Any:
        """An expert's answer in the shape. Raises one of INVALID_RESULT_ERRORS if it does not fit."""
        value = self.parse(raw)
        self.to_text(value), self.describe(value)
        return value

    @property
    def makes(self) -> tuple[Kind, ...]:
        """The kinds of files among `kinds`."""
        return tuple(kind for kind in self.kinds if kind in FILE_KINDS)


def files_of(value: Any) -> list[str]:
    """The public paths of the files that a result holds."""
    if not isinstance(value, dict):
        return []
    return [path for kind in FILE_KINDS for path in _paths(value, kind)]


def with_files(value: dict[str, Any], other: Callable[[str], str]) -> dict[str, Any]:
    """The result with another path for each of its generated files."""
    new = {path: other(path) for path in files_of(value)}
    keys = [f"generated {kind}{ending}" for kind in FILE_KINDS for ending in ("", "s")]

    def put(old: Any) -> Any:
        return [new.get(path, path) for path in old] if isinstance(old, list) else new.get(old, old)

    return {name: put(old) if name in keys else old for name, old in value.items()}


def _paths(value: dict[str, Any], kind: Kind) -> list[str]:
    """The public paths of the files of a kind."""
    several = value.get(f"generated {kind}s")
    found = several if isinstance(several, list) else [value.get(f"generated {kind}")]
    return [path for path in found if isinstance(path, str)]


# Text


TEXT_KEYS = ("generated text", "generated_text", "text", "summary_text", "translation_text", "response")


def _parse_text(raw: Any) -> dict[str, Any]:
    raw = _only(raw)
    if isinstance(raw, str):
        return {"generated text": raw}
    if isinstance(raw, dict):
        for key in TEXT_KEYS:
            if isinstance(raw.get(key), str):
                return {"generated text": raw[key], **{k: v for k, v in raw.items() if k != key}}
    raise ValueError("no text in it")


def _text_of(value: Any) -> str:
    return str(value["generated text"]).strip()


def _describe_text_file(value: Any) -> str:
    return f"{_text_of(value)}{_note(value)}\n{', '.join(_paths(value, 'document'))}".rstrip()


# Labels with scores


def _parse_labels(raw: Any) -> list[dict[str, Any]]:
    if isinstance(raw, dict) and isinstance(raw.get("labels"), list) and isinstance(raw.get("scores"), list):
        raw = [{"label": label, "score": score} for label, score in zip(raw["labels"], raw["scores"], strict=False)]
    if isinstance(raw, list) and len(raw) == 1 and isinstance(raw[0], list):
        raw = raw[0]
    labels = _rows(raw, "label", "score")
    return sorted(labels, key=lambda row: -float(row["score"]))


def _first_label(value: Any) -> str:
    return str(value[0]["label"]) if value else ""


def _describe_labels(value: Any) -> str:
    labels = ", ".join(f"{row['label']} ({_percent(row['score'])}){_when(row)}" for row in value[:5])
    if looked := moments.looked_of(value):
        return f"{labels}{moments.less_closely(looked)}"
    return f"{labels or 'no label'}{_note(value[0]) if value else ''}"


# Boxes and masks

UNSURE = 0.65
"""Detections below this score are worded as uncertain; detectors report objects from 0.4 or 0.5."""
UNSURE_OF = {"person": 0.45}
"""The same for a kind of things that detectors know well: of eight people in photographs who were found with a score
between 0.45 and 0.65, all were there.
"""


def is_unsure(label: str, score: float) -> bool:
    """Whether a detection is worded as uncertain."""
    return score < UNSURE_OF.get(label, UNSURE)


def _parse_regions(raw: Any) -> dict[str, Any]:
    if isinstance(raw, dict) and "predicted" in raw:
        return {**_renamed_path(raw, "image"), "predicted": _rows(raw["predicted"], "label")}
    if isinstance(raw, dict) and ("path" in raw or "generated image" in raw):
        return {**_renamed_path(raw, "image"), "predicted": []}
    rows = _rows(raw, "label")
    faint = [row for row in rows if row.get("faint")]
    return {"predicted": [row for row in rows if not row.get("faint")], **({"faint": faint} if faint else {})}


def count_labels(value: Any) -> Counter[str]:
    """How often each label occurs in a result with "predicted" regions; of a video at most in one picture."""
    rows = value.get("predicted", [])
    return moments.most_at_once(rows) if moments.LOOKED in value else Counter(str(row["label"]) for row in rows)


def _regions_text(value: Any) -> str:
    if looked := value.get(moments.LOOKED):
        return ", ".join(_with_times(label, n, value, looked) for label, n in count_labels(value).most_common())
    return ", ".join(f"{n} {label if n == 1 else plural(label)}" for label, n in count_labels(value).most_common())


def _with_times(label: str, number: int, value: Any, looked: Any) -> str:
    """How many of a label a video shows at most at a time, and when: "2 dogs from 0:04 to 0:09"."""
    times = [row["time"] for row in value["predicted"] if row["label"] == label]
    many = f"up to {number} {plural(label)} at a time" if number > 1 else f"1 {label}"
    return f"{many} {moments.when(times, looked)}"


def _describe_regions(value: Any) -> str:
    counts = _regions_text(value)
    if looked := value.get(moments.LOOKED):
        return f"{counts or 'nothing recognised'}{moments.less_closely(looked)}"
    scores = [_percent(row["score"]) for row in value.get("predicted", []) if row.get("score") is not None]
    told = f"{counts} ({', '.join(scores)})" if scores else counts or "nothing recognised"
    return f"{told}{_note(value)}"


def _describe_masks(value: Any) -> str:
    """What is marked, and the file in which all else is transparent: "1 cat; cut out: /images/1.png"."""
    several = value.get("generated images") or []
    if len(several) < 2:
        return _describe_regions(value)
    return f"{_regions_text(value)}; cut out, without the background: {several[-1]}{_note(value)}"


# Named entities


def _parse_entities(raw: Any) -> list[dict[str, Any]]:
    rows = _rows(raw, "word")
    return [{"entity_group": row.get("entity_group") or row.get("entity") or "", **row} for row in rows]


ENTITY_NAMES = {
    "PER": "people", "PERSON": "people", "LOC": "places", "GPE": "places", "FAC": "places", "ORG": "organisations",
    "NORP": "groups", "DATE": "dates", "MISC": "other names",
}  # fmt: skip


def entities_by_kind(value: Any) -> dict[str, list[str]]:
    """The named entities, without duplicates, under everyday words: PER and PERSON are people, LOC and GPE places."""
    named: dict[str, list[str]] = {}
    for row in value:
        kind = ENTITY_NAMES.get(str(row["entity_group"]).upper(), str(row["entity_group"]).lower().replace("_", " "))
        words = named.setdefault(kind, [])
        if row["word"] not in words:
            words.append(row["word"])
    return named


def _describe_entities(value: Any) -> str:
    kinds = [f"{kind}: {', '.join(words)}" for kind, words in entities_by_kind(value).items()]
    return "; ".join(kinds) or "no named entity"


# Answers


def _parse_answers(raw: Any) -> list[dict[str, Any]]:
    rows = _rows([raw] if isinstance(raw, dict) else raw, "answer")
    if not rows:
        raise ValueError("no answer in it")
    return rows


def _parse_answer(raw: Any) -> dict[str, Any]:
    return _parse_answers(raw)[0]


PLAIN = 0.75
"""An answer of at least this score is told without it: a right one needs no figure behind it."""


_BARE_VALUE = re.compile(r"[£$€¥]?\s?\d[\d.,:]*\s?[£$€¥%]?")
MAX_ENTRY_WORDS = 16
"""A bare number of a page, or a value that is not sure, is told with its name, if both have no more words."""


def _describe_answer(value: Any) -> str:
    """The answer, and below it the rows of a table that it speaks of ("columns" and "rows"), if there are any."""
    best = value if isinstance(value, dict) else value[0]
    if moments.LOOKED in best:
        return _describe_moments([best] if isinstance(value, dict) else value)
    score = best.get("score")
    is_doubtful = isinstance(score, int | float) and score < PLAIN and best.get("found", True)  # else it says so itself
    said, entry = str(best["answer"]), str(best.get("entry") or "")
    is_entry = bool(entry) and (is_doubtful or bool(_BARE_VALUE.fullmatch(said))) and said in entry
    said = entry if is_entry and len(entry.split()) <= MAX_ENTRY_WORDS else said
    sure = _percent(score) if is_doubtful and not is_entry else ""
    where = in_words(best["where"]) if isinstance(best.get("where"), list) else ""
    beside = f" ({', '.join(filter(None, (sure, where)))})" if sure or where else ""
    columns, rows = best.get("columns") or [], best.get("rows") or []
    table = text_table(list(map(str, columns)), [list(map(str, row)) for row in rows]) if columns and rows else ""
    return f"{said}{beside}{_note(best)}" + (f"\n\n{table}" if table else "")


def _describe_moments(rows: list[dict[str, Any]]) -> str:
    """The answers that pictures of a video gave, with their times; what they lack only where nothing is found."""
    found = [row for row in rows if not moments.is_nothing(row["answer"])]
    told = [f"{row['answer']}{_when(row)}" for row in found[: moments.MAX_SHOWN]] or [str(rows[0]["answer"])]
    return f"{'; '.join(told)}{moments.less_closely(rows[0][moments.LOOKED])}"


def _when(row: dict[str, Any]) -> str:
    """When a row of a video's result was seen, with a blank before it; "" for one of a picture."""
    return f" {moments.when(row['times'], looked)}" if (looked := row.get(moments.LOOKED)) else ""


MAX_NUMBER_CHARS = 24
"""An answer of so many characters may be a number with its unit."""


def best_of(value: Any) -> Mapping[str, Any]:
    """The likeliest answer of a result; {} where that gives none."""
    best = value[0] if isinstance(value, list) and value else value
    return best if isinstance(best, Mapping) else {}


def number_of(value: Any) -> str:
    """The number that a result is, to be calculated with; "" where it is none, or more than one."""
    best = best_of(value)
    if not best or best.get("found") is False:
        return ""
    if isinstance(number := best.get("number"), int | float):
        return f"{number:.6f}".rstrip("0").rstrip(".")
    said = str(best.get("answer", ""))
    numbers = re.findall(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w.,]*\d)", said)
    if "columns" in best or len(said) > MAX_NUMBER_CHARS or len(numbers) != 1:
        return ""
    whole, _, last = re.sub(r",(?=\d{3}(?:\D|$))", "", numbers[0]).replace(",", ".").rpartition(".")
    return f"{whole.replace('.', '')}.{last}" if whole else last


def _answer_text(value: Any) -> str:
    return str((value if isinstance(value, dict) else value[0])["answer"])


# Filled gaps, numbers, classes of table rows, files


def _parse_filled(raw: Any) -> list[dict[str, Any]]:
    rows = _rows([raw] if isinstance(raw, dict) else raw, "sequence")
    if not rows:
        raise ValueError("no sentence in it")
    return rows


def _parse_scores(raw: Any) -> list[float]:
    raw = [raw] if isinstance(raw, int | float) else raw
    if isinstance(raw, list) and raw and all(isinstance(score, int | float) for score in raw):
        return [float(score) for score in raw]
    raise ValueError("no list of numbers")


def _parse_classes(raw: Any) -> list[Any]:
    if isinstance(raw, list) and all(isinstance(item, str | int | float) for item in raw):
        return raw
    raise ValueError("no list of classes")


def _parse_data(raw: Any) -> Any:
    if isinstance(raw, dict | list):
        return raw
    raise ValueError("no object or list")


def _parse_text_file(raw: Any) -> dict[str, Any]:
    found = _only(raw)
    return _parse_text(_renamed_path(found, "document") if isinstance(found, dict) else found)


def _data_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _generated(kind: Kind) -> ResultSchema:
    def parse(raw: Any) -> dict[str, Any]:
        value = _renamed_path(_only(raw), kind)
        if not isinstance(value.get(f"generated {kind}"), str):
            raise ValueError(f"no {kind} in it")
        return value

    def describe(value: Any) -> str:
        return f"{', '.join(_paths(value, kind))}{_note(value)}"

    return ResultSchema(kind, (kind,), parse, lambda value: "", describe)


# Helpers


def plural(noun: str) -> str:
    """The English plural of a COCO label or the like: person -> people, bus -> buses, cat -> cats."""
    irregular = {"person": "people", "sheep": "sheep", "mouse": "mice", "knife": "knives", "skis": "skis"}
    irregular |= {"man": "men", "woman": "women", "child": "children", "goose": "geese", "foot": "feet"}
    if noun in irregular or not noun.isascii():
        return irregular.get(noun, noun)
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _note(value: dict[str, Any]) -> str:
    return f" ({value['note']})" if isinstance(value.get("note"), str) else ""


def _percent(score: Any) -> str:
    return f"{100 * float(score):.0f} %"


def _only(raw: Any) -> Any:
    return raw[0] if isinstance(raw, list) and len(raw) == 1 else raw


def _rows(raw: Any, *keys: str) -> list[dict[str, Any]]:
    if isinstance(raw, list) and all(isinstance(row, dict) and all(key in row for key in keys) for row in raw):
        return raw
    raise ValueError(f"no list of objects with {' and '.join(keys)}")


def _renamed_path(raw: Any, kind: Kind) -> dict[str, Any]:
    """JARVIS's model server says "path"; its controller calls that "generated <kind>"."""
    if not isinstance(raw, dict):
        raise ValueError("no object")
    return {f"generated {kind}" if key == "path" else key: value for key, value in raw.items()}


TEXT = ResultSchema("text", ("text",), _parse_text, _text_of, lambda value: f"{_text_of(value)}{_note(value)}")
LABELS = ResultSchema("labels", ("text",), _parse_labels, _first_label, _describe_labels)
BOXES = ResultSchema("boxes", ("image", "text"), _parse_regions, _regions_text, _describe_regions, draws="boxes")
MASKS = ResultSchema("masks", ("image", "text"), _parse_regions, _regions_text, _describe_masks, draws="masks")
ENTITIES = ResultSchema("entities", ("text",), _parse_entities, _describe_entities, _describe_entities)
ANSWER = ResultSchema("answer", ("text",), _parse_answer, _answer_text, _describe_answer)
ANSWERS = ResultSchema("answers", ("text",), _parse_answers, _answer_text, _describe_answer)
SCORES = ResultSchema(
    "scores", ("text",), _parse_scores, lambda v: f"{v[0]:.2f}", lambda v: ", ".join(f"{score:.2f}" for score in v)
)
CLASSES = ResultSchema(
    "classes", ("text",), _parse_classes, lambda v: ", ".join(map(str, v)), lambda v: ", ".join(map(str, v))
)
FILLED = ResultSchema(
    "filled", ("text",), _parse_filled, lambda v: str(v[0]["sequence"]), lambda v: str(v[0]["sequence"])
)
DATA = ResultSchema("data", ("text",), _parse_data, _data_text, _data_text)
IMAGE, AUDIO, VIDEO, DOCUMENT = map(_generated, FILE_KINDS)
TEXT_FILE = replace(
    TEXT, name="text-file", kinds=("text", "document"), parse=_parse_text_file, describe=_describe_text_file
)
"""A text that is a file, too, such as subtitles."""
SCHEMAS = {
    schema.name: schema
    for schema in (
        TEXT, LABELS, BOXES, MASKS, ENTITIES, ANSWER, ANSWERS, SCORES, CLASSES, FILLED, DATA, IMAGE, AUDIO, VIDEO,
        DOCUMENT, TEXT_FILE,
    )
}  # fmt: skip
"""The shapes by their names."""


_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Variation selectors: marks without a shape of their own, which can carry any bytes."""


def visible(text: str) -> str:
    """A text without control, bidirectional and zero-width characters, in which instructions can be hidden."""
    return "".join(char for char in _SELECTORS.sub("", text) if char.isprintable() or char in "\n\t")


def visible_line(text: str, most: int) -> str:
    """A text as `visible` in one line of at most `most` characters; a longer one is cut, and ends in …"""
    line = visible(" ".join(text.split())).strip()
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def well_formed(value: Any) -> Any:
    """The same value; in its texts, lone surrogates, which no file or connection takes, are question marks."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value
