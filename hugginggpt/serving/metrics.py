"""The metrics of the model server, as OpenMetrics or Prometheus's text (GET /metrics)."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from hugginggpt.serving.model_pool import ModelPool

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """Requests, seconds, queue time and memory of one pool, by model."""

    def __init__(self, pool: ModelPool) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "models_server_requests", "Requests by model and outcome", ["model", "outcome"], registry=self.registry
        )
        self.seconds = Histogram(
            "models_server_seconds", "Seconds to run a request", ["model"], buckets=SECONDS, registry=self.registry
        )
        self.queued = Histogram(
            "models_server_queued_seconds", "Seconds a request waited for its model", ["model"], buckets=SECONDS,
            registry=self.registry,
        )  # fmt: skip
        self.registry.register(_Memory(pool))
        pool.on_done = self.count

    def count(self, model: str, queued: float, seconds: float, outcome: str) -> None:
        self.requests.labels(model, outcome).inc()
        self.seconds.labels(model).observe(seconds)
        self.queued.labels(model).observe(queued)

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """The metrics and their media type: OpenMetrics for clients that accept it, else Prometheus's own text."""
        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type


class _Memory(Collector):
    """Gauges that are read from the pool on collection."""

    def __init__(self, pool: ModelPool) -> None:
        self.pool = pool

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield GaugeMetricFamily("models_server_memory_budget_bytes", "Memory that models may use", self.pool.budget)
        yield GaugeMetricFamily("models_server_waiting_requests", "Requests that wait", self.pool.waiting())
        memory = GaugeMetricFamily("models_server_memory_bytes", "Memory that a model uses", labels=["model"])
        working = GaugeMetricFamily(
            "models_server_working_bytes", "The most memory that a batch of a model took besides", labels=["model"]
        )
        for model, status in self.pool.statuses().items():
            memory.add_metric([model], status.bytes)
            working.add_metric([model], status.working)
        yield from (memory, working)
