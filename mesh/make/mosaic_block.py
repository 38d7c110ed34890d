"""Writes mesh/make/mosaic_block.h, the block of mesh/make/mosaic.h, with Gmsh:

    setarch -R python3 mesh/make/mosaic_block.py 7 >mesh/make/mosaic_block.h

7 is the seed. Without setarch, addresses are random, and Gmsh 4.8.4 sorts by addresses.
"""

import subprocess
import sys
import tempfile

SIZE = (20, 20, 5.5)
EDGE = 1.77  # elements then have a mean volume of about 1
THOUSANDTHS = 1000
GEOMETRY = "data/geometry/slab.geo"


def mesh(seed):
    """Returns the vertices, in thousandths, and the tetrahedra of a block."""
    with tempfile.NamedTemporaryFile(suffix=".msh") as out:
        numbers = {"h": EDGE, "x": SIZE[0], "y": SIZE[1], "z": SIZE[2], "Mesh.RandomSeed": seed,
                   "Mesh.Algorithm3D": 1, "General.NumThreads": 1}
        words = ["gmsh", GEOMETRY, "-3", "-format", "msh22", "-o", out.name]
        for name, value in numbers.items():
            words += ["-setnumber", name, str(value)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        lines = open(out.name).read().split("\n")
    at = lines.index("$Nodes")
    vertices = [[round(THOUSANDTHS * float(x)) for x in line.split()[1:]]
                for line in lines[at + 2:at + 2 + int(lines[at + 1])]]
    at = lines.index("$Elements")
    cells = [[int(word) for word in line.split()] for line in lines[at + 2:at + 2 + int(lines[at + 1])]]
    return vertices, [[v - 1 for v in cell[-4:]] for cell in cells if cell[1] == 4]


def table(name, rows):
    """Prints an array of rows."""
    width = len(rows[0])
    print(f"static const uint16_t {name}[{len(rows)}][{width}] = {{")
    line = "   "
    for row in rows:
        text = " {" + ", ".join(map(str, row)) + "},"
        if len(line) + len(text) > 138:
            print(line)
            line = "   "
        line += text
    print(line + "\n};")


version = subprocess.run(["gmsh", "--version"], capture_output=True, text=True, check=True).stderr.strip()
vertices, elements = mesh(int(sys.argv[1]))
print(f"""/* The block of mesh/make/mosaic.h: made by Gmsh {version} with seed {sys.argv[1]}; written by mesh/make/mosaic_block.py. */
#pragma once

#include <stdint.h>

/* clang-format off */
static const uint16_t block_size[3] = {{{", ".join(str(round(THOUSANDTHS * x)) for x in SIZE)}}}; /* of the coordinates */""")
table("block_vertex", vertices)
table("block_element", elements)
