"""What Sphinx is told; make.py stages the pages and calls it. Nothing that a page shows comes from the network."""

import pathlib
import re

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
pygments_style = "friendly"
html_extra_path = ["extra"]
exclude_patterns = ["files", "made"]
smartquotes = False  # options begin with two dashes


def whole(app, failed):
    """Debian's furo leaves two of its files to a server: a script in two modules, and a style that lies elsewhere. In a folder they must be whole."""
    if failed:
        return
    static = pathlib.Path(app.outdir, "_static")
    script, style = static / "scripts" / "furo.js", static / "styles" / "furo.css"
    modules = re.sub(r"^import Gumshoe from .*$", (static / "scripts" / "gumshoe-patched.js").read_text(encoding="utf-8").replace("\\", r"\\"),
                     script.read_text(encoding="utf-8"), flags=re.MULTILINE)
    script.write_text(modules, encoding="utf-8")
    lines = style.read_text(encoding="utf-8")
    for elsewhere in re.findall(r"@import url\((/[^)]*)\);", lines):
        lines = lines.replace(f"@import url({elsewhere});", pathlib.Path(f"/usr/share{elsewhere}").read_text(encoding="utf-8"))
    style.write_text(lines, encoding="utf-8")


def setup(app):
    app.connect("build-finished", whole)
