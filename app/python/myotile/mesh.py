"""A tetrahedral mesh in a file of `myotile mesh` or `myotile run` (VTKHDF)."""

from functools import cached_property
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Tuple, Union

import numpy

from .errors import Error, needed
from .hdf import Array, Fields, File

_cells = "VTKHDF/CellData"

# The element fields of a mesh; the other arrays of a result are its maps.
own_names = frozenset(["region", "fibre", "sheet", "normal", "depth", "layer", "ipu", "tile", "element", "inert", "vertex"])


class Mesh:
    """The mesh of a file. Arrays are read on access, as views or copies (myotile.hdf). Optional arrays are None if the mesh has none."""

    def __init__(self, file: Union[str, Path, File]) -> None:
        self._file = file if isinstance(file, File) else File(file)
        self.n_points = len(self.points_mm)
        self.n_elements = len(self.tetrahedra)

    def _field(self, name: str) -> Optional[Array]:
        return self._file.array(f"{_cells}/{name}") if f"{_cells}/{name}" in self._file else None

    @cached_property
    def points_mm(self) -> Array:
        """[n_points, 3] the vertices in mm."""
        return self._file.array("VTKHDF/Points")

    @cached_property
    def tetrahedra(self) -> Array:
        """[n_elements, 4] the vertices of each element, as row numbers of points_mm."""
        return self._file.array("VTKHDF/Connectivity").reshape(-1, 4)

    @cached_property
    def tags(self) -> Array:
        """[n_elements] the tag (region) of each element."""
        return self._file.array(f"{_cells}/region")

    @cached_property
    def fibres(self) -> Optional[Array]:
        """[n_elements, 3] unit vectors in the fibre direction."""
        return self._field("fibre")

    @cached_property
    def sheets(self) -> Optional[Array]:
        """[n_elements, 3] unit vectors in the sheet plane, perpendicular to the fibres."""
        return self._field("sheet")

    @cached_property
    def depth(self) -> Optional[Array]:
        """[n_elements] the transmural depth, from 0 at the endocardium to 1 at the epicardium."""
        return self._field("depth")

    @cached_property
    def layers(self) -> Optional[Array]:
        """[n_elements] the transmural layer."""
        return self._field("layer")

    @cached_property
    def inert(self) -> Optional[Array]:
        """[n_elements] 1 for non-conducting elements, such as scar; None if all elements conduct."""
        return self._field("inert")

    @cached_property
    def tiles(self) -> Optional[Tuple[Array, Array]]:
        """Two arrays [n_elements] of a partitioned mesh: the IPU of each element, and its tile on that IPU, from 0."""
        ipu, tile = self._field("ipu"), self._field("tile")
        return None if ipu is None or tile is None else (ipu, tile)

    @cached_property
    def faces(self) -> Optional[Tuple[Array, Array]]:
        """[n, 3] and [n] the vertices of the tagged triangles of its surfaces, and their tags."""
        fields = "VTKHDF/FieldData"
        if f"{fields}/face_vertex" not in self._file:
            return None
        return self._file.array(f"{fields}/face_vertex"), self._file.array(f"{fields}/face_tag")

    @cached_property
    def centres_mm(self) -> Array:
        """[n_elements, 3] the centres of the elements in mm; computed."""
        return numpy.asarray(self.points_mm[self.tetrahedra].mean(axis=1))

    @cached_property
    def volumes_mm3(self) -> Array:
        """[n_elements] the volumes of the elements in mm^3; computed."""
        corners = self.points_mm[self.tetrahedra]
        edges = corners[:, 1:] - corners[:, :1]
        return numpy.asarray(numpy.linalg.det(edges) / 6)

    @cached_property
    def surface(self) -> Tuple[Array, Array]:
        """[n, 3] and [n] the boundary triangles, counter-clockwise seen from outside, and the element of each; computed."""
        of_element = numpy.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
        triangles = self.tetrahedra[:, of_element].reshape(-1, 3)
        _, first, times = numpy.unique(numpy.sort(triangles, axis=1), axis=0, return_index=True, return_counts=True)
        outer = numpy.sort(first[times == 1])
        return triangles[outer], outer // 4

    def element_means(self, values: Array) -> Array:
        """Returns the mean over the four vertices of each element, [n_elements] or [n_elements, 3], of values at the vertices, [n_vertices]
        or [n_vertices, 3]. It is NaN if one of the four is NaN."""
        if len(values) != self.n_points:
            raise Error(f"element_means: an array of shape {values.shape}; allowed: a value for each of {self.n_points} vertices")
        return numpy.asarray(values[self.tetrahedra].mean(axis=1))

    def to_meshio(self, fields: Optional[Mapping[str, Array]] = None) -> Any:
        """Returns a meshio.Mesh of the tetrahedra, in mm, with tags (region), fibres and sheets as cell_data, without triangles. The given
        fields are also cell_data, or point_data if they are Fields at the vertices. It shares the arrays, without a copy."""
        cell_data: Dict[str, "list[Array]"] = {"region": [self.tags]}
        for name, array in (("fibre", self.fibres), ("sheet", self.sheets)):
            if array is not None:
                cell_data[name] = [array]
        at_vertices = isinstance(fields, Fields) and fields.at == "vertices"
        point_data = dict(fields) if fields and at_vertices else {}
        if fields and not at_vertices:
            cell_data.update({name: [array] for name, array in fields.items()})
        return needed("meshio").Mesh(self.points_mm, [("tetra", self.tetrahedra)], point_data=point_data, cell_data=cell_data)

    def __repr__(self) -> str:
        return f"<mesh of {self._file.path}: {self.n_elements} elements, {self.n_points} points>"
