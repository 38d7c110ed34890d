"""The emulated tiled processor (libmyotile-ipu) from Python. Names follow the C headers, which explain what things are and cost.

    machine = Machine("gc200", chips=4)
    graph = Graph(machine)
    u = graph.variable("u", "float", 1472).spread(range(1472))
    engine = graph.compile(graph.sequence(...))
    engine.write(u, array)
    engine.run()
    print(engine.profile().cycles)

Arrays of numpy go in and out without a copy: streams use the array's own memory, Engine.tile is a view of a tile's memory, and so
are the arguments of codelets. What an object needs it keeps alive. What C refuses is an Error, with the message.

`ffi` and `lib` have all that the headers declare, for what has no class here."""

import os
import re
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

import cffi
import numpy

_here = Path(__file__).resolve().parent
_prefix = _here.parents[3]  # PREFIX/lib/python3/dist-packages/myotile_ipu
include = _prefix / "include" / "myotile"
machines = _prefix / "share" / "myotile" / "machines"

ffi = cffi.FFI()
# In cffi a constant of C is a number.
ffi.cdef(re.sub(r"extern const (\w+ \w+;)", r"extern \1", (_here / "declarations.h").read_text()))
lib = ffi.dlopen(str(_prefix / "lib" / "libmyotile-ipu.so.0"))
version = ffi.string(lib.ipu_version()).decode()

_types = {
    "float": (lib.IPU_FLOAT, numpy.float32),
    "half": (lib.IPU_HALF, numpy.float16),
    "int": (lib.IPU_INT, numpy.int32),
    "unsigned int": (lib.IPU_UNSIGNED_INT, numpy.uint32),
    "unsigned short": (lib.IPU_UNSIGNED_SHORT, numpy.uint16),
    "bool": (lib.IPU_BOOL, numpy.bool_),
}
_dtypes = {number: numpy.dtype(dtype) for number, dtype in _types.values()}
_directions = {"in": lib.IPU_INPUT, "out": lib.IPU_OUTPUT, "inout": lib.IPU_INOUT}


class Error(Exception):
    """What the library refused; `status` is its mt_status."""

    def __init__(self, status):
        super().__init__(ffi.string(lib.mt_message()).decode())
        self.status = status


def _do(status):
    if status != lib.MT_OK:
        raise Error(status)


def _arena():
    return ffi.gc(ffi.new("mt_arena *"), lib.mt_arena_free)


def _array(data, dtype, n):
    """The memory of an array of this type and size, as it is."""
    if not isinstance(data, numpy.ndarray) or data.dtype != dtype or data.size != n or not data.flags.c_contiguous:
        raise TypeError(f"allowed: a contiguous array of {n} x {dtype}")
    return data


def _view(data, n, dtype):
    """n elements at `data`, which lives as long as the view."""
    return numpy.frombuffer(ffi.buffer(data, n * dtype.itemsize), dtype) if n else numpy.empty(0, dtype)


class Machine:
    """A machine by its name or the path of its file, of several chips, with constants set: {"exchange.sync_cycles": 0}. Its
    numbers are attributes, by their names in ipu/machine/target.h."""

    def __init__(self, name="gc200", chips=1, sets=None):
        self._arena = _arena()
        self._kept = [(ffi.new("char[]", b"sets"), ffi.new("char[]", f"{k}={v}".encode())) for k, v in (sets or {}).items()]
        path, one = ffi.new("const char **"), ffi.new("ipu_target *")
        self.target = ffi.new("ipu_target *")
        _do(lib.ipu_machine_path(self._arena, os.fsencode(machines), os.fsencode(name), path))
        _do(lib.ipu_machine_load(self._arena, path[0], ffi.new("mt_yaml_override[]", self._kept), len(self._kept), one))
        _do(lib.ipu_target_several(one, chips, self.target))

    def __getattr__(self, name):
        if name.startswith("_") or name == "target":  # none of the target's: asked for while there is none yet, as by copy
            raise AttributeError(name)
        return getattr(self.target, name)


_compute = "void {}(const ipu_span *, const void *)"
_cost = "ipu_cycles {}(const ipu_target *, const size_t *, const void *)"


class Codelet:
    """A kind of vertex. `fields` says what each is: {"own": "in float", "rows": "in half list", "next": "out float"}.

    `code` is a function of Python, called for each vertex with a view of each field (of a list: a list of views), slow and for
    trying things out; or C, compiled with `cc`, whose function of the codelet's name computes, and whose NAME_cost, unless `cost` is
    given, tells the cost (ipu/graph/graph.h has both). `cost(target, n)` answers (entry, worker), by the elements of each field."""

    def __init__(self, name, fields, code, cost=None, kind="multi_worker", code_bytes=0, vertex_bytes=0):
        self._errors, self._fields, lists = [], [], 0
        for k, (field, words) in enumerate(fields.items()):
            direction, what = words.split(None, 1)
            is_list = what.endswith(" list")
            lists |= is_list << k
            number, dtype = _types[what.removesuffix(" list")]
            self._fields.append((ffi.new("char[]", field.encode()), _directions[direction], number, is_list, numpy.dtype(dtype)))
        rows = ffi.new("ipu_field[]", [row[:3] for row in self._fields])
        self.c = ffi.new("ipu_codelet *", {
            "n_fields": len(self._fields), "fields": rows, "lists": lists, "kind": getattr(lib, f"IPU_{kind.upper()}"),
            "code_bytes": code_bytes, "vertex_bytes": vertex_bytes})
        self._kept = [rows, ffi.new("char[]", name.encode())]
        self.c.name = self._kept[1]
        if callable(code):
            self.c.compute = self._callback(_compute, lambda spans, context: code(*self._views(spans)), None)
        else:
            self._compile(name, code, cost is None)
        if cost:
            n = len(self._fields)
            self.c.cost = self._callback(_cost, lambda target, counts, _: (*cost(target, counts[0:n]), 0), (0, 0, 0))

    def _views(self, spans):
        views = []
        for span, (_, direction, _, is_list, dtype) in zip(spans[0 : len(self._fields)], self._fields):
            ranges = ffi.cast("ipu_span *", span.data)[0 : span.n] if is_list else [span]
            arrays = [_view(r.data, r.n, dtype) for r in ranges]
            for array in arrays:
                array.flags.writeable = direction != lib.IPU_INPUT
            views.append(arrays if is_list else arrays[0])
        return views

    def _callback(self, signature, function, otherwise):
        """What the function raises waits until C has returned."""
        callback = ffi.callback(signature.format(""), function, error=otherwise,
                                onerror=lambda _, value, trace: self._errors.append(value))
        self._kept.append(callback)
        return callback

    def _compile(self, name, source, with_cost):
        own = cffi.FFI()
        own.include(ffi)
        own.cdef(_compute.format(name) + ";" + (_cost.format(name + "_cost") + ";" if with_cost else ""))
        with tempfile.TemporaryDirectory() as folder:
            command = ["cc", "-O3", "-ffp-contract=off", "-shared", "-fPIC", f"-I{include}", "-x", "c", "-", "-lm"]
            said = subprocess.run([*command, "-o", f"{folder}/codelet.so"], text=True, capture_output=True,
                                  input='#include "ipu/graph/graph.h"\n#line 1\n' + source)
            if said.returncode != 0:
                raise ValueError(f"{name}: {said.stderr}")
            code = own.dlopen(f"{folder}/codelet.so")
        self._kept.append(code)
        self.c.compute = getattr(code, name)
        if with_cost:
            self.c.cost = getattr(code, name + "_cost")

    def raise_error(self):
        """Raises what a function of Python raised, if one did."""
        if self._errors:
            error = self._errors[0]
            self._errors.clear()
            raise error


class Tensor:
    """Elements of a graph; tensor[a:b] are some of them."""

    def __init__(self, graph, c):
        self.graph, self.c = graph, c
        self.dtype = _dtypes[c.type]

    def __len__(self):
        return self.c.n

    def __getitem__(self, part):
        start, stop, step = part.indices(len(self))
        if step != 1:
            raise IndexError("allowed: slices without a step")
        return self.graph._tensor(lib.ipu_graph_slice, self.c, start, max(stop - start, 0))


class Variable(Tensor):
    """All elements of a variable; `number` is its id."""

    def map(self, tile, start, n):
        _do(lib.ipu_graph_set_tile_mapping(self.graph.c, self.number, start, n, tile))
        return self

    def spread(self, tiles):
        """Maps it to these tiles, in their order, in parts that differ by one element at most."""
        at = [len(self) * k // len(tiles) for k in range(len(tiles) + 1)]
        for k, tile in enumerate(tiles):
            self.map(tile, at[k], at[k + 1] - at[k])
        return self


class Graph:
    """Variables, vertices and programs (ipu/graph/graph.h, ipu/graph/program.h)."""

    def __init__(self, machine):
        self.machine, self._arena, self._kept, self._codelets = machine, _arena(), [], []
        graph = ffi.new("ipu_graph **")
        _do(lib.ipu_graph_new(self._arena, machine.target, graph))
        self.c = graph[0]

    def _number(self, function, *arguments):
        number = ffi.new("uint32_t *")
        _do(function(self.c, *arguments, number))
        return number[0]

    def _tensor(self, function, *arguments, kind=Tensor):
        tensor = ffi.new("ipu_tensor *")
        _do(function(self.c, *arguments, tensor))
        return kind(self, tensor[0])

    def _whole(self, number):
        variable = self._tensor(lib.ipu_graph_variable_tensor, number, kind=Variable)
        variable.number = number
        return variable

    def variable(self, name, type, n):
        return self._whole(self._number(lib.ipu_graph_add_variable, name.encode(), _types[type][0], n))

    def constant(self, name, type, values):
        values = numpy.ascontiguousarray(values, _types[type][1])
        self._kept.append(values)
        return self._whole(self._number(lib.ipu_graph_add_constant, name.encode(), _types[type][0], values.size,
                                        ffi.from_buffer(values)))

    def join(self, *tensors):
        """One tensor behind the other."""
        slices = [self.c.slices[t.c.first_slice + k] for t in tensors for k in range(t.c.n_slices)]
        return self._tensor(lib.ipu_graph_add_tensor, ffi.new("ipu_slice[]", slices), len(slices))

    def stream(self, name, type):
        return self._number(lib.ipu_graph_add_stream, name.encode(), _types[type][0])

    def compute_set(self, name):
        return self._number(lib.ipu_graph_add_compute_set, name.encode())

    def vertex(self, compute_set, codelet, tile, **fields):
        """Adds a vertex, each field connected to a tensor, or to a list of them."""
        vertex = ffi.new("size_t *")
        self._codelets.append(codelet)
        _do(lib.ipu_graph_add_vertex(self.c, compute_set, codelet.c, tile, ffi.NULL, vertex))
        for name, tensor in fields.items():
            if isinstance(tensor, Tensor):
                _do(lib.ipu_graph_connect(self.c, vertex[0], name.encode(), tensor.c))
            else:
                ranges = ffi.new("ipu_tensor[]", [t.c for t in tensor])
                _do(lib.ipu_graph_connect_list(self.c, vertex[0], name.encode(), ranges, len(tensor)))

    def _program(self, function, *arguments, of=None):
        program = ffi.new("const ipu_program **")
        _do(function(self._arena if of is None else of, *arguments, program))
        return program[0]

    def execute(self, compute_set):
        return self._program(lib.ipu_program_execute, compute_set)

    def sequence(self, *programs):
        return self._program(lib.ipu_program_sequence, ffi.new("const ipu_program *[]", programs), len(programs))

    def repeat(self, n, program):
        return self._program(lib.ipu_program_repeat, n, program)

    def copy(self, name, source, target):
        return self._program(lib.ipu_program_copy, name.encode(), source.c, target.c, of=self.c)

    def host_write(self, stream, tensor):
        return self._program(lib.ipu_program_host_write, stream, tensor.c)

    def host_read(self, tensor, stream):
        return self._program(lib.ipu_program_host_read, tensor.c, stream)

    def branch(self, predicate, then, otherwise=ffi.NULL):
        return self._program(lib.ipu_program_if, predicate.c, then, otherwise)

    def repeat_while(self, condition, predicate, body, limit):
        return self._program(lib.ipu_program_repeat_while, condition, predicate.c, body, limit)

    def reduce(self, reduction, source, target):
        """`reduction` is add, multiply, maximum or minimum (ipu/library/reduce.h)."""
        return self._program(lib.ipu_reduce, getattr(lib, f"IPU_REDUCE_{reduction.upper()}"), source.c, target.c, of=self.c)

    def compile(self, *programs, checked=False):
        return Engine(self, programs, checked)


class Engine:
    """Runs the programs of a graph (ipu/run/engine.h)."""

    def __init__(self, graph, programs, checked):
        self.graph, self._arena, self._streams = graph, _arena(), {}
        self._programs = ffi.new("const ipu_program *[]", programs)
        executable, engine = ffi.new("ipu_executable **"), ffi.new("ipu_engine **")
        self._do(lib.ipu_compile(self._arena, graph.c, self._programs, len(programs), executable))
        self._do(lib.ipu_engine_new(self._arena, executable[0], checked, engine))
        self.executable, self.c = executable[0], engine[0]

    def _do(self, status):
        for codelet in self.graph._codelets:
            codelet.raise_error()
        _do(status)

    def run(self, program=0):
        self._do(lib.ipu_engine_run(self.c, program))

    def connect(self, stream, array):
        """The programs read or write the array's own memory, at their cost."""
        dtype = _dtypes[self.graph.c.streams[stream].type]
        data = ffi.from_buffer(_array(array, dtype, array.size))
        self._streams[stream] = data
        _do(lib.ipu_engine_connect_stream(self.c, stream, data, array.size))

    def write(self, tensor, array):
        lib.ipu_engine_write(self.c, ffi.addressof(tensor.c), ffi.from_buffer(_array(array, tensor.dtype, len(tensor))))

    def read(self, tensor):
        array = numpy.empty(len(tensor), tensor.dtype)
        lib.ipu_engine_read(self.c, ffi.addressof(tensor.c), ffi.from_buffer(array))
        return array

    def tile(self, variable, tile):
        """A tile's part of a variable, as it lies in the tile's memory."""
        e = self.executable
        ranges = [e.ranges[k] for k in e.tile_range[e.first_tile_range[tile] : e.first_tile_range[tile + 1]]]
        ranges = [r for r in ranges if r.variable == variable.number]
        data = self.c.image + min((r.offset for r in ranges), default=0)
        return _view(ffi.gc(data, lambda _, kept=self._arena: None), sum(r.n for r in ranges), variable.dtype)

    @property
    def cycles(self):
        return lib.ipu_engine_cycles(self.c)

    def profile(self):
        """What all runs so far cost (ipu/run/profile.h): its numbers as attributes, and `steps`, by the names of compute sets."""
        arena, profile = _arena(), ffi.new("ipu_profile *")
        _do(lib.ipu_profile_make(arena, self.c, profile))
        numbers = ("cycles", "rearrangement_cycles", "sync_cycles", "exchange_cycles", "compute_cycles", "dram_cycles",
                   "overlapped_cycles",
                   "control_cycles", "host_cycles", "seconds", "memory_max")
        steps = [(ffi.string(s.name).decode(), s) for s in profile.steps[0 : profile.n_steps]]
        return SimpleNamespace(**{name: getattr(profile, name) for name in numbers}, steps={
            name: SimpleNamespace(runs=s.runs, cycles=s.cycles, sync=s.sync_cycles, exchange=s.exchange_phase_cycles,
                                  copies=s.rearrangement_phase_cycles, compute=s.compute.max,
                                  dram=s.dram_cycles) for name, s in steps})
