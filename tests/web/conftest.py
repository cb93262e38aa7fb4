"""The fixtures of the tests of the page."""

from __future__ import annotations

from tests.web.browser import browser, fakes, offline, open_page

__all__ = ["browser", "fakes", "offline", "open_page"]
