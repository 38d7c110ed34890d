"""The results in the folder of a run; app/README.md lists the files."""

import csv
import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Union

import numpy

from . import used
from .errors import Error, needed
from .hdf import Array, Fields, File
from .mesh import Mesh, own_names

_cells = "VTKHDF/CellData"
_points = "VTKHDF/PointData"


def _values(file: File) -> str:
    """Returns the group of the fields: of the vertices with `discretisation: nodes`, otherwise of the elements."""
    return _points if _points in file else _cells


def _text(field: str) -> str:
    """Returns a text of a CSV file without the apostrophe that stops spreadsheets from executing it (data/files/csv.h)."""
    return field[1:] if re.match(r"''*[=+@\t\r-].", field, re.DOTALL) else field


class Series(Mapping[str, Array]):
    """Frames of series.hdf: series["V"] is an array [n_frames, n_elements], or [n_frames, n_vertices] with `discretisation: nodes`. It is
    always a view of the file, in the order of the series' mesh. `elements` and `vertices` are their numbers in the results' mesh.

    at  location of the values: "elements" or "vertices"."""

    def __init__(self, path: Path, whole: Mesh) -> None:
        self._file, self._whole = File(path), whole
        self._fields = Fields(self._file, _values(self._file), own_names)
        self.at = self._fields.at

    @cached_property
    def times_ms(self) -> Array:
        """[n_frames] the time of each frame in ms."""
        return self._file.array("VTKHDF/Steps/Values")

    @cached_property
    def mesh(self) -> Mesh:
        """The mesh of the frames: the conducting elements of the results' mesh."""
        return Mesh(self._file)

    @cached_property
    def elements(self) -> Array:
        """[n_elements] the number of each element in the results' mesh."""
        name = f"{_cells}/element"
        return self._file.array(name) if name in self._file else numpy.arange(self.mesh.n_elements)

    @cached_property
    def vertices(self) -> Array:
        """[n_vertices] the number of each vertex in the results' mesh. Raises an Error for frames of a part of the mesh with values at the
        elements, since series.hdf lacks these numbers."""
        name = f"{_points}/vertex"
        partial = name in self._file or f"{_cells}/element" in self._file
        return self._file.array(name) if partial else numpy.arange(self.mesh.n_points)

    def at_all(self, frame: Array) -> Array:
        """Returns a frame with a value for each element or vertex of the results' mesh, NaN for those that are not in the series:
        series.at_all(series["V"][3])."""
        numbers = self.vertices if self.at == "vertices" else self.elements
        if len(frame) != len(numbers):
            raise Error(f"at_all: an array of shape {frame.shape}; allowed: a value for each of {len(numbers)} {self.at}")
        n = self._whole.n_points if self.at == "vertices" else self._whole.n_elements
        found = numpy.full((n, *frame.shape[1:]), numpy.nan, frame.dtype)
        found[numbers] = frame
        return found

    def __getitem__(self, name: str) -> Array:
        return self._fields[name].reshape(len(self.times_ms), -1)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def unit(self, name: str) -> str:
        """Returns the unit of a field, such as "mV"."""
        return self._fields.unit(name)

    def __repr__(self) -> str:
        return f"<series of {self._file.path}: {', '.join(self)} at {len(self.times_ms)} times>"


class Results:
    """The results of a run. Each is read on first access and stored. A missing result raises an Error with the missing file and the key
    of the case that requests it."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        if any(self.folder.glob(".myotile.*.journal")):
            raise Error(f"{folder}: a run is replacing its files, or was killed while doing so; "
                        f"`myotile report {folder}` completes this")
        self._file = File(self._path("result.hdf", "no run has completed in this folder"))

    def _path(self, name: str, hint: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise Error(f"{path}: no such file; {hint}")
        return path

    @cached_property
    def mesh(self) -> Mesh:
        """The mesh, with fibres and tags."""
        return Mesh(self._file)

    @cached_property
    def maps(self) -> Fields:
        """Maps by their names in ParaView: maps["activation"] is [n_elements] in ms, or [n_vertices] with `discretisation: nodes`; the
        conduction velocity is [n_elements, 3] or [n_vertices, 3] in mm/ms. `maps.at` is "elements" or "vertices". Names for later beats end
        in _beat2 ... NaN is a missing value."""
        return Fields(self._file, _values(self._file), own_names)

    @cached_property
    def series(self) -> Series:
        """Field time series of V and states."""
        return Series(self._path("series.hdf", "requested by `series` in the case"), self.mesh)

    @cached_property
    def traces(self) -> Any:
        """A pandas.DataFrame of the traces of V and states at the recording sites. Its index is time_ms, its columns are (point, field): traces["P1", "V"].
        attrs["units"] has the unit of each field."""
        frame = self._over_time("traces.csv", "requested by `traces` in the case")
        columns, units = [], {}
        for column in frame.columns:
            found = re.fullmatch(r"(.*) ([^\s\[]+)(?:\[(.*)\])?", column, re.DOTALL)
            if not found:
                raise Error(f"{self.folder / 'traces.csv'}: column {column}; allowed: POINT FIELD[UNIT]")
            columns.append((found[1], found[2]))
            units[found[2]] = found[3] or ""
        frame.columns = needed("pandas").MultiIndex.from_tuples(columns, names=["point", "field"])
        frame.attrs["units"] = units
        return frame

    @cached_property
    def ecg(self) -> Any:
        """A pandas.DataFrame of the leads in mV. Its index is time_ms, with a column for each lead or electrode."""
        frame = self._over_time("ecg.csv", "requested by `electrodes` in the case")
        frame.attrs["units"] = {name: "mV" for name in frame.columns}
        return frame

    def _over_time(self, name: str, hint: str) -> Any:
        return needed("pandas").read_csv(self._path(name, hint), index_col="time_ms").rename(columns=_text)

    @cached_property
    def _probes(self) -> "tuple[Any, Any]":
        """Reads activation.csv: the rows of the case's points, which are first, and those of its line."""
        path = self._path("activation.csv", "written with result.hdf")
        table = needed("pandas").read_csv(path, converters={"point": _text}, keep_default_na=False, na_values={"activation_ms": ["", "nan"]})
        n_beats = table.beat.max() if "beat" in table.columns and len(table) else 1
        n = int(n_beats) * len(self.used.get("points") or [])
        return table[:n].copy(), table[n:].drop(columns="point").reset_index(drop=True)

    @property
    def points(self) -> Any:
        """A pandas.DataFrame of the case's points: point, x_mm, y_mm, z_mm, activation_ms, with `beats: every` also beat. NaN if not
        activated."""
        return self._probes[0]

    @property
    def line(self) -> Any:
        """A pandas.DataFrame of the points of the case's line, from its start to its end: the same columns without point."""
        return self._probes[1]

    @cached_property
    def profile(self) -> Dict[str, Any]:
        """The profile of the machine: profile.json, defined by data/reference/profile.schema.json. profile["totals"]["seconds"] is the
        modelled time."""
        found: Dict[str, Any] = json.loads(self._path("profile.json", "written by the backend `ipu`").read_text())
        return found

    def profile_table(self, name: str = "compute_sets") -> Any:
        """Returns a list of the profile as a pandas.DataFrame: compute_sets, time_step, vertices, links or memory.categories. Nested values
        have columns such as tile_compute_cycles.mean."""
        found: Any = self.profile
        for key in name.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        if not isinstance(found, list):
            raise Error(f"{self.folder / 'profile.json'}: {name}; allowed: compute_sets, time_step, vertices, links, memory.categories, and "
                        "segments if there are several")
        return needed("pandas").json_normalize(found)

    def tile_table(self, name: str = "tiles") -> Any:
        """Returns a table of the machine's tiles as a pandas.DataFrame: tiles, memory, vertices, received or links, from the CSV file of
        that name by `run(tiles=True)` (ipu/README.md describes them). Units are in the names of columns: "memory[bytes]"."""
        names = ("tiles", "memory", "vertices", "received", "links")
        if name not in names:
            raise Error(f"{name}; allowed: {', '.join(names)}")
        hint = "written by a run with tiles=True on several IPUs" if name == "links" else "written by a run with tiles=True"
        return needed("pandas").read_csv(self._path(f"{name}.csv", hint))

    @cached_property
    def used(self) -> Dict[str, Any]:
        """All values that the run used, including defaults: used["time"]["dt_ms"], used["stimuli"][0]["start_ms"]."""
        return used.read(self._path("used.yaml", "written with result.hdf").read_text())

    @cached_property
    def about(self) -> Dict[str, Any]:
        """Metadata of the run: program, mesh_hash, end_ms, time_reached_ms, and stopped_by: "its end", or a signal."""
        own = {key: value for key, value in self._file.attributes("run").items() if key != "used"}
        return {**self._file.attributes("/"), **own}

    def to_meshio(self) -> Any:
        """Returns a meshio.Mesh in mm, with tags, fibres and maps as cell_data; maps at the vertices are point_data:
        to_meshio().write("heart.vtu")."""
        return self.mesh.to_meshio(self.maps)

    def __repr__(self) -> str:
        n = f"{self.mesh.n_elements} elements" + (f", {self.mesh.n_points} vertices" if self.maps.at == "vertices" else "")
        return f"<results of {self.folder}: {n}, {', '.join(self.maps)}>"


class Sweep(Mapping[str, Results]):
    """The results of `run --sweep` by value, as text: sweep["[g_Na=0.4]"]. It lacks values of runs without results; the table has the
    reason."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        self._path = self.folder / "sweep.csv"
        if not self._path.is_file():
            raise Error(f"{self._path}: no such file; no sweep has completed in this folder")
        with self._path.open(newline="", encoding="utf-8") as file:
            values = list(dict.fromkeys(_text(row["value"]) for row in csv.DictReader(file)))
        found = {value: self._folder_of(value) for value in values}
        self._runs = {value: Results(folders[0]) for value, folders in found.items() if folders}

    def _folder_of(self, value: str) -> List[Path]:
        """Finds the folder of a value. Its name is the last part of the key, which the table does not have, =, and the value, with _ in
        place of characters that file names cannot have."""
        end = "=" + re.sub(r"[/\x00-\x1f\x7f]", "_", value)
        found = [f.parent for f in self.folder.glob("*/result.hdf") if f.parent.name.partition("=")[1:] == ("=", end[1:])]
        if len(found) > 1:
            raise Error(f"{self.folder}: {found[0].name} and {found[1].name} belong to two sweeps; allowed: one in a folder")
        return found

    @cached_property
    def table(self) -> Any:
        """sweep.csv as a pandas.DataFrame: a row for each value and beat, and columns with names that end in the unit, such as
        median_apd_ms."""
        return needed("pandas").read_csv(self._path, converters={"value": _text})

    def __getitem__(self, value: str) -> Results:
        if value not in self._runs:
            raise KeyError(f"{self.folder} has no results of {value}; allowed: {', '.join(self._runs)}")
        return self._runs[value]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)


class Ensemble(Mapping[str, Results]):
    """The results of `run --ensemble` by the name of the member: ensemble["001"]. It lacks members without results; the table has the
    reason."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        self._path = self.folder / "ensemble.csv"
        if not self._path.is_file():
            raise Error(f"{self._path}: no such file; no ensemble has completed in this folder")
        with self._path.open(newline="", encoding="utf-8") as file:
            names = list(dict.fromkeys(_text(row["name"]) for row in csv.DictReader(file)))
        self._names = [name for name in names if (self.folder / name / "result.hdf").is_file()]

    @cached_property
    def table(self) -> Any:
        """ensemble.csv as a pandas.DataFrame: a row for each member and beat, in the order of the table of members, with columns for its
        keys, for results with the unit at the end of the name, such as median_apd_ms, and outcome."""
        return needed("pandas").read_csv(self._path, converters={"name": _text})

    def __getitem__(self, name: str) -> Results:
        if name not in self._names:
            raise KeyError(f"{self.folder} has no results of {name}; allowed: {', '.join(self._names)}")
        return Results(self.folder / name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def open_results(folder: Union[str, Path]) -> Results:
    """Opens the results in the folder of a run. Raises an Error if there are none."""
    return Results(folder)


def open_sweep(folder: Union[str, Path]) -> Sweep:
    """Opens the results below the folder of a sweep. Raises an Error if there are none."""
    return Sweep(folder)


def open_ensemble(folder: Union[str, Path]) -> Ensemble:
    """Opens the results below the folder of an ensemble. Raises an Error if there are none."""
    return Ensemble(folder)
