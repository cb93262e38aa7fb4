"""The plan for the first row as one for all rows."""

from __future__ import annotations

import pytest

from hugginggpt.batch.rows import Row, Rows
from hugginggpt.batch.template import request_for, slots_by_kind, template_of
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import UserError
from hugginggpt.stages.plan_files import Input, PlanFile
from hugginggpt.testing import task
from tests.conftest import TABLE, repair

PHOTO = Attachment("a.png", "/uploads/a-1.png", "image")
ROWS = Rows((Row("a.png", {"photo": "a.png"}, {"question": "Who is it?", "language": "German"}),))
REQUEST = "Answer “{question}” about each photo"
ASKED = [
    task(0, "visual-question-answering", image=PHOTO.source, text="Who is it?"),
    task(1, "translation", [0], text="<GENERATED>-0", language="French"),
]


def test_files_and_texts_of_the_first_row_become_inputs_by_their_columns() -> None:
    plan = template_of(repair(ASKED), REQUEST, ROWS, {"photo": PHOTO}, TABLE)
    assert plan.inputs == (Input("photo", "image"), Input("question", "text"), Input("language", "text"))
    assert plan.tasks[0]["args"] == {"image": "photo", "text": "{question}"}
    assert plan.tasks[1]["args"] == {"text": "<GENERATED>-0", "language": "{language}"}  # by its name alone


def test_other_files_are_the_same_for_all_rows() -> None:
    tasks = [task(0, "image-to-text", image=PHOTO.source), task(1, "image-to-text", image="/examples/b.jpg")]
    plan = template_of(repair(tasks), "Compare", ROWS, {"photo": PHOTO}, TABLE)
    assert [one["args"]["image"] for one in plan.tasks] == ["photo", "/examples/b.jpg"]


def test_the_request_names_columns() -> None:
    assert request_for(REQUEST, ROWS.rows[0], {"photo": PHOTO}) == "Answer “Who is it?” about each photo"
    assert request_for("Crop {photo}", ROWS.rows[0], {"photo": PHOTO}) == "Crop a.png"
    with pytest.raises(UserError, match="There is no column answer: there are question, language, photo"):
        request_for("{answer}", ROWS.rows[0], {"photo": PHOTO})


@pytest.mark.parametrize(
    ("plan", "column"),
    [([task(0, "text-to-speech", text="Who is it?")], "photo"), ([task(0, "image-to-text", image=PHOTO.source)], "question")],
)  # fmt: skip
def test_a_column_that_the_plan_does_not_use_is_told(plan: list[dict[str, object]], column: str) -> None:
    with pytest.raises(UserError, match=f"takes nothing from the column {column}"):
        template_of(repair(plan), REQUEST, ROWS, {"photo": PHOTO}, TABLE)


def test_the_inputs_of_a_kept_plan_get_columns_by_name_then_by_kind() -> None:
    rows = Rows((Row("r", {"sound": "a.wav", "photo": "a.png"}, {"question": "?"}),))
    inputs = (Input("my cat.png", "image"), Input("sound", "audio"), Input("question", "text"))
    kinds = {"sound": "audio", "photo": "image"}
    assert slots_by_kind(PlanFile([], inputs), rows, kinds) == {"sound": "sound", "photo": "my cat.png"}
    with pytest.raises(UserError, match="no input in the plan for the files of the column photo"):
        slots_by_kind(PlanFile([], inputs[1:]), rows, kinds)
    with pytest.raises(UserError, match="nothing is given for my cat.png"):
        slots_by_kind(PlanFile([], inputs), rows, {"sound": "audio"})
