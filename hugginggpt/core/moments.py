"""Results of single pictures of a video, put together as one result with times.

A task for pictures is done to a video by looking at some of its pictures. Each row of its result then has the second
("time") or the seconds ("times") at which it was seen, and "looked" tells what was looked at: {"times", "seconds"}.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.core.quantities import clock

LOOKED = "looked"
PARTS = ("text in the picture", "objects")
"""What a description of a picture may tell apart."""
MAX_SHOWN = 6
"""So many answers, and runs of times, are told."""
_NOTHING = re.compile(
    r"\W*+(?:(?:(?:rather|probably|perhaps) )?(?:no|not)\b|none\b|nothing\b|0\b|I do not\b|I cannot\b)", re.IGNORECASE
)
"""The beginning of an answer that a picture does not give."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a task gave for the picture at a second of a video; None where it found nothing there."""

    time: float
    value: Any = None


def looked_at(looks: Sequence[Look], seconds: float, asked: float | None = None) -> dict[str, Any]:
    """What was looked at, as data: the seconds of the pictures, how long the video is, and the seconds between two
    pictures that were `asked` for, where the limits allow no such rate.
    """
    times = [round(look.time, 2) for look in looks]
    is_less = asked is not None and len(times) > 1 and times[1] - times[0] > asked + 0.01
    return {"times": times, "seconds": round(seconds, 2), **({"asked": asked} if is_less else {})}


def put_together(form: str, looks: Sequence[Look], seconds: float, asked: float | None = None) -> Any:
    """The results for the pictures of a video as one. `form` is the name of their schema: boxes, text, labels, answers
    or image; `asked` is as for `looked_at`. Raises KeyError for another.
    """
    return _BY_FORM[form](looks, looked_at(looks, seconds, asked))


def _regions(looks: Sequence[Look], looked: dict[str, Any]) -> dict[str, Any]:
    rows = {
        key: [{**row, "time": round(look.time, 2)} for look in looks if look.value for row in look.value.get(key, [])]
        for key in ("predicted", "faint")
    }
    return {"predicted": rows["predicted"], **({"faint": rows["faint"]} if rows["faint"] else {}), LOOKED: looked}


def _texts(looks: Sequence[Look], looked: dict[str, Any]) -> dict[str, Any]:
    """One line for each run of pictures that say the same: by their objects and text where these are told apart."""
    chunks: list[dict[str, Any]] = []
    last = ""
    for look in looks:
        text = str(look.value["generated text"]).strip() if look.value else ""
        key = repr([look.value.get(part) for part in PARTS]) if text and PARTS[0] in look.value else text
        if text and key == last:
            chunks[-1]["timestamp"][1] = round(look.time, 2)
        elif text:
            read = {"written": look.value[PARTS[0]]} if look.value.get(PARTS[0]) else {}
            chunks.append({"text": text, "timestamp": [round(look.time, 2)] * 2, **read})
        last = key
    lines = [f"{in_words([tuple(one['timestamp'])])}: {' / '.join(one['text'].splitlines())}" for one in chunks]
    lines = [line.removeprefix("from ").removeprefix("at ") for line in lines]
    said = list(dict.fromkeys(text for look in looks if look.value and (text := look.value.get(PARTS[0]))))
    parts = {PARTS[0]: "\n".join(said)} if any(PARTS[0] in look.value for look in looks if look.value) else {}
    less = {"note": how_closely(looked)} if "asked" in looked else {}
    return {"generated text": "\n".join(lines), "chunks": chunks, **parts, **less, LOOKED: looked}


def _labels(looks: Sequence[Look], looked: dict[str, Any]) -> list[dict[str, Any]]:
    return _by("label", looks, looked)


def _answers(looks: Sequence[Look], looked: dict[str, Any]) -> list[dict[str, Any]]:
    """Each answer once, with its times: what was found before what was not, and what was found more often first."""
    best = [Look(look.time, look.value[:1]) for look in looks if look.value]
    rows = _by("answer", best, looked)
    return sorted(rows, key=lambda row: (is_nothing(row["answer"]), -len(row["times"])))


def is_nothing(answer: object) -> bool:
    """Whether an answer says that a picture does not show what was asked for."""
    return bool(_NOTHING.match(str(answer)))


def _by(key: str, looks: Sequence[Look], looked: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows with the same words under a key as one, with the best score and all times."""
    rows: dict[str, dict[str, Any]] = {}
    for look in looks:
        for row in look.value or ():
            words = " ".join(str(row[key]).split())
            known = rows.setdefault(words.casefold(), {**row, key: words, "times": [], LOOKED: looked})
            known["times"].append(round(look.time, 2))
            scores = [one["score"] for one in (known, row) if isinstance(one.get("score"), int | float)]
            known.update({"score": max(scores)} if scores else {})
    return list(rows.values())


def _images(looks: Sequence[Look], looked: dict[str, Any]) -> dict[str, Any]:
    """The drawings, those that several looks in a row share once, with all times at which one was made."""
    drawn = [look for look in looks if look.value]
    times = [round(look.time, 2) for look in drawn]
    paths = list(dict.fromkeys(str(look.value["generated image"]) for look in drawn))
    several = {"generated images": paths} if len(paths) > 1 else {}
    note = "; ".join([when(times, looked), *([how_closely(looked)] if "asked" in looked else [])])
    return {"generated image": paths[0], **several, "times": times, "note": note, LOOKED: looked}


_BY_FORM = {"boxes": _regions, "text": _texts, "labels": _labels, "answers": _answers, "image": _images}
FORMS = frozenset(_BY_FORM)
"""The forms of results that can be put together."""


def most_at_once(rows: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """How many regions of each label there are at most in one picture."""
    most: Counter[str] = Counter()
    for counts in labels_by_time(rows).values():
        most |= counts
    return most


def labels_by_time(rows: Sequence[Mapping[str, Any]]) -> dict[float, Counter[str]]:
    """How many regions of each label there are in each picture."""
    by_time: dict[float, Counter[str]] = {}
    for row in rows:
        by_time.setdefault(float(row["time"]), Counter())[str(row["label"])] += 1
    return by_time


def runs(times: Sequence[float], looked: Mapping[str, Any]) -> list[tuple[float, float]]:
    """The times as runs from one look to the next. One look that missed it does not end a run: detectors flicker."""
    every = [float(time) for time in looked["times"]]
    seen = [every.index(time) for time in sorted(set(times)) if time in every]
    found: list[tuple[int, int]] = []
    for at in seen:
        if found and at - found[-1][1] <= 2:
            found[-1] = (found[-1][0], at)
        else:
            found.append((at, at))
    return [(every[start], every[end]) for start, end in found]


def in_words(spans: Sequence[tuple[float, ...]]) -> str:
    """Runs of times in words: "from 0:04 to 0:09 and at 0:12"."""
    words = [f"at {clock(span[0])}" if span[0] == span[-1] else f"from {clock(span[0])} to {clock(span[-1])}"
             for span in spans[:MAX_SHOWN]]  # fmt: skip
    words += [f"{len(spans) - MAX_SHOWN} more times"] if len(spans) > MAX_SHOWN else []
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


def when(times: Sequence[float], looked: Mapping[str, Any]) -> str:
    """When something was seen, in words."""
    return in_words(runs(times, looked))


def less_closely(looked: Mapping[str, Any]) -> str:
    """How closely a video was looked at, in parentheses, where that is less than was asked for; else ""."""
    return f" ({how_closely(looked)})" if "asked" in looked else ""


def looked_of(value: Any) -> Mapping[str, Any] | None:
    """What was looked at for a result of a video; None for any other result."""
    first = value[0] if isinstance(value, list) and value else value
    looked = first.get(LOOKED) if isinstance(first, Mapping) else None
    return looked if isinstance(looked, Mapping) else None


def how_closely(looked: Mapping[str, Any]) -> str:
    """How closely a video was looked at: "looked at every 1 s"."""
    times = looked["times"]
    if len(times) < 2:
        return "looked at one picture only"
    every = (times[-1] - times[0]) / (len(times) - 1)
    told = f"looked at every {round(every, 1 if every >= 1 else 2):g} s"
    return (
        f"{told} rather than {looked['asked']:g} s, as limits.max_frames allows no more" if "asked" in looked else told
    )
