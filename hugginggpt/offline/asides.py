"""The clauses of a request that ask for nothing, beside others that do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.experts import where_asked
from hugginggpt.offline import remarks, speaking_manner
from hugginggpt.offline.clauses import FILE_NAMES, Clause
from hugginggpt.offline.complaints import MENDING
from hugginggpt.offline.parsing import is_command, is_question, parse
from hugginggpt.offline.said_beside import begins_with_command, is_aside

_SUM = re.compile(
    r"\W*+(?:and )?how many (?:(?:are|is) (?:that|there|they|it) )?(?:together|altogether|in total|in all|overall|all together)\W*",
    re.IGNORECASE,
)
"""The sum of what the clauses before it count, which the answer to these tells."""


def _is_sum(text: str, before: Sequence[str]) -> bool:
    return bool(_SUM.fullmatch(text)) and any("how many" in one.lower() for one in before)


def _is_place(text: str, before: Sequence[str]) -> bool:
    """Whether a clause asks only on which page the answer to a question before it stands, which is told with that."""
    return where_asked.is_only_where(text) and any(is_question(one) for one in before)


def _only_tells(text: str) -> bool:
    if not remarks.only_tells(text, remarks.SURE) or begins_with_command(text):
        return False
    has_subject = any(token.dep_ in ("nsubj", "nsubjpass", "expl") for token in parse(text) or ())
    return not (has_subject and is_question(text))  # "cant hear a thing" begins as a question does


def among(clauses: Sequence[Clause]) -> list[bool]:
    """For each clause whether it asks for nothing, and is said beside one that does. What is quoted, and what is to be
    mended ("there is static on it, fix that"), does not stand aside.
    """
    texts = [re.sub(r"^it ?[:,] +", "", FILE_NAMES.sub("it", clause.text)) for clause in clauses]
    aside = [
        (
            is_aside(text)
            or (not clause.resources and _only_tells(text))
            or _is_sum(text, texts[:at])
            or _is_place(text, texts[:at])
            or speaking_manner.is_beside_reading(text, texts[:at])
        )
        and not any(one.kind == "text" and not one.is_file for one in clause.resources)
        and not any(MENDING.fullmatch(other) for other in texts[at + 1 : at + 2])
        for at, (clause, text) in enumerate(zip(clauses, texts, strict=True))
    ]
    asked = [text for text, is_said in zip(texts, aside, strict=True) if not is_said]
    return (
        aside
        if any(is_question(text) or is_command(text) or begins_with_command(text) for text in asked)
        else [False] * len(aside)
    )
