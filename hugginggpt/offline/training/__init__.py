"""Training of the offline planner; nothing of it is imported to plan."""
