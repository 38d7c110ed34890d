# %% [markdown]
# # Cost of exchange schemes on 1 to 64 IPUs
#
# In each diffusion substep a tile needs the voltages of elements on other tiles. The separator scheme selects the data that are sent.
# `full` sends all separator elements of a tile to every neighbour, `mixed-clean` pieces of them, and `exact` only the needed elements, in
# many pieces (`mesh/README.md` describes all schemes). The cost depends on the number of tiles. This takes two minutes.
#
# As a script: `python3 exchange_schemes.py [FOLDER]`; all files go into the folder, or a temporary one.

# %%
import os
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import myotile
import pandas

folder = Path(sys.argv[1]) if len(sys.argv) == 2 else Path(tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)
os.chdir(folder)

counts = [1, 4, 16, 64]
schemes = ["full", "mixed-clean", "exact"]

# %% [markdown]
# ## A mesh for 94,208 tiles
#
# 64 IPUs have 94,208 tiles, and the slab has hardly more elements: 67 per tile on one IPU, one per tile on 64. A heart of millions of
# elements has more per tile, and the notebook then takes hours instead of minutes; the last cell has the command.

# %%
myotile.call("mesh", "slab", "--size-mm", "16,8,2", "--edge-mm", 0.25, "-o", "slab.hdf", "--force")
mesh = myotile.Mesh("slab.hdf")
print(f"{mesh.n_elements} elements, {mesh.volumes_mm3.sum():.0f} mm^3")

# %% [markdown]
# ## The phases of a time step
#
# `reproduce table2` partitions the mesh first among the IPUs and then among the tiles of each IPU, and counts the cycles of each phase of a
# time step with one diffusion substep. As in the study's program, on-tile copies gather data in many pieces before they are sent, and move
# received data to the place where vertices read them.

# %%
phases = {}
for scheme in schemes:
    found = myotile.tables("reproduce", "table2", "--mesh", "slab.hdf", "--ipus", ",".join(map(str, counts)), "--pde-steps", 1,
                           "--partition", "hierarchical", "--scheme", scheme)["phases"]
    phases[scheme] = found.pivot(index="ipus", columns="phase", values="max_cycles")
cycles = pandas.concat(phases, names=["scheme"]).fillna(0)
copies = [column for column in cycles if "rearrangement" in column]
cycles["pde_copies"] = cycles[copies].sum(axis=1)
parts = {"pde_exchange_inside_ipus": "inside IPUs", "pde_links": "links", "pde_copies": "copies", "pde_sync": "sync"}
cycles = cycles.rename(columns=parts)
cycles["exchange"] = cycles[list(parts.values())].sum(axis=1)
print("Cycles of a time step")
print(cycles[["time_step", "ode_compute", "pde_compute", "exchange", *parts.values()]].astype(int).to_string())

# %%
numbers = myotile.tables("machine", "show", "gc200")["machine"].set_index("key").value
clock_hz = float(numbers["clock_hz"])
for count in counts:
    at = cycles.xs(count, level="ipus")
    less = 1 - at.exchange["exact"] / at.exchange["full"]
    print(f"{count:2} IPUs: {at.time_step['exact'] / clock_hz * 1e6:5.1f} us a time step with exact, of which exchange "
          f"{100 * at.exchange['exact'] / at.time_step['exact']:4.1f} %; the exchange is {-100 * less:+5.1f} % against full's")

# %% [markdown]
# On one IPU the number of words dominates, and `exact` saves a third. Between IPUs the fixed time of the links dominates, which is the same
# for all schemes. With few elements per tile the copies of many pieces can take longer than the words that they save.

# %%
fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
bars = cycles[list(parts.values())].swaplevel().sort_index(level="ipus", sort_remaining=False)
bars.set_index(bars.index.map("{0[0]} {0[1]}".format)).plot.bar(ax=axes[0], stacked=True, rot=70)
axes[0].legend(loc="upper center", ncol=4)
axes[0].set_ylim(0, 1.2 * cycles.exchange.max())
axes[0].set_ylabel("cycles of the exchange in a time step")
times = cycles.time_step.unstack("scheme")[schemes]
(times.iloc[0] / times).plot(ax=axes[1], marker="o", logx=True, logy=True, ylabel="speed-up over one IPU")
axes[1].plot(counts, counts, "k:", label="as many as IPUs")
axes[1].set_xticks(counts, counts)
axes[1].set_yticks(counts, counts)
axes[1].minorticks_off()
axes[1].legend()
axes[0].set_xlabel("IPUs and scheme")
axes[1].set_xlabel("IPUs")
fig.savefig("schemes.png")

# %% [markdown]
# ## In a run
#
# The scheme never changes the result, as short runs with each scheme show. Their profiles report the data sent and the use of memory.

# %%
runs = myotile.sweep(
    myotile.cases / "niederer-0.5.yaml",
    "machine.scheme",
    schemes,
    output="runs",
    set={"time.end_ms": 80, "machine.ipus": 4},
)
first = next(iter(runs.values()))
for scheme, run in runs.items():
    sets = run.profile_table().set_index("name")
    sent = sets.loc["pde a to b"]
    same = (run.maps["activation"] == first.maps["activation"]).all()
    print(f"{scheme}: {sent.bytes_received:,} bytes in {sent.pieces_received:,} pieces, {sent.exchange_cycles:,} cycles; fullest tile "
          f"{run.profile['memory']['bytes_fullest'] / 1024:.1f} KiB; {run.profile['totals']['seconds']:.4f} s; same map: {same}")
print(f"all files: {folder.resolve()}")

# %% [markdown]
# For a heart of 3 million elements, replace the slab by `myotile mesh ventricles --like heart04 -o heart04.hdf`. `mesh/README.md` has the
# table of its measurements.
