"""A reader of used.yaml, without a library for YAML.

It reads only the subset of YAML that the program writes (data/yaml/yaml_write.h): one key on a line, mappings and lists of mappings by
indentation, numbers, words, quoted texts, and lists of these in brackets."""

import re
from typing import Any, Dict, List, Tuple

_escape = re.compile(r'\\(?:x([0-9A-F]{2})|U([0-9A-F]{8})|(["\\]))')
_entry = re.compile(r'"(?:[^"\\]|\\.)*"|[^,\s"]+')


def _scalar(text: str) -> Any:
    if text.startswith('"'):
        return _escape.sub(lambda m: m[3] or chr(int(m[1] or m[2], 16)), text[1:-1])
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _value(text: str) -> Any:
    if not text.startswith("["):
        return _scalar(text)
    return [_scalar(entry) for entry in _entry.findall(text[1:-1])]


def _block(lines: List[Tuple[int, str]], indent: int) -> Any:
    """Parses and removes the block with this indentation at the start of the lines."""
    if lines[0][1].startswith("- "):
        entries = []
        while lines and lines[0][0] == indent and lines[0][1].startswith("- "):
            lines[0] = (indent + 2, lines[0][1][2:])
            entries.append(_block(lines, indent + 2))
        return entries
    mapping: Dict[str, Any] = {}
    while lines and lines[0][0] == indent:
        key, _, rest = lines.pop(0)[1].partition(":")
        if rest:
            mapping[key] = _value(rest.strip())
        else:
            mapping[key] = _block(lines, lines[0][0]) if lines and lines[0][0] > indent else {}
    return mapping


def read(text: str) -> Dict[str, Any]:
    """Returns the values of the text of a used.yaml by key: read(text)["time"]["dt_ms"]. Lists, such as stimuli, are lists of dicts."""
    lines = [(len(line) - len(line.lstrip(" ")), line.lstrip(" ")) for line in text.splitlines() if line and not line.startswith("#")]
    values: Dict[str, Any] = _block(lines, 0) if lines else {}
    if lines:
        raise ValueError(f"not in the format of used.yaml: {lines[0][1]}")
    return values
