"""Videos that are looked at by the embedded experts, from the words of a person to the answer."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

import hugginggpt
from hugginggpt.common.paths import PUBLIC
from hugginggpt.media.encoding import mp4_bytes
from tests.conftest import MakeConfig

pytestmark = pytest.mark.slow

SIZE = (640, 480)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two seconds of two giraffes, two of a sign, two of a cat."""
    sign = Image.new("RGB", SIZE, (200, 205, 210))
    ImageDraw.Draw(sign).text((150, 200), "EXIT 24", fill="black", font=ImageFont.load_default(64))
    scenes = [_example("b.jpg"), sign, _example("d.jpg")]
    path = tmp_path_factory.mktemp("video") / "zoo.mp4"
    path.write_bytes(mp4_bytes([scene for scene in scenes for _ in range(8)], 4))
    return str(path)


def _example(name: str) -> Image.Image:
    with Image.open(PUBLIC / "examples" / name) as picture:
        return Image.fromarray(np.asarray(picture.convert("RGB").resize(SIZE)))


def test_questions_about_what_is_seen_are_answered_with_times(make_config: MakeConfig, zoo: str) -> None:
    asked = {
        "when does the cat appear?": "1 cat in zoo.mp4 from 0:04 to 0:06",
        "how many giraffes at most at a time?": "2 giraffes in zoo.mp4, at most at a time, from 0:00 to 0:01",
        "is there a bus in the film?": "No: the detector found no buses in zoo.mp4",
        "what does the sign say?": "“EXIT 24” from 0:02 to 0:03",
    }
    with hugginggpt.HuggingGPT(make_config(llm="offline", inference_mode="local")) as gpt:
        for question, said in asked.items():
            assert said in gpt.ask(question, files=[zoo]).message
