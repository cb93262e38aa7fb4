"""A draft that stands, and what another plan adds to it."""

from __future__ import annotations

from dataclasses import replace

from hugginggpt.core.plan import Plan, Unplanned
from hugginggpt.stages.merged_plan import OpenWords, completed
from hugginggpt.testing import task
from tests.conftest import repair

A, B = "/examples/a.jpg", "/examples/b.jpg"
CAPTION = task(0, "image-to-text", image=A)
SPEAK = task(1, "text-to-speech", dep=[0], text="<GENERATED>-0")


def opened_by(**words: str) -> OpenWords:
    """The words that are open while no task of their name is planned ("text_to_speech")."""

    def open_words(plan: Plan) -> frozenset[str]:
        planned = {one.task.replace("-", "_") for one in plan}
        return frozenset(word for task_name, word in words.items() if task_name not in planned)

    return open_words


def test_a_task_is_added_that_accounts_for_open_words_and_follows_the_drafts_own() -> None:
    draft = replace(repair([CAPTION]), unplanned=(Unplanned("sing it"), Unplanned("mail it", "No expert sends mail.")))
    other = repair([task(5, "image-to-text", image="a.jpg"), task(6, "text-to-speech", dep=[5], text="<GENERATED>-5")])
    plan = completed(draft, other.tasks, opened_by(text_to_speech="sing"))
    assert [(one.id, one.task, one.dep) for one in plan] == [(0, "image-to-text", ()), (1, "text-to-speech", (0,))]
    assert plan[0].args == {"image": A}  # the draft's own, not the other's
    assert plan[1].args == {"text": "<GENERATED>-0"}
    assert plan.unplanned == (Unplanned("mail it", "No expert sends mail."),)


def test_what_accounts_for_nothing_is_not_added() -> None:
    draft = replace(repair([CAPTION]), unplanned=(Unplanned("and aloud"),))
    other = repair([CAPTION, task(1, "image-classification", image=A), SPEAK | {"id": 2}])
    plan = completed(draft, other.tasks, opened_by(text_to_speech="aloud"))
    assert [one.task for one in plan] == ["image-to-text", "text-to-speech"]
    assert completed(draft, repair([CAPTION, SPEAK]).tasks, opened_by()) is draft


def test_a_part_is_not_half_accounted_for() -> None:
    draft = replace(repair([CAPTION]), unplanned=(Unplanned("mark the corner aloud"),))
    words = opened_by(text_to_speech="aloud", image_to_image="mark")
    assert completed(draft, repair([CAPTION, SPEAK]).tasks, words) is draft
    elsewhere = replace(draft, unplanned=(Unplanned("read it aloud"),))
    assert len(completed(elsewhere, repair([CAPTION, SPEAK]).tasks, words)) == 2


def test_a_text_that_the_model_would_write_is_no_addition() -> None:
    draft = replace(repair([CAPTION]), unplanned=(Unplanned("put my name below"),))
    other = repair([task(0, "text-generation", text="put my name below")]).tasks
    assert completed(draft, other, opened_by(text_generation="below")) is draft


def test_a_plan_that_loses_tasks_and_files_takes_nothing_away() -> None:
    draft = repair([CAPTION, task(1, "image-to-text", image=B), task(2, "object-detection", image=A)])
    assert completed(draft, repair([task(0, "image-classification", image=A)]).tasks, opened_by()) is draft
    assert completed(draft, (), opened_by(text_to_speech="aloud")) is draft


def test_a_task_that_cannot_be_run_is_not_added_nor_what_needs_it() -> None:
    draft = repair([CAPTION])
    other = repair([task(0, "no-such-task", text="x"), SPEAK])
    assert other[0].problem
    assert completed(draft, other.tasks, opened_by(text_to_speech="aloud")) is draft


def test_where_nothing_was_planned_the_other_plan_is_taken_as_far_as_it_accounts_for_the_request() -> None:
    words = opened_by(image_to_text="describe", text_to_speech="aloud")
    plan = completed(Plan(unplanned=(Unplanned("describe it aloud"),)), repair([CAPTION, SPEAK]).tasks, words)
    assert [one.task for one in plan] == ["image-to-text", "text-to-speech"]
    assert plan.unplanned == ()
