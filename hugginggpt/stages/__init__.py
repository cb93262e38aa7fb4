"""The four stages of a run (plan, select, execute, respond), their parts, and the run that they share."""
