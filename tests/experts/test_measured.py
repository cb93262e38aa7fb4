"""Each embedded expert is timed by `benchmarks.experts`: its first answer, further ones, and its memory."""

from benchmarks.experts import CASES
from hugginggpt.experts.families import VECTORS
from hugginggpt.experts.registry import all_experts


def test_each_expert_has_a_case() -> None:
    timed = [(case.task, case.expert) for case in CASES]
    assert len(timed) == len(set(timed))
    assert {(one.task, one.id) for one in all_experts() if one.task != VECTORS} == set(timed)
