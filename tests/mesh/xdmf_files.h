/* The mesh of tests/mesh/vtk_files.h as XDMF files, with its numbers as text, as bytes of another file and in HDF5; and meshes with tags in
 * the layout of FEniCS. */
#pragma once

#include <hdf5.h>

#include "tests/mesh/vtk_files.h"

typedef struct xdmf_kind {
    const char *format; /* XML, Binary or HDF */
    bool big_endian, version_3;
} xdmf_kind;

static const xdmf_kind xdmf_kinds[] = {{"XML", false, false}, {"Binary", false, true},
    {"Binary", true, false}, {"HDF", false, false}, {"HDF", false, true}};
enum { XDMF_KINDS = sizeof xdmf_kinds / sizeof *xdmf_kinds };

/* A file under construction, and the files of its numbers. */
typedef struct xdmf_file {
    const xdmf_kind *kind;
    const char *name; /* of the other files, without folder and ending */
    buffer xml, bytes;
    hid_t hdf5;
    size_t n_arrays;
} xdmf_file;

/* Writes an array of HDF5 in the type of this size. */
static inline void xdmf_put_dataset(const xdmf_file *x, const char *name, bool real, size_t bytes, size_t n,
    size_t components, const double *values)
{
    const hid_t whole = bytes == 8 ? H5T_STD_I64LE : bytes == 4 ? H5T_STD_I32BE : H5T_STD_U8LE;
    const hid_t type = real ? bytes == 8 ? H5T_IEEE_F64LE : H5T_IEEE_F32BE : whole;
    const hsize_t shape[2] = {n, components};
    const hid_t space = H5Screate_simple(components > 1 ? 2 : 1, shape, NULL);
    const hid_t id = H5Dcreate2(x->hdf5, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t written = H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    assert(written >= 0);
    (void)written, (void)H5Dclose(id), (void)H5Sclose(space);
}

/* Writes a DataItem: real numbers of 4 or 8 bytes, integers of 1, 4 or 8. */
static inline void xdmf_put_item(
    xdmf_file *x, bool real, size_t bytes, size_t n, size_t components, const double *values)
{
    char name[32];
    const char *type = real ? "Float" : bytes == 1 ? "UChar" : "Int";
    (void)snprintf(name, sizeof name, "array%zu", x->n_arrays++);
    text(&x->xml, "<DataItem Dimensions=\"%zu %zu\" %s=\"%s\" Precision=\"%zu\"\n Format=\"%s\"", n,
        components, x->kind->version_3 ? "DataType" : "NumberType", type, bytes, x->kind->format);
    if (x->kind->format[0] == 'B') {
        text(&x->xml, " Endian=\"%s\" Seek=\"%zu\">%s.bin", x->kind->big_endian ? "Big" : "Little",
            x->bytes.n, x->name);
        raw(&x->bytes, real, bytes, x->kind->big_endian, n * components, values);
    } else if (x->kind->format[0] == 'H') {
        text(&x->xml, ">\n  %s.h5:/%s\n", x->name, name);
        xdmf_put_dataset(x, name, real, bytes, n, components, values);
    } else {
        text(&x->xml, ">");
        numbers(&x->xml, n * components, values);
    }
    text(&x->xml, "</DataItem>\n");
}

/* Writes the cells of the sample as Mixed: type, count for points and lines, corners. */
static inline void xdmf_put_cells(xdmf_file *x)
{
    double mixed[3 * N_CELLS + N_CORNERS];
    size_t n = 0, begin = 0;
    for (size_t c = 0; c < N_CELLS; begin = (size_t)sample_end[c++]) {
        const double type = sample_type[c], count = sample_end[c] - (double)begin;
        mixed[n++] = type == 10 ? 6 : type == 5 ? 4 : type == 3 ? 2 : 1;
        if (type <= 3) mixed[n++] = count;
        for (size_t k = begin; k < (size_t)sample_end[c]; k++) mixed[n++] = sample_corner[k];
    }
    text(&x->xml, "<Topology %s=\"Mixed\" NumberOfElements=\"%d\">\n",
        x->kind->version_3 ? "Type" : "TopologyType", N_CELLS);
    xdmf_put_item(x, false, 8, n, 1, mixed);
    text(&x->xml, "</Topology>\n");
}

static inline void xdmf_put_attributes(xdmf_file *x)
{
    for (int k = 0; k < N_DATA; k++) {
        const sample_array *a = &sample_data[k];
        text(&x->xml, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Cell\">", a->name,
            a->components == 3 ? "Vector" : "Scalar");
        xdmf_put_item(x, a->type[0] == 'F',
            strstr(a->type, "64")   ? 8
            : strstr(a->type, "32") ? 4
                                    : 1,
            N_CELLS, a->components, a->values);
        text(&x->xml, "</Attribute>\n");
    }
    text(&x->xml, "<Attribute Name=\"xyz\" AttributeType=\"Vector\">");
    xdmf_put_item(x, true, 4, N_POINTS, 3, sample_xyz);
    text(&x->xml, "</Attribute>\n");
}

/* Builds STEM.xdmf in *x and writes STEM.bin or STEM.h5, if the kind has one. Returns false if they cannot be written. */
static inline bool xdmf_sample(const char *stem, const xdmf_kind *kind, xdmf_file *x)
{
    char other[256];
    bool good = true;
    *x = (xdmf_file){.kind = kind, .name = strrchr(stem, '/') + 1, .hdf5 = -1};
    (void)snprintf(other, sizeof other, "%s.%s", stem, kind->format[0] == 'H' ? "h5" : "bin");
    if (kind->format[0] == 'H') x->hdf5 = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (kind->format[0] == 'H' && x->hdf5 < 0) return false;
    text(&x->xml,
        "<?xml version=\"1.0\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"%d.0\"><Domain>\n"
        "<Grid Name=\"heart\" GridType=\"Uniform\">\n",
        kind->version_3 ? 3 : 2);
    xdmf_put_cells(x);
    text(&x->xml, "<Geometry %s=\"XYZ\">", kind->version_3 ? "Type" : "GeometryType");
    xdmf_put_item(x, true, 4, N_POINTS, 3, sample_xyz);
    text(&x->xml, "</Geometry>\n");
    xdmf_put_attributes(x);
    text(&x->xml, "<Information Name=\"Information\" Value=\"3\"><![CDATA[<main>\n<map key=\"wall &amp; "
                  "scar\" dim=\"3\">3</map><map key=\"patch\" dim=\"2\"> 4 </map>\n<map key=\"a line\" "
                  "dim=\"1\">9</map></main>]]></Information>\n"
                  "</Grid>\n</Domain></Xdmf>\n");
    if (x->hdf5 >= 0) good = H5Fclose(x->hdf5) >= 0;
    if (x->bytes.n > 0) {
        FILE *file = fopen(other, "wb");
        good = file && fwrite(x->bytes.bytes, 1, x->bytes.n, file) == x->bytes.n;
        if (file) good = fclose(file) == 0 && good;
    }
    return good;
}

/* Three tetrahedra, two of them tagged in a grid with its own order, and two triangles tagged in another grid, as FEniCS writes
 * MeshTags. */
static const char xdmf_tags[] =
    "<Xdmf Version=\"3.0\" xmlns:xi=\"https://www.w3.org/2001/XInclude\"><Domain>\n"
    "<Grid Name=\"mesh\" GridType=\"Uniform\">\n"
    "<Topology TopologyType=\"Tetrahedron\" NumberOfElements=\"3\" NodesPerElement=\"4\">\n"
    "<DataItem Dimensions=\"3 4\" NumberType=\"Int\" Format=\"XML\">0 1 2 3  1 0 2 4  2 0 4 "
    "5</DataItem></Topology>\n"
    "<Geometry GeometryType=\"XYZ\"><DataItem Dimensions=\"6 3\" Format=\"XML\">\n"
    "0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1 -1 0 0</DataItem></Geometry></Grid>\n"
    "<Grid Name=\"facet_tags\" GridType=\"Uniform\">\n"
    "<xi:include xpointer=\"xpointer(/Xdmf/Domain/Grid/Geometry)\"/>\n"
    "<Topology TopologyType=\"Triangle\" NumberOfElements=\"2\" NodesPerElement=\"3\">\n"
    "<DataItem Dimensions=\"2 3\" NumberType=\"Int\" Format=\"XML\">0 1 3 0 1 4</DataItem></Topology>\n"
    "<Attribute Name=\"facet_tags\" AttributeType=\"Scalar\" Center=\"Cell\">\n"
    "<DataItem Dimensions=\"2 1\" Format=\"XML\">11 12</DataItem></Attribute></Grid>\n"
    "<Grid Name=\"cells\" GridType=\"Uniform\">\n"
    "<Topology TopologyType=\"Tetrahedron\" NumberOfElements=\"2\" NodesPerElement=\"4\">\n"
    "<DataItem Dimensions=\"2 4\" NumberType=\"Int\" Format=\"XML\">5 4 2 0  3 2 1 0</DataItem></Topology>\n"
    "<Geometry Reference=\"XML\">/Xdmf/Domain/Grid[@Name='mesh']/Geometry</Geometry>\n"
    "<Attribute Name=\"anything\" Center=\"Cell\"><DataItem Dimensions=\"2\" Format=\"XML\">7 "
    "8</DataItem></Attribute></Grid>\n"
    "</Domain></Xdmf>\n";

/* Two steps of a time series on one mesh, as meshio writes them. */
static const char xdmf_series[] =
    "<Xdmf Version=\"3.0\"><Domain>\n"
    "<Grid Name=\"TimeSeries_meshio\" GridType=\"Collection\" CollectionType=\"Temporal\">\n"
    "<Grid><ns0:include xmlns:ns0=\"http://www.w3.org/2003/XInclude\" "
    "xpointer=\"xpointer(//Grid[@Name=&quot;mesh&quot;]/*[self::Topology or self::Geometry])\"/><Time "
    "Value=\"0\"/>\n"
    "<Attribute Name=\"elemTag\" Center=\"Cell\"><DataItem Dimensions=\"2\" Format=\"XML\">4 "
    "5</DataItem></Attribute>\n"
    "<Attribute Name=\"f0\" Center=\"Node\"><DataItem Dimensions=\"5 3\" Format=\"XML\">\n"
    "0 1 0 0 1 0 0 1 0 0 1 0 1 0 0</DataItem></Attribute></Grid>\n"
    "<Grid><Topology Reference=\"/Xdmf/Domain/Grid[2]/Topology\"/><Time Value=\"1\"/>\n"
    "<Attribute Name=\"elemTag\" Center=\"Cell\"><DataItem Dimensions=\"2\" Format=\"XML\">8 "
    "9</DataItem></Attribute></Grid>\n"
    "</Grid>\n<Grid Name=\"mesh\" GridType=\"Uniform\">\n"
    "<Topology TopologyType=\"Tetrahedron\" BaseOffset=\"1\"><DataItem "
    "Reference=\"/Xdmf/DataItem[@Name='ids']\"/></Topology>\n"
    "<Geometry GeometryType=\"X_Y_Z\"><DataItem Dimensions=\"5\">0 1 0 0 0</DataItem>\n"
    "<DataItem Dimensions=\"5\">0 0 1 0 0</DataItem><DataItem Dimensions=\"5\">0 0 0 1 "
    "-1</DataItem></Geometry>\n"
    "</Grid></Domain>\n"
    "<DataItem Name=\"ids\" Dimensions=\"2 4\" NumberType=\"Int\">1 2 3 4 2 1 3 5</DataItem></Xdmf>\n";
