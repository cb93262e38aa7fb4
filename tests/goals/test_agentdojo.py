"""AgentDojo's injections against the goal loop, where AgentDojo is installed (python -m benchmarks.agentdojo)."""

from __future__ import annotations

import importlib.util

import pytest

from benchmarks import agentdojo

installed = importlib.util.find_spec("agentdojo") is not None


@pytest.mark.skipif(installed, reason="agentdojo is installed")
def test_what_to_install_is_said() -> None:
    with pytest.raises(SystemExit, match="pip install agentdojo"):
        agentdojo.main([])


@pytest.mark.slow
@pytest.mark.skipif(not installed, reason="agentdojo is not installed: pip install agentdojo")
def test_an_obedient_model_breaches_nothing() -> None:
    figures = agentdojo.measure(agentdojo.suites()["banking"], every=8)
    assert figures.utility == figures.right_calls == figures.tasks == 2
    assert figures.counts["obeyed"] == figures.counts["runs"] == figures.counts["utility"] == 36
    assert figures.breaches == [] and figures.counts["unasked"] == 0
    assert figures.control == figures.ordering and len(figures.control) == 9
