"""Where the files that come with the project are, and where the files that it writes go."""

from __future__ import annotations

from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
BUNDLE = PACKAGE / "_bundle"
"""The package data of an installed project, laid out like a checkout; pyproject.toml says what is in it."""
INSTALLED = BUNDLE.is_dir()
ROOT = BUNDLE if INSTALLED else PACKAGE.parent
"""The folder of the files that come with the project: config.default.yaml, data/, demos/, public/."""
DEFAULT_CONFIG = ROOT / "config.default.yaml"
CATALOGUE = ROOT / "data" / "p0_models.jsonl"
EXPERTS_DATA = ROOT / "data" / "experts"
PLANNER_DATA = ROOT / "data" / "planner"
PUBLIC = ROOT / "public"
"""The web page and the example files."""
EXAMPLES = "examples/"
"""The public paths of the example files start with it; they are looked up here where the public folder lacks them."""
MODEL_SERVER = "hugginggpt-models" if INSTALLED else "models_server.py"
"""The command of the model server, for hints."""
APP_NAME = "hugginggpt"


@cache
def user_folder() -> Path:
    """The folder of what a run writes (public files, logs, database, caches), where relative paths of the
    configuration start: the project's folder when it runs from a checkout, else the current folder if that is a
    checkout, else the platform's folder for a user's data (on Linux ~/.local/share/hugginggpt).
    """
    if not INSTALLED:
        return ROOT
    if _is_checkout(Path()):
        return Path.cwd()
    from platformdirs import user_data_path

    return user_data_path(APP_NAME, appauthor=False)


def _is_checkout(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("awesome_chat.py", "config.default.yaml", "pyproject.toml"))


def install_command(extra: str) -> str:
    """The command that installs what an extra of pyproject.toml lists."""
    return f'pip install "{APP_NAME}[{extra}]"' if INSTALLED else f'pip install -e ".[{extra}]"'


GET_LLM = f"{install_command('llm')}, then {APP_NAME} --download-llm" if INSTALLED else "make llm"
"""The command that sets up a language model on this machine."""
