"""What Sphinx is told; make.py stages the pages and calls it. Nothing that a page shows comes from the network."""

project = "Myotile"
author = "The Myotile authors"
copyright = "The Myotile authors, MIT licence"  # noqa: A001, the name is Sphinx's
language = "en"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "Myotile"
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # a browser lets no page from a folder read another
highlight_language = "none"
highlight_options = {"default": {"stripall": False}}
pygments_style = "friendly"
exclude_patterns = ["files", "made"]
smartquotes = False  # options begin with two dashes
