"""Run records, and resuming a run from its record."""
