# %% [markdown]
# # Restitution and drug effects
#
# APD and CV depend on the preceding diastolic interval, and a drug that blocks a channel changes both. This notebook compares cells without
# a drug, with half of the rapid delayed rectifier current (I_Kr, as with dofetilide or sotalol), and with half of the sodium current (I_Na,
# as with flecainide): in a single cell, in a cable and in a slab. It takes a minute.
#
# As a script: `python3 restitution_and_drug.py [FOLDER]`; all files go into the folder, or a temporary one.

# %%
import os
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import myotile
import numpy

folder = Path(sys.argv[1]) if len(sys.argv) == 2 else Path(tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)
os.chdir(folder)

drugs = {"no drug": "g_Kr=1", "half of I_Kr": "g_Kr=0.5", "half of I_Na": "g_Na=0.5"}

# %% [markdown]
# ## A single cell
#
# Ten beats at 1 Hz; the last is evaluated.

# %%
cells = {}
for drug, scale in drugs.items():
    last = myotile.tables("cell", "--type", "epi", "--bcl", 1000, "--beats", 10, "--scale", scale)["beats"].iloc[-1]
    cells[drug] = last
    print(f"{drug}: APD90 {last.apd90_ms:.1f} ms, largest dV/dt {last.largest_dvdt_mv_per_ms:.0f} mV/ms")

# %% [markdown]
# ## Restitution in tissue
#
# Beats with a basic cycle length of 600 ms (S1), then an extrastimulus (S2), in a 1-D cable. The diastolic interval (DI) is the time from
# repolarisation after S1 to activation by S2.

# %%
curves, limits = {}, {}
for drug, scale in drugs.items():
    made = myotile.tables("restitution", "--cable", "--type", "epi", "--bcl", 600, "--beats", 3, "--intervals-ms", "600,300,25", "--scale",
                          scale)
    curves[drug], limits[drug] = made["s1_s2_tissue"], made["restitution"].iloc[0]
    curve, limit = curves[drug], limits[drug]
    slope = numpy.gradient(curve.apd90_ms, curve.diastolic_interval_ms)
    print(f"{drug}: {limit.s1_conduction_velocity_mm_per_ms:.3f} mm/ms and APD90 {limit.s1_apd90_ms:.0f} ms at 600 ms; "
          f"steepest slope {slope.max():.2f}; shortest S1 to S2 {limit.shortest_interval_ms:.0f} ms, a DI of "
          f"{limit.shortest_diastolic_interval_ms:.0f} ms")

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for drug, curve in curves.items():
    axes[0].plot(curve.diastolic_interval_ms, curve.apd90_ms, "o-", label=drug)
    axes[1].plot(curve.diastolic_interval_ms, curve.conduction_velocity_mm_per_ms, "o-", label=drug)
axes[0].set_ylabel("APD90 (ms)")
axes[1].set_ylabel("conduction velocity (mm/ms)")
for ax in axes:
    ax.set_xlabel("diastolic interval (ms)")
    ax.legend()
fig.savefig("restitution.png")

# %% [markdown]
# ## A slab
#
# The benchmark of Niederer et al. on a coarse mesh, as a sweep over the drugs. The mesh and all quantities derived from it are computed
# once.

# %%
block = myotile.sweep(
    myotile.cases / "niederer-0.5.yaml",
    "cell.scale",
    [[scale] for scale in drugs.values()],
    output="slab",
    set={"time.end_ms": 420, "cell.stepping": "multirate", "output.maps": ["apd", "upstroke"],
         "traces": {"every_ms": 1, "fields": ["V", "Ca_i"]}},
)
table = block.table.set_index("value")
print(table[["latest_activation_ms", "median_apd_ms", "median_upstroke_mv_per_ms"]])
runs = dict(zip(drugs, block.values()))
for drug, run in runs.items():
    p8_ms = run.points.set_index("point").activation_ms["P8"]
    print(f"{drug}: P8 at {p8_ms:.1f} ms, APD90 in the slab {numpy.nanmedian(run.maps['apd90']):.1f} ms, "
          f"{run.profile['totals']['seconds']:.3f} s on an IPU")

# %%
fig = plt.figure(figsize=(11, 7), layout="constrained")
last_ms = max(numpy.nanmax(run.maps["activation"]) for run in runs.values())
for place, (drug, run) in enumerate(runs.items(), start=1):
    ax = fig.add_subplot(2, 2, place, projection="3d")
    myotile.plot.map(run, ax=ax, vmin=0, vmax=last_ms)
    ax.set_title(drug)
ax = fig.add_subplot(2, 2, 4)
for drug, run in runs.items():
    ax.plot(run.traces.index, run.traces["P9", "V"], label=drug)
ax.set_xlabel("time (ms)")
ax.set_ylabel("V at P9 (mV)")
ax.legend()
fig.savefig("slab.png")
print(f"all files: {folder.resolve()}")
