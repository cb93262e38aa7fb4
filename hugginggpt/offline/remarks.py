"""Whether a clause beside what is asked for only tells something: what for, in what circumstances, a complaint.

A learned head decides (`data/planner/remarks.txt`), as the words may be any and often lack a subject: "need it for radio",
"recorded in the van, bit noisy".
"""

from __future__ import annotations

from hugginggpt.offline.clauses import QUESTION, RESOURCES
from hugginggpt.offline.heads import clause_scores

TELLS = "tells"
FILE = "remarks.safetensors"
LIKELY, SURE = 0.5, 0.8


def only_tells(text: str, least: float = LIKELY) -> bool:
    """Whether a clause in any of the languages, no question, at least so likely asks for nothing."""
    words = RESOURCES.sub("", text).strip(" .,;:!-–—…。，！；")
    if not words or QUESTION.search(text) or text.rstrip().endswith("？"):
        return False
    return any(scores[TELLS] >= least for scores in clause_scores([words], FILE))
