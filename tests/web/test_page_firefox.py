"""The central flows of the page in Firefox: the tests are those that Chromium passes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.web import firefox
from tests.web.browser import PATIENCE
from tests.web.test_page import (
    test_a_request_with_an_uploaded_picture,
    test_a_run_is_cancelled,
)
from tests.web.test_page_composer import (
    test_a_draft_is_kept_over_a_reload,
    test_requests_wait_for_the_one_before,
    test_settings_hold_for_the_requests_of_this_browser,
    test_the_first_line_of_an_answer_stays_in_sight,
)
from tests.web.test_page_plans import (
    test_a_plan_is_changed_before_it_is_run,
    test_a_task_is_run_again_and_both_versions_are_shown,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = firefox.program(tmp_path_factory.mktemp("firefox"))
    if program is None:
        reason = "There is no Firefox (apt-get install firefox-esr, or set FIREFOX to its path)."
        if os.environ.get("CI") or os.environ.get("REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        found = playwright.firefox.launch(channel="moz-firefox", executable_path=str(program))
        yield found
        found.close()
