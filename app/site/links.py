"""Links in Markdown, and those that lead nowhere.

    links.py SOURCE      every link of every Markdown file below SOURCE leads to a file that is there, and to a heading of it
"""

import os
import re
import sys

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.*?) *#*$")
NAMED = re.compile(r'<a name="([^"]+)"></a>')
_LEFT_OUT = {"build", "node_modules", ".git"}


class Link:
    """A link or picture: where it stands in the text, what it says, and where it leads."""

    def __init__(self, text, found):
        self.start, self.end = found.span()
        self.picture = bool(found.group(1))
        self.words = text[found.start(2):found.end(2)]
        self.target = text[found.start(3):found.end(3)]
        self.path, _, self.place = self.target.partition("#")
        self.outside = re.match(r"[a-z]+:", self.target) is not None
        self.line = text.count("\n", 0, self.start) + 1


def masked(text):
    """The text, as long as it was, with an x in place of each character of code."""
    lines, fence, code, blank = [], None, False, True
    for line in text.splitlines(keepends=True):
        mark = re.match(r" *(```+|~~~+)", line)
        if fence or mark:
            lines.append(re.sub(r"[^\n]", "x", line))
            if not fence:
                fence = mark.group(1)
            elif line.strip() == fence:
                fence = None
            continue
        code = line.strip() != "" and re.match(r" {4}|\t", line) is not None and (blank or code)
        blank = line.strip() == ""
        lines.append(re.sub(r"[^\n]", "x", line) if code else line)
    return re.sub(r"(`+)[^`].*?(?<!`)\1(?!`)", lambda found: re.sub(r"[^\n]", "x", found.group()), "".join(lines), flags=re.DOTALL)


def links(text):
    return [Link(text, found) for found in _LINK.finditer(masked(text))]


def places(text):
    """What may stand behind # in a link to this text: its headings, as GitHub and MyST name them, and named anchors."""
    found = set(NAMED.findall(text))
    for line, seen in zip(text.splitlines(), masked(text).splitlines()):
        heading = _HEADING.match(line) if seen.startswith("#") else None
        if heading:
            slug = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading.group(1)).lower()).replace(" ", "-")
            found.add(next(name for name in [slug] + [f"{slug}-{k}" for k in range(1, 100)] if name not in found))
    return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def markdown(source):
    """Every Markdown file of the source, by its path from there."""
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), source)


def lost(source):
    """What is wrong with the links of the source: a line for each that leads nowhere."""
    for page in markdown(source):
        text = read(os.path.join(source, page))
        for link in links(text):
            if link.outside or link.path.startswith("made/"):  # what a tutorial makes stands there once it has run
                continue
            path = os.path.normpath(os.path.join(source, os.path.dirname(page), link.path)) if link.path else os.path.join(source, page)
            if not os.path.exists(path):
                yield f"{page}:{link.line}: {link.target}: no such file"
            elif link.place and not path.endswith(".md"):
                yield f"{page}:{link.line}: {link.target}: only pages of Markdown have places"
            elif link.place and link.place not in places(read(path)):
                yield f"{page}:{link.line}: {link.target}: no such heading; there are: {', '.join(sorted(places(read(path))))}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: links.py SOURCE")
    wrong = list(lost(sys.argv[1]))
    sys.exit("\n".join(wrong) if wrong else 0)
