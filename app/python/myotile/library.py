"""The library libmyotile in this process: a case is opened once and run many times, and results are arrays without files.

    with myotile.Case(myotile.cases / "niederer-0.5.yaml", {"machine.backend": "cpu"}) as slab:
        for sigma in (0.1, 0.2):
            print(slab.run({"tissue.intracellular_l_mS_mm": sigma}).maps["activation"].max())

Needs Debian's python3-cffi. The C header app/library/myotile.h describes all objects. Calls release Python's global lock, so cases can run in
several threads. The library is the first of: the environment variable MYOTILE_LIBRARY, that of the same installation, that in
build/release of the source tree."""

import os
import re
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional

import numpy

from .errors import Error, needed
from .program import Text, _here, _installed, _outermost, _prefix, _source

_names = {0: "done", 2: "input", 3: "file", 4: "fit", 5: "numerics", 6: "device", 12: "memory", 130: "stopped"}


class _Library:
    """The functions of the library, loaded at the first use."""

    def __init__(self) -> None:
        self._found: Any = None

    def _load(self) -> Any:
        cffi = needed("cffi")
        header = _prefix / "include" / "myotile.h" if _installed else _source / "app" / "library" / "myotile.h"
        beside = _prefix / "lib" / "libmyotile.so.0" if _installed else _source / "build" / "release" / "libmyotile.so.0"
        path = os.environ.get("MYOTILE_LIBRARY") or str(beside)
        text = re.sub(r"^#.*$", "", re.sub(r"#ifdef __cplusplus.*?#endif", "", header.read_text(), flags=re.S), flags=re.M)
        ffi = cffi.FFI()
        ffi.cdef(text)
        try:
            return ffi, ffi.dlopen(path)
        except OSError as why:
            raise Error(f"{path}: the library cannot be loaded ({why}); set the environment variable MYOTILE_LIBRARY") from why

    def __call__(self) -> Any:
        if self._found is None:
            self._found = self._load()
        return self._found


_library = _Library()


def _text(ffi: Any, pointer: Any) -> str:
    return str(ffi.string(pointer).decode(errors="replace"))


def _fail(status: int) -> Error:
    ffi, lib = _library()
    return Error(_text(ffi, lib.myotile_message()), status)


def _texts(ffi: Any, values: Optional[Mapping[str, Any]]) -> List[Any]:
    return [ffi.new("char[]", f"{key}={_outermost(value)}".encode()) for key, value in (values or {}).items()]


class Mesh:
    """The mesh of a case: `points_mm` [n_vertices, 3], `tetrahedra` [n_elements, 4] and `tags` [n_elements], copied."""

    def __init__(self, points_mm: Any, tetrahedra: Any, tags: Any) -> None:
        self.points_mm, self.tetrahedra, self.tags = points_mm, tetrahedra, tags


class Frames:
    """The frames of a field: `times_ms` [n_frames], `values` [n_frames, n], and `numbers` [n] of the elements or vertices in the mesh."""

    def __init__(self, times_ms: Any, values: Any, numbers: Any, at: str) -> None:
        self.times_ms, self.values, self.numbers, self.at = times_ms, values, numbers, at


class Run:
    """The result of a run. All arrays are copies.

    maps         arrays by the names in files, "activation" or "apd90_beat2", [n_elements] or [n_vertices], or [n, 3]
    units        the unit of each map
    at           "elements" or "vertices": the location of the values of maps
    tables       those of the case among "traces", "ecg" and "points", as (index, columns, values [n_rows, n_columns])
    traces, ecg, points  the same as pandas tables; None if the case has no such table
    frames       Frames by field
    stopped      True if a callback ended the run
    reached_ms, beats, used, cycles, machine_s"""

    def __init__(self, r: Any, stopped: bool) -> None:
        ffi, lib = _library()
        self.stopped = stopped
        self.reached_ms, self.beats = float(lib.myotile_result_reached_ms(r)), int(lib.myotile_result_beats(r))
        self.used = _text(ffi, lib.myotile_result_used(r))
        self.cycles, self.machine_s = int(lib.myotile_result_cycles(r)), float(lib.myotile_result_machine_s(r))
        self.maps: Dict[str, Any] = {}
        self.units: Dict[str, str] = {}
        self.at = "elements"
        self._take_maps(ffi, lib, r)
        self.tables = {name: table for name in ("traces", "ecg", "points") if (table := self._table(ffi, lib, r, name.encode()))}
        self.frames = self._frames(ffi, lib, r)

    @staticmethod
    def _copy(ffi: Any, pointer: Any, shape: Any, dtype: str) -> Any:
        count = int(numpy.prod(shape))
        if count == 0:
            return numpy.empty(shape, dtype)
        return numpy.frombuffer(ffi.buffer(pointer, count * numpy.dtype(dtype).itemsize), dtype).reshape(shape).copy()

    def _take_maps(self, ffi: Any, lib: Any, r: Any) -> None:
        found = ffi.new("myotile_map *")
        k = 0
        while (name := lib.myotile_result_map_name(r, k)) != ffi.NULL:
            for beat in range(self.beats):
                if lib.myotile_result_map(r, name, beat, found):
                    continue
                word = _text(ffi, name) + (f"_beat{beat + 1}" if beat else "")
                shape = (found.n, found.components) if found.components > 1 else (found.n,)
                self.maps[word] = self._copy(ffi, found.value, shape, "float32")
                self.units[word] = _text(ffi, found.unit)
                self.at = "vertices" if found.at_vertices else "elements"
            k += 1

    def _table(self, ffi: Any, lib: Any, r: Any, name: bytes) -> Any:
        """Returns index, columns and values; None if there is no such table."""
        t = ffi.new("myotile_table *")
        if lib.myotile_result_table(r, name, t):
            return None
        index = ([_text(ffi, t.row[k]) for k in range(t.n_rows)] if t.time_ms == ffi.NULL else
                 self._copy(ffi, t.time_ms, (t.n_rows,), "float64"))
        return index, [_text(ffi, t.column[k]) for k in range(t.n_columns)], self._copy(ffi, t.value, (t.n_rows, t.n_columns), "float64")

    def _frame(self, name: str, index_name: str) -> Any:
        if name not in self.tables:
            return None
        index, columns, values = self.tables[name]
        return needed("pandas").DataFrame(values, index, columns).rename_axis(index_name)

    @property
    def traces(self) -> Any:
        return self._frame("traces", "time_ms")

    @property
    def ecg(self) -> Any:
        return self._frame("ecg", "time_ms")

    @property
    def points(self) -> Any:
        return self._frame("points", "point")

    def _frames(self, ffi: Any, lib: Any, r: Any) -> Dict[str, Frames]:
        fields, found = {}, ffi.new("myotile_frames *")
        k = 0
        while (name := lib.myotile_result_frames_name(r, k)) != ffi.NULL:
            lib.myotile_result_frames(r, name, found)
            shape = (found.n_frames, found.n)
            fields[_text(ffi, name)] = Frames(
                self._copy(ffi, found.time_ms, (found.n_frames,), "float64"), self._copy(ffi, found.value, shape, "float32"),
                self._copy(ffi, found.number, (found.n,), "uint32"), "vertices" if found.at_vertices else "elements")
            k += 1
        return fields

    def __repr__(self) -> str:
        return f"<run to {self.reached_ms:g} ms: {', '.join(self.maps)}>"


class Case:
    """A case that is open. Use it in one thread at a time; different cases can run in different threads.

    path      the case file; `set` as of myotile.run
    threads   number of OpenMP threads of each run; None: as OpenMP decides
    cache     False to measure and partition again, without the cache
    message   called as message(kind, text) for warnings, notes and decisions
    progress  called as progress(what, done, total); True stops"""

    def __init__(self, path: Text, set: Optional[Mapping[str, Any]] = None, *, threads: Optional[int] = None, cache: bool = True,
                 message: Optional[Callable[[str, str], Any]] = None,
                 progress: Optional[Callable[[str, float, float], Any]] = None) -> None:
        ffi, lib = _library()
        self._case: Any = None
        self._raised: Optional[BaseException] = None
        self._calls: Dict[str, Any] = {}
        options = ffi.new("myotile_options *", {"threads": threads or 0, "no_cache": not cache})
        if message:
            self._calls["message"] = ffi.callback("void(void *, const char *, const char *)", self._guarded(
                lambda user, kind, text: message(_text(ffi, kind), _text(ffi, text)), None))
            options.message = self._calls["message"]
        if progress:
            self._calls["progress"] = ffi.callback("bool(void *, const char *, double, double)", self._guarded(
                lambda user, what, done, total: bool(progress(_text(ffi, what), done, total)), True))
            options.progress = self._calls["progress"]
        texts, opened = _texts(ffi, set), ffi.new("myotile_case **")
        status = lib.myotile_open(os.fsencode(path), ffi.new("const char *[]", texts), len(texts), options, opened)
        self._raise()
        if status:
            raise _fail(status)
        self._case = opened[0]

    def _guarded(self, function: Any, otherwise: Any) -> Any:
        """Returns a callback that keeps an exception for the caller of the run."""
        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as why:  # KeyboardInterrupt, too
                self._raised = self._raised or why
                return otherwise
        return call

    def _raise(self) -> None:
        why, self._raised = self._raised, None
        if why:
            raise why

    def _open(self) -> Any:
        if self._case is None:
            raise Error("the case is closed")
        return self._case

    @property
    def mesh(self) -> Mesh:
        ffi, lib = _library()
        m = ffi.new("myotile_mesh *")
        lib.myotile_mesh_of(self._open(), m)
        return Mesh(Run._copy(ffi, m.xyz_mm, (m.n_vertices, 3), "float64"), Run._copy(ffi, m.tetrahedron, (m.n_elements, 4), "uint32"),
                    Run._copy(ffi, m.tag, (m.n_elements,), "int32"))

    def run(self, set: Optional[Mapping[str, Any]] = None, *, every_ms: Optional[float] = None,
            sample: Optional[Callable[[float, Any], Any]] = None) -> Run:
        """Runs the case with further values. `sample(time_ms, v_mV)` is called every `every_ms` with V of all elements or vertices that
        conduct, in an array that is valid during the call; True stops the run, which then has `stopped`. An exception in a callback stops
        the run and is raised again."""
        ffi, lib = _library()
        watch, texts, result = ffi.NULL, _texts(ffi, set), ffi.new("myotile_result **")
        if sample:
            look = sample

            def observe(user: Any, s: Any) -> bool:
                return bool(look(s.time_ms, numpy.frombuffer(ffi.buffer(s.v_mV, s.n * 8), "float64")))
            function = ffi.callback("bool(void *, const myotile_sample *)", self._guarded(observe, True))
            watch = ffi.new("myotile_watch *", {"every_ms": every_ms if every_ms is not None else 1.0, "sample": function})
        status = lib.myotile_run(self._open(), ffi.new("const char *[]", texts), len(texts), watch, result)
        kept = ffi.gc(result[0], lib.myotile_result_free) if result[0] != ffi.NULL else None
        self._raise()
        if kept is None or status not in (0, 130):
            raise _fail(status)
        return Run(kept, status == 130)

    def close(self) -> None:
        """Frees the case; results remain."""
        if self._case is not None:
            _library()[1].myotile_close(self._case)
        self._case = None

    def __enter__(self) -> "Case":
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
