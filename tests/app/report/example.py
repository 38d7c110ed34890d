"""A synthetic report: a bowl of muscle with values that are functions of the position, so that tests can compare the page with its data.
Fills data/report/template.html in the format of app/report/page/README.md.

    example.py TEMPLATE OUTPUT [--title TITLE] [--fine]     --fine: as large as reports get, some 3 MB
"""

import argparse
import base64
import json
import zlib

import numpy as np

TYPES = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "f32": np.float32, "f64": np.float64, "text": np.uint8}
MISSING = {"u8": 255, "u16": 65535}
LEADS = ["I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"]


class Blocks:
    """The arrays of a report."""

    def __init__(self):
        self.text = []

    def add(self, numbers, kind, components=1, back=0, **coding):
        """Adds numbers of a type, item after item; back: they are differences from the number `back` before."""
        flat = np.ascontiguousarray(numbers, dtype=TYPES[kind]).ravel()
        name = f"a{len(self.text)}"
        stored = flat.copy()
        if back:
            stored[back:] = flat[back:] - flat[:-back]
        packed = base64.b64encode(zlib.compress(stored.tobytes(), 9)).decode()
        self.text.append(f'<script type="text/plain" id="{name}">{packed}</script>')
        array = {"id": name, "type": kind, "count": flat.size // components, "components": components, "offset": 0, "scale": 1, "missing": None}
        return {**array, "delta": back == components, **coding}

    def values(self, values, kind="u16", components=1, back=None):
        """Adds values, quantised in equal steps over their range; NaN is missing."""
        values = np.asarray(values, float)
        low, high = np.nanmin(values), np.nanmax(values)
        scale = (high - low) / (MISSING[kind] - 1) or 1
        steps = np.where(np.isnan(values), MISSING[kind], np.round((np.nan_to_num(values, nan=low) - low) / scale))
        coding = {"offset": low, "scale": scale, "missing": MISSING[kind]}
        if back and back != components:
            coding["delta_items"] = back
        return self.add(steps, kind, components, components if back is None else back, **coding)

    def index(self, numbers, components=1):
        return self.add(numbers, "u32", components, components)

    def words(self, text):
        return self.add(np.frombuffer(text.encode(), np.uint8), "text")


class Bowl:
    """A thick half ellipsoid, open at the top: a grid of vertices and tetrahedra."""

    def __init__(self, around, along, through):
        self.size = (along + 1, around, through + 1)
        theta = np.linspace(0.08, 0.62, along + 1)[:, None, None] * np.pi  # from the apex up
        phi = np.linspace(0, 2 * np.pi, around, endpoint=False)[None, :, None]
        depth = np.linspace(0, 1, through + 1)[None, None, :]
        wide, tall = 30 - 11 * depth, 45 - 11 * depth
        place = [wide * np.sin(theta) * np.cos(phi), wide * np.sin(theta) * np.sin(phi), -tall * np.cos(theta)]
        self.position = np.stack(np.broadcast_arrays(*place), -1).reshape(-1, 3)

    def number(self, i, j, k):
        return (i * self.size[1] + j % self.size[1]) * self.size[2] + k

    def tetrahedra(self):
        """Returns six tetrahedra for each cell, around its diagonal."""
        ways = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]
        cells = []
        for i in range(self.size[0] - 1):
            for j in range(self.size[1]):
                for k in range(self.size[2] - 1):
                    corner = [self.number(i + (c >> 2 & 1), j + (c >> 1 & 1), k + (c & 1)) for c in range(8)]
                    cells += [[corner[c] for c in way] for way in ways]
        return np.array(cells)

    def surface(self):
        """Returns the triangles of the outside, the inside, the upper rim and the rim around the apex."""
        rows, around, layers = self.size
        quads = []
        for j in range(around):
            for i in range(rows - 1):
                quads.append([(i, j, 0), (i, j + 1, 0), (i + 1, j + 1, 0), (i + 1, j, 0)])
                quads.append([(i, j, layers - 1), (i + 1, j, layers - 1), (i + 1, j + 1, layers - 1), (i, j + 1, layers - 1)])
            for k in range(layers - 1):
                quads.append([(rows - 1, j, k), (rows - 1, j + 1, k), (rows - 1, j + 1, k + 1), (rows - 1, j, k + 1)])
                quads.append([(0, j, k), (0, j, k + 1), (0, j + 1, k + 1), (0, j + 1, k)])
        numbers = [[self.number(*corner) for corner in quad] for quad in quads]
        triangles = np.array([t for a, b, c, d in numbers for t in ((a, b, c), (a, c, d))])
        used, again = np.unique(triangles, return_inverse=True)
        return self.position[used], again.reshape(-1, 3)


def activation_ms(place):
    """Returns the activation time of a wave from the apex upwards at 0.7 mm/ms; none in a scar."""
    place = np.asarray(place, float)
    time = 5 + (place[..., 2] + 45) / 0.7 + 0.25 * np.abs(place[..., 0])
    scar = np.linalg.norm(place - [0, 30, 5], axis=-1) < 11
    return np.where(scar, np.nan, time)


def apd_ms(place):
    return 260 + 0.8 * np.asarray(place, float)[..., 0] + np.asarray(place, float)[..., 2] / 3


def v_mV(place, time_ms):
    """Returns V of an action potential that starts at the activation: -85 at rest, 30 at its peak."""
    start = np.nan_to_num(activation_ms(place), nan=1e3)
    rises = 1 / (1 + np.exp(np.minimum(-(time_ms - start) / 1.2, 500)))
    falls = 1 / (1 + np.exp((time_ms - start - apd_ms(place)) / 14))
    return -85 + 115 * rises * falls


SHIFTS = {"activation_ms": lambda place: 2 + 0.05 * np.asarray(place, float)[..., 0], "apd90_ms": lambda place: np.full(np.shape(place)[:-1], -10.0)}
SHIFT_mV = 3


def heart(blocks, fine, shift=0, mesh="bowl", conducts=False):
    """Returns the heart. shift: shift of the values, times SHIFTS and SHIFT_mV."""
    around, along, frames = (140, 62, 100) if fine else (60, 28, 40)
    bowl, coarse = Bowl(around, along, 4), Bowl(36, 16, 3)
    position, triangle = bowl.surface()
    centre = position[triangle].mean(1)
    tetrahedra = coarse.tetrahedra()
    maps = []
    for name, label, unit, function in [("activation_ms", "activation", "ms", activation_ms), ("apd90_ms", "APD90", "ms", apd_ms)]:
        value = lambda place, f=function, s=SHIFTS[name]: f(place) + shift * s(place)
        arrays = {"vertex": blocks.values(value(position)), "element": blocks.values(value(centre)), "cut": blocks.values(value(coarse.position))}
        maps.append({"name": name, "label": label, "unit": unit, "beat": None, **arrays})
    times = np.linspace(0, 400, frames)
    voltages, inside = (np.array([v_mV(places, t) + shift * SHIFT_mV for t in times]) for places in (position, coarse.position))
    middle = centre[:: max(1, len(centre) // 2500)]
    along = np.cross(middle, [0, 0, 1.0]) + [0, 0, 12.0]
    points = [("apex", "stimulus", [0, 0, -45]), ("P1", "point", [28, 0, -10]), ("P2", "trace", [-22, -18, 0]), ("V1", "electrode", [0, -80, 10])]
    return {
        "mesh": mesh, "n_elements": 300000, "n_surface_triangles": len(triangle) * 3, "error_mm": 0.21,
        "surface": {
            "position": blocks.values(position, components=3), "triangle": blocks.index(triangle, 3),
            "element": blocks.index(np.arange(len(triangle)) * 7 + 3),
        },
        "named": [{"name": "surface", "label": "surfaces", "kinds": ["base", "wall"], "triangle": blocks.index(surface_of(centre))}],
        "cut": {"position": blocks.values(coarse.position, components=3), "tetrahedron": blocks.index(tetrahedra, 4),
                "element": blocks.index(np.arange(len(tetrahedra)) * 11), "error_mm": 0.6},
        "maps": maps,
        "frames": {"time_ms": blocks.add(times, "f64"), "v_mV": blocks.values(voltages, "u8", 1, len(position)),
                   "cut_v_mV": blocks.values(inside, "u8", 1, len(coarse.position))},
        "fibres": {"position": blocks.values(middle, components=3), "direction": blocks.values(along, components=3),
                   "element": blocks.index(np.arange(len(middle)))},
        "network": network(blocks, times) if conducts else None,
        "points": [{"label": label, "kind": kind, "at_mm": at} for label, kind, at in points],
    }


STRANDS_mm = [25.0, 30.0]  # height of two lines above the bowl; the upper one is not activated
PASSAGES = ["none", "antegrade", "retrograde", "antegrade_failed", "retrograde_failed", "collision", "open"]
# Four junctions at the ends of the lines, in two beats: times of the cable and of the tissue, and the passage.
JUNCTIONS = [[(20, 24.5, 1), (80, np.nan, 3), (np.nan, np.nan, 0), (np.nan, np.nan, 0)], [(420, 423, 1), (480, 478, 2), (np.nan, 450, 4), (430, np.nan, 6)]]


def strand_ms(x):
    """Returns the activation time of the lower line."""
    return 50 + 2 * np.asarray(x, float)


def network(blocks, times):
    """Returns a conduction network: two lines above the bowl along x, from -15 to 15 mm."""
    x = np.linspace(-15, 15, 31)
    position = np.concatenate([np.stack([x, 0 * x, 0 * x + z], -1) for z in STRANDS_mm])
    line = np.concatenate([np.stack([first + np.arange(30), first + np.arange(30) + 1], -1) for first in (0, 31)])
    activation = np.concatenate([strand_ms(x), np.full(31, np.nan)])
    volts = np.array([np.where(t >= activation, 20.0, -85.0) for t in times])
    ends = position[[0, 30, 31, 61]]
    beats = [{"beat": k + 1, "cable_ms": blocks.values([j[0] for j in beat]), "tissue_ms": blocks.values([j[1] for j in beat]),
              "passage": blocks.index([j[2] for j in beat])} for k, beat in enumerate(JUNCTIONS)]
    return {"n_points": 1000, "n_lines": 999, "position": blocks.values(position, components=3), "line": blocks.index(line, 2),
            "activation": [{"beat": 1, "value": blocks.values(activation)}, {"beat": 2, "value": blocks.values(activation + 400)}],
            "v_mV": blocks.values(volts, "u8", 1, 62), "junctions": {"position": blocks.values(ends, components=3), "passages": PASSAGES, "beats": beats}}


def surface_of(centre):
    """Returns 1, the base, above 12 mm; 0, none, below -30 mm; 2, the wall, between."""
    return np.where(centre[..., 2] > 12, 1, np.where(centre[..., 2] < -30, 0, 2))


def traces(blocks):
    t = np.arange(0, 400.5, 0.5)
    x = blocks.add(t, "f64")
    places = {"P1": [28.0, 0.0, -10.0], "P2": [-22.0, -18.0, 0.0]}
    curves = [{"label": name, "unit": "mV", "y": blocks.values([v_mV(at, s) for s in t]), "at_mm": at, "element": None} for name, at in places.items()]
    beat = lambda at, wide, high: high * np.exp(-(((t - at) / wide) ** 2))
    leads = []
    for k, name in enumerate(LEADS):
        size = 0.02 if k < 6 else 0.2
        y = size * (beat(40, 6, np.cos(k)) - beat(52, 7, 0.7 * np.sin(1 + k)) + beat(300, 35, 0.4 * np.cos(k / 2)))
        y[(t > 0) & (t <= 2)] = np.nan
        leads.append({"label": name, "unit": "mV", "y": blocks.values(y), "at_mm": None, "element": None})
    trace = lambda label, those, **more: {"label": label, "x": x, "x_label": "time", "x_unit": "ms", "curves": those, **more}
    paper = {"n_standard": 12, "mm_per_s": 25, "mm_per_mV": [200, 20], "stimulated": [[0, 2]], "note": "Amplitudes are not calibrated."}
    return [trace("V", curves)], [trace("ECG", leads, **paper)]


SETS = {"ode": 1, "pde a to b": 2}  # number of runs in a time step
CYCLES = {"ode": dict(compute=25730), "pde a to b": dict(gather=40, sync=126, exchange=488, bound=450, compute=2000)}
HOST_CYCLES = 5000


def tile_values(ipus):
    """Returns the cycles of each tile: {(label, compute set): [tiles]}; for tests."""
    n = 1472 * ipus
    tile = np.arange(n)
    return {("exchange", "pde a to b"): 300 + tile * 37 % 180, ("compute", "ode"): 24000 + tile * 101 % 1730,
            ("compute", "pde a to b"): 1900 + tile * 7 % 100, ("memory", None): 210000 + tile * 13 % 9001}


def received(tile):
    """Returns the senders to a tile of one IPU, with the bytes of each."""
    return [((tile + step) % 1472, 4 * (10 + (tile + step) % 7)) for step in (1, 2, 65)]


def in_blocks(value, chip, row, column, by):
    """Returns the highest value in each block, and the places of the blocks, in the order of their first tiles."""
    found = {}
    for k, key in enumerate(zip(chip.tolist(), (row // by[0]).tolist(), (column // by[1]).tolist())):
        found.setdefault(key, []).append(k)
    places = np.array(list(found)).T
    return places, np.array([max(value[k] for k in those) for those in found.values()])


def links(ipus):
    """Returns the links of a ring; link k carries 1,000 k + 500 bytes."""
    ends = [(a, b) for k in range(ipus) for a, b in [(k, (k + 1) % ipus), ((k + 1) % ipus, k)]]
    return [{"compute_set": "pde a to b", "name": f"ring, IPU {a} to {b}", "from": a, "to": b, "bytes": 1000 * k + 500, "busy_cycles": 100 * k + 50} for k, (a, b) in enumerate(ends)]


def compute_set(name, runs, all_compute=None, compute=0, gather=0, sync=0, exchange=0, external=0, bound=0):
    """Returns a compute set with the same time on all tiles."""
    tiles = lambda cycles: {"tiles": 1472, "min": cycles, "mean": cycles, "max": cycles, "effectiveness": 1}
    cycles = compute + gather + sync + exchange
    return {"name": name, "runs": runs, "cycles": cycles, "total_cycles": runs * cycles, "total_compute_cycles": runs * compute if all_compute is None else all_compute,
            "internal_sync_cycles": sync, "external_sync_cycles": 0, "exchange_cycles": exchange, "external_exchange_cycles": external, "exchange_bound_cycles": bound,
            "busiest_link": None, "tile_gather_cycles": tiles(gather), "tile_scatter_cycles": tiles(0), "tile_compute_cycles": tiles(compute)}


def profile(ipus):
    """Returns the profile.json of 200 time steps; the exchange of several chips takes longer."""
    between = dict(exchange=1500, external=1000) if ipus > 1 else {}
    sets = [compute_set(name, 200 * times, **{**CYCLES[name], **(between if times == 2 else {})}) for name, times in SETS.items()]
    sets.append(compute_set("stimulus 0", 20, 20 * 90, compute=100))  # 90 on average, in a tenth of the steps
    cycles = sum(s["total_compute_cycles"] + s["runs"] * (s["cycles"] - s["tile_compute_cycles"]["max"]) for s in sets)
    return {"format": "myotile profile", "time_steps": 200, "machine": {"name": "GC200", "ipus": ipus, "tiles": 1472 * ipus},
            "totals": {"cycles": cycles + HOST_CYCLES, "host_cycles": HOST_CYCLES}, "compute_sets": sets,
            "time_step": [{"compute_set": name, "times": times} for name, times in SETS.items()],
            "vertices": [{"codelet": "ode_spread", "compute_set": "ode", "instances": 8832, "cycles": 25730, "total_cycles": 200 * 25730}],
            "links": links(ipus) if ipus > 1 else [], "memory": {"bytes_there": 638976, "categories": [{"name": "variables", "bytes_fullest": 2000, "bytes_all_tiles": 2000 * 1472 * ipus}]}}


def details(blocks):
    """Returns the tables of details of all tiles of one IPU."""
    n = 1472
    column = lambda label, unit, value, words=None: {"label": label, "unit": unit, "number": words is None, "value": blocks.index(np.array(value)), **({"words": words} if words else {})}
    tile = np.repeat(np.arange(n), 3)
    hears = [one for t in range(n) for one in received(t)]
    return [
        {"name": "memory", "title": "Memory map", "tile": blocks.index(tile), "columns": [
            column("what", "", np.tile([0, 1, 2], n), ["code of codelets", "variables", "received"]), column("name", "", np.tile([0, 1, 2], n), ["ode", "state", "pde a to b"]),
            column("region", "", np.zeros(3 * n, int)), column("offset", "bytes", np.tile([0, 4000, 6000], n)), column("bytes", "bytes", np.tile([4000, 2000, 800], n)),
            {"label": "live from", "unit": "", "number": True, "value": blocks.values(np.tile([np.nan, np.nan, 1.0], n))}]},
        {"name": "vertices", "title": "Vertices", "tile": blocks.index(np.arange(n)), "columns": [
            column("compute set", "", np.zeros(n, int), ["ode"]), column("codelet", "", np.zeros(n, int), ["ode_spread"]), column("vertices", "", np.arange(n) % 5 + 1)]},
        {"name": "received", "title": "Received from", "tile": blocks.index(tile), "columns": [
            column("compute set", "", np.zeros(3 * n, int), ["pde a to b"]), column("from", "", [sender for sender, _ in hears]), column("received", "bytes", [b for _, b in hears])]},
    ]


def machine(blocks, ipus):
    """Returns the tiles: individually for one IPU, in blocks of 2 x 2 for several."""
    rows, columns = 23, 64
    by = (1, 1) if ipus == 1 else (2, 2)
    chip, row, column = (a.ravel() for a in np.meshgrid(np.arange(ipus), np.arange(rows), np.arange(columns), indexing="ij"))
    n = chip.size
    measures = []
    for (label, phase), value in tile_values(ipus).items():
        places, highest = in_blocks(value, chip, row, column, by)
        order = np.lexsort((np.arange(n), -value))
        edges = np.histogram(value, 360, (value.min(), value.max()))[0]
        hidden = {"n": n, "min": int(value.min()), "median": float(np.median(value)), "mean": float(value.mean()), "max": int(value.max()),
                  "counts": blocks.index(edges), "worst_tile": blocks.index(order[:100]), "worst": blocks.index(value[order[:100]])}
        measures.append({"name": f"{label} {phase}" if phase else label, "label": label, "unit": "bytes" if label == "memory" else "cycles", "phase": phase,
                         "value": blocks.index(highest), "all": hidden if ipus > 1 else None})
    tiles = {"n": len(places[0]), "n_tiles": n, "block": by, "chip": blocks.index(places[0]), "row": blocks.index(places[1]), "column": blocks.index(places[2]),
             "measures": measures, "details": details(blocks) if ipus == 1 else []}
    return {"profile": blocks.words(json.dumps(profile(ipus))), "tiles": tiles, "links": 6}


def run(blocks, title, folder, fine, ipus, mesh="bowl", conducts=False):
    lines, leads = traces(blocks)
    table = {"title": "Activation times at points", "columns": [{"label": "point", "unit": "", "number": False}, {"label": "activation", "unit": "ms", "number": True}],
             "rows": [["P1", float(activation_ms([28, 0, -10]))], ["P2", float(activation_ms([-22, -18, 0]))], ["P3", None]]}
    summary = {"title": "Conduction system", "columns": [{"label": "beat", "unit": "", "number": True}, {"label": "antegrade", "unit": "", "number": True}], "rows": [[1, 1], [2, 1]]}
    used = [
        {"key": "time.dt_ms", "value": "0.02", "unit": "ms", "help": "the time step", "default": "2e-2"},
        {"key": "time.end_ms", "value": "400", "unit": "ms", "help": "when it ends", "default": "80"},
        {"key": "diffusion.scheme", "value": "backward-euler", "help": "the implicit scheme", "default": "backward-euler"},
        {"key": "mesh.file", "value": "heart.hdf", "help": "the mesh"},
    ]
    return {"title": title, "folder": folder, "command": f"myotile run {folder}/used.yaml --output again", "used": used,
            "notes": ["2 elements have a limited gradient."], "tables": [table, summary] if conducts else [table], "heart": heart(blocks, fine, int(ipus > 1), mesh, conducts), "differences": [], "traces": lines, "ecg": leads,
            "machine": machine(blocks, ipus)}


def fill(template, report, blocks):
    text = json.dumps(report, allow_nan=False).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    data = "\n".join([f'<script type="application/json" id="report">{text}</script>', *blocks.text])
    before, after = template.split("<!-- data -->\n")
    return f"{before}{data}\n{after}"


def make(template, title="A bowl, stimulated at its apex", fine=False, runs=2, conducts=False):
    blocks = Blocks()
    all_runs = [run(blocks, title, "bowl", fine, 1, conducts=conducts), run(blocks, "The same bowl, four IPUs", "bowl-4", False, 4)]
    if runs > 2:
        all_runs.append(run(blocks, "Another bowl", "bowl-2", False, 1, mesh="another"))
    all_runs = all_runs[:runs]
    return fill(template, {"format": 1, "version": "0.1.0", "runs": all_runs}, blocks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("template")
    parser.add_argument("output")
    parser.add_argument("--title", default="A bowl, stimulated at its apex")
    parser.add_argument("--fine", action="store_true")
    options = parser.parse_args()
    with open(options.template, encoding="utf-8") as file:
        page = make(file.read(), options.title, options.fine, 1 if options.fine else 2)
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(page)
