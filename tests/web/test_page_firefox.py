"""The page in Firefox: the tests are those that Chromium passes, one at least for each thing that the page does."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.web import firefox
from tests.web.browser import PATIENCE
from tests.web.test_page import (
    test_a_conversation_is_found_again_and_deleted,
    test_a_request_with_an_uploaded_picture,
    test_a_run_is_cancelled,
    test_copy_and_download,
    test_files_are_dropped_and_pasted,
)
from tests.web.test_page_batches import (
    services,
    test_a_killed_server_shows_what_was_done_and_goes_on,
    test_a_plan_that_waits_outlives_a_reload,
    test_a_table_lists_the_files_and_has_words_for_the_request,
    test_it_is_stopped_and_deleted,
    test_many_files_are_planned_once_looked_at_and_run,
    test_the_gallery_of_files,
)
from tests.web.test_page_branches import (
    test_a_former_message_is_edited_and_both_branches_are_kept,
    test_a_request_that_is_asked_again_stands_beside_the_first,
    test_conversations_are_found_renamed_and_pinned,
)
from tests.web.test_page_composer import (
    test_a_conversation_that_was_deleted_elsewhere_begins_anew,
    test_a_draft_is_kept_over_a_reload,
    test_a_file_that_is_too_large_is_not_sent,
    test_a_model_by_name_needs_a_key_where_the_server_has_none,
    test_an_upload_tells_how_far_it_is_and_keeps_its_name,
    test_one_missing_model_is_told_once,
    test_requests_wait_for_the_one_before,
    test_settings_hold_for_the_requests_of_this_browser,
    test_the_first_line_of_an_answer_stays_in_sight,
    test_what_waits_comes_back_when_the_run_is_cancelled,
)
from tests.web.test_page_conversations import (
    test_a_killed_server_shows_what_was_done_and_resumes_it,
    test_more_conversations_than_are_listed_at_first,
    test_the_examples_work_where_files_are_kept_elsewhere,
    test_the_field_for_files_offers_what_the_server_reads,
    test_what_a_language_model_used_is_told_with_its_cost,
)
from tests.web.test_page_exports import (
    guarded,
    test_a_conversation_is_printed_to_pdf,
    test_a_conversation_is_saved_as_a_file_that_needs_nothing_else,
    test_a_link_is_read_without_the_token_until_it_is_revoked,
)
from tests.web.test_page_graphs import (
    large,
    test_a_graph_fills_the_screen,
    test_a_graph_is_kept_as_svg_and_png,
    test_a_large_graph_is_seen_as_a_whole_and_in_parts,
)
from tests.web.test_page_llm_here import (
    test_the_model_and_how_far_it_has_read,
)
from tests.web.test_page_plans import (
    test_a_plan_is_changed_before_it_is_run,
    test_a_plan_is_saved_and_run_with_another_file,
    test_a_sentence_plans_anew,
    test_a_task_is_run_again_and_both_versions_are_shown,
    test_nothing_is_run_before_there_is_leave,
    test_only_what_failed_is_tried_again,
    test_the_sounds_of_both_versions_have_players_side_by_side,
    test_the_texts_of_both_versions_are_compared,
)
from tests.web.test_page_rules import (
    test_the_keyboard_alone_is_enough,
)
from tests.web.test_page_viewer import (
    test_a_picture_is_zoomed_and_compared_with_its_input,
    test_a_recording_has_a_waveform_that_seeks,
    test_a_tiff_is_seen,
    test_code_and_formulas_in_answers,
    test_folded_plans_are_drawn_when_they_are_opened,
    test_the_cards_bear_the_numbers_of_their_tasks,
    test_what_the_empty_page_loads_is_small,
)

__all__ = ["guarded", "large", "services"]  # fixtures
pytestmark = pytest.mark.slow

POINTER, MOUSE = "ui.primaryPointerCapabilities", 6
"""Without a display Firefox finds no mouse, and takes the machine for a phone."""


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
        found = playwright.firefox.launch(
            channel="moz-firefox", executable_path=str(program), firefox_user_prefs={POINTER: MOUSE}
        )
        yield found
        found.close()
