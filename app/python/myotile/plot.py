"""Pictures of maps and traces, with matplotlib. Functions draw into axes and return them; matplotlib saves the figure:
`myotile.plot.map(r).figure.savefig("map.png")`."""

from typing import TYPE_CHECKING, Any, Iterable, Optional, Union

import numpy

from .errors import Error, needed
from .hdf import Array
from .mesh import Mesh

if TYPE_CHECKING:
    from .results import Results


def _axes(ax: Any) -> Any:
    return needed("matplotlib.pyplot").subplots(layout="constrained")[1] if ax is None else ax


def _axes_3d(ax: Any) -> Any:
    if ax is None:
        return needed("matplotlib.pyplot").subplots(layout="constrained", subplot_kw={"projection": "3d"})[1]
    if not hasattr(ax, "get_zlim"):
        raise Error("plot.map: axes in two dimensions; allowed: axes with projection=\"3d\"")
    return ax


def _toward(azimuth_deg: float, elevation_deg: float) -> Array:
    """Returns the unit vector towards the viewer."""
    a, e = numpy.radians([azimuth_deg, elevation_deg])
    return numpy.array([numpy.cos(e) * numpy.cos(a), numpy.cos(e) * numpy.sin(a), numpy.sin(e)])


def _frame(ax: Any, corners: Array) -> None:
    """Sets the limits of 3-D axes to those of a surface, with the same scale along x, y and z."""
    low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    for name, least, most in zip("xyz", low, high):
        getattr(ax, f"set_{name}lim")(least, most)
        getattr(ax, f"set_{name}label")(f"{name} (mm)")
    ax.set_box_aspect(high - low)


def _values(of: "Union[Results, Mesh]", what: "Union[str, Array]", label: Optional[str]) -> "tuple[Mesh, Array, str]":
    if isinstance(of, Mesh):
        if isinstance(what, str):
            raise Error(f"plot.map of a mesh: {what}; allowed: an array of {of.n_elements} values, or the Results for a map's name")
        mesh, values, label = of, numpy.asarray(what), label or ""
    elif isinstance(what, str):
        mesh, values, label = of.mesh, of.maps[what], label or f"{what.replace('_', ' ')} ({of.maps.unit(what)})"
    else:
        mesh, values, label = of.mesh, numpy.asarray(what), label or ""
    if values.ndim == 2:
        values = numpy.linalg.norm(values, axis=1)
    return mesh, _of_elements(of, mesh, values), label


def _of_elements(of: "Union[Results, Mesh]", mesh: Mesh, values: Array) -> Array:
    """Returns a value for each element, from values at the elements or vertices of the mesh, or from a frame of the results' series. The
    results' own location has priority if lengths are equal."""
    sizes = {"elements": (mesh.n_elements,), "vertices": (mesh.n_points,)}
    at = "elements" if isinstance(of, Mesh) else of.maps.at
    if values.shape != sizes[at] and not isinstance(of, Mesh) and (of.folder / "series.hdf").is_file():
        numbers = of.series.vertices if of.series.at == "vertices" else of.series.elements
        if values.shape == numbers.shape:
            values, at = of.series.at_all(values), of.series.at
    if values.shape != sizes[at]:
        at = "elements" if at == "vertices" else "vertices"
    if values.shape != sizes[at]:
        raise Error(f"plot.map: an array of shape {values.shape}; allowed: a value for each of {mesh.n_elements} elements or "
                    f"{mesh.n_points} vertices")
    if at == "elements":
        return values
    means = mesh.element_means(values)
    return means if mesh.inert is None else numpy.where(mesh.inert == 1, numpy.nan, means)


def map(of: "Union[Results, Mesh]", what: "Union[str, Array]" = "activation", ax: Any = None, *, label: Optional[str] = None,
        azimuth_deg: float = -60, elevation_deg: float = 25, colours: Any = "viridis", vmin: Optional[float] = None,
        vmax: Optional[float] = None, bar: bool = True) -> Any:
    """Draws the outer surface of a mesh in 3-D, each triangle in the colour of its element, and returns the axes, in mm. For values at the
    vertices, an element has the mean of its four vertices; it is missing if one of the four is NaN or if the element does not conduct.

    of             results, or a mesh with an array for `what`
    what           the name of a map, or an array [n_elements] or [n_vertices]; of vectors [n, 3] the magnitude is drawn. With results also
                   a frame of their series, r.series["V"][3], even if it covers a part of the mesh
    ax             axes with projection="3d"; None: new ones
    label          label of the colour bar; None: name and unit of the map
    azimuth_deg, elevation_deg
                   direction of the viewer: around z from x to y, and upwards
    colours        colour map of matplotlib; missing values are grey
    vmin, vmax     range of the colour map; None: minimum and maximum on the surface
    bar            True for a colour bar"""
    mesh, values, label = _values(of, what, label)
    ax = _axes_3d(ax)
    triangles, element = mesh.surface
    corners = mesh.points_mm[triangles]
    normal = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = numpy.abs(normal @ _toward(azimuth_deg, elevation_deg)) / numpy.maximum(numpy.linalg.norm(normal, axis=1), 1e-300)
    drawn = values[element]
    finite = drawn[numpy.isfinite(drawn)]
    ends = (numpy.nan, numpy.nan) if not finite.size else (finite.min(), finite.max())
    norm = needed("matplotlib.colors").Normalize(ends[0] if vmin is None else vmin, ends[1] if vmax is None else vmax)
    palette = needed("matplotlib.pyplot").get_cmap(colours).copy()
    palette.set_bad("0.75")
    masked: Any = numpy.ma.MaskedArray  # NumPy declares no types for it
    rgba = palette(norm(masked(drawn, ~numpy.isfinite(drawn))))  # masked, since Normalize drops NaN if all values are equal
    rgba[:, :3] *= (0.8 + 0.2 * facing)[:, None]  # a light at the viewer's position
    surface = needed("mpl_toolkits.mplot3d.art3d").Poly3DCollection(corners, facecolors=rgba, edgecolors=rgba, linewidths=0.2)
    ax.add_collection3d(surface)
    _frame(ax, corners)
    ax.view_init(elevation_deg, azimuth_deg)
    if bar:
        colour = needed("matplotlib.cm").ScalarMappable(norm=norm, cmap=palette)
        ax.figure.colorbar(colour, ax=ax, label=label, shrink=0.8)
    return ax


def trace(of: "Results", field: str = "V", points: Optional[Iterable[str]] = None, ax: Any = None) -> Any:
    """Draws a field of the traces over time, with a line for each point, and returns the axes. `points`: None for all."""
    traces = of.traces
    fields = list(dict.fromkeys(traces.columns.get_level_values("field")))
    if field not in fields:
        raise Error(f"{of.folder / 'traces.csv'}: {field}; allowed: {', '.join(fields)}")
    table = traces.xs(field, axis=1, level="field")
    unknown = [point for point in points or () if point not in table.columns]
    if unknown:
        raise Error(f"{of.folder / 'traces.csv'}: {unknown[0]}; allowed: {', '.join(table.columns)}")
    ax = _axes(ax)
    for point in table.columns if points is None else points:
        ax.plot(table.index, table[point], label=point)
    unit = traces.attrs["units"][field]
    ax.set_xlabel("time (ms)")
    ax.set_ylabel(f"{field} ({unit})" if unit else field)
    ax.legend()
    return ax
