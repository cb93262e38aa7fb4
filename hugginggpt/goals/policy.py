"""Who must approve a command: rules of the user, then the risk table. The model has no say in it.

Rules stand in a YAML file outside the workspace, patterns of the form `command(glob)`; the glob is compared with the
command's first argument:

    deny: ["browse_website(*.example.com/*)"]
    allow: ["google(*)", "browse_website(https://en.wikipedia.org/*)"]

What is denied stays denied. An address that neither the person nor a search nor a page has shown needs the person's
leave each time, once text of others was read: it may carry away what stands in the workspace. So may a search; and
programs and deletions may be what that text orders.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from hugginggpt.common.text_files import read_text
from hugginggpt.core.errors import UserError
from hugginggpt.goals.addresses import addresses_to_fetch, host_of, normal_address
from hugginggpt.goals.commands import BadCall, Command, CommandTable, Parameter, Risk
from hugginggpt.goals.events import By
from hugginggpt.goals.goal import Limits, Prices
from hugginggpt.goals.private_words import why_private
from hugginggpt.goals.state import GoalState

SEARCH_HOST = "the search service"
"""What stands for the host of commands that name no address."""
_RULE = re.compile(r"\s*([\w -]+?)\s*(?:\((.*)\))?\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rule:
    """A command, and a glob for its subject."""

    command: str
    glob: str = "*"

    def matches(self, command: Command, args: Mapping[str, Any]) -> bool:
        return command.name == self.command and fnmatchcase(command.subject(args), self.glob)

    def denies(self, command: Command, args: Mapping[str, Any]) -> bool:
        """As `matches`, in any spelling of an address or path; a denied address is denied to all that fetches."""
        addresses = _addresses(command, args)
        if command.name == self.command:
            paths = [posixpath.normpath(str(args[each.name])) for each in command.parameters if _is_path(each, args)]
            subjects = [command.subject(args), *paths, *addresses, *(f"{address}/" for address in addresses)]
            return any(fnmatchcase(subject, self.glob) for subject in subjects)
        is_address = "://" in self.glob or "." in self.glob
        return is_address and any(fnmatchcase(f"{address}/", self.glob) for address in addresses)

    def __str__(self) -> str:
        return f"{self.command}({self.glob})"


@dataclass(frozen=True, slots=True)
class Rules:
    """What the user denies and allows."""

    deny: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """`by`: approved by that; None: a person decides, unless `denied`. `hosts` are approved along with the command."""

    by: By | None = None
    reason: str = ""
    denied: bool = False
    hosts: tuple[str, ...] = ()


class Policy:
    """Judges proposed calls."""

    def __init__(self, rules: Rules | None = None, no_programs: str = "") -> None:
        """`no_programs` says why programs are never run; empty if they may be."""
        self.rules, self.no_programs = rules or Rules(), no_programs

    def judge(self, state: GoalState, command: Command, args: Mapping[str, Any]) -> Judgement:
        """Whether the call may run, in the order of the module's description."""
        if rule := next((rule for rule in self.rules.deny if rule.denies(command, args)), None):
            return Judgement(reason=f"the rule {rule} denies it.", denied=True)
        if command.risk is Risk.EXECUTE and self.no_programs:
            return Judgement(reason=self.no_programs, denied=True)
        if command.risk is Risk.PERSON:
            return Judgement(reason="it asks you something.")
        if strange := strange_addresses(state, command, args):
            shown = ", ".join(strange)
            return Judgement(reason=f"nobody has shown this address: {shown}. It may carry away what was read.")
        if _first(self.rules.allow, command, args):
            return Judgement(By.RULE)
        needed = self._leave(state, command, args)
        if why := why_search_asks(state, command, args):
            return Judgement(reason=f"the search goes to others, and {why}.", hosts=needed.hosts)
        if not needed.reason:
            return Judgement(By.POLICY)
        covered = state.grants > 0 and command.risk is not Risk.EXECUTE
        if state.tainted and command.risk in (Risk.DELETE, Risk.EXECUTE):
            return Judgement(reason=f"{needed.reason[:-1]}, after text of others was read.")
        if state.continuous > 0 or covered:
            return Judgement(By.CONTINUOUS if state.continuous > 0 else By.GRANT, hosts=needed.hosts)
        return needed

    @staticmethod
    def _leave(state: GoalState, command: Command, args: Mapping[str, Any]) -> Judgement:
        """Why the risk table wants leave; without a reason it does not."""
        if command.risk is Risk.EXECUTE:
            return Judgement(reason="it runs a program.")
        if command.risk is Risk.DELETE:
            return Judgement(reason="it deletes a file.")
        hosts = [host_of(address) for address in _addresses(command, args)]
        if command.risk is Risk.NETWORK and not hosts:
            hosts = [SEARCH_HOST]
        new = [host for host in hosts if host not in state.hosts]
        if new:
            return Judgement(reason=f"it asks {', '.join(new)} for the first time.", hosts=tuple(new))
        return Judgement()


def strange_addresses(state: GoalState, command: Command, args: Mapping[str, Any]) -> list[str]:
    """Addresses in the call that nobody has shown, after text of others was read."""
    if not state.tainted:
        return []
    return [address for address in _addresses(command, args) if address not in state.links]


def why_search_asks(state: GoalState, command: Command, args: Mapping[str, Any]) -> str:
    """Why a search may carry something away, after text of others was read; empty for all other calls."""
    if not state.tainted or command.risk is not Risk.NETWORK or _addresses(command, args):
        return ""
    return why_private(command.subject(args), state.private, state.known)


def _addresses(command: Command, args: Mapping[str, Any]) -> list[str]:
    """The addresses that a call may visit: its URL, and for a pipeline of experts those in its texts."""
    urls = [
        normal_address(str(args[each.name])) for each in command.parameters if each.kind == "url" and each.name in args
    ]
    if not command.fetches:
        return urls
    texts = [str(text) for value in args.values() for text in (value if isinstance(value, list) else [value])]
    return [*urls, *addresses_to_fetch(texts)]


def _is_path(parameter: Parameter, args: Mapping[str, Any]) -> bool:
    return parameter.kind == "path" and bool(args.get(parameter.name))


def _first(rules: Iterable[Rule], command: Command, args: Mapping[str, Any]) -> Rule | None:
    return next((rule for rule in rules if rule.matches(command, args)), None)


def read_rules(file: Path, table: CommandTable, workspaces: Path) -> Rules:
    """The rules in a file; none if there is no such file. Raises UserError.

    A file among the workspaces is refused: a command could change it.
    """
    import yaml

    if file.resolve().is_relative_to(workspaces.resolve()):
        raise UserError(f"The rules {file} lie within the workspaces {workspaces}: keep them elsewhere (goals.rules).")
    try:
        content = yaml.safe_load(read_text(file, "the rules", if_missing=""))
    except (yaml.YAMLError, ValueError):
        raise UserError(f"{file} is not valid YAML: it should hold `deny:` and `allow:` lists.") from None
    if not isinstance(content, dict | None) or set(content or {}) - {"deny", "allow"}:
        raise UserError(f"{file} should hold the lists deny and allow, and nothing else.")
    return Rules(*(tuple(_rules((content or {}).get(key), table, file)) for key in ("deny", "allow")))


def _rules(written: Any, table: CommandTable, file: Path) -> Iterable[Rule]:
    for text in written or ():
        match = _RULE.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise UserError(f"{file}: a rule should be written as command(glob), such as browse_website(https://*).")
        try:
            yield Rule(table.find(match[1]).name, match[2] if match[2] is not None else "*")
        except BadCall as error:
            raise UserError(f"{file}: {error}") from error


def continuous_problems(limits: Limits, prices: Prices, paid: bool, sandbox_problem: str) -> list[str]:
    """What is missing before a goal may go on without a person: limits, prices of a paid service, a sandbox."""
    problems = [f"goals.max_{name} is not set" for name in limits.missing() if name != "cost" or paid]
    if paid and not prices.known:
        problems.append("goals.prices are not set, so that the cost cannot be limited")
    return [*problems, *([sandbox_problem] if sandbox_problem else [])]
