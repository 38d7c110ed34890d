# %% [markdown]
# # Uncertainty and sensitivity of activation
#
# Conductivities and the excitability of cells are known to within tens of per cent. This notebook propagates such uncertainties to the
# activation of a slab: by Latin hypercube sampling (McKay et al. 1979) for the distribution of the result, and by a variance-based
# sensitivity analysis (Sobol' 2001) for the share of each parameter in its variance. It needs scipy, and takes a few minutes.
#
# As a script: `python3 sensitivity.py [FOLDER [N]]`; all files go into the folder, or a temporary one. N, a power of 2, is the number of
# samples.

# %%
import os
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import myotile
import numpy
from scipy.stats import qmc

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
n = int(sys.argv[2]) if len(sys.argv) > 2 else 64
folder.mkdir(parents=True, exist_ok=True)
os.chdir(folder)

# %% [markdown]
# ## Parameters
#
# Each is uniform between two bounds. A column of the table of members is a key of the case, in its units; the maximum sodium conductance is
# a factor in `cell.scale`. The other keys are the same for all: a coarse, small slab on the host.

# %%
bounds = {
    "tissue.intracellular_l_mS_mm": (0.12, 0.22),
    "tissue.chi_per_mm": (120, 160),
    "cell.scale": (0.7, 1.3),
}
low, high = numpy.array(list(bounds.values())).T
names = [key.split(".")[-1] for key in bounds]
common = {"mesh.slab.size_mm": [8, 2, 2], "diffusion.spreading": 0, "time": {"dt_ms": 0.05, "end_ms": 60, "until": "activated"},
          "points": [{"name": "end", "at_mm": [7.75, 1, 1]}], "line.points": 0, "machine.backend": "cpu"}


def activation_ms(points, output):
    """Runs a member for each row of points in the unit cube. Returns the activation times at the end of the slab."""
    values = dict(zip(bounds, qmc.scale(points, low, high).T))
    values["cell.scale"] = [[f"g_Na={factor:.6f}"] for factor in values["cell.scale"]]
    made = myotile.ensemble(myotile.cases / "niederer-0.5.yaml", values, common, output, jobs=os.cpu_count() or 1)
    return made.table["activation_end_ms"].to_numpy()


# %% [markdown]
# ## Latin hypercube sampling
#
# Each of the n equal parts of every range has one sample. The mean, the percentiles and a linear regression follow.

# %%
sample = qmc.LatinHypercube(d=len(bounds), seed=1).random(n)
y = activation_ms(sample, "hypercube")
print(f"activation at the end: mean {y.mean():.2f} ms, standard deviation {y.std(ddof=1):.2f} ms, "
      f"5 % to 95 %: {numpy.percentile(y, 5):.2f} to {numpy.percentile(y, 95):.2f} ms")
x = (sample - sample.mean(0)) / sample.std(0)
slope, residual, *_ = numpy.linalg.lstsq(x, (y - y.mean()) / y.std(), rcond=None)
linear = slope**2  # share of the variance, if the relation is linear
print(f"linear regression: R2 {1 - residual[0] / n:.3f}; " + ", ".join(f"{name} {share:.3f}" for name, share in zip(names, linear)))

# %% [markdown]
# ## Sensitivity indices
#
# A and B are two independent samples, and AB_i is A with column i from B. The first-order index S_i is the share of the variance that
# parameter i causes alone; the total index T_i includes its interactions. The estimators are those of Saltelli et al. (2010), Comput.
# Phys. Commun. 181, 259, table 2 (b) and (f). Runs that an interrupted call has completed are not repeated.

# %%
both = qmc.Sobol(d=2 * len(bounds), seed=2).random(n)
a, b = both[:, :len(bounds)], both[:, len(bounds):]
mixed = [numpy.where(numpy.arange(len(bounds)) == i, b, a) for i in range(len(bounds))]
f_a, f_b, *f_ab = activation_ms(numpy.vstack([a, b, *mixed]), "sobol").reshape(-1, n)
centre = numpy.concatenate([f_a, f_b]).mean()  # subtracted, since this reduces the error of S
variance = numpy.concatenate([f_a, f_b]).var()
first = [numpy.mean((f_b - centre) * (f - f_a)) / variance for f in f_ab]
total = [numpy.mean((f_a - f) ** 2) / (2 * variance) for f in f_ab]
for name, s, t, share in zip(names, first, total, linear):
    print(f"{name}: first-order index {s:.3f}, total index {t:.3f}, by regression {share:.3f}")
print(f"sum of first-order indices: {sum(first):.3f}")

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
axes[0].hist(y, bins=16)
axes[0].set_xlabel("activation at the end (ms)")
axes[0].set_ylabel("members")
place = numpy.arange(len(names))
axes[1].bar(place - 0.2, first, 0.4, label="first order")
axes[1].bar(place + 0.2, total, 0.4, label="total")
axes[1].set_xticks(place, names)
axes[1].set_ylabel("sensitivity index")
axes[1].legend()
fig.savefig("sensitivity.png")
print(f"all files: {folder.resolve()}")
