"""Threads, signals and text files."""
