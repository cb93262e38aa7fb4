"""The version of the project; pyproject.toml reads it from here."""

__version__ = "1.0.0"
