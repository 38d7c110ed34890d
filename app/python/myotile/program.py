"""The program `myotile`, called from Python: cases, sweeps, and any command that prints tables.

The program is (1) the one that a call names, (2) that of the environment variable MYOTILE, (3) `myotile` on the PATH, or (4) the one beside
this package: of the same installation, or build/release of the source tree. It runs in Python's own folder, so the paths of a case mean
what they mean in a shell. Its warnings become CaseWarning, and its message, where it fails, an Error."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from .errors import CaseWarning, Error, needed
from .results import Results, Sweep, open_results, open_sweep

Text = Union[str, Path]

_here = Path(__file__).resolve()
_source = _here.parents[3]  # app/python/myotile/program.py
_prefix = _here.parents[4]  # PREFIX/lib/python3/dist-packages/myotile/program.py
_installed = _here.parents[1].name == "dist-packages"
_data = _prefix / "share" / "myotile" if _installed else _source / "data"
_beside = _prefix / "bin" / "myotile" if _installed else _source / "build" / "release" / "myotile"

cases = _data / "cases"
"""The folder of the cases that come with Myotile: cases / "niederer-0.5.yaml"."""
geometry = _data / "geometry"
"""The folder of the surfaces that come with Myotile."""


def find(program: Optional[Text] = None) -> str:
    """The path of the program, as above."""
    named = program or os.environ.get("MYOTILE")
    found = shutil.which(named) if named else shutil.which("myotile") or shutil.which(str(_beside))
    if found:
        return str(found)
    if named:
        raise Error(f"{named}: no program there, {'as asked for' if program else 'where the variable MYOTILE says'}")
    raise Error(f"no program myotile: not on the PATH, nor {_beside}; name it with program=, or in the variable MYOTILE")


def text_of(value: Any) -> str:
    """A value of Python as the program reads it after `--set key=`: text_of({"every_ms": 5}) is '{every_ms: 5}'."""
    if hasattr(value, "tolist"):  # of numpy
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
    """After `key=` everything up to the end of the word is a text, quotes with it."""
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else text_of(value)


class _Heard:
    """What a program says on standard error, taken as it comes."""

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
        """Lets it end as Ctrl-C does. Mostly it got the signal, too, and has said so; a second would end it at once, without results."""
        n = len(self.lines)
        for _ in range(10):
            if self._process.poll() is not None or len(self.lines) > n:
                break
            time.sleep(0.1)
        else:
            self._process.send_signal(signal.SIGINT)
        self._process.wait()


def _warn(lines: List[str]) -> str:
    """Gives warnings to Python, and the message of a failure, which is the last."""
    message, begin, warning = "", "myotile: ", "myotile: warning: "
    for line in lines:
        if line.startswith(warning):
            warnings.warn(line[len(warning):], CaseWarning, stacklevel=4)
        elif line.startswith(begin):
            message = line[len(begin):]
    return message


def call(*arguments: Any, threads: Optional[int] = None, progress: bool = False, program: Optional[Text] = None) -> str:
    """Calls a command with the arguments of the command line, call("mesh", "fibres", "heart.hdf", "-o", "fibred.hdf"), and gives what it
    prints. `threads`: how many it uses; None: as OMP_NUM_THREADS says, or all. `progress`: a line a minute on
    standard error. A KeyboardInterrupt waits until the program has left what it leaves when it is stopped."""
    words = [find(program), *(os.fspath(a) if isinstance(a, os.PathLike) else str(a) for a in arguments)]
    environment = dict(os.environ, **({"OMP_NUM_THREADS": str(threads)} if threads else {}))
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                               errors="replace", env=environment)
    with process:
        heard = _Heard(process, progress)
        try:
            assert process.stdout
            printed = process.stdout.read()
            process.wait()
        except KeyboardInterrupt:
            heard.stop()
            raise
        finally:
            heard.end()
    message = _warn(heard.lines)
    if process.returncode != 0:
        raise Error(message or f"{words[0]} ended with {process.returncode}", process.returncode)
    return printed


def run(case: Text, set: Optional[Mapping[str, Any]] = None, output: Optional[Text] = None, *, threads: Optional[int] = None,
        machine_set: Optional[Mapping[str, Any]] = None, tiles: bool = False, resume: bool = False, force: bool = False, progress: bool = False,
        program: Optional[Text] = None) -> Results:
    """Runs a case, as `myotile run` does, and opens its results.

    set          values in place of the case's, in the units of their names: {"time.end_ms": 20, "output.maps": ["apd"]}
    output       the folder for the files; None: the case's name
    threads      how many; None: as OMP_NUM_THREADS says, or all
    machine_set  values in place of the machine's: {"links.shape": "torus"}
    tiles        leave tables of the machine's tiles, too (Results.tile_table), as `--profile` does
    resume       go on from the newest checkpoint in the folder, if there is one
    force        replace files there that Myotile did not write
    progress     a line of progress a minute, on standard error
    program      the path of the program (myotile.program tells which is taken)

    What the program refuses is an Error with its message, what it warns of a CaseWarning."""
    words = ["--progress", "lines" if progress else "never", *(["--force"] if force else [])]
    folder = Path(output if output is not None else Path(case).stem)
    words = ["run", os.fspath(case), "--resume" if resume else "--output", os.fspath(folder), *words]
    words += ["--profile", os.fspath(folder)] if tiles else []
    call(*words, *_sets("--set", set), *_sets("--machine-set", machine_set), program=program, threads=threads, progress=progress)
    return open_results(folder)


def sweep(case: Text, key: str, values: Iterable[Any], set: Optional[Mapping[str, Any]] = None, output: Optional[Text] = None, *,
          threads: Optional[int] = None, machine_set: Optional[Mapping[str, Any]] = None, force: bool = False, progress: bool = False,
          program: Optional[Text] = None) -> Sweep:
    """Runs a case with one value of a key after the other, as `myotile run --sweep` does, and opens all results:

        sweep("niederer-0.5.yaml", "cell.scale", [["g_Na=1"], ["g_Na=0.5"]], output="block").table

    The rest is as in run. Where a value fails the Error comes when all others have run; open_sweep opens what there is."""
    folder = Path(output if output is not None else Path(case).stem)
    texts = ",".join(text_of(value) for value in values)
    words = ["run", os.fspath(case), "--sweep", f"{key}={texts}", "--output", os.fspath(folder)]
    words += ["--progress", "lines" if progress else "never", *(["--force"] if force else [])]
    call(*words, *_sets("--set", set), *_sets("--machine-set", machine_set), program=program, threads=threads, progress=progress)
    return open_sweep(folder)


def tables(*arguments: Any, threads: Optional[int] = None, program: Optional[Text] = None) -> Dict[str, Any]:
    """The tables that a command prints, as pandas.DataFrames by their keys (data/reference/tables.schema.json):

        tables("partition", "heart.hdf", "--ipus", "1,4")["partition"]["received_percent"]

    Arguments are those of the command line. Columns end in their unit: apd90_ms. Properties are a table of one row. Where a command prints
    several tables of one key they are one, one behind the other, and the index begins with their titles. `attrs` has title and units."""
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
