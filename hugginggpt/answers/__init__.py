"""Answers questions over the results of tasks: counts, comparisons, conditions. Code computes and words them."""
