"""Models for documents."""
