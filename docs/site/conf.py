# SPDX-License-Identifier: MIT
"""The documents as a site: see tools/site.sh."""
project = "Tutti"
author = "The Tutti authors"
root_doc = "docs/README"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["docs/site"]
highlight_language = "none"
html_theme = "furo"
html_title = "Tutti"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
# As GitHub makes them, where the documents are read, too.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
