"""The overhead of the model server: latency, throughput, and memory over load and evict cycles.

    python -m benchmarks.models_server [--requests 300] [--cycles 200]

The models have random weights: tiny ones, which show the server's overhead, and ones of DistilBERT's size for a
realistic throughput. Times are compared with those of the raw call in the same process, one after the other; only
the ratios are meaningful.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import requests
import waitress
from transformers.utils.logging import disable_progress_bar

from hugginggpt import config as settings
from hugginggpt.experts.families import family_for
from hugginggpt.experts.source import Placement, Source
from hugginggpt.serving.app import create_app
from hugginggpt.serving.commands import make_model_registry, make_pool
from tests.experts.families import tiny_text
from tests.experts.families.tiny import word_piece

TEXT = "the cat sat on the mat and looked at the moon"
TASK = "text-classification"
MODELS = 4
CLIENTS = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--cycles", type=int, default=200)
    args = parser.parse_args()
    disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        tiny = [Path(folder) / f"tiny{number}" for number in range(MODELS)]
        real = [Path(folder) / f"real{number}" for number in range(MODELS)]
        for path in tiny:
            tiny_text.text_classification(path)
        for path in real:
            of_real_size(path)
        bench(tiny, real, args.requests, args.cycles)


def of_real_size(folder: Path) -> None:
    """DistilBERT's six layers of 768, with a small vocabulary."""
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    tokenizer = word_piece()
    labels = {0: "NEGATIVE", 1: "POSITIVE"}
    config = DistilBertConfig(vocab_size=len(tokenizer), id2label=labels, label2id={n: i for i, n in labels.items()})
    DistilBertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def bench(tiny: list[Path], real: list[Path], count: int, cycles: int) -> None:
    config = settings.load(environment={}, log_file=None, device="cpu")
    model_registry, pool = make_model_registry(config), make_pool(config, memory=4)
    models = [model_registry.add(f"{folder}:{TASK}").id for folder in tiny]
    larger = [model_registry.add(f"{folder}:{TASK}").id for folder in real]
    server: Any = waitress.create_server(create_app(config, model_registry, pool), host="127.0.0.1", port=0, threads=64)
    threading.Thread(target=server.run, daemon=True).start()
    url = f"http://127.0.0.1:{server.effective_port}/models"
    session = requests.Session()
    raw, raw_larger = (loaded(folder) for folder in (tiny[0], real[0]))

    def ask(model: str) -> None:
        session.post(f"{url}/{model}", json={"text": TEXT}, timeout=60).raise_for_status()

    def call_raw() -> None:
        raw([{"text": TEXT}])

    for model in models + larger:
        ask(model)
    overhead(call_raw, lambda: ask(models[0]), count)
    throughput("tiny", call_raw, server.effective_port, models, 5 * count)
    throughput("real size", lambda: raw_larger([{"text": TEXT}]), server.effective_port, larger, count)
    for model in larger:
        pool.unload(model)
    memory(
        lambda: [pool.load(entry).result() for entry in [model_registry.find(models[0])] if entry],
        lambda: pool.unload(models[0]),
        cycles,
    )


def loaded(folder: Path) -> Any:
    source = Source("raw", folder, TASK, Placement("cpu", "float32"))
    return family_for(source).load(source)[TASK]


def overhead(call_raw: Callable[[], None], ask: Callable[[], None], count: int) -> None:
    """Measures the two alternately, so that both see the same load."""
    pairs = [(seconds(call_raw), seconds(ask)) for _ in range(count)]
    inside, over_http = (1000 * statistics.median(times) for times in zip(*pairs, strict=True))
    print(
        f"one request     raw {inside:6.2f} ms   server {over_http:6.2f} ms   overhead {over_http - inside:5.2f} ms (median of {count})"
    )


CLIENT_PROGRAM = """
import http.client, json, sys, time
from concurrent.futures import ThreadPoolExecutor
port, count, clients, models = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
body = json.dumps({"text": "the cat sat on the mat and looked at the moon"})
def client(number):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for at in range(number, count, clients):
        connection.request("POST", "/models/" + models[at % len(models)], body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == 200 and len(json.loads(answer.read())) == 2
begin = time.perf_counter()
with ThreadPoolExecutor(clients) as pool:
    list(pool.map(client, range(clients)))
print(count / (time.perf_counter() - begin))
"""


def throughput(name: str, call_raw: Callable[[], Any], port: int, models: list[str], count: int) -> None:
    """The clients are a separate process, as in practice, so that their work does not count as the server's."""
    alone = count / seconds(lambda: [call_raw() for _ in range(count)])
    command = [sys.executable, "-c", CLIENT_PROGRAM, str(port), str(count), str(CLIENTS), *models]
    served = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(
        f"{name:15} raw {alone:6.0f} /s   server {served:6.0f} /s   ratio {served / alone:.2f} ({CLIENTS} clients, {MODELS} models)"
    )


def memory(load: Callable[[], Any], unload: Callable[[], Any], cycles: int) -> None:
    def rss() -> float:
        return psutil.Process().memory_info().rss / 1e6

    unload()
    for _ in range(10):
        load(), unload()
    before = rss()
    for _ in range(cycles):
        load(), unload()
    print(
        f"load and evict  {before:6.0f} MB before   {rss():6.0f} MB after {cycles} cycles   ratio {rss() / before:.3f}"
    )


def seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
