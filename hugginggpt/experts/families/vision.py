"""Models for vision."""
