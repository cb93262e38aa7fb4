"""Which models exist for a task."""
