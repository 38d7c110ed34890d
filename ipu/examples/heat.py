"""heat.c from Python: heat.py CHIPS. The codelet is C here; a function of Python would do as well."""
import sys
import myotile_ipu as ipu
import numpy

X, Y, PLANE, STEPS = 32, 16, 512, 20
machine = ipu.Machine("gc200", chips=int(sys.argv[1]))
heat = ipu.Codelet("heat", {"u": "in float", "below": "in float", "above": "in float", "next": "out float"},
                   f"enum {{ X = {X}, Y = {Y} }};" """
    void heat(const ipu_span *f, const void *context)
    {
        const float *u = f[0].data, *below = f[1].data, *above = f[2].data;
        for (size_t i = 0; i < X * Y; i++) {
            const float left = u[i % X ? i - 1 : i], right = u[i % X < X - 1 ? i + 1 : i];
            const float front = u[i < X ? i : i - X], back = u[i < X * Y - X ? i + X : i];
            ((float *)f[3].data)[i] = u[i] + (left + right + front + back + below[i] + above[i] - 6 * u[i]) / 8;
        }
    }""", cost=lambda target, n: (11, -(-Y // target.worker_contexts) * (10 + 8 * X)))

graph = ipu.Graph(machine)
tiles = machine.tiles
u, v = (graph.variable(name, "float", tiles * PLANE).spread(range(tiles)) for name in "uv")
steps = []
for before, after in ((u, v), (v, u)):
    steps.append(graph.compute_set("heat"))
    plane = [before[t * PLANE:(t + 1) * PLANE] for t in range(tiles)]
    for t in range(tiles):
        graph.vertex(steps[-1], heat, t, u=plane[t], below=plane[max(t - 1, 0)], above=plane[min(t + 1, tiles - 1)],
                     next=after[t * PLANE:(t + 1) * PLANE])
engine = graph.compile(graph.repeat(STEPS // 2, graph.sequence(*map(graph.execute, steps))))
grid = (numpy.arange(tiles * PLANE) % 1009).astype(numpy.float32).reshape(tiles, Y, X)
engine.write(u, grid)
engine.run()
for _ in range(STEPS):
    p = numpy.pad(grid, 1, mode="edge")
    around = p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1]
    grid = grid + (around + p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] - 6 * grid) / numpy.float32(8)
assert (engine.read(u) == grid.ravel()).all(), "numpy differs"
cost = engine.profile().steps["heat"]
print(f"{grid.size} cells; cycles of a step {cost.cycles}: sync {cost.sync}, exchange {cost.exchange}, compute {cost.compute}")
