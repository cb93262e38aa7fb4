"""A neural planner for TaskBench's tools: scores tasks and links from the whole request."""
