"""Helpers for tests: a temporary folder with a small case."""
import os
import tempfile
from pathlib import Path

import myotile

small = myotile.cases / "niederer-0.5.yaml"
SMALL = {
    "mesh.slab.size_mm": [3, 2, 1],
    "time.end_ms": 10,
    "points": [{"name": "=near, here", "at_mm": [0.5, 0.5, 0.5]}, {"name": "NA", "at_mm": [2.5, 1.5, 0.5]}],
    "line": {"from_mm": [0, 0, 0], "to_mm": [3, 2, 1], "points": 3},
}
EVERYTHING = {
    **SMALL,
    "output": {"maps": ["peak", "conduction_velocity"]},
    "traces": {"every_ms": 0.5, "fields": ["V", "Ca_i", "m"]},
    "series": {"every_ms": 2, "fields": ["V", "Ca_i"]},
    "electrodes": [{"name": "ahead", "at_mm": [10, 1, 0.5]}, {"name": "behind", "at_mm": [-5, 1, 0.5]}],
}
NODES = {  # one value per vertex, with a scar
    **SMALL,
    "points": [],
    "machine.backend": "cpu",
    "diffusion.discretisation": "nodes",
    "output.maps": ["peak", "conduction_velocity"],
    "series": {"every_ms": 2},
    "regions": [{"min_mm": [2, 1, 0], "max_mm": [3, 2, 1], "non_conducting": True}],
}


def enter(test_class):
    """Creates a folder, makes it the current one until the tests of the class end, and returns its path."""
    temporary = tempfile.TemporaryDirectory()
    test_class.addClassCleanup(temporary.cleanup)
    test_class.addClassCleanup(os.chdir, os.getcwd())
    os.chdir(temporary.name)
    os.environ["XDG_CACHE_HOME"] = os.environ.get("MT_TEST_CACHE", str(Path(temporary.name) / "cache"))
    return Path(temporary.name)
