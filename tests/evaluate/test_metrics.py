"""Evaluation metrics against values calculated by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hugginggpt.evaluate import metrics, taskbench
from hugginggpt.evaluate.formats import Data, project_graph, read_data
from hugginggpt.evaluate.graph import Graph, resolve_alternatives, same_graph
from hugginggpt.evaluate.run import restricted_to
from hugginggpt.testing import task
from tests.conftest import TABLE
from tests.evaluate.labelled import BENCH


@pytest.fixture
def bench(tmp_path: Path) -> Data:
    file = tmp_path / "bench.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in BENCH))
    return read_data(file, TABLE)


def graph(*names: str, edges: Sequence[tuple[int, int]] = ()) -> Graph:
    return Graph(names, tuple(edges), tuple(() for _ in names))


def test_taskbench_figures_by_hand(bench: Data) -> None:
    plans = {
        "a": [task(0, "automatic-speech-recognition", audio="x.wav"), task(1, "text-classification", [0], text="<GENERATED>-0")],
        "b": [
            task(3, "image-to-image", image="x.jpg", text="make it red"), task(4, "image-to-text", [3], image="<GENERATED>-3"),
            task(5, "translation", [4], text="<GENERATED>-4", language="French"),
        ],
        "c": [task(0, "image-to-text", image="a.jpg"), task(1, "image-to-text", image="b.png")],
    }  # fmt: skip
    found = metrics.taskbench([bench.pair(sample, plans.get(sample.id, [])) for sample in bench.samples])
    # Tasks: a 1 of 2 (gold 1), b 3 of 3 (3), c 1 of 1 (3), d 0 of 0 (1), e 0 of 0 (2): 5 hits, 6 planned, 10 gold.
    # Links: a 0 of 1 (0), b 2 of 2 (2), c 0 of 0 (2), e 0 of 0 (2): 2 hits, 3 planned, 6 gold.
    # Types: a (asr, audio) and (token, text); b all of (editing, image), (editing, text), (i2t, image), (translation,
    #   text); c (i2t, image) of 5, where sentence similarity has one type; d 1; e has no arguments to find.
    #   1 + 4 + 1 hits, 2 + 4 + 1 planned, 1 + 4 + 4 + 1 gold.
    # Values: a 1 of 2 (1); b all but the text: 3 of 4 (4); c a.jpg: 1 of 2 (5); d 0 of 0 (1).
    assert found == {
        "requests": 5,
        "n-F1": 62.5,
        "e-F1": 44.44,
        "t-F1": round(200 * 6 / 17, 2),
        "v-F1": round(200 * 5 / 19, 2),
        "exact": 20.0,
    }


def test_the_gold_graph_of_both_forms_of_taskbench(bench: Data) -> None:
    assert [sample.kind for sample in bench.samples] == ["single", "chain", "dag", "single", "dag"]
    chain, published, circle = (bench.by_id[key].gold for key in "bde")
    assert chain and published and circle
    assert str(chain) == "image editing → image to text → translation"
    assert ("image to text", "image", "image editing") in chain.values
    assert published.values == {("text to video", "text", "a kite")}
    assert circle.args is None and circle.sequence() == ["conversational", "text to speech"]
    assert bench.tasks and {"image-to-image", "text2text-generation"} < bench.tasks and "fill-mask" not in bench.tasks
    assert len(taskbench.OUTPUTS) == 23 and len(bench.tasks) == 24


def test_odd_arguments_and_links_of_the_data() -> None:
    nodes = [{"task": "Summarization", "arguments": ["n.txt", "<node-0>", {"name": "length", "value": "short"}]},
             {"task": "Text-to-Speech", "arguments": [{"deps": "Summarization"}, ["two", "words"]]}]  # fmt: skip
    gold = taskbench.gold_graph(nodes, [{"source": "Translation", "target": "Text-to-Speech"}], taskbench.OUTPUTS)
    assert gold.links == {("translation", "text to speech")} and gold.edges == ()
    assert gold.values == {
        ("summarization", "text", "n.txt"), ("summarization", "length", "short"),
        ("text to speech", "text", "summarization"), ("text to speech", "text", "two words"),
    }  # fmt: skip


def test_figures_of_the_paper_by_hand() -> None:
    right, wrong, two, none = graph("a"), graph("b"), graph("a", "b"), graph()
    found = metrics.single([(right, right), (right, wrong), (right, two), (wrong, wrong)])
    # a: 1 said, 3 gold, 1 hit; b: 2 said, 1 gold, 1 hit. Weights 3 and 1.
    assert found == {"requests": 4, "accuracy": 50.0, "precision": 87.5, "recall": 50.0, "F1": 54.17}
    chain = graph("a", "b", "c", edges=[(0, 1), (1, 2)])
    other = graph("c", "x", "a", "b", edges=[(2, 3), (3, 1)])  # a b x, with c anywhere before: c a b x
    found = metrics.sequential([(chain, other), (chain, none)])
    assert found["edit distance"] == (2 / 4 + 1) / 2
    assert (found["precision"], found["recall"], found["F1"]) == (75.0, 50.0, 60.0)
    tree = graph("a", "b", "c", edges=[(0, 1), (0, 2)])
    found = metrics.graphs([(tree, graph("a", "b", edges=[(0, 1)]))])
    assert (found["precision"], found["recall"], found["F1"]) == (100.0, 60.0, 75.0)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("abc", "", 1),
        ("abc", "abc", 0),
        ("kitten", "sitting", 3 / 7),
        ("ab", "ba", 1),
        ("aab", "ab", 1 / 3),
    ],
)
def test_edit_distance(one: str, other: str, distance: float) -> None:
    assert metrics.edit_distance(one, other) == pytest.approx(distance)
    assert metrics.edit_distance(other, one) == pytest.approx(distance)


def test_empty_plans_and_empty_labels() -> None:
    nothing, something = graph(), graph("a", "a", edges=[(0, 1)])
    assert metrics.taskbench([(nothing, nothing)])["n-F1"] is None
    assert metrics.taskbench([(nothing, nothing)])["exact"] == 100
    assert metrics.taskbench([(nothing, something)])["n-F1"] == 0
    assert something.links == {("a", "a")} and something.nodes == {"a"}
    assert metrics.taskbench([]) == {
        "requests": 0,
        "n-F1": None,
        "e-F1": None,
        "t-F1": None,
        "v-F1": None,
        "exact": None,
    }
    assert metrics.agreement((nothing, nothing)) == 1 and metrics.agreement((something, nothing)) == 0
    assert metrics.percentile([4, 1, 3, 2], 0.5) == 2.5 and metrics.percentile([], 0.5) is None


@pytest.mark.parametrize(
    ("names", "edges", "shape"),
    [
        ("", [], "none"), ("a", [], "single"), ("ab", [(1, 0)], "chain"), ("ab", [], "dag"),
        ("abc", [(0, 1), (0, 2)], "dag"), ("abcd", [(0, 1), (1, 2), (2, 0)], "dag"), ("abc", [(2, 1), (1, 0)], "chain"),
    ],
)  # fmt: skip
def test_shapes(names: str, edges: list[tuple[int, int]], shape: str) -> None:
    assert graph(*names, edges=edges).shape() == shape


def test_exact_graphs_do_not_depend_on_numbers_and_exact_arguments_do_on_references() -> None:
    gold = project_graph([
        task(0, "image-to-text", image="a.png"), task(1, "image-to-text", image="b.png"),
        task(2, "sentence-similarity", [0, 1], text1="<GENERATED>-0", text2="<GENERATED>-1"),
    ])  # fmt: skip
    renumbered = project_graph([
        task(7, "image-to-text", image="b.png"), task(3, "image-to-text", image="a.png"),
        task(9, "sentence-similarity", [3, 7], text2="<GENERATED>-7", text1="<resource>-3"),
    ])  # fmt: skip
    swapped = project_graph([
        task(0, "image-to-text", image="a.png"), task(1, "image-to-text", image="b.png"),
        task(2, "sentence-similarity", [0, 1], text1="<GENERATED>-1", text2="<GENERATED>-0"),
    ])  # fmt: skip
    assert same_graph(gold, renumbered, arguments=True)
    assert same_graph(gold, swapped) and not same_graph(gold, swapped, arguments=True)
    assert not same_graph(gold, graph("image-to-text", "sentence-similarity", edges=[(0, 1)]))
    assert metrics.exactness([(gold, renumbered), (gold, swapped)]) == {"exact graphs": 100.0, "exact arguments": 50.0}


def test_one_of_several_right_texts_is_enough() -> None:
    gold = project_graph([task(0, "image-to-image", image="a.png", text="make it red || turn it red")])
    for text, same in (("Turn it  red.", True), ("make it red", True), ("red", False)):
        plan = project_graph([task(0, "image-to-image", image="a.png", text=text)])
        assert same_graph(resolve_alternatives(gold, plan), plan, arguments=True) is same
        assert metrics.taskbench([(resolve_alternatives(gold, plan), plan)])["v-F1"] == (100 if same else 50)
    labels = project_graph([task(0, "zero-shot-classification", text="x", labels=["b", "a"])])  # type: ignore[arg-type]
    other = project_graph([task(0, "zero-shot-classification", text="x", labels=["a", "b"])])  # type: ignore[arg-type]
    assert same_graph(labels, other, arguments=True)


def test_a_plan_is_held_to_the_tools() -> None:
    plan = [task(0, "canny-control", image="x"), task(1, "image-to-text", [0], image="<GENERATED>-0")]
    assert [(step["task"], step["dep"]) for step in restricted_to(plan, frozenset({"image-to-text"}))] == [
        ("image-to-text", [-1])
    ]
    assert restricted_to(plan, None) == plan


def test_circles_several_tasks_of_an_id_and_dependencies_on_nothing() -> None:
    plan = [
        task(0, "image-to-text", [1, 0, 9, -1], image="<GENERATED>-1"),
        task(1, "Text-to-Image", [0], text="<GENERATED>-0"),
        task(1, "translation", text="<GENERATED>-7"),
    ]
    found = project_graph(plan)
    assert found.names == ("image-to-text", "translation") and found.edges == ((1, 0), (0, 1))
    assert found.sequence() == ["image-to-text", "translation"] and found.shape() == "dag"
    assert found.values == {("image-to-text", "image", "translation"), ("translation", "text", "<GENERATED>-7")}
    assert str(found) == "translation → image-to-text; image-to-text → translation"
    assert project_graph([]) == graph() and str(graph()) == "no task"
