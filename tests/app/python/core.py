"""The Python package with numpy and h5py only: results agree with the files, arrays are views of them, and failures of the program are
exceptions with its message."""
import importlib.util
import json
import mmap
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import h5py
import numpy
from folder import EVERYTHING, NODES, SMALL, enter, small

import myotile
import myotile.used
from myotile.notebook import notebook
from myotile.program import find, text_of


def is_view_of_a_file(array):
    while isinstance(array, numpy.ndarray):
        array = array.base
    return isinstance(array, memoryview) and isinstance(array.obj, mmap.mmap) or isinstance(array, mmap.mmap)


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        enter(cls)
        cls.results = myotile.run(small, EVERYTHING, "all", threads=1)
        cls.file = h5py.File("all/result.hdf")
        cls.addClassCleanup(cls.file.close)

    def test_the_mesh_is_that_of_the_slab(self):
        mesh, grid = self.results.mesh, self.file["VTKHDF"]
        self.assertEqual((mesh.n_elements, mesh.n_points), (6 * 4 * 2 * 6, 7 * 5 * 3))
        numpy.testing.assert_array_equal(mesh.points_mm, grid["Points"])
        numpy.testing.assert_array_equal(mesh.tetrahedra.ravel(), grid["Connectivity"])
        numpy.testing.assert_array_equal(mesh.tags, grid["CellData/region"])
        numpy.testing.assert_array_equal(mesh.fibres, numpy.tile([1, 0, 0], (288, 1)))
        numpy.testing.assert_allclose(mesh.volumes_mm3, 0.5**3 / 6)
        numpy.testing.assert_allclose(numpy.average(mesh.centres_mm, axis=0, weights=mesh.volumes_mm3), [1.5, 1, 0.5])
        self.assertIsNone(mesh.sheets)
        self.assertIsNone(mesh.inert)
        self.assertIsNone(mesh.tiles)
        self.assertIsNone(mesh.faces)

    def test_the_surface_is_closed_and_looks_outwards(self):
        mesh = self.results.mesh
        triangles, elements = mesh.surface
        corners = mesh.points_mm[triangles]
        area = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
        self.assertAlmostEqual(numpy.linalg.norm(area, axis=1).sum(), 2 * (3 * 2 + 3 * 1 + 2 * 1))
        numpy.testing.assert_allclose(area.sum(axis=0), 0, atol=1e-12)
        self.assertTrue((((corners.mean(axis=1) - mesh.centres_mm[elements]) * area).sum(axis=1) > 0).all())

    def test_maps_are_those_of_the_file_with_units(self):
        maps = self.results.maps
        self.assertEqual(list(maps), ["activation", "conduction_velocity", "peak"])
        for name in maps:
            numpy.testing.assert_array_equal(maps[name], self.file["VTKHDF/CellData"][name])
        self.assertEqual([maps.unit(name) for name in maps], ["ms", "mm/ms", "mV"])
        self.assertIn("within the 10 ms", maps.nan("activation"))
        with self.assertRaisesRegex(KeyError, "apd90.*activation, conduction_velocity, peak"):
            maps["apd90"]

    def test_the_wave_begins_where_it_is_stimulated(self):
        activation, centres = self.results.maps["activation"], self.results.mesh.centres_mm
        self.assertTrue(numpy.isfinite(activation).all())
        self.assertLess(activation[(centres < 1.5).all(axis=1)].max(), activation[centres[:, 0] > 2.5].min())
        self.assertTrue(5 < activation.max() < 5.5)

    def test_small_arrays_are_views_of_the_file_that_cannot_be_written_to(self):
        for array in (self.results.maps["peak"], self.results.mesh.points_mm, self.results.mesh.tetrahedra, self.results.series["V"]):
            self.assertTrue(is_view_of_a_file(array))
            self.assertFalse(array.flags.writeable)

    def test_what_was_opened_outlives_its_results_and_the_file(self):
        results = myotile.run(small, SMALL, "gone", threads=1)
        peak, kept = results.maps["activation"], results.maps["activation"].copy()
        Path("gone/result.hdf").unlink()
        del results
        numpy.testing.assert_array_equal(peak, kept)

    def test_compressed_arrays_are_copies_of_the_same_numbers(self):
        myotile.call("mesh", "slab", "--size-mm", "20,10,5", "--edge-mm", 0.5, "-o", "large.hdf")
        mesh = myotile.Mesh("large.hdf")
        self.assertFalse(is_view_of_a_file(mesh.fibres))
        self.assertFalse(mesh.fibres.flags.writeable)
        self.assertAlmostEqual(mesh.volumes_mm3.sum(), 1000)
        with h5py.File("large.hdf") as file:
            self.assertIsNotNone(file["VTKHDF/Connectivity"].chunks)
            numpy.testing.assert_array_equal(mesh.tetrahedra.ravel(), file["VTKHDF/Connectivity"])

    def test_a_series_has_a_row_for_each_frame(self):
        series = self.results.series
        self.assertEqual(sorted(series), ["Ca_i", "V"])
        self.assertEqual(list(series.times_ms), [0, 2, 4, 6, 8, 10])
        with h5py.File("all/series.hdf") as file:
            for k in range(6):
                numpy.testing.assert_array_equal(series["V"][k], file[f"frames/V/{k:06}"])
        self.assertEqual((series["V"].shape, series.unit("V"), series.unit("Ca_i")), ((6, 288), "mV", "mM"))
        numpy.testing.assert_array_equal(series.elements, numpy.arange(288))
        numpy.testing.assert_array_equal(series["V"][0], numpy.float32(-85.23))

    def test_profile_and_notes_are_those_of_the_files(self):
        self.assertEqual(self.results.profile, json.loads(Path("all/profile.json").read_text()))
        self.assertEqual(self.results.profile["time_steps"], 500)
        about = self.results.about
        self.assertEqual((about["stopped_by"], about["time_reached_ms"]), ("its end", 10))
        self.assertRegex(about["program"], "^myotile ")

    def test_values_used_are_those_that_were_set(self):
        used = self.results.used
        self.assertEqual(used["mesh"]["slab"], {"size_mm": [3, 2, 1], "edge_mm": 0.5, "cut": "mirrored"})
        self.assertEqual(used["points"], SMALL["points"])
        self.assertEqual(sorted(used["traces"]["fields"]), ["Ca_i", "V", "m"])
        self.assertEqual(used["electrodes"], EVERYTHING["electrodes"])
        self.assertEqual((used["time"]["dt_ms"], used["output"]["report"], used["regions"]), (0.02, True, []))

    def test_elements_of_a_series_are_numbered_as_in_the_mesh(self):
        scar = {"regions": [{"min_mm": [2, 1, 0], "max_mm": [3, 2, 1], "non_conducting": True}]}
        results = myotile.run(small, {**EVERYTHING, **scar, "points": [], "traces": {}}, "scar", threads=1)
        inert = results.mesh.inert == 1
        self.assertEqual(inert.sum(), 2 * 2 * 2 * 6)
        numpy.testing.assert_array_equal(results.series.elements, numpy.flatnonzero(~inert))
        numpy.testing.assert_allclose(results.series.mesh.centres_mm, results.mesh.centres_mm[~inert])
        self.assertTrue(numpy.isnan(results.maps["activation"][inert]).all())

    def test_beats_have_maps_of_their_own(self):
        twice = {"stimuli.0.count": 2, "stimuli.0.period_ms": 60, "output.beats": "every", "time.end_ms": 65, "machine.backend": "cpu"}
        maps = myotile.run(small, {**SMALL, **twice}, "beats", threads=1).maps
        self.assertEqual(list(maps), ["activation", "activation_beat2"])


    def test_a_run_that_is_resumed_gives_what_one_run_gives(self):
        half = {**SMALL, "checkpoint.at_end": True, "machine.backend": "cpu"}
        with self.assertWarns(myotile.CaseWarning):
            myotile.run(small, {**half, "time.end_ms": 3}, "halves", threads=1)
        halves = myotile.run(small, {**half, "time.end_ms": 10}, "halves", resume=True, threads=1)
        whole = myotile.run(small, half, "whole", threads=1)
        numpy.testing.assert_array_equal(halves.maps["activation"], whole.maps["activation"])
        self.assertEqual(halves.about["time_reached_ms"], 10)
        with self.assertRaisesRegex(myotile.Error, "halves/checkpoint"):  # a checkpoint with another time step
            myotile.run(small, {**half, "time.dt_ms": 0.01}, "halves", resume=True, threads=1)

    def test_values_of_the_machine_can_be_set(self):
        free = myotile.run(small, SMALL, "free", machine_set={"exchange.sync_cycles": 0}, threads=1).profile["totals"]
        self.assertEqual((free["internal_sync_cycles"], self.results.profile["totals"]["internal_sync_cycles"]), (0, 500 * 126))


class Vertices(unittest.TestCase):
    """Results with `discretisation: nodes`, on a slab of 7 x 5 x 3 vertices with a scar of 2 x 2 x 2 cubes in a corner."""

    @classmethod
    def setUpClass(cls):
        enter(cls)
        cls.results = myotile.run(small, NODES, "nodes", threads=1)

    def test_maps_have_a_value_for_each_vertex_and_none_inside_the_scar(self):
        maps, mesh = self.results.maps, self.results.mesh
        self.assertEqual((maps.at, self.results.series.at), ("vertices", "vertices"))
        self.assertEqual((maps["activation"].shape, maps["conduction_velocity"].shape), ((105,), (105, 3)))
        conducting = numpy.unique(mesh.tetrahedra[mesh.inert == 0])
        self.assertEqual(len(conducting), 105 - 2 * 2 * 3)
        numpy.testing.assert_array_equal(numpy.flatnonzero(numpy.isfinite(maps["activation"])), conducting)
        self.assertIn("288 elements, 105 vertices", repr(self.results))

    def test_means_are_those_of_the_four_vertices(self):
        activation, mesh = self.results.maps["activation"], self.results.mesh
        means = mesh.element_means(activation)
        with h5py.File("nodes/result.hdf") as file:
            corners = file["VTKHDF/Connectivity"][4 * 10:4 * 11]
            expected = sum(float(file["VTKHDF/PointData/activation"][v]) for v in corners) / 4
        self.assertEqual(means.shape, (288,))
        self.assertAlmostEqual(means[10], expected, 5)
        numpy.testing.assert_allclose(mesh.element_means(mesh.points_mm), mesh.centres_mm)
        self.assertTrue(numpy.isfinite(means[mesh.inert == 0]).all())
        with self.assertRaisesRegex(myotile.Error, r"shape \(288,\); allowed: .*105 vertices"):
            mesh.element_means(means)

    def test_vertices_of_a_series_are_numbered_as_in_the_mesh(self):
        series, mesh = self.results.series, self.results.mesh
        self.assertEqual(series["V"].shape, (6, 93))
        numpy.testing.assert_array_equal(series.vertices, numpy.unique(mesh.tetrahedra[mesh.inert == 0]))
        numpy.testing.assert_array_equal(series.mesh.points_mm, mesh.points_mm[series.vertices])
        numpy.testing.assert_array_equal(series.elements, numpy.flatnonzero(mesh.inert == 0))
        at_all = series.at_all(series["V"][3])
        numpy.testing.assert_array_equal(at_all[series.vertices], series["V"][3])
        numpy.testing.assert_array_equal(numpy.isnan(at_all), numpy.isnan(self.results.maps["activation"]))
        with self.assertRaisesRegex(myotile.Error, r"shape \(105,\); allowed: .*93 vertices"):
            series.at_all(at_all)

    def test_a_complete_series_has_all_vertices(self):
        series = myotile.run(small, {**NODES, "regions": [], "time.end_ms": 2}, "complete", threads=1).series
        numpy.testing.assert_array_equal(series.vertices, numpy.arange(105))

    def test_vertices_of_a_part_are_unknown_if_values_are_at_the_elements(self):
        elements = {**NODES, "diffusion.discretisation": "elements", "time.end_ms": 2}
        with self.assertWarns(myotile.CaseWarning):
            series = myotile.run(small, elements, "elements", threads=1).series
        self.assertEqual((series.at, series.at_all(series["V"][0]).shape), ("elements", (288,)))
        with self.assertRaisesRegex(myotile.Error, "vertex is missing"):
            series.vertices


class Sweeping(unittest.TestCase):
    def test_a_sweep_has_the_results_of_each_value(self):
        enter(type(self))
        plain = {**SMALL, "diffusion.spreading": 0}  # otherwise the program measures the law of cells with less sodium current
        swept = myotile.sweep(small, "cell.scale", [["g_Na=1"], ["g_Na=0.4"]], plain, "swept", threads=1)
        self.assertEqual(list(swept), ["[g_Na=1]", "[g_Na=0.4]"])
        self.assertEqual(swept["[g_Na=0.4]"].used["cell"]["scale"], ["g_Na=0.4"])
        self.assertLess(swept["[g_Na=1]"].maps["activation"].max() + 1.5, swept["[g_Na=0.4]"].maps["activation"].max())
        self.assertEqual(list(myotile.open_sweep("swept")), list(swept))
        with self.assertRaisesRegex(KeyError, r"\[g_Na=1\], \[g_Na=0.4\]"):
            swept["[g_Na=2]"]
        with self.assertRaisesRegex(myotile.Error, "swept/result.hdf: no such file"):
            myotile.open("swept")


class Ensembles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        enter(cls)
        cls.plain = {**SMALL, "machine.backend": "cpu", "diffusion.spreading": 0}

    def test_an_ensemble_has_the_results_of_each_member(self):
        table = {"name": ["b", "a"], "stimuli.0.start_ms": [numpy.float64(1.5), 0], "cell.scale": [[], ["g_Na=0.4"]]}
        made = myotile.ensemble(small, table, self.plain, "made", jobs=2, threads=2)
        self.assertEqual((list(made), len(made)), (["b", "a"], 2))
        self.assertEqual(made["b"].used["stimuli"][0]["start_ms"], 1.5)
        self.assertEqual(made["a"].used["cell"]["scale"], ["g_Na=0.4"])
        self.assertEqual(list(myotile.open_ensemble("made")), ["b", "a"])
        first_ms = {name: numpy.nanmin(made[name].maps["activation"]) for name in made}
        self.assertGreater(first_ms["b"], 1.5)
        self.assertLess(first_ms["a"], 1.5)
        with self.assertRaisesRegex(KeyError, "no results of c; allowed: b, a"):
            made["c"]

    def test_a_table_can_be_a_file_and_its_faults_are_errors(self):
        with open("table.csv", "w") as file:
            file.write("time.end_ms\n2\nx\n")
        with self.assertRaisesRegex(myotile.Error, "^table.csv:3: time.end_ms=x: x; allowed: a number"):
            myotile.ensemble(small, "table.csv", self.plain, "refused")
        with self.assertRaisesRegex(myotile.Error, "row 1: time.end_ms: nan; allowed: a value"):
            myotile.ensemble(small, {"time.end_ms": [1, float("nan")]}, self.plain, "refused")
        with self.assertRaisesRegex(myotile.Error, "columns of 1, 2 values; allowed: columns of equal length"):
            myotile.ensemble(small, {"time.end_ms": [1, 2], "time.dt_ms": [0.05]}, self.plain, "refused")
        with self.assertRaisesRegex(myotile.Error, "refused/ensemble.csv: no such file"):
            myotile.open_ensemble("refused")


class Values(unittest.TestCase):
    def test_values_of_python_are_written_as_the_program_reads_them(self):
        for value, text in ((True, "true"), (0.1, "0.1"), (numpy.float64(2.5), "2.5"), (numpy.arange(3), "[0, 1, 2]"),
                            ({"at": "apex", "radius_mm": 6}, "{at: apex, radius_mm: 6}"), (["g_Na=1"], "[g_Na=1]"),
                            (["a, b", "true", "P 1"], '["a, b", "true", "P 1"]'), (Path("a/b.hdf"), "a/b.hdf")):
            self.assertEqual(text_of(value), text)

    def test_values_used_are_read_as_they_were_written(self):
        text = ('# A remark.\ntitle: "a: \\"b\\" \\\\ \\x0A\\U0001F493"\nlist: []\nsites:\n  - at: apex\n    words: ["x, y", "z]"]\n'
                "  - at: base\n    deep:\n      x: 1e-05\nlast: true\n# The emulated machine:\n#   name: 1\n")
        self.assertEqual(myotile.used.read(text), {
            "title": 'a: "b" \\ \n\U0001F493', "list": [], "last": True,
            "sites": [{"at": "apex", "words": ["x, y", "z]"]}, {"at": "base", "deep": {"x": 1e-05}}]})

    def test_a_script_becomes_a_notebook_with_its_cells(self):
        made = json.loads(notebook("# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\n\n\ny = 2\n"))
        self.assertEqual([(c["cell_type"], "".join(c["source"])) for c in made["cells"]],
                         [("markdown", "# Title\n\nText."), ("code", "x = 1\n\n\ny = 2")])


class Errors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = enter(cls)

    def test_what_the_program_refuses_is_an_error_with_its_message_and_code(self):
        with self.assertRaisesRegex(myotile.Error, r"^--set time.end_ms=-1: -1; allowed: at least 0.0001 and at most 1000000000$") as caught:
            myotile.run(small, {"time.end_ms": -1}, "refused")
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaisesRegex(myotile.Error, "missing.yaml") as caught:
            myotile.run("missing.yaml")
        self.assertEqual(caught.exception.code, 3)

    def test_what_it_warns_of_is_a_warning(self):
        with self.assertWarnsRegex(myotile.CaseWarning, "activation still propagating at 2 ms") as caught:
            myotile.run(small, {**SMALL, "time.end_ms": 2}, "early", threads=1)
        self.assertEqual(caught.filename, __file__)

    def test_missing_files_are_named_with_what_asks_for_them(self):
        with self.assertRaisesRegex(myotile.Error, "nowhere/result.hdf: no such file"):
            myotile.open("nowhere")
        with self.assertRaisesRegex(myotile.Error, "nowhere/sweep.csv: no such file"):
            myotile.open_sweep("nowhere")
        with self.assertRaisesRegex(myotile.Error, "nowhere.hdf: no such file"):
            myotile.Mesh("nowhere.hdf")
        results = myotile.run(small, {**SMALL, "machine.backend": "cpu"}, "plain", threads=1)
        for name, file, key in (("series", "series.hdf", "series"), ("traces", "traces.csv", "traces"), ("ecg", "ecg.csv", "electrodes"),
                                ("profile", "profile.json", "ipu")):
            said = f"plain/{file}: no such file; .*`{key}`"
            with mock.patch.dict(sys.modules, pandas=mock.Mock()), self.assertRaisesRegex(myotile.Error, said):
                getattr(results, name)

    def test_files_that_are_not_all_in_place_are_not_read(self):
        Path("small").mkdir()
        journal = Path("small/.myotile.1-0.journal")
        journal.write_text("end\n")
        with self.assertRaisesRegex(myotile.Error, "replacing its files.*`myotile report small`"):
            myotile.open("small")
        journal.unlink()
        with self.assertRaisesRegex(myotile.Error, "result.hdf: no such file"):
            myotile.open("small")

    def test_damaged_files_are_named(self):
        Path("damaged.hdf").write_bytes(b"no HDF5")
        with self.assertRaisesRegex(myotile.Error, "damaged.hdf: cannot be read"):
            myotile.Mesh("damaged.hdf")

    def test_a_missing_package_is_named_as_debian_calls_it(self):
        results = myotile.run(small, {**SMALL}, "packages", threads=1)
        wanted = {"pandas": lambda: results.points, "matplotlib": lambda: myotile.plot.map(results), "meshio": results.to_meshio}
        for name, what in wanted.items():
            hidden = {name: None, **{module: None for module in sys.modules if module.startswith(name + ".")}, f"{name}.pyplot": None}
            with mock.patch.dict(sys.modules, hidden), self.assertRaisesRegex(myotile.Error, f"install Debian's package python3-{name}"):
                what()

    def test_the_program_is_that_of_the_argument_then_of_the_variable_then_of_the_path(self):
        programs = {}
        for name in ("argument", "variable", "path"):
            Path(name).mkdir()
            programs[name] = self.folder / name / "myotile"
            programs[name].write_text("#!/bin/sh\n")
            programs[name].chmod(0o755)
        path = f"{self.folder / 'path'}:{os.environ['PATH']}"
        with mock.patch.dict(os.environ, MYOTILE=str(programs["variable"]), PATH=path):
            self.assertEqual(find(programs["argument"]), str(programs["argument"]))
            self.assertEqual(find(), str(programs["variable"]))
            del os.environ["MYOTILE"]
            self.assertEqual(find(), str(programs["path"]))
            os.environ["PATH"] = "/nowhere"
            with mock.patch("myotile.program._beside", programs["argument"]):
                self.assertEqual(find(), str(programs["argument"]))
            with mock.patch("myotile.program._beside", Path("/none/myotile")):
                with self.assertRaisesRegex(myotile.Error, "PATH nor at /none/myotile"):
                    find()
            with self.assertRaisesRegex(myotile.Error, "^nothing: no such program; from program="):
                find("nothing")

    def waiting(self):
        """Returns a program that ends on SIGINT only, which a shell in the background has its commands ignore."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for name in ["started", "left"]:
            Path(name).unlink(missing_ok=True)
        waiting = self.folder / "waiting"
        waiting.write_text("#!/bin/sh\ntrap 'echo stopped >>left; exit 130' INT\ntouch started\nwhile :; do sleep 0.1; done\n")
        waiting.chmod(0o755)
        return waiting

    def test_an_interrupt_stops_the_program_once_and_waits_for_what_it_leaves(self):
        waiting = self.waiting()

        def interrupt():
            while not Path("started").exists():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        with self.assertRaises(KeyboardInterrupt):
            myotile.call(program=waiting)
        self.assertEqual(Path("left").read_text(), "stopped\n")

    def test_an_interrupt_at_the_start_stops_the_program(self):
        def interrupt():
            while not Path("started").exists():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        class Interrupted(subprocess.Popen):
            def __init__(self, *arguments, **named):
                super().__init__(*arguments, **named)
                interrupt()

        class InterruptedThread(threading.Thread):
            def start(self):
                super().start()
                interrupt()

        for place, interrupted in [("subprocess.Popen", Interrupted), ("threading.Thread", InterruptedThread)]:
            with self.subTest(place):
                waiting = self.waiting()
                signal.alarm(20)  # ends a test that waits for the program
                with mock.patch(f"myotile.program.{place}", interrupted), self.assertRaises(KeyboardInterrupt):
                    myotile.call(program=waiting)
                signal.alarm(0)
                self.assertEqual(Path("left").read_text(), "stopped\n")
                self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_threads_are_those_asked_for(self):
        telling = self.folder / "telling"
        telling.write_text('#!/bin/sh\necho "$OMP_NUM_THREADS"\n')
        telling.chmod(0o755)
        self.assertEqual(myotile.call(program=telling, threads=3), "3\n")


def library():
    """Returns the path of the library of the program that is tested; None with sanitizers, which Python does not have, and without cffi."""
    path = Path(find()).with_name("libmyotile.so.0")
    usable = path.exists() and b"__asan_init" not in path.read_bytes() and importlib.util.find_spec("cffi") is not None
    return path if usable else None


@unittest.skipUnless(library(), "needs cffi, and a library without sanitizers")
class InThisProcess(unittest.TestCase):
    def setUp(self):
        enter(type(self))
        os.environ["MYOTILE_LIBRARY"] = str(library())

    def opened(self, **named):
        return myotile.Case(small, {**EVERYTHING, "output": {"maps": ["peak"]}, "machine.backend": "cpu"}, threads=1, **named)

    def test_a_run_has_the_values_of_the_program(self):
        there = myotile.run(small, {**EVERYTHING, "output": {"maps": ["peak"]}, "machine.backend": "cpu"}, "there", threads=1)
        with self.opened() as case:
            run = case.run()
        numpy.testing.assert_array_equal(run.maps["activation"], there.maps["activation"])
        numpy.testing.assert_array_equal(run.maps["peak"], there.maps["peak"])
        self.assertEqual((run.units["peak"], run.at, run.beats, run.stopped), ("mV", "elements", 1, False))
        numpy.testing.assert_array_equal(run.frames["Ca_i"].values, there.series["Ca_i"])
        numpy.testing.assert_array_equal(run.frames["V"].times_ms, there.series.times_ms)
        times, columns, values = run.tables["traces"]
        self.assertEqual((len(times), columns[0], values.shape), (21, "=near, here V[mV]", (21, 6)))
        self.assertEqual(run.tables["points"][0], ["=near, here", "NA"])
        self.assertEqual(run.used, Path("there/used.yaml").read_text())
        with self.opened() as case:
            numpy.testing.assert_array_equal(case.mesh.tetrahedra, there.mesh.tetrahedra)

    def test_samples_are_views_and_can_stop(self):
        seen = []

        def look(time_ms, v_mV):
            seen.append((time_ms, v_mV.max()))
            return time_ms >= 2

        with self.opened() as case:
            run = case.run(every_ms=1, sample=look)
        self.assertTrue(run.stopped)
        self.assertEqual([time_ms for time_ms, _ in seen], [0, 1, 2])
        self.assertLess(seen[0][1], seen[2][1])

    def test_exceptions_of_callbacks_arrive(self):
        with self.opened() as case:
            with self.assertRaisesRegex(ZeroDivisionError, "division"):
                case.run(every_ms=1, sample=lambda time_ms, v_mV: 1 / 0)
            self.assertFalse(case.run({"time.end_ms": 1}).stopped)

    def test_errors_have_the_message_and_the_code(self):
        with self.assertRaisesRegex(myotile.Error, "missing.yaml") as raised:
            myotile.Case("missing.yaml")
        self.assertEqual(raised.exception.code, 3)
        with self.opened() as case, self.assertRaisesRegex(myotile.Error, "end_ms=-1"):
            case.run({"time.end_ms": -1})
        with self.assertRaisesRegex(myotile.Error, "closed"):
            case.run()

    def test_messages_and_progress_are_called(self):
        heard, stages = [], []
        with self.opened(message=lambda kind, text: heard.append(kind), progress=lambda what, done, total: stages.append(what)) as case:
            case.run({"time.end_ms": 1})
        self.assertIn("warning", heard)
        self.assertTrue(any("mesh" in what for what in stages))

    def test_cases_run_in_threads_at_once(self):
        """Two threads are in a callback at the same time, so the calls of the library release the lock of Python."""
        together, found = threading.Barrier(2, timeout=60), {}

        def work(k):
            with self.opened() as case:
                run = case.run({"stimuli.0.start_ms": k}, every_ms=5, sample=lambda time_ms, v_mV: together.wait() < 0)
                found[k] = run.maps["activation"].max()

        threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertAlmostEqual(found[1] - found[0], 1, delta=0.02)  # a time step


if __name__ == "__main__":
    unittest.main()
