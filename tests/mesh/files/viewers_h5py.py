"""For test_viewers_slow, run in a folder: says what h5py sees in the files there, one "file what numbers" a line."""
import h5py


def say(file, what, *numbers):
    print(file, what, *[repr(float(x)) for x in numbers])


for name in ("heart.hdf", "result.hdf", "parts.hdf"):
    with h5py.File(name, "r") as file:
        grid = file["VTKHDF"]
        points = grid["Points"][()]
        say(name, "points", len(points))
        say(name, "elements", len(grid["Types"]))
        say(name, "bounds", *[f(points[:, k]) for k in range(3) for f in (min, max)])
        for array in grid["CellData"]:
            value = grid["CellData"][array][7]
            say(name, array + "[7]", *(value if value.shape else [value]))
        say(name, "face_vertex[3]", *grid["FieldData/face_vertex"][3])
        say(name, "face_tag[3]", grid["FieldData/face_tag"][3])
        if "ipus_and_tiles" in grid["FieldData"]:
            say(name, "ipus_and_tiles", *grid["FieldData/ipus_and_tiles"])

# As VTK's reader of transient files finds a moment.
with h5py.File("series.hdf", "r") as file:
    grid, steps = file["VTKHDF"], file["VTKHDF/Steps"]
    for k, time in enumerate(steps["Values"]):
        part = steps["PartOffsets"][k]
        points, n = grid["NumberOfPoints"][part], grid["NumberOfCells"][part]
        assert steps["NumberOfParts"][k] == 1 and steps["PointOffsets"][k] == 0
        cells, ids = steps["CellOffsets"][k], steps["ConnectivityIdOffsets"][k]
        corners = grid["Connectivity"][ids : ids + grid["NumberOfConnectivityIds"][part]]
        ends = grid["Offsets"][cells + part : cells + part + n + 1]
        assert len(corners) == ends[-1] == 4 * n and corners.max() < points == len(grid["Points"])
        values = []
        for array in ("region", "V"):
            first = steps["CellDataOffsets"][array][k]
            own = grid["CellData"][array][first : first + n]
            values += [own[7], own[-1]]
        assert (file["frames/V"][f"{k:06}"][()] == own).all()
        say("series.hdf", f"frame{k}", time, points, n, *values)
    assert steps.attrs["NSteps"] == k + 1
