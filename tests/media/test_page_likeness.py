"""Pages of text are told from photographs by their pixels, and questions to them go to what stands on them."""

from pathlib import Path

import pytest

from hugginggpt.media.page_likeness import looks_like_page
from hugginggpt.media.references import Resource
from hugginggpt.offline.planner import Known, draft_plan
from tests.conftest import EXAMPLES
from tests.offline.test_planner import TABLE

SIGN = Resource("/uploads/sign-0123456789.png", "image")


def test_pages_are_told_from_photographs() -> None:
    pytest.importorskip("cv2")
    pictures = sorted([*EXAMPLES.glob("*.jpg"), *EXAMPLES.glob("*.png")])
    assert [file.name for file in pictures if looks_like_page(file)] == ["invoice.png"]


def test_what_cannot_be_looked_at_is_no_page(tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes((EXAMPLES / "invoice.png").read_bytes()[:2000])
    assert not looks_like_page(broken)
    assert not looks_like_page(tmp_path / "absent.png")


@pytest.mark.parametrize(
    ("request_text", "on_photograph"),
    [
        ("Which bus do I have to take to the castle?", "object-detection"),
        ("combien de chiens peut-on amener ?", "object-detection"),
        ("how many people can come in for 20 euros?", "object-detection"),
    ],
)
def test_questions_to_a_page_go_to_what_stands_on_it(request_text: str, on_photograph: str) -> None:
    def task(is_page: bool) -> str:
        known = Known(shows_page=lambda name: is_page and name == SIGN.text)
        return str(draft_plan(request_text, TABLE, resources=[SIGN], known=known).tasks[0]["task"])

    assert task(False) == on_photograph
    assert TABLE[task(True)].wording == "question"
