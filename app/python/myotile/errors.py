"""Errors, warnings, and the import of optional packages."""

import importlib
from typing import Any, Optional


class Error(Exception):
    """An error with a message of one line. For a failure of the program it is the program's message, and `code` its exit code: 2 an invalid
    case or arguments, 3 a file error or out of memory, 4 does not fit the machine, 5 a numerical failure,
    6 a failure of an OpenCL device."""

    def __init__(self, message: str, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code


class CaseWarning(UserWarning):
    """A warning of the program: a case that runs but may be a mistake."""


def needed(module: str) -> Any:
    """Imports a module. Raises an Error with the name of Debian's package if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as why:
        name = module.partition(".")[0]
        raise Error(f"{name} cannot be imported ({why}); install Debian's package python3-{name}") from why
