"""Pictures that a model made are withheld where the configuration wants it and the network takes them for unsafe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from PIL import Image

from awesome_chat import Controller
from hugginggpt.core.errors import BackendError, UserError
from hugginggpt.core.tasks import TaskType
from hugginggpt.experts import registry, safety
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.screening import Screening
from hugginggpt.testing import FakeEndpoint, run
from tests.conftest import TABLE, MakeConfig, controller_at

MADE = TABLE["text-to-image"]


@pytest.fixture
def media(make_config: MakeConfig) -> MediaStore:
    return MediaStore(make_config())


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How likely the next pictures are not safe for work: what the network is replaced by."""
    scores: list[float] = []
    monkeypatch.setattr(safety, "unsafe_probability", lambda picture: scores.pop(0))
    return scores


def picture(media: MediaStore) -> dict[str, str]:
    return {"generated image": media.save_image(Image.new("RGB", (32, 32), "red"))}


def test_an_unsafe_picture_is_removed_and_a_safe_one_stays(media: MediaStore, judged: list[float]) -> None:
    judged += [0.79, 0.8]
    safe, unsafe = picture(media), picture(media)
    Screening(media, 0.8).check(MADE, safe)
    with pytest.raises(UserError, match=r"withheld: it is 80 % likely not safe for work \(withhold_unsafe_from: 0.8\)"):
        Screening(media, 0.8).check(MADE, unsafe)
    assert media.has(safe["generated image"]) and not media.has(unsafe["generated image"])


def test_only_what_a_model_made_is_checked(media: MediaStore, judged: list[float]) -> None:
    for row in (TABLE["crop-image"], TABLE["object-detection"], TABLE["image-to-text"]):
        Screening(media, 0.0).check(row, picture(media))  # nothing is judged


def test_what_cannot_be_checked_is_withheld(media: MediaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(picture: Image.Image) -> float:
        raise ModuleNotFoundError("No module named 'onnxruntime'", name="onnxruntime")

    monkeypatch.setattr(safety, "unsafe_probability", lacking)
    made = picture(media)
    with pytest.raises(BackendError, match="could not be checked.*onnxruntime"):
        Screening(media, 0.5).check(MADE, made)
    assert not media.has(made["generated image"])


def test_files_that_were_not_made_stay(media: MediaStore, judged: list[float]) -> None:
    judged.append(1.0)
    with pytest.raises(UserError):
        Screening(media, 0.5).check(MADE, {"generated image": "/examples/a.jpg"})
    assert media.has("/examples/a.jpg")


def painting(make_config: MakeConfig, **settings: Any) -> Controller:
    config = make_config(**settings)
    media = MediaStore(config)

    def paint(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
        return picture(media)

    return controller_at(config, None, FakeEndpoint("local", {MADE.name: ["me/brush"]}, paint))


def test_the_answer_says_what_was_withheld(make_config: MakeConfig, judged: list[float]) -> None:
    judged.append(0.95)
    record = run(painting(make_config, withhold_unsafe_from=0.9), "Draw a picture of a red square")
    assert not record.tasks[0].ok
    assert "withheld: it is 95 % likely not safe for work" in record.message


def test_without_the_setting_nothing_is_checked(make_config: MakeConfig, judged: list[float]) -> None:
    assert run(painting(make_config), "Draw a picture of a red square").tasks[0].ok


@pytest.mark.slow
def test_the_network_itself_judges(media: MediaStore) -> None:
    Screening(media, 0.5).check(MADE, picture(media))
    assert registry.expert_for(safety.EXPERT, safety.TASK).missing == []
