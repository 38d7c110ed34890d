"""For test_viewers_slow, run by pvpython in a folder: says what ParaView sees in the files there, one "file what numbers"
a line, makes a picture of each, and writes heart.vtu again in every way that VTK knows, as vtk_*."""
import itertools

from paraview import simple
from paraview.servermanager import Fetch
from vtkmodules.vtkIOLegacy import vtkUnstructuredGridWriter
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter


def say(file, what, *numbers):
    print(file, what, *[repr(float(x)) for x in numbers], flush=True)


def look_at(file):
    reader = simple.OpenDataFile("./" + file)
    reader.UpdatePipeline()
    grid = Fetch(reader)
    say(file, "points", grid.GetNumberOfPoints())
    say(file, "elements", grid.GetNumberOfCells())
    say(file, "bounds", *grid.GetBounds())
    data = grid.GetCellData()
    for k in range(data.GetNumberOfArrays()):
        array = data.GetArray(k)
        for cell in (7, grid.GetNumberOfCells() - 1):
            say(file, f"{array.GetName()}[{cell}]", *array.GetTuple(cell))
    whole = Fetch(simple.IntegrateVariables(Input=reader))
    say(file, "volume", whole.GetCellData().GetArray("Volume").GetValue(0))
    view = simple.CreateView("RenderView")
    simple.Show(reader, view)
    simple.SaveScreenshot(file + ".png", view, ImageResolution=[200, 200])
    simple.Delete(view)
    return grid


def frames_of(name, file):
    """The frames by this reader of ParaView's, of which people choose one; the first is chosen by itself."""
    files = {"FileNames" if name == "XDMFReader" else "FileName": [file]}
    reader = getattr(simple, name)(**files)
    for k, time in enumerate(reader.TimestepValues):
        reader.UpdatePipeline(time)
        grid = Fetch(reader)
        yield k, time, grid.GetBlock(0) if grid.IsA("vtkMultiBlockDataSet") else grid


def look_at_network(name):
    for k, time, grid in frames_of(name, "./network.xdmf"):
        line = grid.GetCell(2).GetPointIds()
        values = [grid.GetCellData().GetArray("kind").GetValue(2), *[grid.GetPointData().GetArray(a).GetValue(3) for a in ("activation", "V")]]
        say(name, f"network{k}", time, grid.GetNumberOfPoints(), grid.GetNumberOfCells(), line.GetNumberOfIds(), line.GetId(1), *values)


def look_at_series(name):
    for k, time, grid in frames_of(name, "./series.xdmf"):
        values = [grid.GetCellData().GetArray(a).GetValue(c) for a in ("region", "V") for c in (7, grid.GetNumberOfCells() - 1)]
        say(name, f"frame{k}", time, grid.GetNumberOfPoints(), grid.GetNumberOfCells(), *values)


def write(writer, grid, name):
    writer.SetInputData(grid)
    writer.SetFileName(name)
    writer.Write()


look_at("heart.hdf")
look_at("result.hdf")
size = look_at("parts.hdf").GetFieldData().GetArray("ipus_and_tiles")
say("parts.hdf", "ipus_and_tiles", *[size.GetValue(k) for k in range(size.GetNumberOfValues())])
heart = look_at("heart.vtu")
for name in ("Xdmf3ReaderS", "Xdmf3ReaderT", "XDMFReader"):
    look_at_series(name)
    look_at_network(name)
for mode, compressor, word, order in itertools.product(
    ("Ascii", "Binary", "Appended", "Encoded"), ("None", "ZLib"), ("32", "64"), ("Little", "Big")
):
    xml = vtkXMLUnstructuredGridWriter()
    getattr(xml, "SetDataModeTo" + ("Appended" if mode == "Encoded" else mode))()
    xml.SetEncodeAppendedData(mode == "Encoded")
    getattr(xml, "SetCompressorTypeTo" + compressor)()
    getattr(xml, "SetHeaderTypeToUInt" + word)()
    getattr(xml, f"SetByteOrderTo{order}Endian")()
    write(xml, heart, f"vtk_{mode}_{compressor}_{word}_{order}.vtu")
for kind, version in itertools.product((1, 2), (42, 51)):
    legacy = vtkUnstructuredGridWriter()
    legacy.SetFileType(kind)
    legacy.SetFileVersion(version)
    write(legacy, heart, f"vtk_{kind}_{version}.vtk")
