"""Doubles for tests of this project and of what is built on it; they need neither pytest nor a network.

ScriptedLLM and FakeEndpoint stand for a language model and for an endpoint within the process; FakeLLM and FakeExperts
are services on loopback that misbehave on demand (Fault); `serving`, `web_serving` and `program_serving` are this
project's servers for the length of a test; `write_config`, `controller_at` and `run` set up and run a request.
"""

from hugginggpt.testing.endpoint import FakeEndpoint, says
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault
from hugginggpt.testing.runs import controller_at, events, run, write_config
from hugginggpt.testing.scripted import ScriptedLLM, plan, task
from hugginggpt.testing.servers import Serving, program_serving, served, serving, web_serving

__all__ = [
    "FakeEndpoint",
    "FakeExperts",
    "FakeLLM",
    "Fault",
    "ScriptedLLM",
    "Serving",
    "controller_at",
    "events",
    "plan",
    "program_serving",
    "run",
    "says",
    "served",
    "serving",
    "task",
    "web_serving",
    "write_config",
]
