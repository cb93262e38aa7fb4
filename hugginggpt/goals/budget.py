"""What a goal may take. Each call is checked before it is made, and a tenth is kept for the answer."""

from __future__ import annotations

from hugginggpt.core.usage import Usage
from hugginggpt.goals.goal import Limits, Prices, Spent

RESERVE = 0.1
REPLY_TOKENS = 1500
"""Tokens that a reply is expected to take at most."""


def reached(limits: Limits, spent: Spent, steps: int, prompt_tokens: int, prices: Prices, share: float = 1.0) -> str:
    """The limit that a further call with a prompt of so many tokens would pass; empty if none.

    `share` is how much of each limit counts: 1 - RESERVE for a step, 1 for the answer. Steps are counted in whole.
    """
    usage = spent.usage.total_tokens
    cost = spent.cost + prices.cost(Usage(prompt_tokens, REPLY_TOKENS))
    if share < 1 and limits.steps is not None and steps >= limits.steps:
        return "steps"
    if limits.tokens is not None and usage + prompt_tokens + REPLY_TOKENS > limits.tokens * share:
        return "tokens"
    if limits.seconds is not None and spent.seconds >= limits.seconds * share:
        return "seconds"
    if limits.cost is not None and prices.known and cost > limits.cost * share:
        return "cost"
    return ""


def left(limits: Limits, spent: Spent, steps: int) -> str:
    """What is left, for the model."""
    parts = [] if limits.steps is None else [f"{max(0, limits.steps - steps)} steps"]
    if limits.tokens is not None:
        parts.append(f"{max(0, limits.tokens - spent.usage.total_tokens)} tokens")
    if limits.seconds is not None:
        parts.append(f"{max(0, round(limits.seconds - spent.seconds))} s")
    if limits.cost is not None and spent.cost:
        parts.append(f"{max(0.0, limits.cost - spent.cost):.4f} of the cost")
    return ", ".join(parts) or "not limited"
