"""The fault suite (`make chaos`): plans run against services that fail in every way, over real HTTP on loopback.

`services` are the faulty services (a process of their own), `plans` what is asked of them, `invariants` what must
hold whatever happens, `scenarios` what is tried; `python -m tests.chaos` runs it all.
"""
