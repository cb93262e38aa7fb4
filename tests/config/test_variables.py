"""Variables of the environment in the configuration."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from hugginggpt import config as settings
from hugginggpt import logs
from hugginggpt.core.errors import ConfigError
from hugginggpt.records.run_log import RunLog


def test_tokens_of_a_running_program_are_masked_wherever_keys_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = settings.load({"log_file": str(tmp_path / "debug.log")}, {}, debug=True)
    logs.set_up(config)
    runs = RunLog(config)
    config.secrets.add("token-of-today")
    logging.getLogger("hugginggpt.test").debug("it said token-of-today")
    logs.set_up()
    assert "token-of-today" not in (tmp_path / "debug.log").read_text() + capsys.readouterr().err
    assert runs.to_text({"a": "token-of-today"}) == '{"a": "***"}'
    assert "token-of-today" not in repr(config)


def test_variables_are_read_only_where_a_section_may_name_them() -> None:
    config = settings.load({}, {"SOME_KEY": "a-long-key"})
    assert list(config.secrets) == list(config.variables) == []
    assert "variables" not in repr(config)


def test_a_value_is_a_secret_only_where_it_is_sent() -> None:
    expert = {"id": "a", "task": "summarization", "url": "https://api.example.com/$ACCOUNT", "json": {"q": "{text}"},
              "headers": {"X-Key": "$A_KEY"}, "about": "Costs $PRICE; see $HOME."}  # fmt: skip
    tool = {"tool": "say", "task": "text-to-speech", "args": {"text": "text"}, "about": "Reads $HOME."}
    server = {"name": "voice", "command": ["voice", "$HOME"], "env": {"KEY": "$B_KEY"}, "tools": [tool]}
    environment = {"ACCOUNT": "account-1", "A_KEY": "key-a", "B_KEY": "key-b", "HOME": "/home/me", "PRICE": "a-lot"}
    config = settings.load({"http_experts": [expert], "mcp": [server]}, environment)
    assert sorted(config.variables) == ["account-1", "key-a", "key-b"]


def test_a_mistake_in_the_environment_of_a_server_shows_no_value() -> None:
    server = {"name": "voice", "command": ["voice"], "env": {"KEY": 1234567890}, "tools": []}
    with pytest.raises(ConfigError) as error:
        settings.load({"mcp": [server]}, {})
    assert "mcp.0.env.KEY: input should be a valid string." in str(error.value)
    assert "1234567890" not in str(error.value)
