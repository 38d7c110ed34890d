"""What goes wrong, and packages of Debian that are not there."""

import importlib
from typing import Any, Optional


class Error(Exception):
    """What cannot be done, in one line. Where the program said so, the text is its message and `code` its exit code: 2 a bad case or
    arguments, 3 files or memory, 4 does not fit the machine, 5 numerics."""

    def __init__(self, message: str, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code


class CaseWarning(UserWarning):
    """What runs but may not be meant: the program's warning."""


def needed(module: str) -> Any:
    """The module, or an Error that names Debian's package."""
    try:
        return importlib.import_module(module)
    except ImportError as why:
        name = module.partition(".")[0]
        raise Error(f"{name} cannot be imported ({why}); Debian's package python3-{name} has it") from why
