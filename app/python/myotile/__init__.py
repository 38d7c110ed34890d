"""Myotile from Python: runs cases and reads their results as arrays of numpy and tables of pandas.

    import myotile
    r = myotile.run(myotile.cases / "niederer-0.5.yaml", set={"time.end_ms": 20}, output="quick")
    r.maps["activation"]           # [n_elements], or [n_vertices] for discretisation nodes, in ms
    r.mesh.points_mm               # [n_points, 3]
    myotile.plot.map(r)            # with matplotlib

The package myotile_ipu has the emulated machine without hearts. This package calls the program and reads its files. It needs numpy and
h5py; pandas, matplotlib and meshio are imported on demand. Units are in the names, or stored with the data: `r.maps.unit("peak")`.

    program    run, sweep, ensemble, tables, call: the program
    results    open, open_sweep, open_ensemble: Results of a folder, with its series and tables
    mesh       Mesh, of a result or any other file of Myotile
    plot       maps and traces as pictures
    hdf        arrays of a file without a copy
    used       the values of used.yaml
    library    Case: a case in this process, opened once and run many times, without files
    notebook   scripts with cells as notebooks"""

from . import plot
from .errors import CaseWarning, Error
from .hdf import Fields
from .library import Case, Run
from .mesh import Mesh
from .program import call, cases, ensemble, geometry, run, sweep, tables
from .results import Ensemble, Results, Series, Sweep, open_ensemble, open_results as open, open_sweep

__all__ = ["Case", "CaseWarning", "Ensemble", "Error", "Fields", "Mesh", "Results", "Run", "Series", "Sweep", "call", "cases", "ensemble",
           "geometry", "open", "open_ensemble", "open_sweep", "plot", "run", "sweep", "tables"]
