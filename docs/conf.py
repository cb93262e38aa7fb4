"""The settings of Sphinx: `make docs`, or `sphinx-build -W --keep-going -b html docs docs/_build/html`."""

project = "HuggingGPT"
author = "the contributors"
project_copyright = author
extensions = ["myst_parser"]
html_theme = "furo"
html_title = project
exclude_patterns = ["_build"]
nitpicky = True
myst_heading_anchors = 3
suppress_warnings: list[str] = []
