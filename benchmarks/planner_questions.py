"""How many questions about a document are planned as questions to it, of those that the classifier has not learned.

    python -m benchmarks.planner_questions [--step 1]

The questions are those of data/planner/held_out_questions.txt: with the document or a picture of the page attached, and
without it, after another question to it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from hugginggpt.core.conversation import Attachment, PastTask, Turn
from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable, default_table
from hugginggpt.media.references import Resource
from hugginggpt.offline.planner import draft_plan
from hugginggpt.offline.training.phrases import read_phrases

HELD_OUT = "held_out_questions.txt"
FILES: dict[Kind, str] = {"text": "contract.pdf", "image": "page.jpg"}
FIRST = "What does it say about money?"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=1, help="every how many-th question is planned")
    step = parser.parse_args().step
    table = default_table()
    questions = sorted({phrase.text for phrase in read_phrases(files=[HELD_OUT])})[::step]
    print(f"{len(questions)} questions")
    for kind, file in FILES.items():
        beside = sum(is_asked(one, table, [Resource(file, kind)], ()) for one in questions)
        after = sum(is_asked(one, table, [], [_turn(kind, file, table)]) for one in questions)
        print(f"{file}: attached {beside / len(questions):.1%}, in hand {after / len(questions):.1%}")


def is_asked(question: str, table: TaskTable, files: Sequence[Resource], turns: Sequence[Turn]) -> bool:
    """Whether all that is planned for a question is to put it to a document or a page, and nothing of it is left open."""
    draft = draft_plan(question, table, turns, resources=files)
    rows = [table[task["task"]] for task in draft.tasks]
    is_question = all(row.wording == "question" and row.input_kind in FILES for row in rows)
    return bool(rows) and is_question and not draft.unplanned


def _turn(kind: Kind, file: str, table: TaskTable) -> Turn:
    """A turn in which a first question was put to the document."""
    row = table[table.question_task(kind, "total")]
    args = {row.input_arg.name: file} | {arg.name: FIRST for arg in row.required if arg is not row.input_arg}
    if kind == "text":
        args = {"text": FIRST, "context": file}
    past = PastTask(0, row.name, args, [{"answer": "Ten pounds", "score": 0.9}], form="answer")
    return Turn(FIRST, files=(Attachment(file, file, kind),), tasks=(past,))


if __name__ == "__main__":
    main()
