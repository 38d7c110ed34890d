# %% [markdown]
# # A heart, from mesh to maps
#
# This notebook generates a mesh of two idealised ventricles with fibres and tunes the conductivities, so that CV on this coarse mesh is
# that of a human heart. It simulates a beat from four early activation sites of the endocardium, and shows maps, an ECG, traces and the
# modelled time on an IPU. It needs Debian's `gmsh` and two minutes.
#
# As a script: `python3 heart.py [FOLDER]`; all files go into the folder, or a temporary one.

# %%
import os
import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import myotile
import numpy

folder = Path(sys.argv[1]) if len(sys.argv) == 2 else Path(tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)
os.chdir(folder)
warnings.simplefilter("always", myotile.CaseWarning)

# %% [markdown]
# ## The mesh
#
# The mean edge length is about 3 mm, so that the beat takes about a minute. `--elements 100000` is more accurate; `--like heart04`
# generates 3 million elements, as in the published study.

# %%
myotile.call("mesh", "ventricles", "--elements", 60000, "-o", "heart.hdf", "--force")
myotile.call("mesh", "fibres", "heart.hdf", "-o", "fibred.hdf", "--force")
mesh = myotile.Mesh("fibred.hdf")
volume_mL = mesh.volumes_mm3.sum() / 1000
length_mm = mesh.volumes_mm3.mean() ** (1 / 3)
print(f"{mesh.n_elements} elements of {length_mm:.2f} mm, {volume_mL:.1f} mL of muscle")

# %%
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", subplot_kw={"projection": "3d"})
helix_deg = numpy.degrees(numpy.arcsin(mesh.fibres[:, 2]))
for ax, azimuth_deg, title in zip(axes, (90, -90), ("from the front", "from behind")):
    myotile.plot.map(mesh, numpy.abs(helix_deg), ax, label="fibres out of the horizontal (degrees)", azimuth_deg=azimuth_deg)
    ax.set_title(title)
fig.savefig("fibres.png")

# %% [markdown]
# ## The tissue
#
# CV is underestimated on coarse meshes. `myotile tune` finds conductivities for a given CV on elements of this size: 0.6 mm/ms
# longitudinal, 0.3 mm/ms transverse.

# %%
tuned = myotile.tables("tune", "--cv-l", 0.6, "--cv-t", 0.3, "--length-mm", f"{length_mm:.3f}", "--family", "gmsh",
                       "--case", myotile.cases / "ventricles.yaml")
waves, found = tuned["tuned_waves"], tuned["tuned_tissue"].iloc[0]
print(waves[["direction", "asked_mm_per_ms", "measured_mm_per_ms"]].to_string(index=False))
print(found.T)
tissue = {
    "tissue.intracellular_l_mS_mm": found.intracellular_along_millisiemens_per_mm,
    "tissue.intracellular_t_mS_mm": found.intracellular_across_millisiemens_per_mm,
    "tissue.extracellular_l_mS_mm": found.extracellular_along_millisiemens_per_mm,
    "tissue.extracellular_t_mS_mm": found.extracellular_across_millisiemens_per_mm,
}

# %% [markdown]
# ## The beat
#
# The case `s1-s2` has endocardial, M and epicardial cells, fast endocardial conduction, and electrodes on the chest. Four early activation
# sites replace its stimuli. V is recorded at two sites, an early one in the septum and a late one in the left free wall.

# %%
def site(surface, centre_mm, start_ms=0):
    return {"surface": surface, "depth_mm": 2, "centre_mm": centre_mm, "radius_mm": 8, "start_ms": start_ms, "duration_ms": 2,
            "strength_uA_mm3": 50}


beat = myotile.run(
    myotile.cases / "s1-s2.yaml",
    output="beat",
    set={
        **tissue,
        "time.end_ms": 450,
        "cell.stepping": "multirate",
        "output": {"maps": ["apd", "repolarisation", "conduction_velocity"]},
        "stimuli": [
            site("lv_endocardium", [24, 0, -40]),
            site("lv_endocardium", [12, 22, -25]),
            site("lv_endocardium", [10, -17, -52]),
            site("rv_endocardium", [53, 20, -45], start_ms=8),
        ],
        "points": [{"name": "septum", "at_mm": [24, 0, -40]}, {"name": "free wall", "at_mm": [-30, 0, -30]}],
        "traces": {"every_ms": 1},
        "series": {"every_ms": 20},
    },
)
print(beat)

# %% [markdown]
# ## Maps
#
# The warning above assumes the default tissue; this tissue is tuned for these elements.

# %%
activation_ms, apd_ms = beat.maps["activation"], beat.maps["apd90"]
activated = numpy.isfinite(activation_ms)
print(f"activated: {100 * activated.mean():.1f} % of the elements, the last at {numpy.nanmax(activation_ms):.1f} ms")
low_ms, median_ms, high_ms = numpy.nanpercentile(apd_ms, [5, 50, 95])
print(f"APD90: median {median_ms:.1f} ms, 5 to 95 %: {low_ms:.1f} to {high_ms:.1f} ms")
for layer, name in ((1, "endocardial"), (2, "M"), (3, "epicardial")):
    print(f"  {name} cells: median {numpy.nanmedian(apd_ms[beat.mesh.layers == layer]):.1f} ms")

fig, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained", subplot_kw={"projection": "3d"})
for row, name in zip(axes, ("activation", "apd90")):
    for ax, azimuth_deg, side in zip(row, (90, -90), ("from the front", "from behind")):
        myotile.plot.map(beat, name, ax, azimuth_deg=azimuth_deg)
        ax.set_title(side)
fig.savefig("maps.png")

# %% [markdown]
# ## ECG and traces

# %%
ecg = beat.ecg
first_ms, last_ms = numpy.nanmin(activation_ms), numpy.nanmax(activation_ms)
print(f"activation from {first_ms:.0f} to {last_ms:.0f} ms; R in V6 {ecg['V6'][:200].max():.2f} mV, S in V1 {ecg['V1'][:200].min():.2f} mV")
fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
ecg[["I", "II", "V1", "V6"]].plot(ax=axes[0], xlabel="time (ms)", ylabel="mV")
myotile.plot.trace(beat, "V", ax=axes[1])
fig.savefig("ecg.png")

# %% [markdown]
# ## Frames as arrays

# %%
series = beat.series
depolarised = (series["V"] > -40).mean(axis=1)
for time_ms, share in zip(series.times_ms[::4], depolarised[::4]):
    print(f"{time_ms:5.0f} ms: {100 * share:5.1f} % depolarised")

# %% [markdown]
# ## Modelled time on an IPU, and export

# %%
totals, machine = beat.profile["totals"], beat.profile["machine"]
print(f"{totals['seconds']:.3f} s ({totals['cycles']:,} cycles) on {machine['ipus']} {machine['name']}")
beat.to_meshio().write("beat.vtu")
print(f"all files: {folder.resolve()}")
