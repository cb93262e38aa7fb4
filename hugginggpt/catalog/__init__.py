"""The catalogue of models for each task."""
