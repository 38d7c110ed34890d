"""The Python package with pandas, matplotlib and meshio: tables agree with the files, and pictures show the values."""
import contextlib
import csv
import importlib.util
import io
import json
import re
import runpy
import sys
import unittest
import unittest.mock
from pathlib import Path

import matplotlib
import matplotlib.pyplot
import meshio
import numpy
import pandas
from folder import EVERYTHING, NODES, SMALL, enter, small

import myotile

matplotlib.use("Agg")


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        enter(cls)
        cls.results = myotile.run(small, EVERYTHING, "all", threads=1)

    def rows(self, name):
        with open(f"all/{name}", newline="") as file:
            return list(csv.reader(file))

    def test_traces_are_those_of_the_file_by_point_and_field(self):
        traces, (head, *rows) = self.results.traces, self.rows("traces.csv")
        self.assertEqual(len(traces), 21)
        self.assertEqual(traces.attrs["units"], {"V": "mV", "Ca_i": "mM", "m": ""})
        self.assertEqual(list(traces.index), [float(row[0]) for row in rows])
        for point in ("=near, here", "NA"):
            for field, unit in (("V", "[mV]"), ("Ca_i", "[mM]"), ("m", "")):
                at = head.index(f"{point} {field}{unit}".replace("=near", "'=near"))
                self.assertEqual(list(traces[point, field]), [float(row[at]) for row in rows])

    def test_leads_are_those_of_the_file(self):
        ecg, (head, *rows) = self.results.ecg, self.rows("ecg.csv")
        self.assertEqual(head, ["time_ms", "ahead", "behind"])
        self.assertEqual(list(ecg["behind"]), [float(row[2]) for row in rows])
        self.assertTrue(ecg["ahead"].max() > 0 > ecg["behind"].min())

    def test_points_keep_their_names_and_have_nan_where_nothing_arrived(self):
        points, rows = self.results.points, self.rows("activation.csv")[1:]
        self.assertEqual(list(points.point), ["=near, here", "NA"])
        self.assertEqual(list(points.activation_ms), [float(row[4]) for row in rows[:2]])
        early = myotile.run(small, {**SMALL, "time.end_ms": 2}, "early", threads=1).points
        self.assertEqual(list(early.activation_ms.isna()), [False, True])

    def test_the_line_is_apart_from_points_also_from_one_of_its_name(self):
        rows = self.rows("activation.csv")[1:]
        line = self.results.line
        self.assertEqual(list(line.columns), ["x_mm", "y_mm", "z_mm", "activation_ms"])
        self.assertEqual(list(line.x_mm), [0, 1.5, 3])
        self.assertEqual(list(line.activation_ms), [float(row[4]) for row in rows[2:]])
        named = myotile.run(small, {**SMALL, "points": [{"name": "line", "at_mm": [0.5, 0.5, 0.5]}], "output.beats": "every"}, "named", threads=1)
        self.assertEqual((list(named.points.point), len(named.line)), (["line"], 3))
        none = myotile.run(small, {**SMALL, "points": [], "line": {"points": 0}}, "none", threads=1)
        self.assertEqual((len(none.points), len(none.line)), (0, 0))

    def test_tiles_are_a_table_that_adds_up(self):
        made = myotile.run(small, {**SMALL, "machine.tiles": 7, "time.end_ms": 0.1}, "tiles", tiles=True, threads=1)
        tiles, received = made.tile_table(), made.tile_table("received")
        sets = made.profile_table().set_index("name")
        self.assertEqual(len(tiles), made.profile["machine"]["tiles"])
        self.assertEqual(sum(tiles["vertices ode[vertices]"] > 0), 7)
        self.assertEqual(tiles["received pde a to b[bytes]"].sum(), sets["bytes_received"]["pde a to b"])
        self.assertEqual(received[received["compute set"] == "pde a to b"]["received[bytes]"].sum(), sets["bytes_received"]["pde a to b"])
        with self.assertRaisesRegex(myotile.Error, "links.csv: no such file; .* on several IPUs"):
            made.tile_table("links")
        with self.assertRaisesRegex(myotile.Error, "tile; allowed: tiles, memory"):
            made.tile_table("tile")

    def test_the_profile_is_a_table_that_adds_up(self):
        sets, totals = self.results.profile_table(), self.results.profile["totals"]
        self.assertEqual(sets.total_cycles.sum() + totals["host_cycles"], totals["cycles"])
        self.assertEqual(sets.set_index("name")["tile_compute_cycles.tiles"]["ode"], 288)
        self.assertIn("variables", list(self.results.profile_table("memory.categories").name))
        with self.assertRaisesRegex(myotile.Error, "profile.json: sets; allowed: compute_sets"):
            self.results.profile_table("sets")

    def test_a_sweep_is_a_table(self):
        swept = myotile.sweep(small, "machine.scheme", ["full", "exact"], SMALL, "swept", threads=1)
        self.assertEqual(list(swept.table.value), ["full", "exact"])
        self.assertEqual(list(swept.table.outcome), ["done", "done"])
        numpy.testing.assert_array_equal(swept["full"].maps["activation"], swept["exact"].maps["activation"])

    def test_an_ensemble_takes_a_data_frame_and_is_a_table(self):
        members = pandas.DataFrame({"time.end_ms": [9.0, 10.0], "cell.scale": [["g_Na=1"], ["g_Na=0.9"]]}, index=[7, 3])
        made = myotile.ensemble(small, members, {**SMALL, "diffusion.spreading": 0}, "ensemble", jobs=2, threads=2)
        self.assertEqual(list(made.table.name), ["001", "002"])
        self.assertEqual(list(made.table["time.end_ms"]), [9, 10])
        self.assertEqual(list(made.table["cell.scale"]), ["[g_Na=1]", "[g_Na=0.9]"])
        self.assertEqual(list(made.table.outcome), ["done", "done"])
        self.assertEqual(list(made.table["activation_NA_ms"]), [made[name].points.activation_ms[1] for name in made])

    def test_tables_of_commands_are_those_that_they_print(self):
        myotile.call("mesh", "slab", "--size-mm", "8,8,4", "--edge-mm", 0.5, "-o", "slab.hdf")
        tables = myotile.tables("partition", "slab.hdf", "--ipus", "1,2")
        printed = json.loads(myotile.call("partition", "slab.hdf", "--ipus", "1,2", "--format", "json"))
        cut = [table["properties"]["elements_received"] for table in printed if table["table"] == "partition"]
        self.assertEqual(list(tables["partition"].elements_received), cut)
        self.assertEqual(list(tables["partition"].parts), [1472, 2944])
        self.assertEqual(len(tables["tiles"]), 2 * 8)
        beats = myotile.tables("cell", "--bcl", 1000, "--beats", 2)["beats"]
        self.assertEqual(beats.attrs["units"]["apd90_ms"], "ms")
        self.assertTrue((beats.apd90_ms - 300).abs().max() < 20)

    def test_meshio_gets_mesh_and_maps_and_brings_them_back(self):
        self.results.to_meshio().write("all.vtu")
        back = meshio.read("all.vtu")
        numpy.testing.assert_array_equal(back.points, self.results.mesh.points_mm)
        numpy.testing.assert_array_equal(back.cells_dict["tetra"], self.results.mesh.tetrahedra)
        for name in ("activation", "conduction_velocity", "peak"):
            numpy.testing.assert_array_equal(back.cell_data[name][0], self.results.maps[name])
        self.assertTrue((back.cell_data["fibre"][0] == [1, 0, 0]).all())

    def test_meshio_gets_maps_at_vertices_as_point_data(self):
        results = myotile.run(small, NODES, "nodes", threads=1)
        results.to_meshio().write("nodes.vtu")
        back = meshio.read("nodes.vtu")
        for name in ("activation", "conduction_velocity", "peak"):
            numpy.testing.assert_array_equal(back.point_data[name], results.maps[name])
        self.assertNotIn("peak", back.cell_data)

    def test_a_mesh_with_sheets_surfaces_and_tiles_has_them_all(self):
        myotile.call("mesh", "ventricles", "--elements", 5000, "-o", "heart.hdf")
        myotile.call("mesh", "fibres", "heart.hdf", "-o", "fibred.hdf")
        mesh = myotile.Mesh("fibred.hdf")
        numpy.testing.assert_allclose(numpy.linalg.norm(mesh.fibres, axis=1), 1)
        numpy.testing.assert_allclose((mesh.fibres * mesh.sheets).sum(axis=1), 0, atol=1e-9)
        self.assertTrue(0 <= mesh.depth.min() and mesh.depth.max() <= 1 and set(mesh.layers) <= {1, 2, 3})
        triangles, tags = mesh.faces
        self.assertEqual((triangles.shape, set(tags)), ((len(tags), 3), {1, 2, 3, 4}))
        self.assertEqual(len(triangles), len(mesh.surface[0]))
        corners = mesh.points_mm[mesh.surface[0]]
        outward = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
        self.assertAlmostEqual((corners.mean(axis=1) * outward).sum() / 3, mesh.volumes_mm3.sum(), places=5)  # Gauss
        myotile.call("partition", "fibred.hdf", "--ipus", 2, "-o", "cut.hdf")
        ipu, tile = myotile.Mesh("cut.hdf").tiles
        self.assertEqual((set(ipu), tile.max()), ({0, 1}, 1471))


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        enter(cls)
        cls.results = myotile.run(small, EVERYTHING, "all", threads=1)

    def test_a_map_is_the_surface_in_3d_in_the_colours_of_its_values(self):
        axes = myotile.plot.map(self.results, "activation", azimuth_deg=-90, elevation_deg=0)
        self.assertEqual((axes.name, axes.azim, axes.elev), ("3d", -90, 0))
        axes.figure.savefig("map.png")
        self.assertGreater(Path("map.png").stat().st_size, 1000)
        triangles, element = self.results.mesh.surface
        drawn = axes.collections[0]
        self.assertEqual(len(drawn._facecolor3d), len(triangles))
        numpy.testing.assert_allclose([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()], [[0, 3], [0, 2], [0, 1]])
        values = self.results.maps["activation"][element]
        ends = matplotlib.colormaps["viridis"](numpy.array([0.0, 1.0]))[:, :3]
        for colour, at in zip(ends, (values.argmin(), values.argmax())):
            share = drawn._facecolor3d[at, :3] / colour  # darker if the surface does not face the viewer
            numpy.testing.assert_allclose(share, share[0])
            self.assertTrue(0.79 < share[0] <= 1)
        self.assertEqual(axes.figure.axes[1].get_ylabel(), "activation (ms)")

    def test_values_at_vertices_are_drawn_as_means_with_the_scar_in_grey(self):
        results = myotile.run(small, NODES, "nodes", threads=1)
        mesh, frame = results.mesh, results.series["V"][3]
        _, element = mesh.surface
        conducts = mesh.inert[element] == 0
        values = {"activation": results.maps["activation"], "V": results.series.at_all(frame)}
        for name, what in (("activation", "activation"), ("activation", values["activation"]), ("V", frame), ("V", values["V"])):
            axes = myotile.plot.map(results, what, azimuth_deg=-90, elevation_deg=0)
            means = mesh.element_means(values[name])[element]
            low, high = means[conducts].min(), means[conducts].max()
            expected = matplotlib.colormaps["viridis"]((means - low) / (high - low))[:, :3]
            expected[~conducts] = 0.75
            share = axes.collections[0]._facecolor3d[:, :3] / expected  # darker if the surface does not face the viewer
            numpy.testing.assert_allclose(share, share[:, :1].repeat(3, axis=1), rtol=1e-4)
            self.assertTrue((share > 0.79).all() and (share < 1.001).all())
        axes.figure.savefig("vertices.png")
        self.assertGreater(Path("vertices.png").stat().st_size, 1000)
        for complete in (numpy.arange(105), numpy.ones(105)):  # the vertices of the scar have values, too
            drawn = myotile.plot.map(results, complete).collections[0]._facecolor3d[:, :3]
            numpy.testing.assert_array_equal(numpy.ptp(drawn, axis=1) < 1e-6, ~conducts)
        own = myotile.plot.map(results.series.mesh, frame)
        self.assertEqual(len(own.collections[0]._facecolor3d), len(results.series.mesh.surface[0]))
        myotile.plot.map(results, "conduction_velocity")

    def test_a_frame_of_a_part_of_the_elements_is_drawn_on_the_mesh(self):
        results = myotile.run(small, {**NODES, "diffusion.discretisation": "elements"}, "elements", threads=1)
        drawn = myotile.plot.map(results, results.series["V"][3]).collections[0]
        self.assertEqual(len(drawn._facecolor3d), len(results.mesh.surface[0]))

    def test_no_value_is_grey_and_vectors_have_a_length(self):
        values = numpy.full((288, 3), numpy.nan)
        drawn = myotile.plot.map(self.results.mesh, values, label="nothing", azimuth_deg=-90, elevation_deg=0).collections[0]
        grey = drawn._facecolor3d[:, :3]
        numpy.testing.assert_allclose(grey, grey[:, :1].repeat(3, axis=1))
        self.assertTrue((grey >= 0.59).all() and (grey <= 0.751).all())
        myotile.plot.map(self.results, "conduction_velocity").figure.savefig("velocity.png")

    def test_wrong_shapes_and_names_are_refused(self):
        with self.assertRaisesRegex(myotile.Error, r"shape \(3,\); allowed: .*288"):
            myotile.plot.map(self.results, numpy.zeros(3))
        with self.assertRaisesRegex(myotile.Error, "activation; allowed"):
            myotile.plot.map(self.results.mesh, "activation")
        with self.assertRaisesRegex(myotile.Error, "two dimensions; allowed: .*3d"):
            myotile.plot.map(self.results, ax=matplotlib.pyplot.subplots()[1])
        with self.assertRaisesRegex(myotile.Error, "traces.csv: Na_i; allowed: V"):
            myotile.plot.trace(self.results, "Na_i")
        with self.assertRaisesRegex(myotile.Error, "traces.csv: P1; allowed:"):
            myotile.plot.trace(self.results, points=["P1"])

    def test_a_trace_has_a_line_for_each_point(self):
        axes = myotile.plot.trace(self.results, "V")
        self.assertEqual([line.get_label() for line in axes.lines], ["=near, here", "NA"])
        numpy.testing.assert_array_equal(axes.lines[1].get_ydata(), self.results.traces["NA", "V"])
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("time (ms)", "V (mV)"))


class Sensitivity(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is not installed")
    def test_the_indices_of_the_notebook_are_those_of_the_function_of_ishigami(self):
        """In place of the slab: sin x + 7 sin^2 y + 0.1 z^4 sin x for -pi to pi, of which Ishigami and Homma (1990) give the indices. The
        standard error of a mean of 1024 values of order 1 is 0.03; quasi-random samples have a smaller one."""
        def ensemble(case, values, common, output, jobs):
            sodium = [float(scale[0].split("=")[1]) for scale in values["cell.scale"]]
            ranges = (("tissue.intracellular_l_mS_mm", 0.12, 0.22), ("tissue.chi_per_mm", 120, 160))
            x, y = (numpy.pi * (2 * (values[key] - low) / (high - low) - 1) for key, low, high in ranges)
            z = numpy.pi * (2 * (numpy.array(sodium) - 0.7) / 0.6 - 1)
            f = numpy.sin(x) + 7 * numpy.sin(y) ** 2 + 0.1 * z**4 * numpy.sin(x)
            return unittest.mock.Mock(table={"activation_end_ms": unittest.mock.Mock(to_numpy=lambda: f)})

        folder = enter(type(self))
        notebook = Path(myotile.__file__).parents[1] / "notebooks" / "sensitivity.py"
        printed = io.StringIO()
        with unittest.mock.patch.object(myotile, "ensemble", ensemble), unittest.mock.patch.object(
                sys, "argv", ["sensitivity.py", str(folder / "made"), "1024"]), contextlib.redirect_stdout(printed):
            runpy.run_path(str(notebook))
        found = re.findall(r"first-order index (\S+), total index (\S+),", printed.getvalue())
        numpy.testing.assert_allclose(numpy.array(found, float), [(0.3139, 0.5576), (0.4424, 0.4424), (0, 0.2437)], atol=0.03)


if __name__ == "__main__":
    unittest.main()
