"""For test_viewers_slow, run in a folder: says what meshio sees in the files there, one "file what numbers" a line, and
writes heart.vtu again as meshio_*."""
import meshio
import numpy


def say(file, what, *numbers):
    print(file, what, *[repr(float(x)) for x in numbers])


def look_at(name):
    mesh = meshio.read(name)
    say(name, "points", len(mesh.points))
    say(name, "elements", sum(len(block.data) for block in mesh.cells))
    say(name, "bounds", *[f(mesh.points[:, k]) for k in range(3) for f in (min, max)])
    volume = 0
    for block in mesh.cells:
        if block.type == "tetra":
            x = mesh.points[block.data]
            volume += numpy.linalg.det(x[:, 1:] - x[:, :1]).sum() / 6
    say(name, "volume", volume)
    for array, parts in mesh.cell_data.items():
        values = numpy.concatenate(parts)
        say(name, array + "[7]", *numpy.atleast_1d(values[7]))
        say(name, array + "[last]", *numpy.atleast_1d(values[-1]))
    return mesh


look_at("heart.msh")
heart = look_at("heart.vtu")
heart.write("meshio_inline.vtu", binary=True, compression=None)
heart.write("meshio_zlib.vtu", binary=True, compression="zlib")
heart.write("meshio_ascii.vtu", binary=False)
heart.write("meshio_42.vtk", file_format="vtk42")
heart.write("meshio_51.vtk", file_format="vtk51")
for data_format in ("XML", "Binary", "HDF"):
    meshio.xdmf.write(f"meshio_{data_format}.xdmf", heart, data_format=data_format)
