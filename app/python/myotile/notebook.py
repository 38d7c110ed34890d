"""Turns a script with cells into a notebook: `python3 -m myotile.notebook heart.py heart.ipynb`.

A line `# %%` starts a cell of code, and `# %% [markdown]` a cell of text, with its lines as comments. Many editors show such scripts as
notebooks directly (VS Code, Spyder, PyCharm); Jupyter needs a notebook."""

import json
import sys
from pathlib import Path
from typing import Any, Dict, List

_begin = "# %%"


def _cell(number: int, lines: List[str]) -> Dict[str, Any]:
    markdown = lines[0].startswith(f"{_begin} [markdown]")
    body = [line[2:] if markdown else line for line in lines[1:]]
    source = "\n".join(body).strip("\n").splitlines(keepends=True)
    cell: Dict[str, Any] = {"cell_type": "markdown" if markdown else "code", "id": f"cell-{number}", "metadata": {}, "source": source}
    return cell if markdown else {**cell, "execution_count": None, "outputs": []}


def notebook(script: str) -> str:
    """Returns the text of a notebook (nbformat 4.5) with the cells of a script; the lines before the first cell are a cell of code."""
    cells: List[List[str]] = [[_begin]]
    for line in script.splitlines():
        if line.startswith(_begin):
            cells.append([line])
        else:
            cells[-1].append(line)
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    made = [_cell(k, lines) for k, lines in enumerate(cells) if any(lines[1:])]
    return json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 -m myotile.notebook SCRIPT.py NOTEBOOK.ipynb")
    Path(sys.argv[2]).write_text(notebook(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
