"""Run records on disk: one JSON file a request, the newest ones kept."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

from hugginggpt.config import Config
from hugginggpt.events import RunRecord
from hugginggpt.whole_files import remove_partial, write_whole

log = logging.getLogger(__name__)


class RunLog:
    """The folder runs/ beside the log file; nowhere without a log file."""

    def __init__(self, config: Config) -> None:
        self.folder = config.path(config.log_file).parent / "runs" if config.log_file else None
        self.keep = config.keep_runs
        self.secrets = config.secrets

    def save(self, record: RunRecord) -> None:
        """Writes the record, without secrets, and removes the oldest beyond `keep_runs`. Failure is logged, no more."""
        if self.folder is None or not record.run_id:
            return
        text = json.dumps(record.to_log(), ensure_ascii=False, indent=1, default=str)
        for secret in self.secrets:
            text = text.replace(secret, "***")
        moment = re.sub(r"\D", "", record.started_at)[:20]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = self.folder / f"{moment}-{record.run_id}.json"
            write_whole(file, text)
            remove_partial(self.folder)
            others = sorted((other for other in self.folder.glob("*.json") if other != file), reverse=True)
            for old in others[self.keep - 1 :]:  # never this one, also where the clock was set back
                old.unlink(missing_ok=True)
        except OSError as error:
            log.warning("The run record cannot be written to %s: %s", self.folder, error.strerror)

    def load(self, run_id: str) -> dict[str, Any] | None:
        """The record of that id, None where there is none that can be read."""
        if self.folder is None or not re.fullmatch(r"[0-9a-f]{1,32}", run_id):
            return None
        found: list[Path] = sorted(self.folder.glob(f"*-{run_id}.json"))
        try:
            record: dict[str, Any] | None = json.loads(found[-1].read_text(encoding="utf-8")) if found else None
        except (OSError, ValueError) as error:
            log.warning("The run record %s cannot be read: %s", found[-1], error)
            return None
        return record
