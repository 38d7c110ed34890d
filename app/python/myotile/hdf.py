"""Arrays of an HDF5 file without a copy.

Small arrays, and all arrays of series.hdf, are stored contiguously and uncompressed. Such an array is a view of the memory-mapped file:
pages are read on access, without a copy. In other files arrays from 1 MiB on are compressed in chunks, and each access returns a new
copy. Both kinds are read-only. An open file is not affected if the file is replaced."""

import mmap
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Union

import numpy
from numpy.typing import NDArray

from .errors import Error, needed

Array = NDArray[Any]


class File:
    """An open HDF5 file; it is closed once neither this object nor a view of it exists."""

    def __init__(self, path: Union[str, Path]) -> None:
        h5py = needed("h5py")
        self.path = Path(path)
        try:
            self._file = h5py.File(self.path, "r")
        except FileNotFoundError:
            raise Error(f"{self.path}: no such file") from None
        except OSError as why:
            raise Error(f"{self.path}: cannot be read: {why}") from why
        self._map = mmap.mmap(self._file.id.get_vfd_handle(), 0, access=mmap.ACCESS_READ)

    def __contains__(self, name: str) -> bool:
        return name in self._file

    def names(self, group: str) -> "list[str]":
        """Returns the names in a group, sorted; an empty list if there is no such group."""
        return list(self._file[group]) if group in self._file else []

    def _at(self, name: str) -> Any:
        if name not in self._file:
            raise Error(f"{self.path}: {name} is missing")
        return self._file[name]

    def array(self, name: str) -> Array:
        """Returns a read-only array: a view of the file, or a copy if it is compressed."""
        dataset = self._at(name)
        offset = dataset.id.get_offset()
        if offset is None:
            copy: Array = dataset[()]
            copy.flags.writeable = False
            return copy
        return numpy.frombuffer(self._map, dataset.dtype, dataset.size, offset).reshape(dataset.shape)

    def attributes(self, name: str) -> "Dict[str, Any]":
        """Returns the attributes of an array or group; texts are str, numbers are numbers of Python."""
        return {key: value.decode() if isinstance(value, bytes) else value.item() if numpy.ndim(value) == 0 else value
                for key, value in self._at(name).attrs.items()}


class Fields(Mapping[str, Array]):
    """Fields of the elements or vertices by name: fields["apd90"] is an array [n_elements] or, for vectors, [n_elements, 3]. With
    `discretisation: nodes` it is [n_vertices] or [n_vertices, 3]. NaN is a missing value. A field is read on access, as a view or a copy
    (myotile.hdf).

    at  location of the values: "elements" or "vertices"."""

    def __init__(self, file: File, group: str, without: "frozenset[str]" = frozenset()) -> None:
        self._file, self._group = file, group
        self.at = "vertices" if group.endswith("PointData") else "elements"
        self._names = [name for name in file.names(group) if name not in without]

    def _known(self, name: str) -> str:
        if name not in self._names:
            raise KeyError(f"{self._file.path} has no {name}; allowed: {', '.join(self._names)}")
        return f"{self._group}/{name}"

    def __getitem__(self, name: str) -> Array:
        return self._file.array(self._known(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def unit(self, name: str) -> str:
        """Returns the unit of a field, such as "ms"; "" if it has none."""
        return str(self._file.attributes(self._known(name)).get("unit", ""))

    def nan(self, name: str) -> str:
        """Returns the meaning of a missing value, in words; "" if no value is missing."""
        return str(self._file.attributes(self._known(name)).get("nan", ""))

    def __repr__(self) -> str:
        return f"<fields of {self._file.path}: {', '.join(f'{n} [{self.unit(n)}]' for n in self._names)}>"
