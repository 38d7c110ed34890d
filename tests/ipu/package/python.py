"""What the Python package promises: declarations that are those of the headers, memory that is shared, and errors that are exceptions."""
import copy
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

import myotile_ipu as ipu

ffi, lib = ipu.ffi, ipu.lib
DOUBLE = {"a": "in float", "b": "out float"}


def cost(target, n):
    return 7, 3 * n[0]


def of_python(a, b):
    b[:] = 2 * a


OF_C = """
    void twice(const ipu_span *f, const void *context)
    {
        for (size_t i = 0; i < f[1].n; i++) ((float *)f[1].data)[i] = 2 * ((const float *)f[0].data)[i];
    }
    ipu_cycles twice_cost(const ipu_target *target, const size_t *n, const void *context)
    {
        return (ipu_cycles){.entry = 7, .worker = 3 * n[0]};
    }
"""


def doubling(codelet, checked=False):
    """a on tile 0 and b on tile 1, with streams around the vertex."""
    graph = ipu.Graph(ipu.Machine("gc200"))
    a, b = graph.variable("a", "float", 8).map(0, 0, 8), graph.variable("b", "float", 8).map(1, 0, 8)
    into, out, work = graph.stream("in", "float"), graph.stream("out", "float"), graph.compute_set("work")
    graph.vertex(work, codelet, 1, a=a, b=b)
    program = graph.sequence(graph.host_write(into, a), graph.execute(work), graph.host_read(b, out))
    engine = graph.compile(program, checked=checked)
    given, result = numpy.arange(8, dtype=numpy.float32), numpy.zeros(8, numpy.float32)
    engine.connect(into, given)
    engine.connect(out, result)
    return engine, a, b, given, result


class Declarations(unittest.TestCase):
    def test_structures_have_the_size_that_the_headers_give_them(self):
        types = [n for n in ffi.list_types()[0] if n not in ("mt_arena_end", "mt_yaml_words")]  # types of functions, which have no size
        names = [n for n in types if ffi.typeof(n).kind == "struct" and ffi.typeof(n).fields]
        self.assertGreater(len(names), 50)
        headers = [h.relative_to(ipu.include) for h in ipu.include.rglob("*.h")]
        source = "#include <stdio.h>\n" + "".join(f'#include "{h}"\n' for h in headers) + "int main(void) {"
        source += "".join(f'printf("%zu\\n", sizeof({n}));' for n in names) + "}"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cc", f"-I{ipu.include}", "-x", "c", "-", "-o", f"{folder}/sizes"], input=source, text=True, check=True)
            sizes = subprocess.run([f"{folder}/sizes"], text=True, capture_output=True, check=True).stdout.split()
        self.assertEqual([ffi.sizeof(n) for n in names], [int(s) for s in sizes])

    def test_everything_declared_is_in_the_library(self):
        self.assertGreater(len([getattr(lib, name) for name in dir(lib)]), 150)


class Codelets(unittest.TestCase):
    def test_python_and_c_give_the_same_results_and_cycles(self):
        seen = []
        for codelet in (ipu.Codelet("twice", DOUBLE, of_python, cost), ipu.Codelet("twice", DOUBLE, OF_C)):
            engine, a, b, given, result = doubling(codelet)
            engine.run()
            self.assertEqual(list(result), list(2 * given))
            seen.append((engine.cycles, engine.profile().compute_cycles))
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0][1], ipu.Machine("gc200").vertex_launch_cycles + 7 + 6 * 3 * 8)

    def test_a_list_is_a_list_of_views(self):
        def joined(rows, out):
            out[:] = [row.sum() for row in rows]

        graph = ipu.Graph(ipu.Machine("gc200"))
        v, out, work = graph.variable("v", "int", 6), graph.variable("out", "int", 2).map(0, 0, 2), graph.compute_set("work")
        v.spread(range(3))
        codelet = ipu.Codelet("joined", {"rows": "in int list", "out": "out int"}, joined, cost)
        graph.vertex(work, codelet, 0, rows=[v[0:2], v[2:6]], out=out)
        engine = graph.compile(graph.execute(work))
        engine.write(v, numpy.arange(6, dtype=numpy.int32))
        engine.run()
        self.assertEqual(list(engine.read(out)), [1, 14])

    def test_what_a_codelet_raises_comes_out_of_the_run(self):
        def faulty(a, b):
            a[0] = 1  # an input

        engine, *_ = doubling(ipu.Codelet("faulty", DOUBLE, faulty, cost))
        with self.assertRaisesRegex(ValueError, "read-only"):
            engine.run()

    def test_c_that_does_not_compile_is_refused_with_its_line(self):
        with self.assertRaisesRegex(ValueError, ":2:.*error"):
            ipu.Codelet("twice", DOUBLE, "\nvoid twice(\n")


class Memory(unittest.TestCase):
    def test_streams_use_the_memory_of_the_array(self):
        engine, a, b, given, result = doubling(ipu.Codelet("twice", DOUBLE, OF_C))
        given[:] = 5
        engine.run()
        self.assertEqual(list(result), 8 * [10])

    def test_a_tile_is_a_view_that_outlives_its_engine(self):
        engine, a, *_ = doubling(ipu.Codelet("twice", DOUBLE, OF_C))
        view = engine.tile(a, 0)
        view[:] = range(8)
        self.assertEqual(list(engine.read(a)), list(range(8)))
        self.assertEqual(len(engine.tile(a, 1)), 0)
        del engine, a, _
        gc.collect()
        self.assertEqual(list(view), list(range(8)))

    def test_arrays_of_another_type_or_size_are_refused(self):
        engine, a, *_ = doubling(ipu.Codelet("twice", DOUBLE, OF_C))
        for array in (numpy.zeros(8), numpy.zeros(7, numpy.float32), numpy.zeros(16, numpy.float32)[::2]):
            with self.assertRaises(TypeError):
                engine.write(a, array)


class Errors(unittest.TestCase):
    def test_what_c_refuses_is_an_exception_with_its_message(self):
        with self.assertRaisesRegex(ipu.Error, "gc300.*gc200") as caught:
            ipu.Machine("gc300")
        self.assertEqual(caught.exception.status, lib.MT_INPUT)
        with self.assertRaisesRegex(ipu.Error, "exchange.sync_cycles"):
            ipu.Machine("gc200", sets={"exchange.sync_cycles": -1})

    def test_constants_can_be_set(self):
        self.assertEqual(ipu.Machine("gc200", chips=2, sets={"exchange.sync_cycles": 5}).sync_cycles, 5)

    def test_a_machine_can_be_copied_and_one_not_made_has_no_numbers(self):
        self.assertEqual(copy.copy(ipu.Machine("gc200", sets={"exchange.sync_cycles": 5})).sync_cycles, 5)
        with self.assertRaises(AttributeError):
            ipu.Machine.__new__(ipu.Machine).tiles


class Library(unittest.TestCase):
    def test_it_can_be_closed_while_threads_wait_in_it(self):
        """Python closes it at its end, when the threads of the last loop may still wait for another one. Two wait longest."""
        code = f"""if True:
            import sys, time, numpy
            sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
            import python
            engine, *_ = python.doubling(python.ipu.Codelet("twice", python.DOUBLE, python.OF_C))
            engine.run()
            python.ffi.dlclose(python.lib)
            time.sleep(0.05)
            """
        subprocess.run([sys.executable, "-B", "-c", code], check=True,
                       env={**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "active"})


if __name__ == "__main__":
    unittest.main()
