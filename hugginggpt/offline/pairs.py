"""The task that shows what two documents differ in."""

from __future__ import annotations

from hugginggpt.offline import several_documents
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.exact import Plan


def add_differences(plan: Plan, clause: Clause) -> bool:
    """Adds the lines in which two documents differ, once for a request, in the order in which its words call them and
    with what they ask of them; False where there are not two.
    """
    row = next((one for one in plan.table if one.wording == "pair" and one.result.name == "text"), None)
    words = plan.request[clause.start : clause.end]
    files = several_documents.compared(words, plan.named) if row else []
    if row and files and all(node.task != row.name for node in plan.nodes):
        asked = several_documents.put_to_pair(plan.request, files)
        plan.append(row.name, dict(zip((arg.name for arg in row.args), asked, strict=False)))
    return bool(files)
