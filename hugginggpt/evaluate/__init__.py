"""Measures planners: plans for a file of labelled requests, and how close they come to the gold plans."""
