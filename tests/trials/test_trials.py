"""Requests of strangers get right answers about as often as when they were new, and seldom wrong and confident ones."""

import pytest

from tests.trials.__main__ import replies
from tests.trials.grading import SETS, grade, shares


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_strangers_get_right_answers_or_honest_ones():
    """The floors lie below the figures of the day (73 % and 6 % by truths alone), for machines that hear or read a
    little differently.
    """
    graded = [(turn, reply, grade(turn, reply)) for name in ("ember", "fjord1") for turn, reply in replies(SETS / name)]
    verdicts = [verdict for *_, verdict in graded]
    assert verdicts.count("right") >= 0.68 * len(verdicts), shares(verdicts)
    assert verdicts.count("confident") <= 0.09 * len(verdicts), [
        turn for turn, _, verdict in graded if verdict == "confident"
    ]
