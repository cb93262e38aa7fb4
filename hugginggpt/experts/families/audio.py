"""Models for audio."""
