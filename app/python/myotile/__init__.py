"""Myotile from Python: runs cases and reads what a run leaves, as arrays of numpy and tables of pandas.

    import myotile
    r = myotile.run(myotile.cases / "niederer-0.5.yaml", set={"time.end_ms": 20}, output="quick")
    r.maps["activation"]           # [n_elements] in ms
    r.mesh.points_mm               # [n_points, 3]
    myotile.plot.map(r)            # with matplotlib

The emulated machine alone is another package, myotile_ipu. This one calls the program and reads its files, so it needs numpy and h5py;
pandas, matplotlib and meshio are imported where something needs them. Units stand in the names, or come with the data:
`r.maps.unit("peak")`.

    program    run, sweep, tables, call: the program
    results    open, open_sweep: Results of a folder, with its series and tables
    mesh       Mesh, of a result or any other file of Myotile
    plot       maps and traces as pictures
    hdf        arrays of a file without a copy
    used       the values of used.yaml
    notebook   scripts with cells as notebooks"""

from . import plot
from .errors import CaseWarning, Error
from .hdf import Fields
from .mesh import Mesh
from .program import call, cases, geometry, run, sweep, tables
from .results import Results, Series, Sweep, open_results as open, open_sweep

__all__ = ["CaseWarning", "Error", "Fields", "Mesh", "Results", "Series", "Sweep", "call", "cases", "geometry", "open", "open_sweep",
           "plot", "run", "sweep", "tables"]
