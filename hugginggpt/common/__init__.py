"""Threads, signals and text files, without anything of this project in them."""
