"""Experts of services that are called over plain HTTP: what is sent, tokens, answers, and the endpoint."""
