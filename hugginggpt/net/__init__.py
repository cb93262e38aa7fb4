"""Bounded and guarded HTTP: limits of size and time, public addresses, listening, serving files."""
