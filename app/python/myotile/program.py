"""Calls the program `myotile`: cases, sweeps, ensembles, and any command that prints tables.

The program is the first of: (1) the argument `program` of a call, (2) the environment variable MYOTILE, (3) `myotile` on the PATH, (4) the
program of the same installation, or build/release of the source tree. It runs in the current folder, so that relative paths in a case mean
the same as in a shell. Its warnings become CaseWarning; if it fails, its message becomes an Error."""

import contextlib
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from .errors import CaseWarning, Error, needed
from .results import Ensemble, Results, Sweep, open_ensemble, open_results, open_sweep

Text = Union[str, Path]

_here = Path(__file__).resolve()
_source = _here.parents[3]  # app/python/myotile/program.py
_prefix = _here.parents[4]  # PREFIX/lib/python3/dist-packages/myotile/program.py
_installed = _here.parents[1].name == "dist-packages"
_data = _prefix / "share" / "myotile" if _installed else _source / "data"
_beside = _prefix / "bin" / "myotile" if _installed else _source / "build" / "release" / "myotile"

cases = _data / "cases"
"""The folder of the cases included with Myotile: cases / "niederer-0.5.yaml"."""
geometry = _data / "geometry"
"""The folder of the surfaces included with Myotile."""


def find(program: Optional[Text] = None) -> str:
    """Returns the path of the program, by the rules above."""
    named = program or os.environ.get("MYOTILE")
    found = shutil.which(named) if named else shutil.which("myotile") or shutil.which(str(_beside))
    if found:
        return str(found)
    if named:
        raise Error(f"{named}: no such program; {'from program=' if program else 'from the environment variable MYOTILE'}")
    raise Error(f"the program myotile is neither on the PATH nor at {_beside}; set program= or the environment variable MYOTILE")


def text_of(value: Any) -> str:
    """Returns a value as text for `--set key=`: text_of({"every_ms": 5}) is '{every_ms: 5}'."""
    if hasattr(value, "tolist"):  # a value of numpy
        value = value.tolist()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {text_of(v)}" for key, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(text_of, value)) + "]"
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        return text if re.fullmatch(r"(?!(true|false|null)$)[A-Za-z_./][\w./=-]*", text) else json.dumps(text, ensure_ascii=False)
    return json.dumps(value)


def _sets(option: str, values: Optional[Mapping[str, Any]]) -> List[str]:
    return [word for key, value in (values or {}).items() for word in (option, f"{key}={_outermost(value)}")]


def _outermost(value: Any) -> str:
    """Returns a value as text directly after `key=`, where a string has no quotes: the program takes everything up to the end of the
    word."""
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else text_of(value)


class _Heard:
    """The lines that a program prints to standard error, read in a thread."""

    def __init__(self, process: "subprocess.Popen[str]", progress: bool) -> None:
        self.lines: List[str] = []
        self._process, self._progress = process, progress
        self._thread = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()

    def _hear(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self.lines.append(line.rstrip("\n"))
            if self._progress and not line.startswith("myotile:"):
                sys.stderr.write(line)

    def end(self) -> None:
        self._thread.join()

    def stop(self) -> None:
        """Stops the program like Ctrl-C. Usually it has received the signal, too, and printed a message; a second signal would end it at
        once, without results."""
        n = len(self.lines)
        for _ in range(10):
            if self._process.poll() is not None or len(self.lines) > n:
                break
            time.sleep(0.1)
        else:
            self._process.send_signal(signal.SIGINT)
        self._process.wait()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Calls the handler of SIGINT after the block instead of inside it, where a KeyboardInterrupt would leave a started program running.
    Only the main thread receives interrupts."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    held: List[Any] = []
    signal.signal(signal.SIGINT, lambda *arguments: held.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])


def _warn(lines: List[str]) -> str:
    """Issues the warnings in Python, and returns the error message, which is the last line."""
    message, begin, warning = "", "myotile: ", "myotile: warning: "
    for line in lines:
        if line.startswith(warning):
            warnings.warn(line[len(warning):], CaseWarning, stacklevel=4)
        elif line.startswith(begin):
            message = line[len(begin):]
    return message


def call(*arguments: Any, threads: Optional[int] = None, progress: bool = False, program: Optional[Text] = None) -> str:
    """Calls a command with the arguments of the command line, call("mesh", "fibres", "heart.hdf", "-o", "fibred.hdf"), and returns its
    output. `threads`: number of threads; None: OMP_NUM_THREADS, or all. `progress`: True for a line per minute on standard error. A
    KeyboardInterrupt waits until the stopped program has written its results."""
    words = [find(program), *(os.fspath(a) if isinstance(a, os.PathLike) else str(a) for a in arguments)]
    environment = dict(os.environ, **({"OMP_NUM_THREADS": str(threads)} if threads else {}))
    with contextlib.ExitStack() as stack:
        heard = None
        try:
            with _interrupts_held():
                process = stack.enter_context(subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                    env=environment))
                heard = _Heard(process, progress)
            assert process.stdout
            printed = process.stdout.read()
            process.wait()
        except KeyboardInterrupt:
            if heard:
                heard.stop()
            raise
        finally:
            if heard:
                heard.end()
    assert heard
    message = _warn(heard.lines)
    if process.returncode != 0:
        raise Error(message or f"{words[0]} exited with code {process.returncode}", process.returncode)
    return printed


def run(case: Text, set: Optional[Mapping[str, Any]] = None, output: Optional[Text] = None, *, threads: Optional[int] = None,
        machine_set: Optional[Mapping[str, Any]] = None, tiles: bool = False, resume: bool = False, force: bool = False, progress: bool = False,
        program: Optional[Text] = None) -> Results:
    """Runs a case, like `myotile run`, and opens its results.

    set          values that replace those in the case, in the units of their names: {"time.end_ms": 20, "output.maps": ["apd"]}
    output       folder for the files; None: the case's name
    threads      number of threads; None: OMP_NUM_THREADS, or all
    machine_set  values that replace those in the machine: {"links.shape": "torus"}
    tiles        True to write tables of the machine's tiles (Results.tile_table), like `--profile`
    resume       True to continue from the newest checkpoint in the folder, if there is one
    force        True to replace files there that Myotile did not write
    progress     True for a progress line per minute, on standard error
    program      path of the program (default: see myotile.program)

    Raises an Error with the program's message if it fails; its warnings become CaseWarning."""
    words = ["--progress", "lines" if progress else "never", *(["--force"] if force else [])]
    folder = Path(output if output is not None else Path(case).stem)
    words = ["run", os.fspath(case), "--resume" if resume else "--output", os.fspath(folder), *words]
    words += ["--profile", os.fspath(folder)] if tiles else []
    call(*words, *_sets("--set", set), *_sets("--machine-set", machine_set), program=program, threads=threads, progress=progress)
    return open_results(folder)


def sweep(case: Text, key: str, values: Iterable[Any], set: Optional[Mapping[str, Any]] = None, output: Optional[Text] = None, *,
          threads: Optional[int] = None, machine_set: Optional[Mapping[str, Any]] = None, force: bool = False, progress: bool = False,
          program: Optional[Text] = None) -> Sweep:
    """Runs a case with each value of a key, like `myotile run --sweep`, and opens all results:

        sweep("niederer-0.5.yaml", "cell.scale", [["g_Na=1"], ["g_Na=0.5"]], output="block").table

    Other arguments are as in `run`. If a value fails, the Error is raised after all others have run; open_sweep opens their results."""
    folder = Path(output if output is not None else Path(case).stem)
    texts = ",".join(text_of(value) for value in values)
    words = ["run", os.fspath(case), "--sweep", f"{key}={texts}", "--output", os.fspath(folder)]
    words += ["--progress", "lines" if progress else "never", *(["--force"] if force else [])]
    call(*words, *_sets("--set", set), *_sets("--machine-set", machine_set), program=program, threads=threads, progress=progress)
    return open_sweep(folder)


def _cell(key: str, row: int, value: Any) -> str:
    """Returns a value as a cell of a table of members."""
    text = _outermost(value)
    if value is None or text == "NaN":
        raise Error(f"ensemble: row {row}: {key}: {value}; allowed: a value")
    return text


def _write_members(table: Any, path: Path) -> None:
    """Writes a DataFrame, or a mapping of keys to lists of equal length, as a table of members."""
    columns = {str(key): list(table[key]) for key in table}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise Error(f"ensemble: columns of {', '.join(map(str, sorted(lengths))) or 'no'} values; allowed: columns of equal length")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for k, row in enumerate(zip(*columns.values())):
            writer.writerow([_cell(key, k, value) for key, value in zip(columns, row)])


def ensemble(case: Text, table: Any, set: Optional[Mapping[str, Any]] = None, output: Optional[Text] = None, *, jobs: int = 1,
             threads: Optional[int] = None, machine_set: Optional[Mapping[str, Any]] = None, force: bool = False, progress: bool = False,
             program: Optional[Text] = None) -> Ensemble:
    """Runs a case once for each row of a table, like `myotile run --ensemble`, and opens all results:

        ensemble("niederer-0.5.yaml", {"tissue.chi_per_mm": [140, 160], "time.end_ms": [60, 80]}, output="variants").table

    table        a pandas.DataFrame or a mapping of keys of the case to lists of values, or the path of a CSV file. An optional first
                 column `name` has the names of the members' folders
    jobs         number of runs at once
    threads      number of threads of all runs together; None: OMP_NUM_THREADS, or all

    Other arguments are as in `run`. Called again with the same folder, it does not repeat complete members. If a member fails, the Error is
    raised after all others have run; open_ensemble opens their results."""
    folder = Path(output if output is not None else Path(case).stem)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(table) if isinstance(table, (str, os.PathLike)) else Path(temporary) / "table.csv"
        if path.parent == Path(temporary):
            _write_members(table, path)
        words = ["run", os.fspath(case), "--ensemble", os.fspath(path), "--output", os.fspath(folder), "--jobs", str(jobs)]
        words += ["--progress", "lines" if progress else "never", *(["--force"] if force else [])]
        call(*words, *_sets("--set", set), *_sets("--machine-set", machine_set), program=program, threads=threads, progress=progress)
    return open_ensemble(folder)


def tables(*arguments: Any, threads: Optional[int] = None, program: Optional[Text] = None) -> Dict[str, Any]:
    """Returns the tables that a command prints, as pandas.DataFrames by key (data/reference/tables.schema.json):

        tables("partition", "heart.hdf", "--ipus", "1,4")["partition"]["received_percent"]

    The arguments are as on the command line. Names of columns end in the unit: apd90_ms. A table of properties has one row. Several
    tables with the same key are concatenated, with their titles as first level of the index. `attrs` has title and units."""
    pandas = needed("pandas")
    frames: Dict[str, List[Tuple[str, Any]]] = {}
    for table in json.loads(call(*arguments, "--format", "json", program=program, threads=threads)):
        if "rows" in table:
            frame = pandas.DataFrame(table["rows"], columns=[column["key"] for column in table["columns"]])
            frame.attrs["units"] = {column["key"]: column["unit"] for column in table["columns"]}
        else:
            frame = pandas.DataFrame([table["properties"]])
        frame.attrs["title"] = table["title"]
        frames.setdefault(table["table"], []).append((table["title"], frame))
    return {key: of_key[0][1] if len(of_key) == 1 else pandas.concat([f for _, f in of_key], keys=[t for t, _ in of_key], names=["title"])
            for key, of_key in frames.items()}
