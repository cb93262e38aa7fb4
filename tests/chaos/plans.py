"""The requests of the fault suite: random plans, with a fault for each of their parts."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.services import FAULTS, picture

MAX_TASKS = 9
STAGES = ("plan", "select", "respond")
Fault = tuple[str, str]
"""A way to fail, and "once" or "always"."""
TEXT_TASKS = ("question-answering", "text-classification", "token-classification", "summarization")
PICTURE_TASKS = ("image-to-text", "visual-question-answering", "object-detection")


@dataclass(frozen=True)
class Case:
    """A request: its plan, and what fails. All of it is written in the request's text."""

    nonce: str
    plan: list[dict[str, Any]]
    faults: dict[str, Fault] = field(default_factory=dict)

    @property
    def request(self) -> str:
        """The short part first: of a long request the selection sees only the beginning."""
        head = {"nonce": self.nonce, "faults": self.faults}
        return f"Please do this: HEAD[{_packed(head)}] PLAN[{_packed(self.plan)}]"


def _packed(value: Any) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def new_nonce(rng: random.Random) -> str:
    return f"n{rng.getrandbits(40):010x}z"


def mark(nonce: str, number: int, fault: Fault | None) -> str:
    """What stands in a task's text: whose it is, and what goes wrong."""
    way, mode = fault or ("ok", "once")
    return f"(({nonce}.{number}.{way}.{mode}))"


def random_case(rng: random.Random, public: Path, faulty: float = 0.4) -> Case:
    """A plan of up to MAX_TASKS tasks; each stage and task fails with the probability `faulty`."""
    nonce = new_nonce(rng)
    upload = f"/uploads/{nonce}.png"
    (public / "uploads").mkdir(exist_ok=True)
    (public / "uploads" / f"{nonce}.png").write_bytes(picture(nonce))
    plan: list[dict[str, Any]] = []
    for number in range(rng.randint(0, MAX_TASKS)):
        plan.append(_task(rng, nonce, number, plan, upload, _fault(rng, faulty)))
    faults = {stage: fault for stage in STAGES if (fault := _fault(rng, faulty / 3))}
    return Case(nonce, plan, faults)


def _fault(rng: random.Random, probability: float) -> Fault | None:
    return (rng.choice(FAULTS), rng.choice(("once", "always"))) if rng.random() < probability else None


def _task(
    rng: random.Random, nonce: str, number: int, before: list[dict[str, Any]], upload: str, fault: Fault | None
) -> dict[str, Any]:
    """A task that may take what earlier ones made."""
    text = mark(nonce, number, fault)
    givers = {
        kind: [task["id"] for task in before if task["task"] in names]
        for kind, names in {
            "text": (*TEXT_TASKS, *PICTURE_TASKS, "automatic-speech-recognition"),
            "image": ("text-to-image", "image-to-image"),
            "audio": ("text-to-speech",),
        }.items()
    }
    dep: list[int] = []

    def taken(kind: str, otherwise: str) -> str:
        if givers[kind] and rng.random() < 0.7:
            dep.append(rng.choice(givers[kind]))
            return f"<GENERATED>-{dep[-1]}"
        return otherwise

    name = rng.choice([*TEXT_TASKS, *PICTURE_TASKS, "text-to-image", "image-to-image", "text-to-speech", "asr"])
    if name == "asr" and givers["audio"]:
        return {"task": "automatic-speech-recognition", "id": number, "dep": givers["audio"][-1:],
                "args": {"audio": f"<GENERATED>-{givers['audio'][-1]}"}}  # fmt: skip
    if name in ("asr", "question-answering"):
        args = {"text": text, "context": taken("text", "a text")}
        name = "question-answering"
    elif name in PICTURE_TASKS or name == "image-to-image":
        args = {"image": taken("image", upload)}
        if name in ("visual-question-answering", "image-to-image"):
            args["text"] = text
    else:
        args = {"text": f"{text} {taken('text', 'words')}"}
    waits_for = {*dep, *rng.sample(range(number), min(number, rng.choice((0, 0, 1, 2))))}
    return {"task": name, "id": number, "dep": sorted(waits_for) or [-1], "args": args}


def every_fault(rng: random.Random) -> list[Case]:
    """One small case for each way to fail, at each stage and at an expert, once and always."""
    cases = []
    for way in FAULTS:
        for mode in ("once", "always"):
            for stage in (*STAGES, "expert", "image", "llm_task"):
                nonce = new_nonce(rng)
                fault = (way, mode) if stage not in STAGES else None
                name = {"image": "text-to-image", "llm_task": "summarization"}.get(stage, "text-classification")
                plan = [
                    {"task": name, "id": 0, "dep": [-1], "args": {"text": mark(nonce, 0, fault)}},
                    {"task": "token-classification", "id": 1, "dep": [-1], "args": {"text": mark(nonce, 1, None)}},
                ]
                cases.append(Case(nonce, plan, {stage: (way, mode)} if stage in STAGES else {}))
    return cases
