"""Models for control."""
