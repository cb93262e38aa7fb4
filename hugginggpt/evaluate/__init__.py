"""Evaluation of planners: plans for labelled requests, scored against the gold plans."""
