"""Parsing and repairing the plan that a language model writes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.lenient_json import MAX_DEPTH, NotJSON, find_values
from hugginggpt.core.plan import Plan, Task, reference, references, urgent_first
from hugginggpt.testing import task
from tests.conftest import TABLE, parse_plan, repair

CAPTION = {"task": "image-to-text", "id": 0, "dep": [-1], "args": {"image": "/examples/a.jpg"}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([CAPTION]),
        json.dumps({"tasks": [CAPTION]}),
        json.dumps(CAPTION),
        "```json\n" + json.dumps([CAPTION], indent=2) + "\n```",
        f"Sure! Here is the plan:\n{json.dumps([CAPTION])}\nI hope this helps [really].",
        str([CAPTION]),  # Python's repr: single quotes
        "[{'task': 'image-to-text', 'id': 0, 'dep': [-1], 'args': {'image': '/examples/a.jpg',},},]",
        "{tasks: [{task: 'image-to-text', id: 0, args: {image: '/examples/a.jpg'}}]}",
        '[{"task": "image-to-text", "id": "0", "dep": ["-1"], "args": {"image": "/examples/a.jpg"}}]',
        '[{"task": "image-to-text", "args": {"image": "/examples/a.jpg"}}]',
        '[{"task": "Image To Text", "id": 0, "dep": -1, "args": {"image_url": "/examples/a.jpg"}}]',
        '[{"task": "image-to-text", "id": 0, "image": "/examples/a.jpg"}]',
        '[{"task": "image-to-text", "id": 0, "dep": [-1], "args": {"image": "/examples/a.jpg"}',  # cut off
        '[{"task": "image-to-text"\n "id": 0, // first\n "args": [{"image": "/examples/a.jpg"}]}]',
        f'Draft: [{{"task": "foo"}}]. No, better: {json.dumps([CAPTION])}',
    ],
)
def test_reads_what_models_write(text: str) -> None:
    plan = parse_plan(text)
    assert plan.to_json() == [CAPTION]
    assert not plan.problems


@pytest.mark.parametrize("text", ["[]", '{"tasks": []}', "No task is needed: []", "```\n[]\n```"])
def test_an_empty_plan_needs_no_task(text: str) -> None:
    assert len(parse_plan(text)) == 0


@pytest.mark.parametrize(
    "text", ["", "I cannot do that.", "42", '{"plan": 1}', "[1, 2]", "<html></html>", '{"tasks": 3}']
)
def test_an_answer_without_a_plan_is_an_error(text: str) -> None:
    with pytest.raises(ModelOutputError):
        parse_plan(text)


def test_quotes_and_line_breaks_inside_strings_survive() -> None:
    plan = parse_plan(
        '[{"task": "text-to-speech", "args": {"text": "She said "hi" to me,\nand it\'s \\u00e9t\\u00e9 \\ud83d\\ude00"}}]'
    )
    assert plan[0].args["text"] == 'She said "hi" to me,\nand it\'s été 😀'


def ids(plan: Iterable[Task]) -> list[int]:
    return [t.id for t in plan]


def test_forward_dependencies_are_reordered() -> None:
    plan = repair([task(0, "text-to-speech", [1], text="<GENERATED>-1"), task(1, "image-to-text", image="a.jpg")])
    assert ids(plan) == [1, 0]
    assert not plan.problems


def test_dep_is_what_was_given_joined_with_the_references() -> None:
    plan = repair(
        [
            task(0, "image-to-text", image="a.jpg"),
            task(1, "object-detection", image="a.jpg"),
            task(2, "text-to-speech", [1], text="<GENERATED>-0"),
        ]
    )
    assert plan[2].dep == (0, 1)


@pytest.mark.parametrize("tag", ["<GENERATED>-0", "<resource>-0", "<generated>-0", "<node-0>", "<resource-0>"])
def test_all_reference_tags_mean_the_same(tag: str) -> None:
    plan = repair([task(0, "image-to-text", image="a.jpg"), task(1, "text-to-speech", text=tag)])
    assert plan[1].args == {"text": "<GENERATED>-0"}
    assert plan[1].dep == (0,)


def test_string_ids_are_numbered_and_references_follow() -> None:
    plan = repair(
        [
            {"task": "image-to-text", "id": "caption", "args": {"image": "a.jpg"}},
            {"task": "text-to-speech", "id": "speech", "dep": ["caption"], "args": {"text": "<GENERATED>-caption"}},
        ]
    )
    assert plan.to_json() == [
        task(0, "image-to-text", image="a.jpg"),
        task(1, "text-to-speech", [0], text="<GENERATED>-0"),
    ]


def test_a_repeated_id_becomes_a_new_one() -> None:
    plan = repair([task(0, "image-to-text", image="a.jpg"), task(0, "image-to-text", image="b.jpg")])
    assert sorted(ids(plan)) == [0, 1]
    assert any("got the id 1" in note for note in plan.notes)


def test_several_references_in_one_argument_unfold_with_new_ids_down_the_chain() -> None:
    plan = repair(
        [
            task(0, "image-to-text", image="a.jpg"),
            task(1, "image-to-text", image="b.jpg"),
            task(2, "text-to-speech", [0, 1], text="<GENERATED>-0, <GENERATED>-1"),
            task(3, "audio-to-audio", [2], audio="<GENERATED>-2"),
        ]
    )
    made = {(t.task, t.id, t.dep, *t.args.values()) for t in plan}
    assert made == {
        ("image-to-text", 0, (), "a.jpg"),
        ("image-to-text", 1, (), "b.jpg"),
        ("text-to-speech", 2, (0,), "<GENERATED>-0"),
        ("text-to-speech", 4, (1,), "<GENERATED>-1"),
        ("audio-to-audio", 3, (2,), "<GENERATED>-2"),
        ("audio-to-audio", 5, (4,), "<GENERATED>-4"),
    }


def test_a_list_of_files_unfolds_too() -> None:
    plan = repair([task(0, "object-detection", image=["a.jpg", "b.jpg", "c.jpg"])])
    assert [t.args["image"] for t in plan] == ["a.jpg", "b.jpg", "c.jpg"]


def test_references_within_a_sentence_stay_in_it() -> None:
    plan = repair(
        [
            task(0, "image-to-text", image="a.jpg"),
            task(1, "image-to-text", image="b.jpg"),
            task(2, "summarization", text="First: <GENERATED>-0. Second: <resource>-1."),
        ]
    )
    assert plan[2].args["text"] == "First: <GENERATED>-0. Second: <GENERATED>-1."
    assert plan[2].dep == (0, 1)


def test_a_missing_argument_is_taken_from_the_only_dependency_that_can_give_it() -> None:
    plan = repair([task(0, "image-to-text", image="a.jpg"), task(1, "text-to-speech", [0])])
    assert plan[1].args == {"text": "<GENERATED>-0"}


def test_question_and_labels_under_their_usual_names() -> None:
    plan = repair(
        [
            task(0, "question-answering", question="who?", context="Ada."),
            task(1, "zero-shot-classification", text="x", candidate_labels="food, sport"),
        ]
    )
    assert plan[0].args == {"text": "who?", "context": "Ada."}
    assert plan[1].args["labels"] == ["food", "sport"]


@pytest.mark.parametrize(
    ("tasks", "problem"),
    [
        ([task(0, "image-to-txt", image="a.jpg")], 'not a known task; the nearest is "image-to-text"'),
        ([task(0, "text-to-speech", [7], text="hi")], "needs task 7, which is not in the plan"),
        ([task(0, "text-to-speech", text="<GENERATED>-7")], "needs task 7, which is not in the plan"),
        ([task(0, "text-to-speech")], "argument text is missing"),
        ([task(0, "text-to-image", text="x"), task(1, "audio-to-audio", audio="<GENERATED>-0")], "wants an audio"),
        ([task(0, "text-to-speech", text="<GENERATED>-0")], "form a circle"),
        (["just words"], "not a known task"),
        ([{"no": "task"}], "not a known task"),
    ],
)
def test_what_cannot_be_mended_is_a_task_with_a_reason(tasks: list[Any], problem: str) -> None:
    plan = repair(tasks)
    assert problem in "; ".join(plan.problems)


def test_a_circle_fails_its_own_tasks_only() -> None:
    plan = repair(
        [
            task(0, "image-to-image", [1], image="<GENERATED>-1"),
            task(1, "image-to-image", [0], image="<GENERATED>-0"),
            task(2, "image-to-text", [1], image="<GENERATED>-1"),
            task(3, "image-to-text", image="a.jpg"),
        ]
    )
    assert {t.id: bool(t.problem) for t in plan} == {0: True, 1: True, 2: False, 3: False}


def test_a_reference_to_a_missing_task_does_not_come_true_by_unfolding() -> None:
    plan = repair(
        [
            task(0, "image-to-text", image=["a.jpg", "b.jpg"]),
            task(1, "text-to-speech", text="<GENERATED>-2"),
        ]
    )
    assert "task 2, which is not in the plan" in plan[1].problem


def test_a_file_passes_through_a_task_that_makes_none() -> None:
    """As in JARVIS: the image of a task without one is the image that it was given."""
    plan = repair(
        [task(0, "image-classification", image="a.jpg"), task(1, "canny-control", [0], image="<GENERATED>-0")]
    )
    assert not plan.problems


def test_tasks_beyond_the_limit_are_named_not_run() -> None:
    plan = repair([task(n, "image-to-text", image="a.jpg") for n in range(500)], max_tasks=50)
    assert sum(not t.problem for t in plan) == 50
    assert all("first 50 are run" in t.problem for t in list(plan)[50:])


def test_unfolding_is_bounded() -> None:
    files = [f"{n}.jpg" for n in range(200)]
    plan = repair([task(0, "visual-question-answering", image=files, text=["q"] * 199)], max_tasks=50)
    assert 50 < len(plan) <= 2000


SHORT_TEXT = st.text(max_size=12)
NAMES = st.sampled_from([*TABLE.names, "no-such-task"])
REFERENCES = st.integers(-1, 9).map(lambda n: f"<GENERATED>-{n}")
ARGS = st.dictionaries(
    st.sampled_from(["text", "image", "audio", "labels"]), st.one_of(SHORT_TEXT, REFERENCES), max_size=3
)
TASK_OBJECTS = st.fixed_dictionaries(
    {"task": NAMES}, optional={"id": st.integers(0, 9), "dep": st.lists(st.integers(-1, 9), max_size=3), "args": ARGS}
)


@given(st.lists(st.one_of(TASK_OBJECTS, SHORT_TEXT, st.none(), st.integers()), max_size=8))
@settings(max_examples=60, deadline=None)
def test_repair_always_gives_a_dag_of_typed_tasks(raw: list[Any]) -> None:
    plan = repair(raw)
    assert len(set(ids(plan))) == len(plan)
    runnable = {t.id: t for t in plan if not t.problem}
    seen: set[int] = set()
    for t in plan:
        if t.id in runnable:
            assert all(dep in seen or dep not in runnable for dep in t.dep)
            assert set(references(t.args)) <= set(t.dep)
            assert all(t.args.get(arg.name) for arg in t.type.required)
        seen.add(t.id)


@given(st.lists(TASK_OBJECTS, max_size=8))
@settings(max_examples=60, deadline=None)
def test_the_urgent_come_first_and_after_what_they_need(raw: list[Any]) -> None:
    plan = repair(raw)
    ordered = urgent_first(plan.tasks)
    assert sorted(ids(ordered)) == sorted(ids(plan))
    for at, t in enumerate(ordered):
        assert t.problem or set(t.dep) <= {before.id for before in ordered[:at]}


def test_the_urgent_are_those_at_the_longest_chain() -> None:
    """Nobody waits for 0; 2 waits for 1, and 3 and 4 for 2."""
    plan = repair([
        task(0, "image-to-text", image="/a.jpg"), task(1, "text-to-image", text="a"),
        task(2, "image-to-image", dep=[1], image=reference(1)), task(3, "image-to-text", dep=[2], image=reference(2)),
        task(4, "object-detection", dep=[2], image=reference(2)),
    ])  # fmt: skip
    assert ids(urgent_first(plan.tasks)) == [1, 2, 0, 3, 4]


@given(st.lists(TASK_OBJECTS, max_size=6))
@settings(max_examples=40, deadline=None)
def test_repair_changes_nothing_the_second_time(raw: list[Any]) -> None:
    once = repair(raw)
    if not once.problems:
        assert repair(once.to_json()).to_json() == once.to_json()


JSONISH = st.text(alphabet="[]{}:,\"'\\ \n-01atrue<>GENERATED/", max_size=80)


@given(JSONISH)
@settings(max_examples=100, deadline=None)
def test_any_text_gives_a_plan_or_a_model_output_error(text: str) -> None:
    try:
        assert isinstance(parse_plan(text), Plan)
    except ModelOutputError:
        pass


JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=12,
)


@given(st.one_of(st.lists(JSON_VALUES, max_size=4), st.dictionaries(st.text(), JSON_VALUES, max_size=4)))
@settings(max_examples=60, deadline=None)
def test_valid_json_reads_as_itself(value: Any) -> None:
    assert list(find_values(json.dumps(value))) == [value]


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(NotJSON):
        list(find_values("[" * (MAX_DEPTH + 2)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["[", "{", "[{", '{"a":', '"', "'", "[],", '[{"a":"', "[\"' ", "[/* ", '[" " ', "[\\", "//"]
)
def test_reading_takes_linear_time(piece: str) -> None:
    """Four times the length may take four times as long; eight leaves room for a noisy machine."""

    def seconds(length: int) -> float:
        text = "[" + piece * (length // len(piece))
        best = 1e9
        for _ in range(3):
            begin = time.thread_time()
            try:
                list(find_values(text))
            except NotJSON:
                pass
            best = min(best, time.thread_time() - begin)
        return best

    assert seconds(80_000) < 8 * max(seconds(20_000), 0.002)
