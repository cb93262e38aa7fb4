"""What is only saved, where the change before it is not understood: the file as it was is not saved as if it were new."""

from __future__ import annotations

import re
from dataclasses import replace

from hugginggpt.core.plan import Unplanned
from hugginggpt.offline.intents import Intent, Reading
from hugginggpt.offline.parsing import is_command
from hugginggpt.offline.small_talk import AGAIN, VAGUE

_SAVES = re.compile(r"\W*+(?:(?:and|then|please|also|finally)\W+)*(?:save|store|export|keep|convert)\b", re.IGNORECASE)


def without_unchanged(reading: Reading, request: str) -> tuple[Reading, list[Unplanned]]:
    """The reading without the clauses that only save what the change before them was to give, where that is not
    understood: the unchanged file is not saved as if it were the new one.
    """
    unclear = [other.clause for other in reading.untasked if other.part not in (VAGUE, AGAIN)]
    kept: list[Intent] = []
    unsaved: list[Intent] = []
    for intent in reading.intents:
        clause = intent.clause
        before = [one for one in unclear if one.start < clause.start and is_command(one.text)]
        others = [one for one in reading.intents if one.clause.start < clause.start and one not in unsaved]
        (unsaved if _SAVES.match(clause.text) and before and not others else kept).append(intent)
    told = [
        Unplanned(
            request[one.clause.start : one.clause.end].strip(),
            "The change before it is not done, so nothing new is there to be saved.",
        )
        for one in unsaved
    ]
    return replace(reading, intents=tuple(kept)), told
