"""The fault suite (`make chaos`): plans run against services that fail in every way, over real HTTP on loopback.

`services` are the faulty services (a separate process), `plans` the requests, `invariants` the conditions that always
hold, `scenarios` the test runs; `python -m tests.chaos` runs it all.
"""
