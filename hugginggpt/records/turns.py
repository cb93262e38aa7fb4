"""A turn of a conversation from the run record that was kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hugginggpt.core.conversation import Attachment, MissingInput, PastTask, Turn
from hugginggpt.core.findings import Finding
from hugginggpt.stages.run import NOT_RUN


def turn_from_record(record: Mapping[str, Any]) -> Turn:
    """The turn that a kept run record (`RunRecord.to_log`) tells of, as `turn_of` makes it of a live run.

    Raises one of INVALID_RESULT_ERRORS for a record that is damaged.
    """
    missing = record.get("missing")
    return Turn(
        record.get("request", ""),
        record.get("run_id", ""),
        tuple(map(Attachment.from_json, record.get("attachments", ()))),
        tuple(_past_tasks(record)),
        record.get("message", ""),
        MissingInput.from_json(missing) if missing else None,
        tuple(map(str, record.get("notices", ()))),
        record.get("answer", ""),
        tuple(map(Finding.from_json, record.get("findings", ()))),
    )


def _past_tasks(record: Mapping[str, Any]) -> Iterator[PastTask]:
    for number, result in record.get("results", {}).items():
        task, value = result["task"], result["inference result"]
        dep = tuple(dep for dep in task["dep"] if dep >= 0)
        if record["states"][number] == "finished":
            yield PastTask(int(number), task["task"], task["args"], value, dep=dep, form=result.get("form", ""))
        else:
            error, code = value["error"]["message"] or NOT_RUN, value["error"].get("code") or ""
            yield PastTask(int(number), task["task"], task["args"], None, error, dep, code=code)
