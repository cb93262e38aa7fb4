"""Doubles for tests: scripted language models, loopback services, servers that run for the length of a test."""
